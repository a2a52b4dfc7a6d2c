"""SVMs, judged on inner folds of a training set, and how such folds are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold

from nask.arrays import Array, Float64, Floats, Positions
from nask.exceptions import ParameterError
from nask.learning.class_weights import CodeWeight
from nask.learning.decisions import most_confident
from nask.learning.path import confidences
from nask.learning.scores import ACCURACY, Score
from nask.messages import quoted
from nask.tuning.sweeps import Candidate, Sweep

Splits = list[tuple[Positions, Positions]]


@dataclass(frozen=True, eq=False)
class JudgedSVM:
    """A kernel with a penalty, and how accurate its SVM is.

    Parameters
    ----------
    sweep, candidate, C
        What it is.
    score : float
        On the items that are held out: accuracy, if no other was asked for.
    """

    sweep: Sweep
    candidate: Candidate
    C: float
    score: float

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of what the grid varies, C included, and the learner."""
        return {**self.candidate.parameters, "C": self.C, "learner": "svm"}


class InnerFolds:
    """Judges SVMs by cross-validation of a training set. Of equals the earlier is the best.

    Parameters
    ----------
    codes : ndarray of shape (n_train,)
        Class of each training graph, numbered from 0.
    inner : int
        Number of folds; fewer where a class has fewer graphs.
    class_weight : dict, "balanced" or None
        As in scikit-learn's SVC.
    random_state : int
        Of the folds.
    n_jobs : int or None
        Threads.
    splits : list of (ndarray, ndarray), optional
        Positions to learn from and positions held out, instead of folds.
    score : Score
        Of predicted classes, over all folds together; of decisions, the mean over folds, since
        those of different SVMs are on different scales.
    sample_weight : ndarray of shape (n_train,), optional
        For learning alone: of what is held out, all counts alike.

    Examples
    --------
    >>> import nask
    >>> from nask.tuning.sweeps import star_sweeps
    >>> mutag = nask.load_dataset("MUTAG")
    >>> judge = InnerFolds((mutag.y > 0).astype(np.intp), inner=3)
    >>> for sweep in star_sweeps(nask.NASK(), {"gamma": [0.1, 1.0], "C": [1, 10]}):
    ...     judge.enter(sweep, sweep.compute(mutag.graphs))
    >>> sorted(judge.best.parameters), bool(judge.best.score > 0.8)
    (['C', 'gamma', 'learner'], True)
    """

    def __init__(
        self,
        codes: Positions,
        inner: int = 5,
        class_weight: CodeWeight = None,
        random_state: int = 0,
        n_jobs: int | None = None,
        splits: Splits | None = None,
        score: Score = ACCURACY,
        sample_weight: Float64 | None = None,
    ) -> None:
        self._codes = codes
        self._splits = inner_folds(codes, inner, random_state) if splits is None else splits
        self._class_weight = class_weight
        self._n_jobs = n_jobs
        self._score, self._sample_weight = score, sample_weight
        self._best: JudgedSVM | None = None

    def enter(self, sweep: Sweep, stack: Floats, rows: Positions | None = None) -> None:
        """Judge the candidates of a sweep, with all their penalties.

        Parameters
        ----------
        sweep : Sweep
        stack : ndarray
            What its pass over the graphs gave.
        rows : ndarray of int, optional
            Positions of the training graphs in the stack, where that holds others too.
        """
        run = Parallel(n_jobs=self._n_jobs, prefer="threads")
        tasks = (delayed(self._judge)(sweep, stack, rows, own) for own in sweep.candidates)
        for judged in run(tasks):
            for svm in judged:
                if self._best is None or svm.score > self._best.score:
                    self._best = svm

    @property
    def best(self) -> JudgedSVM:
        """The most accurate one."""
        if self._best is None:
            raise ParameterError("The grid has no candidates: expected one setting at least.")
        return self._best

    def _judge(
        self, sweep: Sweep, stack: Floats, rows: Positions | None, candidate: Candidate
    ) -> list[JudgedSVM]:
        gram = sweep.gram(stack, candidate)
        gram = gram if rows is None else gram[np.ix_(rows, rows)]
        found: list[list[Float64]] = [[] for _ in candidate.C]
        for train, test in self._splits:
            own = self._class_weight, self._sample_weight
            decided = confidences(gram, self._codes, train, test, candidate.C, *own)
            for outputs, confidence in zip(found, decided, strict=True):
                outputs.append(confidence)
        scores = [self._scored(outputs) for outputs in found]
        return [
            JudgedSVM(sweep, candidate, C, score)
            for C, score in zip(candidate.C, scores, strict=True)
        ]

    def _scored(self, confidences: list[Float64]) -> float:
        """Score of an SVM from its confidence on each fold."""
        truth = [self._codes[test] for _, test in self._splits]
        n_classes = int(self._codes.max()) + 1
        if self._score.needs == "classes":
            predicted = np.concatenate([most_confident(own) for own in confidences])
            if self._score == ACCURACY:
                return np.count_nonzero(predicted == np.concatenate(truth)) / len(predicted)
            return self._score.of(np.concatenate(truth), predicted, n_classes)
        each = zip(truth, confidences, strict=True)
        return float(np.mean([self._score.of(*own, n_classes) for own in each]))


def inner_folds(codes: Positions, inner: int, random_state: int) -> Splits:
    """Stratified folds, fewer where a class has fewer members.

    Examples
    --------
    >>> [len(test) for _, test in inner_folds(np.array([0, 0, 0, 1, 1, 1]), 3, random_state=0)]
    [2, 2, 2]
    """
    smallest = int(np.bincount(codes).min())
    folds = StratifiedKFold(min(inner, smallest), shuffle=True, random_state=random_state)
    return list(folds.split(codes, codes))


def refuse_single_members(codes: Positions, classes: Array) -> None:
    """Raise where a class has one member, which cannot be learned from and judged on.

    Examples
    --------
    >>> refuse_single_members(np.array([0, 0, 1]), np.array(["no", "yes"]))
    Traceback (most recent call last):
    nask.exceptions.ParameterError: Choosing parameters by cross-validation takes two training
    graphs or nodes of each class, but class 'yes' has one. ...
    """
    single = np.flatnonzero(np.bincount(codes) < 2)
    if len(single):
        raise ParameterError(
            "Choosing parameters by cross-validation takes two training graphs or nodes of each "
            f"class, but class {quoted(classes[single[0]])} has one. Leave it out, or use a "
            "classifier that chooses nothing: NASKClassifier, NASKNodeClassifier, or nask fit "
            "without --tune."
        )


def one_split(train: Positions, validation: Positions) -> tuple[Positions, Splits]:
    """Rows of a stack to learn from and to judge on, and the split of these rows that does so.

    Examples
    --------
    >>> one_split(np.array([4, 7]), np.array([1]))
    (array([4, 7, 1]), [(array([0, 1]), array([2]))])
    """
    order = np.arange(len(train) + len(validation))
    return np.concatenate([train, validation]), [(order[: len(train)], order[len(train) :])]

"""A race of candidates over inner folds: who cannot win any more does not run on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold

from nask.arrays import Array, Floats, Mask, Positions
from nask.exceptions import ParameterError
from nask.learning.class_weights import CodeWeight
from nask.learning.path import predictions
from nask.messages import quoted
from nask.tuning.sweeps import Candidate, Sweep

Splits = list[tuple[Positions, Positions]]
# Standard errors that a candidate may lie behind the leader on the folds both have run.
BEHIND = 2.0


@dataclass(frozen=True, eq=False)
class Entrant:
    """A candidate with one of its penalties, and how it did.

    Parameters
    ----------
    sweep, candidate, C
        What it is.
    tested, right : ndarray of bool
        Of each graph that is held out, whether it has been classified, and rightly. A candidate
        that was stopped early has not been tested on all.
    """

    sweep: Sweep
    candidate: Candidate
    C: float
    tested: Mask
    right: Mask

    @property
    def finished(self) -> bool:
        """Whether it ran to the end."""
        return bool(self.tested.all())

    @property
    def score(self) -> float:
        """Accuracy on the inner folds it ran."""
        return float(self.right[self.tested].mean())

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of what the grid varies, C included, and the learner."""
        return {**self.candidate.parameters, "C": self.C, "learner": "svm"}


class Race:
    """Judges candidates by cross-validation of a training set.

    A candidate runs fold by fold and is stopped when it lies more than two standard errors behind
    the leader, the most accurate that ran to the end, on the graphs both have classified (a
    paired comparison). Candidates of one sweep run against the leader of those before, in any
    number of threads. The outcome does not depend on the number of threads.

    The winner is the leader in the end. Ties go to the earlier.

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

    Examples
    --------
    >>> import nask
    >>> from nask.tuning.sweeps import star_sweeps
    >>> mutag = nask.load_dataset("MUTAG")
    >>> race = Race((mutag.y > 0).astype(np.intp), inner=3)
    >>> for sweep in star_sweeps(nask.NASK(), {"gamma": [0.1, 1.0], "C": [1, 10]}):
    ...     race.enter(sweep, sweep.compute(mutag.graphs))
    >>> sorted(race.leader.parameters), bool(race.leader.score > 0.8)
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
    ) -> None:
        self._codes = codes
        self._splits = inner_folds(codes, inner, random_state) if splits is None else splits
        self._held_out = np.unique(np.concatenate([test for _, test in self._splits]))
        self._class_weight = class_weight
        self._n_jobs = n_jobs
        self._leader: Entrant | None = None

    def enter(self, sweep: Sweep, stack: Floats, rows: Positions | None = None) -> None:
        """Let the candidates of a sweep run.

        Parameters
        ----------
        sweep : Sweep
        stack : ndarray
            What its pass over the graphs gave.
        rows : ndarray of int, optional
            Positions of the training graphs in the stack, where that holds others too.
        """
        run = Parallel(n_jobs=self._n_jobs, prefer="threads")
        tasks = (delayed(self._run)(sweep, stack, rows, entrant) for entrant in sweep.candidates)
        for entrants in run(tasks):
            for entrant in entrants:
                ahead = self._leader is None or entrant.score > self._leader.score
                if entrant.finished and ahead:
                    self._leader = entrant

    @property
    def leader(self) -> Entrant:
        """The most accurate that ran to the end."""
        if self._leader is None:
            raise ParameterError("The grid has no candidates: expected one setting at least.")
        return self._leader

    def _run(
        self, sweep: Sweep, stack: Floats, rows: Positions | None, candidate: Candidate
    ) -> list[Entrant]:
        gram = sweep.gram(stack, candidate)
        gram = gram if rows is None else gram[np.ix_(rows, rows)]
        blank = np.zeros(len(self._held_out), dtype=bool)
        entrants = [Entrant(sweep, candidate, C, blank.copy(), blank.copy()) for C in candidate.C]
        running = entrants
        for train, test in self._splits:
            penalties = [entrant.C for entrant in running]
            classes = predictions(gram, self._codes, train, test, penalties, self._class_weight)
            places = np.searchsorted(self._held_out, test)
            for entrant, predicted in zip(running, classes, strict=True):
                entrant.tested[places] = True
                entrant.right[places] = predicted == self._codes[test]
            running = [entrant for entrant in running if not self._is_beaten(entrant)]
            if not running:
                break
        return entrants

    def _is_beaten(self, entrant: Entrant) -> bool:
        if self._leader is None or entrant.finished:
            return False
        leader = self._leader.right
        lost = int(np.count_nonzero(leader & ~entrant.right & entrant.tested))
        won = int(np.count_nonzero(entrant.right & ~leader))
        return bool(lost - won > BEHIND * (lost + won) ** 0.5)


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

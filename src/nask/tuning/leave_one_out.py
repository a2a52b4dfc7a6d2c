"""Settings of ridge regressions, judged by leave-one-out within every training set at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed

from nask.arrays import Bytes, Float32, Float64, Floats, Mask, Positions
from nask.choices import Multiclass
from nask.exceptions import ParameterError
from nask.execution.execution import Execution
from nask.execution.threads import one_blas_thread
from nask.learning.centring import Centring
from nask.learning.class_weights import CodeWeight, weight_of_classes
from nask.learning.decisions import DecisionFunctions
from nask.learning.held_out import class_scores, hold_out
from nask.learning.ridge import SCHEMES
from nask.tuning.near_best import near_best
from nask.tuning.sweeps import Candidate, Sweep

# Of two classes, each is the rest of the other.
ONE_SCHEME: tuple[Multiclass, ...] = ("ovr",)
NO_TESTS = (np.empty(0, dtype=np.intp),)


@dataclass(frozen=True, eq=False)
class Trial:
    """A setting, and how it did where it had not learned.

    Parameters
    ----------
    sweep, candidate, alpha, multiclass
        What it is.
    right : ndarray of uint8 of shape (n_folds, ...)
        Which of the judged items of each fold it classified rightly, as bits.
    scores : ndarray of shape (n_tests, n_classes)
        Of the test items of all folds.
    functions : DecisionFunctions, optional
        Those that were learned, where there is one training set.
    left_out : ndarray of shape (n_train, n_classes), optional
        Scores of its items, left out one by one.
    unit : float, optional
        The unit of distance of a Gaussian form, where there is one training set.
    """

    sweep: Sweep
    candidate: Candidate
    alpha: float
    multiclass: Multiclass
    right: Bytes
    scores: Float32
    functions: DecisionFunctions | None = None
    left_out: Float32 | None = None
    unit: float | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of what is varied."""
        scheme = {"multiclass": self.multiclass} if self.scores.shape[1] > 2 else {}
        return {**self.candidate.parameters, "alpha": self.alpha, **scheme}


class Found(NamedTuple):
    """What a trial finds; see :class:`Trial`."""

    right: Bytes
    scores: Float32
    functions: DecisionFunctions | None = None
    left_out: Float32 | None = None


class Choice(NamedTuple):
    """The settings whose mean decides.

    Parameters
    ----------
    best : Trial
        The most accurate one; the earlier of several.
    trials : list of Trial
        All that are as good, as far as their errors tell.
    score : float
        Accuracy of the best.
    """

    best: Trial
    trials: list[Trial]
    score: float

    @property
    def parameters(self) -> dict[str, Any]:
        """Those of the best, and how many settings are averaged."""
        return {**self.best.parameters, "learner": "ridge", "averaged": len(self.trials)}


class RidgeJudge(ABC):
    """Judges settings of ridge regressions; subclasses say on which items.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Class of each item, numbered from 0.
    n_classes : int
    class_weight : dict, "balanced" or None
    n_jobs : int or None
        Threads.

    Attributes
    ----------
    trials : list of Trial
        All that were judged, in the order of the grid.
    """

    def __init__(
        self,
        codes: Positions,
        n_classes: int,
        class_weight: CodeWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self._codes, self._n_classes = codes, n_classes
        self._weights = weight_of_classes(class_weight, codes, n_classes)[codes]
        self._execution = Execution(n_jobs=n_jobs)
        self.trials: list[Trial] = []

    def enter(self, sweep: Sweep, stack: Floats, rows: Positions | None = None) -> None:
        """Judge the candidates of a sweep.

        Parameters
        ----------
        sweep : Sweep
        stack : ndarray
            What its pass over the graphs gave.
        rows : ndarray of int, optional
            Positions of the items in the stack, where that holds others too.
        """
        tasks = (delayed(self._judge)(sweep, stack, rows, own) for own in sweep.candidates)
        # A number of an inverse takes as long as comparing a pair of nodes, or longer.
        work = len(sweep.candidates) * float(len(self._codes)) ** 3
        with one_blas_thread():
            for trials in self._execution.run(tasks, work):
                self.trials.extend(trials)

    def choose(self, fold: int = 0, among: Sequence[Candidate] | None = None) -> Choice:
        """Return the settings that are as good as the best for the training set of a fold.

        Parameters
        ----------
        fold : int
        among : sequence of Candidate, optional
            Those that may be chosen; all by default.
        """
        allowed = None if among is None else {id(candidate) for candidate in among}
        trials = [t for t in self.trials if allowed is None or id(t.candidate) in allowed]
        if not trials:
            raise ParameterError("The grid has no candidates: expected one setting at least.")
        right = self._right(trials, fold)
        accuracy = right.mean(axis=1)
        best = int(accuracy.argmax())
        chosen = [trials[k] for k in np.flatnonzero(near_best(right))]
        return Choice(trials[best], chosen, float(accuracy[best]))

    def accuracies(self, fold: int = 0) -> Float64:
        """Return the held-out accuracy of each trial for the training set of a fold."""
        return np.asarray(self._right(self.trials, fold).mean(axis=1))

    def _right(self, trials: Sequence[Trial], fold: int) -> Mask:
        """Which of the judged items the trials classified rightly, trials x items."""
        judged = self._judged(fold)
        bits = np.stack([trial.right[fold] for trial in trials])
        return np.unpackbits(bits, axis=1, count=len(judged)).astype(bool)[:, judged]

    def _judge(
        self, sweep: Sweep, stack: Floats, rows: Positions | None, candidate: Candidate
    ) -> list[Trial]:
        gram = np.asarray(sweep.gram(stack, candidate), dtype=np.float64)
        gram = gram if rows is None else gram[np.ix_(rows, rows)]
        unit = sweep.unit(stack, candidate) if self.keeps_functions else None
        return [
            Trial(sweep, candidate, alpha, scheme, *self._try(gram, scheme, alpha), unit=unit)
            for scheme in (candidate.multiclass if self._n_classes > 2 else ONE_SCHEME)
            for alpha in candidate.alpha
        ]

    @property
    @abstractmethod
    def keeps_functions(self) -> bool:
        """Whether there is one training set, whose functions a classifier will need."""

    @abstractmethod
    def _judged(self, fold: int) -> Mask:
        """Tell which of the bits of a trial count."""

    @abstractmethod
    def _try(self, gram: Float64, scheme: Multiclass, alpha: float) -> Found:
        """Learn and judge."""


class LeaveOneOut(RidgeJudge):
    """Judges settings by leaving out every training item in turn, in all folds at once.

    Parameters
    ----------
    codes, n_classes, class_weight, n_jobs
        As of :class:`RidgeJudge`.
    tests : sequence of ndarray, optional
        The test items of each fold, which are left out too and scored. By default there is one
        fold without any; then the functions are kept.

    Examples
    --------
    >>> import nask
    >>> from nask.tuning.sweeps import star_sweeps
    >>> mutag = nask.load_dataset("MUTAG")
    >>> judge = LeaveOneOut((mutag.y > 0).astype(np.intp), 2, tests=[np.arange(20)])
    >>> for sweep in star_sweeps(nask.NASK(), {"gamma": [0.1, 1.0]}):
    ...     judge.enter(sweep, sweep.compute(mutag.graphs))
    >>> choice = judge.choose(fold=0)
    >>> sorted(choice.best.parameters), bool(choice.score > 0.8), judge.scores(0, choice).shape
    (['alpha', 'gamma'], True, (20, 2))
    """

    def __init__(
        self,
        codes: Positions,
        n_classes: int,
        class_weight: CodeWeight = None,
        n_jobs: int | None = None,
        tests: Sequence[Positions] | None = None,
    ) -> None:
        super().__init__(codes, n_classes, class_weight, n_jobs)
        self._tests = tests
        self._schemes = {name: make(codes, n_classes) for name, make in SCHEMES.items()}
        # Balanced weights are those of a training set, so each fold has its own.
        self._weights_by_fold: list[Float64] | None = None
        if tests is not None and class_weight == "balanced":
            known = [np.delete(codes, test) for test in tests]
            weights = [weight_of_classes(class_weight, own, n_classes) for own in known]
            self._weights_by_fold = [own[codes] for own in weights]

    def scores(self, fold: int, choice: Choice) -> Float64:
        """Scores of the classes of a fold's test items, the mean of the settings chosen for it."""
        tests = self._tests or ()
        first = sum(len(test) for test in tests[:fold])
        place = slice(first, first + len(tests[fold]))
        chosen = [own.scores[place] for own in choice.trials]
        return np.asarray(np.mean(chosen, axis=0, dtype=np.float64))

    @property
    def keeps_functions(self) -> bool:
        """Whether there is one training set, whose functions a classifier will need."""
        return self._tests is None

    def _judged(self, fold: int) -> Mask:
        judged = np.ones(len(self._codes), dtype=bool)
        if self._tests is not None:
            judged[self._tests[fold]] = False
        return judged

    def _try(self, gram: Float64, scheme: Multiclass, alpha: float) -> Found:
        penalty = alpha * Centring.fit(gram).scale
        problems = self._schemes[scheme]
        tests = NO_TESTS if self._tests is None else self._tests
        keep = self.keeps_functions
        if self._weights_by_fold is None:
            found = hold_out(gram, problems, penalty / self._weights, tests, keep)
            decisions = found.decisions
        else:
            folds = zip(self._weights_by_fold, tests, strict=True)
            parts = [hold_out(gram, problems, penalty / w, [test], keep) for w, test in folds]
            found, decisions = parts[0], np.concatenate([part.decisions for part in parts])
        scores = class_scores(decisions, scheme, self._n_classes)
        right = np.packbits(scores.argmax(axis=2) == self._codes, axis=1)
        if found.coefficients is not None and found.constants is not None:
            left_out = scores[0].astype(np.float32)
            functions = DecisionFunctions(found.coefficients[0], found.constants[0])
            return Found(right, left_out[:0], functions, left_out)
        of_tests = [own[test] for own, test in zip(scores, tests, strict=True)]
        return Found(right, np.concatenate(of_tests).astype(np.float32))


class OnValidation(RidgeJudge):
    """Judges settings on a validation set; what they predict is scored too.

    Parameters
    ----------
    codes, n_classes, class_weight, n_jobs
        As of :class:`RidgeJudge`; the codes of the training and of the validation items, in this
        order.
    n_train : int
        How many of them are training items. Items beyond the validation set are scored.
    """

    def __init__(
        self,
        codes: Positions,
        n_classes: int,
        class_weight: CodeWeight = None,
        n_jobs: int | None = None,
        n_train: int = 0,
    ) -> None:
        super().__init__(codes[:n_train], n_classes, class_weight, n_jobs)
        self._truth = codes[n_train:]
        self._schemes = {name: make(self._codes, n_classes) for name, make in SCHEMES.items()}

    def scores(self, fold: int, choice: Choice) -> Float64:
        """Scores of the classes of the last items, the mean of the chosen settings."""
        chosen = [own.scores for own in choice.trials]
        return np.asarray(np.mean(chosen, axis=0, dtype=np.float64))

    @property
    def keeps_functions(self) -> bool:
        """Whether there is one training set, whose functions a classifier will need."""
        return True

    def _judged(self, fold: int) -> Mask:
        return np.ones(len(self._truth), dtype=bool)

    def _try(self, gram: Float64, scheme: Multiclass, alpha: float) -> Found:
        n_train, n_known = len(self._codes), len(self._codes) + len(self._truth)
        square = gram[:n_train, :n_train]
        penalties = alpha * Centring.fit(square).scale / self._weights
        found = hold_out(square, self._schemes[scheme], penalties)
        assert found.coefficients is not None
        assert found.constants is not None
        functions = DecisionFunctions(found.coefficients[0], found.constants[0])
        decisions = functions.decide(gram[n_train:, :n_train])
        scores = class_scores(decisions, scheme, self._n_classes)
        right = scores[: len(self._truth)].argmax(axis=1) == self._truth
        rest = scores[n_known - n_train :]
        held_out = class_scores(found.decisions[0], scheme, self._n_classes)
        left_out = held_out.astype(np.float32)
        return Found(np.packbits(right)[None], rest.astype(np.float32), functions, left_out)

"""Settings of ridge regressions, judged by leave-one-out within every training set at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
from joblib import delayed

from nask.arrays import Float64, Floats, Mask, Positions
from nask.choices import Multiclass
from nask.exceptions import ParameterError
from nask.execution.execution import Execution
from nask.execution.threads import one_blas_thread
from nask.learning.bordered import mirror
from nask.learning.centring import Centring
from nask.learning.class_weights import CodeWeight, weight_of_classes
from nask.learning.decisions import best_class
from nask.learning.held_out import HeldOut, class_scores, hold_out
from nask.learning.ridge import SCHEMES
from nask.tuning.near_best import may_be_near, near_best
from nask.tuning.sweeps import Candidate, Sweep
from nask.tuning.trials import Choice, Found, Trial

# Of two classes, each is the rest of the other.
ONE_SCHEME: tuple[Multiclass, ...] = ("ovr",)
NO_TESTS = (np.empty(0, dtype=np.intp),)


@dataclass(eq=False)
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
    rough : bool
        Whether only what ranks kernels is tried; see :meth:`ranked`.

    Attributes
    ----------
    trials : list of Trial
        All that were judged, in the order of the grid.
    """

    codes: Positions
    n_classes: int
    class_weight: CodeWeight = None
    n_jobs: int | None = None
    rough: bool = False
    trials: list[Trial] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._problems = {name: make(self.codes, self.n_classes) for name, make in SCHEMES.items()}

    def weights(self, known: Positions) -> Float64:
        """Weight of each item; balanced ones are those of the classes of known items."""
        return weight_of_classes(self.class_weight, known, self.n_classes)[self.codes]

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
        work = len(sweep.candidates) * float(len(self.codes)) ** 3
        with one_blas_thread():
            for trials in Execution(n_jobs=self.n_jobs).run(tasks, work):
                self.trials.extend(trials)
        if self.keeps_functions:
            self._forget()

    def arrange(self, sweeps: Sequence[Sweep]) -> None:
        """Bring trials into the order of their sweeps: of equals, the earlier one is the best."""
        number = {id(sweep): k for k, sweep in enumerate(sweeps)}
        self.trials.sort(key=lambda trial: number[id(trial.sweep)])

    def _forget(self) -> None:
        """Drop the functions of settings that cannot be near the best any more.

        Those of hundreds of pairs of classes would take gigabytes.
        """
        for k in np.flatnonzero(~may_be_near(self._right(self.trials, 0))):
            self.trials[k] = replace(self.trials[k], functions=None, left_out=None)

    def choose(self, fold: int = 0) -> Choice:
        """Return the settings that are as good as the best for the training set of a fold."""
        trials = self._tried(fold)
        if not trials:
            raise ParameterError("The grid has no candidates: expected one setting at least.")
        right = self._right(trials, fold)
        accuracy = right.mean(axis=1)
        best = int(accuracy.argmax())
        chosen = [trials[k] for k in np.flatnonzero(near_best(right))]
        return Choice(trials[best], chosen, float(accuracy[best]))

    def accuracies(self, fold: int = 0) -> Float64:
        """Return the held-out accuracy of each trial for the training set of a fold."""
        return np.asarray(self._right(self._tried(fold), fold).mean(axis=1))

    def ranked(self, fold: int = 0) -> list[tuple[Sweep, Candidate]]:
        """Return the kernels and their passes, the most accurate first.

        What counts is the best of every other penalty, with the first scheme.
        """
        best: dict[int, float] = {}
        kernels: dict[int, tuple[Sweep, Candidate]] = {}
        for trial, own in zip(self._tried(fold), self.accuracies(fold), strict=True):
            key = id(trial.candidate)
            if (trial.multiclass, trial.alpha) in self._ranking(trial.candidate):
                best[key] = max(own, best.get(key, 0.0))
                kernels[key] = trial.sweep, trial.candidate
        return sorted(kernels.values(), key=lambda kernel: -best[id(kernel[1])])

    def _tried(self, fold: int) -> list[Trial]:
        """All trials of a fold."""
        return [trial for trial in self.trials if fold in trial.right]

    def _right(self, trials: Sequence[Trial], fold: int) -> Mask:
        """Which of the judged items the trials classified rightly, trials x items."""
        judged = self._judged(fold)
        bits = np.stack([trial.right[fold] for trial in trials])
        return np.unpackbits(bits, axis=1, count=len(judged)).astype(bool)[:, judged]

    def _judge(
        self, sweep: Sweep, stack: Floats, rows: Positions | None, candidate: Candidate
    ) -> list[Trial]:
        folds = self._folds(candidate)
        if not folds:
            return []
        gram = np.array(sweep.gram(stack, candidate), dtype=np.float64)
        gram = gram if rows is None else gram[np.ix_(rows, rows)]
        # One of single precision is symmetric but for rounding, and small penalties magnify that:
        # what is learned must not depend on the order of items.
        mirror(gram)
        unit = sweep.unit(stack, candidate) if self.keeps_functions else None
        tried = self._ranking(candidate) if self.rough else self._settings(candidate)
        return [
            Trial(
                sweep, candidate, alpha, scheme, *self._try(gram, folds, scheme, alpha), unit=unit
            )
            for scheme, alpha in tried
        ]

    def _folds(self, candidate: Candidate) -> Sequence[int]:
        """Those in which a candidate is tried."""
        return (0,)

    def _settings(self, candidate: Candidate) -> list[tuple[Multiclass, float]]:
        """All schemes and penalties of a candidate."""
        schemes = candidate.multiclass if self.n_classes > 2 else ONE_SCHEME
        return list(product(schemes, candidate.alpha))

    def _ranking(self, candidate: Candidate) -> list[tuple[Multiclass, float]]:
        """Those of them that are enough to rank kernels."""
        schemes = candidate.multiclass[:1] if self.n_classes > 2 else ONE_SCHEME
        return list(product(schemes, candidate.alpha[1::2] or candidate.alpha))

    @property
    @abstractmethod
    def keeps_functions(self) -> bool:
        """Whether there is one training set, whose functions a classifier will need."""

    @abstractmethod
    def _judged(self, fold: int) -> Mask:
        """Tell which of the bits of a trial count."""

    @abstractmethod
    def _try(self, gram: Float64, folds: Sequence[int], scheme: Multiclass, alpha: float) -> Found:
        """Learn and judge in some folds."""


@dataclass(eq=False)
class LeaveOneOut(RidgeJudge):
    """Judges settings by leaving out every training item in turn, in all folds at once.

    Parameters
    ----------
    codes, n_classes, class_weight, n_jobs, rough
        As of :class:`RidgeJudge`.
    tests : sequence of ndarray, optional
        The test items of each fold, which are left out too and scored. By default there is one
        fold without any; then the functions are kept.
    kept : sequence of sequence of Candidate, optional
        What is tried in each fold; everything by default.

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

    tests: Sequence[Positions] | None = None
    kept: Sequence[Sequence[Candidate]] | None = None

    def scores(self, fold: int, choice: Choice) -> Float64:
        """Scores of the classes of a fold's test items, the mean of the settings chosen for it."""
        chosen = [own.scores[fold] for own in choice.trials]
        return np.asarray(np.mean(chosen, axis=0, dtype=np.float64))

    @property
    def keeps_functions(self) -> bool:
        """Whether there is one training set, whose functions a classifier will need."""
        return self.tests is None

    def _judged(self, fold: int) -> Mask:
        judged = np.ones(len(self.codes), dtype=bool)
        if self.tests is not None:
            judged[self.tests[fold]] = False
        return judged

    def _folds(self, candidate: Candidate) -> Sequence[int]:
        if self.kept is None:
            return range(len(self.tests or NO_TESTS))
        return [k for k, few in enumerate(self.kept) if any(own is candidate for own in few)]

    def _try(self, gram: Float64, folds: Sequence[int], scheme: Multiclass, alpha: float) -> Found:
        penalty = alpha * Centring.fit(gram).scale
        problems = self._problems[scheme]
        tests = [(self.tests or NO_TESTS)[fold] for fold in folds]
        if self.class_weight == "balanced":
            # Those of each training set, so that each fold has its own.
            weights = [self.weights(np.delete(self.codes, test)) for test in tests]
            each = zip(weights, tests, strict=True)
            parts = [hold_out(gram, problems, penalty / own, [test]) for own, test in each]
            found = HeldOut(np.concatenate([part.decisions for part in parts]), parts[0].functions)
        else:
            penalties = penalty / self.weights(self.codes)
            found = hold_out(gram, problems, penalties, tests, self.keeps_functions)
        scores = class_scores(found.decisions, scheme, self.n_classes)
        bits = np.packbits(best_class(scores) == self.codes, axis=1)
        right = dict(zip(folds, bits, strict=True))
        of_tests = {
            fold: own[test].astype(np.float32)
            for fold, own, test in zip(folds, scores, tests, strict=True)
        }
        if self.keeps_functions:
            return Found(right, of_tests, found.functions[0], scores[0].astype(np.float32))
        return Found(right, of_tests)


@dataclass(eq=False)
class OnValidation(RidgeJudge):
    """Judges settings on a validation set; what they predict is scored too.

    Parameters
    ----------
    codes, n_classes, class_weight, n_jobs, rough
        As of :class:`RidgeJudge`; the codes of the training and of the validation items, in this
        order.
    n_train : int
        How many of them are training items. Items beyond the validation set are scored.
    """

    n_train: int = 0

    def __post_init__(self) -> None:
        self.codes, self._truth = self.codes[: self.n_train], self.codes[self.n_train :]
        super().__post_init__()

    def scores(self, fold: int, choice: Choice) -> Float64:
        """Scores of the classes of the last items, the mean of the chosen settings."""
        chosen = [own.scores[fold] for own in choice.trials]
        return np.asarray(np.mean(chosen, axis=0, dtype=np.float64))

    @property
    def keeps_functions(self) -> bool:
        """Whether there is one training set, whose functions a classifier will need."""
        return True

    def _judged(self, fold: int) -> Mask:
        return np.ones(len(self._truth), dtype=bool)

    def _try(self, gram: Float64, folds: Sequence[int], scheme: Multiclass, alpha: float) -> Found:
        square, others = np.split(gram[:, : self.n_train], [self.n_train])
        penalties = alpha * Centring.fit(square).scale / self.weights(self.codes)
        found = hold_out(square, self._problems[scheme], penalties)
        [functions] = found.functions
        scores = class_scores(functions.decide(others), scheme, self.n_classes)
        judged, rest = np.split(scores, [len(self._truth)])
        right = {0: np.packbits(best_class(judged) == self._truth)}
        left_out = class_scores(found.decisions[0], scheme, self.n_classes)
        return Found(right, {0: rest.astype(np.float32)}, functions, left_out.astype(np.float32))

"""Settings of ridge regressions, judged by leave-one-out within every training set at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import NamedTuple, get_args

import numpy as np
from joblib import delayed

from nask.arrays import Array, Float64, Floats, Mask, Positions
from nask.choices import Multiclass
from nask.exceptions import ParameterError
from nask.execution.execution import Execution
from nask.execution.threads import one_blas_thread
from nask.learning.bordered import mirror
from nask.learning.centring import Centring
from nask.learning.goals import ONE_SCHEME, Goal, probabilities_of
from nask.learning.held_out import HeldOut, hold_out
from nask.learning.likeness import Likeness, Side
from nask.tuning.near_best import may_be_near, near_best, near_best_parts
from nask.tuning.sweeps import Candidate, Sweep
from nask.tuning.trials import Choice, Found, Trial

# Of a search: each learns from 90 % of the items.
FOLDS = 10
NO_TESTS = (np.empty(0, dtype=np.intp),)


class Noted(NamedTuple):
    """How far items are from each other, by a kernel that had the highest score when it was judged.

    Parameters
    ----------
    score : float
    candidate : Candidate
    likeness : Likeness or None
    """

    score: float
    candidate: Candidate
    likeness: Likeness | None


@dataclass(eq=False)
class RidgeJudge(ABC):
    """Judges settings of ridge regressions; subclasses say on which items.

    Parameters
    ----------
    goal : Goal
        What is to be learned of each item, and the score that counts.
    n_jobs : int or None
        Threads.
    rough : bool
        Whether only what ranks kernels is tried; see :meth:`ranked`.

    Attributes
    ----------
    trials : list of Trial
        All that were judged, in the order of the grid.
    n_nodes : ndarray of shape (n,), or None
        Sizes of the items, where they are graphs: with them the distances between these are noted.
    """

    goal: Goal
    n_jobs: int | None = None
    rough: bool = False
    trials: list[Trial] = field(default_factory=list, init=False)
    n_nodes: Array | None = field(default=None, init=False)
    _noted: Noted | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        schemes = get_args(Multiclass) if self.goal.has_schemes else ONE_SCHEME
        self._problems = {name: self.goal.problems(name) for name in schemes}

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
        work = len(sweep.candidates) * float(len(self.goal.truth)) ** 3
        before = len(self.trials)
        with one_blas_thread():
            for trials in Execution(n_jobs=self.n_jobs).run(tasks, work):
                self.trials.extend(trials)
        if self.keeps_functions and self.n_nodes is not None:
            self._note_distances(sweep, stack, self.trials[before:], self.n_nodes)
        if self.keeps_functions:
            self._forget()

    def _note_distances(
        self, sweep: Sweep, stack: Floats, trials: Sequence[Trial], n_nodes: Array
    ) -> None:
        """Measure how far items are from each other by the best kernel so far, while it is there.

        It would take a pass over the graphs later.
        """
        scores = self._values(trials, 0)
        best = int(scores.argmax())
        if self._noted is None or scores[best] > self._noted.score:
            candidate = trials[best].candidate
            gram = np.asarray(sweep.gram(stack, candidate))
            everything = np.arange(len(gram))
            found = Likeness.fit(gram, Side(gram.diagonal(), n_nodes), everything)
            self._noted = Noted(float(scores[best]), candidate, found)

    def arrange(self, sweeps: Sequence[Sweep]) -> None:
        """Bring trials into the order of their sweeps: of equals, the earlier one is the best."""
        number = {id(sweep): k for k, sweep in enumerate(sweeps)}
        self.trials.sort(key=lambda trial: number[id(trial.sweep)])

    def _forget(self) -> None:
        """Drop the functions of settings that cannot be near the best any more.

        Those of hundreds of pairs of classes would take gigabytes.
        """
        found = self._parts(self.trials, 0)
        if found is None or found.dtype != bool:
            return
        for k in np.flatnonzero(~may_be_near(found)):
            self.trials[k] = replace(self.trials[k], functions=None, left_out=None)

    def choose(self, fold: int = 0) -> Choice:
        """Return the settings that are as good as the best for the training set of a fold.

        Where items tell no standard error of the score, that is the best alone.
        """
        trials = self._tried(fold)
        if not trials:
            raise ParameterError("The grid has no candidates: expected one setting at least.")
        parts = self._parts(trials, fold)
        if parts is not None and parts.dtype == bool:
            scores, near = parts.mean(axis=1), near_best(parts)
        else:
            scores = self._values(trials, fold)
            near = np.zeros(len(trials), dtype=bool)
            near[scores.argmax()] = True
            near |= False if parts is None else near_best_parts(parts)
        best = int(scores.argmax())
        chosen = [trials[k] for k in np.flatnonzero(near)]
        noted, likeness = self._noted, None
        if noted is not None and noted.candidate is trials[best].candidate:
            likeness = noted.likeness
        return Choice(trials[best], chosen, float(scores[best]), likeness)

    def values(self, fold: int = 0) -> Float64:
        """Return the held-out score of each trial for the training set of a fold."""
        return self._values(self._tried(fold), fold)

    def ranked(self, fold: int = 0) -> list[tuple[Sweep, Candidate]]:
        """Return the kernels and their passes, those with the highest score first.

        What counts is the best of every other penalty, with the first scheme.
        """
        best: dict[int, float] = {}
        kernels: dict[int, tuple[Sweep, Candidate]] = {}
        for trial, own in zip(self._tried(fold), self.values(fold), strict=True):
            key = id(trial.candidate)
            if (trial.multiclass, trial.alpha) in self._ranking(trial.candidate):
                best[key] = max(own, best.get(key, -np.inf))
                kernels[key] = trial.sweep, trial.candidate
        return sorted(kernels.values(), key=lambda kernel: -best[id(kernel[1])])

    def _tried(self, fold: int) -> list[Trial]:
        """All trials of a fold."""
        return [trial for trial in self.trials if fold in trial.kept]

    def _values(self, trials: Sequence[Trial], fold: int) -> Float64:
        """Score of each trial on the judged items."""
        return self.judged_goal.values(self._kept(trials, fold), self._judged(fold))

    def _parts(self, trials: Sequence[Trial], fold: int) -> Array | None:
        """What each judged item adds to the scores, trials x items; None of some scores."""
        return self.judged_goal.parts(self._kept(trials, fold), self._judged(fold))

    @staticmethod
    def _kept(trials: Sequence[Trial], fold: int) -> Array:
        return np.stack([trial.kept[fold] for trial in trials])

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
        schemes = candidate.multiclass if self.goal.has_schemes else ONE_SCHEME
        return list(product(schemes, candidate.alpha))

    def _ranking(self, candidate: Candidate) -> list[tuple[Multiclass, float]]:
        """Those of them that are enough to rank kernels."""
        schemes = candidate.multiclass[:1] if self.goal.has_schemes else ONE_SCHEME
        return list(product(schemes, candidate.alpha[1::2] or candidate.alpha))

    @property
    def judged_goal(self) -> Goal:
        """The truth about the items that settings are judged on."""
        return self.goal

    @property
    @abstractmethod
    def keeps_functions(self) -> bool:
        """Whether there is one training set, whose functions a classifier will need."""

    @abstractmethod
    def _judged(self, fold: int) -> Mask:
        """Tell which of the items that answers are about count."""

    @abstractmethod
    def _try(self, gram: Float64, folds: Sequence[int], scheme: Multiclass, alpha: float) -> Found:
        """Learn and judge in some folds."""


@dataclass(eq=False)
class LeaveOneOut(RidgeJudge):
    """Judges settings by leaving out every training item in turn, in all folds at once.

    Parameters
    ----------
    goal, n_jobs, rough
        As of :class:`RidgeJudge`.
    tests : sequence of ndarray, optional
        The test items of each fold, which are left out too and scored. By default there is one
        fold without any; then the functions are kept.
    kept : sequence of sequence of Candidate, optional
        What is tried in each fold; everything by default.

    Attributes
    ----------
    apart : LeaveOneOut or None
        Chooses anew in folds, and tells what is found of the items of each where they had no part
        even in the choice.

    Examples
    --------
    >>> import nask
    >>> from nask.learning.goals import ClassGoal
    >>> from nask.tuning.sweeps import star_sweeps
    >>> mutag = nask.load_dataset("MUTAG")
    >>> goal = ClassGoal((mutag.y > 0).astype(np.intp), 2)
    >>> judge = LeaveOneOut(goal, tests=[np.arange(20)])
    >>> for sweep in star_sweeps(nask.NASK(), {"gamma": [0.1, 1.0]}):
    ...     judge.enter(sweep, sweep.compute(mutag.graphs))
    >>> choice = judge.choose(fold=0)
    >>> sorted(choice.best.parameters), bool(choice.score > 0.8), judge.scores(0, choice).shape
    (['alpha', 'gamma'], True, (20, 2))
    """

    tests: Sequence[Positions] | None = None
    kept: Sequence[Sequence[Candidate]] | None = None
    apart: LeaveOneOut | None = field(default=None, init=False)

    def enter(self, sweep: Sweep, stack: Floats, rows: Positions | None = None) -> None:
        """Judge the candidates of a sweep."""
        super().enter(sweep, stack, rows)
        if self.apart is not None:
            self.apart.enter(sweep, stack, rows)

    def choose(self, fold: int = 0) -> Choice:
        """Return the settings that are as good as the best for the training set of a fold."""
        choice = super().choose(fold)
        return choice if self.apart is None else choice._replace(held_out=self.apart.all_scores())

    def all_scores(self) -> Float64:
        """Scores of all items, (n, n_scores), each by what was chosen without its fold."""
        assert self.tests is not None
        found = np.empty((len(self.goal.truth), self.goal.n_scores))
        for fold, test in enumerate(self.tests):
            found[test] = self.scores(fold, super().choose(fold))
        return found

    def scores(self, fold: int, choice: Choice) -> Float64:
        """Scores of a fold's test items, (n_tests, n_scores): the mean of the settings chosen."""
        return mean_scores(fold, choice)

    def probabilities(self, fold: int, choice: Choice) -> Float64:
        """Probabilities of the classes of a fold's test items, (n_tests, n_classes).

        Calibrated by the mean of the held-out scores of the training items.
        """
        kept = self._kept(choice.trials, fold)
        left_out = np.asarray(kept.mean(axis=0, dtype=np.float64))
        answers = self.scores(fold, choice)
        return probabilities_of(self.goal, left_out, answers, self._judged(fold))

    @property
    def keeps_functions(self) -> bool:
        """Whether there is one training set, whose functions a model will need."""
        return self.tests is None

    def _judged(self, fold: int) -> Mask:
        judged = np.ones(len(self.goal.truth), dtype=bool)
        if self.tests is not None:
            judged[self.tests[fold]] = False
        return judged

    def _folds(self, candidate: Candidate) -> Sequence[int]:
        if self.kept is None:
            return range(len(self.tests or NO_TESTS))
        return [k for k, few in enumerate(self.kept) if any(own is candidate for own in few)]

    def _try(self, gram: Float64, folds: Sequence[int], scheme: Multiclass, alpha: float) -> Found:
        problems = self._problems[scheme]
        tests = [(self.tests or NO_TESTS)[fold] for fold in folds]
        if self.goal.depends_on_fold:
            # Weights are those of each training set, so that each fold has its own.
            parts = []
            for test in tests:
                known = np.ones(len(gram), dtype=bool)
                known[test] = False
                penalties = alpha * self._scale(gram) / self.goal.weights(known)
                parts.append(hold_out(gram, problems, penalties, [test]))
            found = HeldOut(np.concatenate([part.decisions for part in parts]), parts[0].functions)
        else:
            penalties = alpha * self._scale(gram) / self.goal.weights()
            found = hold_out(gram, problems, penalties, tests, self.keeps_functions)
        answers = self.goal.answers(found.decisions, scheme)
        kept = dict(zip(folds, self.goal.kept(answers), strict=True))
        of_tests = {
            fold: own[test].astype(self.goal.dtype)
            for fold, own, test in zip(folds, answers, tests, strict=True)
        }
        if self.keeps_functions:
            return Found(kept, of_tests, found.functions[0], answers[0].astype(self.goal.dtype))
        return Found(kept, of_tests)

    def _scale(self, gram: Float64) -> float:
        return Centring.fit(gram, self.goal.sample_weight).scale


@dataclass(eq=False)
class OnValidation(RidgeJudge):
    """Judges settings on a validation set; what they predict is scored too.

    Parameters
    ----------
    goal, n_jobs, rough
        As of :class:`RidgeJudge`; the goal of the training and of the validation items, in this
        order.
    n_train : int
        How many of them are training items. Items beyond the validation set are scored.
    """

    n_train: int = 0

    def __post_init__(self) -> None:
        both = self.goal
        self.goal, self._validation = (
            both.part(np.s_[: self.n_train]),
            both.part(np.s_[self.n_train :]),
        )
        super().__post_init__()

    def scores(self, fold: int, choice: Choice) -> Float64:
        """Scores of the last items, (m, n_scores): the mean of the chosen settings."""
        return mean_scores(fold, choice)

    def probabilities(self, fold: int, choice: Choice) -> Float64:
        """Probabilities of the classes of the last items, calibrated on the training items."""
        left_out = [trial.left_out for trial in choice.trials if trial.left_out is not None]
        mean = np.asarray(np.mean(left_out, axis=0, dtype=np.float64))
        everything = np.ones(self.n_train, dtype=bool)
        return probabilities_of(self.goal, mean, self.scores(fold, choice), everything)

    @property
    def judged_goal(self) -> Goal:
        """The truth about the validation items."""
        return self._validation

    @property
    def keeps_functions(self) -> bool:
        """Whether there is one training set, whose functions a model will need."""
        return True

    def _judged(self, fold: int) -> Mask:
        return np.ones(len(self._validation.truth), dtype=bool)

    def _try(self, gram: Float64, folds: Sequence[int], scheme: Multiclass, alpha: float) -> Found:
        square, others = np.split(gram[:, : self.n_train], [self.n_train])
        scale = Centring.fit(square, self.goal.sample_weight).scale
        found = hold_out(square, self._problems[scheme], alpha * scale / self.goal.weights())
        [functions] = found.functions
        answers = self.goal.answers(functions.decide(others), scheme)
        judged, rest = np.split(answers, [len(self._validation.truth)])
        [kept] = self._validation.kept(judged[None])
        left_out = self.goal.answers(found.decisions[0], scheme).astype(self.goal.dtype)
        return Found({0: kept}, {0: rest.astype(self.goal.dtype)}, functions, left_out)


def dealt_folds(goal: Goal, random_state: int) -> list[Positions]:
    """Items in folds of equal sizes; of classes, with as many of each as can be.

    Examples
    --------
    >>> from nask.learning.goals import ClassGoal
    >>> folds = dealt_folds(ClassGoal(np.arange(40) // 20, 2), 0)
    >>> len(folds), [(fold < 20).sum().item() for fold in folds][:3]
    (10, [2, 2, 2])
    """
    n = len(goal.truth)
    classes = goal.truth if goal.n_scores > 1 else np.zeros(n)
    order = np.lexsort((np.random.default_rng(random_state).permutation(n), classes))
    n_folds = min(FOLDS, n)
    return [np.sort(order[first::n_folds]) for first in range(n_folds)]


def mean_scores(fold: int, choice: Choice) -> Float64:
    """The mean of what the chosen settings find of the test items of a fold."""
    chosen = [own.scores[fold] for own in choice.trials]
    return np.asarray(np.mean(chosen, axis=0, dtype=np.float64))

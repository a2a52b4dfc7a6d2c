"""The one search: a grid, its passes over the data, a judge of its settings, and what is chosen."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, get_args

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float64, Positions
from nask.choices import GridName, TunedLearner
from nask.estimators.averaged import AveragedClassifier
from nask.exceptions import ParameterError
from nask.execution.progress import Progress, track
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.schema import kinds_of
from nask.io.coerce import TakesGraphs
from nask.kernels.parameters import is_integer
from nask.learning.class_weights import CodeWeight
from nask.learning.targets import class_codes, training_data
from nask.tuning.averaging import averaged
from nask.tuning.grid import Grid, named_grid
from nask.tuning.inner_folds import InnerFolds, JudgedSVM, Splits, refuse_single_members
from nask.tuning.leave_one_out import LeaveOneOut, RidgeJudge
from nask.tuning.screening import LARGEST_RIDGE, LARGEST_UNSCREENED, finalists, screen
from nask.tuning.sweeps import Candidate, StarSweep, Sweep, cut_to, star_sweeps


@dataclass(kw_only=True, eq=False, repr=False)
class TunedClassifier(TakesGraphs, ClassifierMixin, BaseEstimator):
    """A search over a grid, and the classifier that it chose; subclasses say of what."""

    learner: TunedLearner = "ridge"
    inner: int = 5
    random_state: int = 0
    n_jobs: int | None = None
    verbose: Progress = False

    @abstractmethod
    def sweeps(self) -> Sequence[Sweep]:
        """Return the passes over the data that the grid needs."""

    def sweeps_of(self, data: Any) -> Sequence[Sweep]:
        """Return those of them that make a difference for graphs, or a network."""
        return self.sweeps()

    @abstractmethod
    def svm_estimator(self, best: JudgedSVM) -> Any:
        """Return the SVM with the parameters of the best, not yet fitted."""

    @abstractmethod
    def class_weight_by_code(self, classes: Array) -> CodeWeight:
        """Return the weights of the classes by their number among these."""

    def check_search(self) -> None:
        """Raise on the first parameter of the search outside its range."""
        owner = type(self).__name__
        if not isinstance(self.learner, str) or self.learner not in get_args(TunedLearner):
            expected = f"one of {', '.join(map(repr, get_args(TunedLearner)))}"
            raise ParameterError.expected("learner", owner, expected, self.learner)
        if not is_integer(self.inner) or self.inner < 2:
            raise ParameterError.expected(
                "inner", owner, "an int in the range [2, inf)", self.inner
            )

    def judge(
        self,
        codes: Positions,
        classes: Array,
        tests: Sequence[Positions] | None = None,
        kept: Sequence[Sequence[Candidate]] | None = None,
    ) -> LeaveOneOut:
        """Return the judge of ridge regressions, by leave-one-out in the training set of each fold.

        Parameters
        ----------
        codes : ndarray of int
            The classes of all items, by their number.
        classes : ndarray
            Those the numbers stand for.
        tests : sequence of ndarray, optional
            Test items of each fold, which are predicted; by default all items are for training.
        kept : sequence of sequence of Candidate, optional
            What is tried in each fold; everything by default.
        """
        self.check_search()
        refuse_single_members(codes, classes)
        weights = self.class_weight_by_code(classes)
        rough = self.learner == "svm"
        return LeaveOneOut(codes, len(classes), weights, self.n_jobs, rough, tests, kept)

    def svm_judge(
        self,
        codes: Positions,
        classes: Array,
        n_jobs: int | None = None,
        splits: Splits | None = None,
    ) -> InnerFolds:
        """Return the judge of SVMs, on folds of what has the classes of these numbers.

        Parameters
        ----------
        codes : ndarray of int
        classes : ndarray
            Those the numbers stand for.
        n_jobs : int, optional
            Threads.
        splits : list of (ndarray, ndarray), optional
            Positions to learn from and positions to judge on, instead of folds.
        """
        self.check_search()
        if splits is None:
            refuse_single_members(codes, classes)
        weights = self.class_weight_by_code(classes)
        return InnerFolds(codes, self.inner, weights, self.random_state, n_jobs, splits)

    def choose(
        self,
        data: Any,
        judge: RidgeJudge | None,
        svm_judge: InnerFolds | None,
        codes: Positions,
        sweeps: Sequence[Sweep],
        rows: Positions | None = None,
    ) -> Any:
        """Judge all settings; return the classifier of the better learner.

        It is the mean of the ridge regressions that are as good as the best, or the best SVM, which
        is not yet fitted.

        Parameters
        ----------
        data : list of AttributedGraph, or AttributedGraph
        judge : RidgeJudge or None
            Of ridge regressions. None where a sample has left few kernels, and SVMs learn.
        svm_judge : InnerFolds or None
            Of SVMs, where they are among the learners.
        codes : ndarray of int
            The classes of the training items, by their number.
        sweeps : sequence of Sweep
        rows : ndarray, optional
            What of the data is judged; all by default.
        """
        self.seconds_kernel_ = self.seconds_learning_ = 0.0
        kernels: dict[int, Any] = {}
        choice = best = None
        if judge is not None:
            self._pass_over(data, judge, rows, sweeps, kernels)
            choice = judge.choose() if self.learner_for(len(codes)) != "svm" else None
        if svm_judge is not None:
            few = None if judge is None else finalists(judge)
            self._pass_over(data, svm_judge, rows, sweeps, kernels, few)
            best = svm_judge.best
        if best is not None and (choice is None or best.score > choice.score):
            self.best_params_, self.best_score_ = best.parameters, best.score
            return self.svm_estimator(best)
        if choice is None:
            raise RuntimeError("There is no learner to choose.")
        self.best_params_, self.best_score_ = choice.parameters, choice.score
        train = None if rows is None else rows[: len(codes)]
        return averaged(choice, kernels, train, codes, self.classes_, self.n_jobs)

    def learner_for(self, n_train: int) -> TunedLearner:
        """Return the learner for so many training graphs or nodes."""
        return "svm" if n_train > LARGEST_RIDGE else self.learner

    def judges_ridge(self, n_train: int) -> bool:
        """Tell whether ridge regressions judge kernels: for themselves, or which SVMs to try.

        Of a large set a sample has left few kernels, and SVMs are tried with all of them.
        """
        return self.learner_for(n_train) != "svm" or n_train <= LARGEST_UNSCREENED

    def sweeps_for(self, data: Any, items: Positions, codes: Positions) -> Sequence[Sweep]:
        """Return the passes over all data, those that a sample calls for where it is large.

        Parameters
        ----------
        data : list of AttributedGraph, or AttributedGraph
        items : ndarray
            The training graphs or nodes, as positions in the data.
        codes : ndarray of int
            Their classes, by number.
        """
        if len(items) <= LARGEST_UNSCREENED:
            return self.sweeps_of(data)
        nothing = [np.empty(0, dtype=np.intp)]
        found = screen(self, data, items, codes, self.classes_, nothing, self.verbose)
        return found.sweeps

    def _pass_over(
        self,
        data: Any,
        judge: InnerFolds | RidgeJudge,
        rows: Positions | None,
        sweeps: Sequence[Sweep],
        kernels: dict[int, Any],
        among: Sequence[Candidate] | None = None,
    ) -> None:
        """Let candidates of all passes be judged; fitted kernels are found or kept."""
        cut = [(sweep, sweep if among is None else cut_to(sweep, among)) for sweep in sweeps]
        cut = [(sweep, own) for sweep, own in cut if own.candidates]
        for sweep, own in track(cut, len(cut), self.verbose, "Tuning"):
            start = time.perf_counter()
            kernel = kernels.get(id(sweep))
            if kernel is None:
                kernel = kernels[id(sweep)] = sweep.fitted(data, n_jobs=self.n_jobs)
            stack = sweep.stack(kernel)
            between = time.perf_counter()
            judge.enter(own, stack, rows)
            self.seconds_kernel_ += between - start
            self.seconds_learning_ += time.perf_counter() - between

    def fitted(self) -> Any:
        """Return the best estimator; raise where there is none yet."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_


@dataclass(kw_only=True, eq=False, repr=False)
class TunedGraphClassifier(TunedClassifier):
    """A search over a grid of classifiers of graphs."""

    def fit(self, X: Any, y: Any) -> Self:
        """Choose, then train on all graphs and their classes."""
        graphs, target = training_data(X, y, type(self).__name__)
        self.classes_, codes = class_codes(target)
        self.check_search()
        refuse_single_members(codes, self.classes_)
        sweeps = self.sweeps_for(graphs, np.arange(len(graphs)), codes)
        judge = svm_judge = None
        if self.judges_ridge(len(codes)):
            judge = self.judge(codes, self.classes_)
        if self.learner_for(len(codes)) != "ridge":
            svm_judge = self.svm_judge(codes, self.classes_, self.n_jobs)
        chosen = self.choose(graphs, judge, svm_judge, codes, sweeps)
        fitted = isinstance(chosen, AveragedClassifier)
        self.best_estimator_ = chosen if fitted else chosen.fit(graphs, target)
        return self

    def decision_function(self, X: Any) -> Float64:
        """Confidence: (m,) for two classes, positive for the second; (m, n_classes) otherwise."""
        decisions: Float64 = self.fitted().decision_function(X)
        return decisions

    def predict(self, X: Any) -> Array:
        """Most confident class of each graph."""
        predicted: Array = self.fitted().predict(X)
        return predicted


@dataclass(kw_only=True, eq=False, repr=False)
class TunedStarClassifier(TunedClassifier):
    """A search over parameters of the star kernel and of the learner."""

    estimator: Any = None
    grid: GridName | Grid = "default"

    sweep_type: ClassVar[type[StarSweep]] = StarSweep

    @staticmethod
    @abstractmethod
    def untuned() -> Any:
        """Return the classifier whose parameters are chosen, with its defaults."""

    def base(self) -> Any:
        """Return a new classifier with the parameters that the grid does not vary."""
        return self.untuned() if self.estimator is None else clone(self.estimator)

    def sweeps(self) -> Sequence[StarSweep]:
        """Return the passes over the data that the grid needs."""
        base = self.base()
        base.check_learner()
        grid = named_grid(self.grid) if isinstance(self.grid, str) else self.grid
        given = {"C": (base.C,)}
        given |= {"alpha": (base.alpha,)} if base.alpha is not None else {}
        given |= {"multiclass": (base.multiclass,)} if base.multiclass is not None else {}
        return star_sweeps(base, grid, self.sweep_type, type(self).__name__, **given)

    def sweeps_of(self, data: Any) -> Sequence[StarSweep]:
        """Return the passes over the data, without those of a view that shows all there is."""
        kinds = kinds_of([data] if isinstance(data, AttributedGraph) else data)
        sweeps = self.sweeps()
        views = {sweep.parameters["attributes"] for sweep in sweeps}
        if len(kinds) > 1 or "all" not in views:
            return sweeps
        return [sweep for sweep in sweeps if sweep.parameters["attributes"] == "all"]

    def svm_estimator(self, best: JudgedSVM) -> Any:
        """Return the SVM with the parameters of the best, not yet fitted."""
        return self.base().set_params(**best.parameters, n_jobs=self.n_jobs)

    def class_weight_by_code(self, classes: Array) -> CodeWeight:
        """Return the weights of the classes by their number among these."""
        weights: CodeWeight = self.base().weights_by_code(classes)
        return weights

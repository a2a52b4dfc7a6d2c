"""The one search: a grid, its passes over the data, a judge of its settings, and what is chosen."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float64, Positions
from nask.choices import GridName, TunedLearner
from nask.estimators.averaged import AveragedClassifier, AveragedRegressor
from nask.execution.progress import Progress, track
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.schema import kinds_of
from nask.io.coerce import TakesGraphs
from nask.learning.conformal import Conformity
from nask.learning.goals import Goal
from nask.tuning.averaging import averaged
from nask.tuning.grid import Grid, named_grid
from nask.tuning.inner_folds import InnerFolds
from nask.tuning.leave_one_out import LeaveOneOut, RidgeJudge, dealt_folds
from nask.tuning.screening import Screened, is_screened, screen
from nask.tuning.sweeps import Candidate, StarSweep, Sweep, cut_to, star_sweeps
from nask.tuning.trials import Choice


@dataclass(kw_only=True, eq=False, repr=False)
class TunedModel(TakesGraphs, BaseEstimator):
    """A search over a grid, and the model that it chose; subclasses say of what."""

    scoring: str | None = None
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
    def goal(
        self, target: Array, classes: Array | None, sample_weight: Float64 | None = None
    ) -> Goal:
        """Return what is to be learned.

        Parameters
        ----------
        target : ndarray of shape (n,)
            Classes by their number, or numbers.
        classes : ndarray or None
            Those the numbers stand for; None of numbers.
        sample_weight : ndarray of shape (n,), optional
        """

    @abstractmethod
    def check_search(self) -> None:
        """Raise on the first parameter of the search outside its range."""

    def judge(
        self,
        goal: Goal,
        tests: Sequence[Positions] | None = None,
        kept: Sequence[Sequence[Candidate]] | None = None,
    ) -> LeaveOneOut:
        """Return the judge of ridge regressions, by leave-one-out in the training set of each fold.

        Parameters
        ----------
        goal : Goal
            Of all items.
        tests : sequence of ndarray, optional
            Test items of each fold, which are predicted; by default all items are for training.
        kept : sequence of sequence of Candidate, optional
            What is tried in each fold; everything by default.
        """
        self.check_search()
        return LeaveOneOut(goal, self.n_jobs, self.rough, tests, kept)

    def judge_of_graphs(self, goal: Goal, graphs: Sequence[AttributedGraph]) -> LeaveOneOut:
        """Return the judge of a model to be kept, which notes how sure the model will be.

        Of a small set it also chooses in folds, since the more settings there are for each graph,
        the better is the best of them by luck alone.
        """
        judge = self.judge(goal)
        judge.n_nodes = np.array([graph.n_nodes for graph in graphs])
        if not is_screened(len(graphs), goal.n_scores):
            judge.apart = self.judge(goal, dealt_folds(goal, self.random_state))
        return judge

    @property
    def rough(self) -> bool:
        """Whether ridge regressions only rank kernels for another learner."""
        return False

    def learner_for(self, n_train: int) -> TunedLearner:
        """Return the learner for so many training graphs or nodes."""
        return "ridge"

    def judges_ridge(self, n_train: int) -> bool:
        """Tell whether ridge regressions judge kernels: for themselves, or which SVMs to try."""
        return True

    def sweeps_for(self, data: Any, items: Positions, goal: Goal) -> Sequence[Sweep]:
        """Return the passes over all data, those that a sample calls for where it is large.

        Parameters
        ----------
        data : list of AttributedGraph, or AttributedGraph
        items : ndarray
            The training graphs or nodes, as positions in the data.
        goal : Goal
            Of these.
        """
        if not is_screened(len(items), goal.n_scores):
            return self.sweeps_of(data)
        sweeps, nothing = self.sweeps_of(data), [np.empty(0, dtype=np.intp)]
        kept = screen(self, sweeps, data, items, goal, nothing, self.verbose)
        return Screened.of(sweeps, kept).sweeps

    def choose_ridge(
        self,
        data: Any,
        judge: RidgeJudge,
        sweeps: Sequence[Sweep],
        kernels: dict[int, Any],
        rows: Positions | None = None,
    ) -> Choice:
        """Judge all settings of ridge regressions; return those whose mean decides.

        Parameters
        ----------
        data : list of AttributedGraph, or AttributedGraph
        judge : RidgeJudge
        sweeps : sequence of Sweep
        kernels : dict
            Fitted kernels by the identity of the sweep; filled.
        rows : ndarray, optional
            What of the data is judged; all by default.
        """
        self.pass_over(data, judge, rows, sweeps, kernels)
        return judge.choose()

    def mean_of(
        self,
        choice: Choice,
        kernels: dict[int, Any],
        goal: Goal,
        classes: Array | None,
        train: Positions | None = None,
    ) -> AveragedClassifier | AveragedRegressor:
        """Return the mean of the chosen ridge regressions; note what was chosen.

        Parameters
        ----------
        choice : Choice
        kernels : dict
            As :meth:`choose_ridge` filled it.
        goal : Goal
            Of the training items.
        classes : ndarray or None
        train : ndarray, optional
            Training items, as positions in the data; all by default.
        """
        self.best_params_, self.best_score_ = choice.parameters, choice.score
        return averaged(choice, kernels, train, goal, classes, self.n_jobs)

    def pass_over(
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

    @property
    def conformity_(self) -> Conformity | None:
        """How wrong the chosen model was about items that it had not learned from."""
        found: Conformity | None = getattr(self.fitted(), "conformity_", None)
        return found

    def fitted(self) -> Any:
        """Return the best estimator; raise where there is none yet."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_


@dataclass(kw_only=True, eq=False, repr=False)
class TunedStarModel(TunedModel):
    """A search over parameters of the star kernel and of the learner."""

    estimator: Any = None
    grid: GridName | Grid = "default"

    sweep_type: ClassVar[type[StarSweep]] = StarSweep

    @staticmethod
    @abstractmethod
    def untuned() -> Any:
        """Return the estimator whose parameters are chosen, with its defaults."""

    @abstractmethod
    def given(self) -> dict[str, tuple[Any, ...]]:
        """Return what to try of the learner where the grid does not say."""

    def base(self) -> Any:
        """Return a new estimator with the parameters that the grid does not vary."""
        return self.untuned() if self.estimator is None else clone(self.estimator)

    def own_grid(self) -> Grid:
        """Return the grid, that of its name where it has one."""
        return named_grid(self.grid) if isinstance(self.grid, str) else self.grid

    def sweeps(self) -> Sequence[StarSweep]:
        """Return the passes over the data that the grid needs."""
        owner = type(self).__name__
        return star_sweeps(self.base(), self.own_grid(), self.sweep_type, owner, **self.given())

    def sweeps_of(self, data: Any) -> Sequence[StarSweep]:
        """Return the passes over the data, without those of a view that shows all there is."""
        kinds = kinds_of([data] if isinstance(data, AttributedGraph) else data)
        sweeps = self.sweeps()
        views = {sweep.parameters["attributes"] for sweep in sweeps}
        if len(kinds) > 1 or "all" not in views:
            return sweeps
        return [sweep for sweep in sweeps if sweep.parameters["attributes"] == "all"]

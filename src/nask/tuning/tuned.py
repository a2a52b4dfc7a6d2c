"""The one search: a grid, its passes over the data, a race on folds, and the estimator that won."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float64, Positions
from nask.choices import GridName
from nask.exceptions import ParameterError
from nask.execution.progress import Progress, track
from nask.io.coerce import TakesGraphs
from nask.kernels.parameters import is_integer
from nask.learning.class_weights import CodeWeight
from nask.learning.targets import class_codes, training_data
from nask.tuning.grid import Grid, named_grid
from nask.tuning.race import Entrant, Race, Splits, Sweep, refuse_single_members
from nask.tuning.sweeps import StarSweep, star_sweeps


@dataclass(kw_only=True, eq=False, repr=False)
class TunedClassifier(TakesGraphs, ClassifierMixin, BaseEstimator):
    """A search over a grid, then the classifier that won; subclasses say what is classified."""

    inner: int = 5
    random_state: int = 0
    n_jobs: int | None = None
    verbose: Progress = False

    @abstractmethod
    def sweeps(self) -> Sequence[Sweep]:
        """Return the passes over the data that the grid needs."""

    @abstractmethod
    def winning_estimator(self, winner: Entrant) -> Any:
        """Return the classifier with the parameters of the winner, not yet fitted."""

    @abstractmethod
    def class_weight_by_code(self, classes: Array) -> CodeWeight:
        """Return the weights of the classes by their number among these."""

    def race(
        self,
        codes: Positions,
        classes: Array,
        n_jobs: int | None = None,
        splits: Splits | None = None,
    ) -> Race:
        """Return the judge of candidates, on folds of what has the classes of these numbers.

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
        if not is_integer(self.inner) or self.inner < 2:
            raise ParameterError.expected(
                "inner", type(self).__name__, "an int in the range [2, inf)", self.inner
            )
        if splits is None:
            refuse_single_members(codes, classes)
        weights = self.class_weight_by_code(classes)
        return Race(codes, self.inner, weights, self.random_state, n_jobs, splits)

    def choose(self, data: Any, race: Race, rows: Positions | None = None) -> Any:
        """Run the race over all passes; return the winner's classifier, not yet fitted.

        Parameters
        ----------
        data : list of AttributedGraph, or AttributedGraph
        race : Race
        rows : ndarray, optional
            What of the data is judged; all by default.
        """
        sweeps = self.sweeps()
        self.seconds_kernel_ = self.seconds_learning_ = 0.0
        for sweep in track(sweeps, len(sweeps), self.verbose, "Tuning"):
            start = time.perf_counter()
            stack = sweep.compute(data, n_jobs=self.n_jobs)
            between = time.perf_counter()
            race.enter(sweep, stack, rows)
            self.seconds_kernel_ += between - start
            self.seconds_learning_ += time.perf_counter() - between
        winner = race.winner()
        self.best_params_, self.best_score_ = winner.parameters, winner.score
        return self.winning_estimator(winner)

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
        chosen = self.choose(graphs, self.race(codes, self.classes_, self.n_jobs))
        self.best_estimator_ = chosen.fit(graphs, target)
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
    """A search over parameters of the star kernel and C."""

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
        grid = named_grid(self.grid) if isinstance(self.grid, str) else self.grid
        return star_sweeps(base, base.C, grid, self.sweep_type, type(self).__name__)

    def winning_estimator(self, winner: Entrant) -> Any:
        """Return the classifier with the parameters of the winner, not yet fitted."""
        return self.base().set_params(**winner.parameters, n_jobs=self.n_jobs)

    def class_weight_by_code(self, classes: Array) -> CodeWeight:
        """Return the weights of the classes by their number among these."""
        weights: CodeWeight = self.base().weights_by_code(classes)
        return weights

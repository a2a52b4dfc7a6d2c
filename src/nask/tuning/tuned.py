"""What classifiers that choose their own parameters share: the grid, its passes, the race."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from nask.choices import GridName
from nask.exceptions import ParameterError
from nask.execution.progress import Progress, track
from nask.kernels.parameters import is_integer
from nask.learning.support import ClassWeight
from nask.tuning.grid import Grid, named_grid
from nask.tuning.race import Positions, Race, Splits, refuse_single_members
from nask.tuning.sweeps import StarSweep, star_sweeps


@dataclass(kw_only=True, eq=False, repr=False)
class TunedClassifier(ClassifierMixin, BaseEstimator):
    """A search over a grid, then the classifier that won; subclasses say what is classified."""

    estimator: Any = None
    grid: GridName | Grid = "default"
    inner: int = 5
    random_state: int = 0
    n_jobs: int | None = None
    verbose: Progress = False

    _sweep: ClassVar[type[StarSweep]] = StarSweep

    @staticmethod
    @abstractmethod
    def untuned() -> Any:
        """Return the classifier whose parameters are chosen, with its defaults."""

    @abstractmethod
    def kernel(self, **parameters: Any) -> Any:
        """Return the kernel of a candidate, the rest of its parameters those of the estimator."""

    def sweeps(self) -> Sequence[StarSweep]:
        """Return the passes over the data that the grid needs."""
        base = self._base()
        grid = named_grid(self.grid) if isinstance(self.grid, str) else self.grid
        return star_sweeps(base, base.C, grid, self._sweep, type(self).__name__)

    def race(
        self,
        codes: Positions,
        classes: npt.NDArray[Any],
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

    def class_weight_by_code(self, classes: npt.NDArray[Any]) -> ClassWeight:
        """Return the weights of the classes by their number among these."""
        weights: ClassWeight = self._base()._weights_by_code(classes)
        return weights

    def _choose(self, data: Any, race: Race, rows: Positions | None = None) -> Any:
        """Run the race over all passes; return the winner, not yet fitted."""
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
        return self._base().set_params(**self.best_params_, n_jobs=self.n_jobs)

    def _base(self) -> Any:
        return self.untuned() if self.estimator is None else clone(self.estimator)

    def _fitted(self) -> Any:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

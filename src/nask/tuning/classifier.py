"""A classifier that chooses its own kernel parameters and C."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from nask.estimators.classifier import NASKClassifier, class_codes
from nask.estimators.support import ClassWeight
from nask.exceptions import ParameterError
from nask.kernels.nask import NASK
from nask.kernels.parameters import is_integer
from nask.progress import Progress, track
from nask.tuning.grid import Grid, GridName, named_grid
from nask.tuning.race import Race
from nask.tuning.sweeps import StarSweep, star_sweeps


@dataclass(kw_only=True, eq=False, repr=False)
class TunedNASKClassifier(ClassifierMixin, BaseEstimator):
    """A :class:`NASKClassifier` whose parameters are chosen by cross-validation.

    Every setting of a grid is judged on folds of the training graphs; the best is fitted on all of
    them. One pass over the graphs serves all hop counts, hop weights, forms of the Gram and
    penalties, and settings that cannot win any more are stopped early.

    Parameters
    ----------
    estimator : NASKClassifier, default=None
        Gives the parameters that the grid does not vary, such as ``expansion`` or ``dtype``.
    grid : {"default", "full"}, dict of lists by parameter, or list of such, default="default"
        What to try: values of any parameter of :class:`NASKClassifier` that the kernel or C has.
        "default" is a small grid that was chosen by measurement, "full" is 20 times as large.
    inner : int, default=5
        Number of folds.
    random_state : int, default=0
        Of the folds.
    n_jobs : int, default=None
        Threads, in joblib's convention.
    verbose : bool or callable, default=False
        ``True`` shows a progress bar; a function is called with (done, total).

    Attributes
    ----------
    best_estimator_ : NASKClassifier
        Fitted on all training graphs; what is saved by :meth:`save`.
    best_params_ : dict
        The chosen values of what the grid varies.
    best_score_ : float
        Their accuracy on the folds. Too good by the choice itself: see :func:`nask.evaluate`.
    classes_ : ndarray
    seconds_kernel_, seconds_learning_ : float
        Time spent on comparing graphs, and on support vector machines.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> grid = {"gamma": [0.1, 1.0], "n_hops": [1, 2], "C": [1, 10, 100]}
    >>> model = nask.TunedNASKClassifier(grid=grid).fit(mutag.graphs[::2], mutag.y[::2])
    >>> sorted(model.best_params_)
    ['C', 'gamma', 'n_hops']
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.75)
    True
    """

    estimator: NASKClassifier | None = None
    grid: GridName | Grid = "default"
    inner: int = 5
    random_state: int = 0
    n_jobs: int | None = None
    verbose: Progress = False

    def fit(self, X: Any, y: Any) -> Self:
        """Choose, then train on all graphs and their classes."""
        base, sweeps = self._base(), self.sweeps()
        graphs, target = base._training_data(X, y)
        self.classes_, codes = class_codes(target)
        race = self.race(codes, self.classes_, self.n_jobs)
        self.seconds_kernel_ = self.seconds_learning_ = 0.0
        for sweep in track(sweeps, len(sweeps), self.verbose, "Tuning"):
            start = time.perf_counter()
            stack = sweep.compute(graphs, n_jobs=self.n_jobs)
            between = time.perf_counter()
            race.enter(sweep, stack)
            self.seconds_kernel_ += between - start
            self.seconds_learning_ += time.perf_counter() - between
        winner = race.winner()
        self.best_params_, self.best_score_ = winner.parameters, winner.score
        chosen = base.set_params(**self.best_params_, n_jobs=self.n_jobs)
        self.best_estimator_ = chosen.fit(graphs, target)
        return self

    def sweeps(self) -> Sequence[StarSweep]:
        """Return the passes over the graphs that the grid needs."""
        base = self._base()
        grid = named_grid(self.grid) if isinstance(self.grid, str) else self.grid
        return star_sweeps(base, base.C, grid)

    def kernel(self, **parameters: Any) -> NASK:
        """Return the kernel of a candidate, the rest of its parameters those of the estimator."""
        return NASK(**{**self._base()._kernel_parameters(), **parameters})

    def race(
        self, codes: npt.NDArray[Any], classes: npt.NDArray[Any], n_jobs: int | None = None
    ) -> Race:
        """Return the judge of candidates on training graphs with classes of these numbers."""
        if not is_integer(self.inner) or self.inner < 2:
            raise ParameterError.expected(
                "inner", type(self).__name__, "an int in the range [2, inf)", self.inner
            )
        weights = self.class_weight_by_code(classes)
        return Race(codes, self.inner, weights, self.random_state, n_jobs)

    def class_weight_by_code(self, classes: npt.NDArray[Any]) -> ClassWeight:
        """Return the weights of the classes by their number among these."""
        return self._base()._weights_by_code(classes)

    def _base(self) -> NASKClassifier:
        base: NASKClassifier = NASKClassifier() if self.estimator is None else clone(self.estimator)
        return base

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """As :meth:`NASKClassifier.decision_function`, of the best estimator."""
        return self._fitted().decision_function(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Most confident class of each graph."""
        return self._fitted().predict(X)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Calibrated probability of each class, (m, n_classes)."""
        return self._fitted().predict_proba(X)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the best estimator to a file that :func:`nask.load` reads."""
        self._fitted().save(path)

    def _fitted(self) -> NASKClassifier:
        check_is_fitted(self, "best_estimator_")
        best: NASKClassifier = self.best_estimator_
        return best

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

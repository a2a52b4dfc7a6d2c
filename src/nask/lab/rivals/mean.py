"""The lowest R2 to expect of any regression: always the mean of the training targets."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Float64
from nask.io.coerce import TakesGraphs, as_graphs
from nask.learning.targets import as_numbers, training_data


class MeanRegressor(TakesGraphs, RegressorMixin, BaseEstimator):
    """Predict the mean of the training targets.

    Examples
    --------
    >>> import nask
    >>> graphs = [nask.AttributedGraph(n_nodes) for n_nodes in (1, 2, 3)]
    >>> MeanRegressor().fit(graphs, [1.0, 2.0, 6.0]).predict(graphs[:2])
    array([3., 3.])
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Take the mean."""
        owner = type(self).__name__
        self.mean_ = float(as_numbers(training_data(X, y, owner)[1], owner).mean())
        return self

    def predict(self, X: Any) -> Float64:
        """Return the same number for each graph."""
        check_is_fitted(self)
        return np.full(len(as_graphs(X)), self.mean_)

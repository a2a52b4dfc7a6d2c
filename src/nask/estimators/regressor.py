"""Regression on graphs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.svm import SVR

from nask.estimators.machine import KernelMachine
from nask.exceptions import ParameterError
from nask.kernels.parameters import is_number
from nask.learning.targets import as_numbers


@dataclass(kw_only=True, eq=False, repr=False)
class NASKRegressor(RegressorMixin, KernelMachine):
    """Support vector regression on the Neighborhood-Aware Star Kernel.

    The Gram matrix is centred and scaled to unit mean diagonal and the target to zero mean and
    unit variance, so the same values of C and epsilon make sense for every dataset.

    Parameters
    ----------
    C : float, default=10.0
        Penalty of training errors.
    epsilon : float, default=0.1
        Errors below this many standard deviations of the target are not penalised.
    **kernel parameters
        All those of :class:`nask.NASK`, with the same defaults.

    Attributes
    ----------
    kernel_ : NASK
        The fitted kernel, reduced to the support graphs.
    support_ : ndarray of int
        Positions of the support graphs in the training list.

    Notes
    -----
    Where the target grows with the size of a graph, ``normalize=False`` is worth a try: normalised
    graphs have no size.

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs
    >>> sizes = [graph.n_nodes for graph in graphs]
    >>> model = nask.NASKRegressor(normalize=False).fit(graphs[::2], sizes[::2])
    >>> bool(model.score(graphs[1::2], sizes[1::2]) > 0.9)
    True
    """

    epsilon: float = 0.1

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not is_number(self.epsilon) or self.epsilon < 0:
            expected = "a float in the range [0, inf)"
            raise ParameterError.expected("epsilon", "NASKRegressor", expected, self.epsilon)

    def fit(self, X: Any, y: Any) -> Self:
        """Train on graphs and their target values."""
        graphs, target = self._training_data(X, y)
        target = as_numbers(target, type(self).__name__)
        mean, unit = target.mean(), target.std() or 1.0
        model = SVR(kernel="precomputed", C=self.C, epsilon=self.epsilon)
        self._learn(graphs, model, (target - mean) / unit)
        self._machine = replace(
            self._machine,
            coefficients=self._machine.coefficients * unit,
            constants=self._machine.constants * unit + mean,
        )
        return self

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Predicted value of each graph."""
        return self._decide(X)[:, 0]

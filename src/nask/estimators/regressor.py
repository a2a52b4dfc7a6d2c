"""Regression on graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Float64
from nask.estimators.base import GraphEstimator, check_penalty
from nask.kernels.parameters import is_number
from nask.learning.svm import KernelSVM
from nask.learning.targets import as_numbers, training_data


@dataclass(kw_only=True, eq=False, repr=False)
class NASKRegressor(RegressorMixin, GraphEstimator):
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
    functions_ : KernelSVM
        Coefficients of the support graphs, and a constant.
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

    C: float = 10.0
    epsilon: float = 0.1

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        check_penalty(self.C, type(self).__name__)
        valid = is_number(self.epsilon) and self.epsilon >= 0
        self._check(valid, "epsilon", "a float in the range [0, inf)")

    def fit(self, X: Any, y: Any) -> Self:
        """Train on graphs and their target values."""
        self.check_parameters()
        graphs, values = training_data(X, y, type(self).__name__)
        target = as_numbers(values, type(self).__name__)
        kernel, gram = self._fit_kernel(graphs)
        svm = KernelSVM.regress(gram, target, self.C, self.epsilon)
        self.set_fitted(kernel.take(svm.support), svm, len(graphs))
        return self

    def predict(self, X: Any) -> Float64:
        """Predicted value of each graph."""
        check_is_fitted(self)
        return self.functions_.decide(self.kernel_.transform(X))[:, 0]

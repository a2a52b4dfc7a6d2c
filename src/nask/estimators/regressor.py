"""Regression on graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, get_args

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Float64
from nask.choices import Learner
from nask.estimators.base import GraphEstimator, check_alpha, check_penalty
from nask.kernels.parameters import is_number
from nask.learning.coverage import number_intervals
from nask.learning.decisions import KernelModel
from nask.learning.ridge import KernelRidge
from nask.learning.sample_weights import weights_of_items
from nask.learning.svm import KernelSVM
from nask.learning.targets import as_numbers, training_data


@dataclass(kw_only=True, eq=False, repr=False)
class NASKRegressor(RegressorMixin, GraphEstimator):
    """Regression on the Neighborhood-Aware Star Kernel: support vectors or ridge.

    The Gram matrix is centred and scaled to unit mean diagonal and, of an SVM, the target to zero
    mean and unit variance, so the same values of C, epsilon and alpha make sense for every dataset.

    Parameters
    ----------
    learner : {"svm", "ridge"}, default="svm"
        Support vector regression, or ridge regression, whose leave-one-out predictions are known
        exactly.
    C : float, default=10.0
        Penalty of training errors of an SVM.
    epsilon : float, default=0.1
        Of an SVM: errors below this many standard deviations of the target are not penalised.
    alpha : float, default=None
        Penalty of complexity of a ridge regression; by default the one of six values with the
        least mean squared error by leave-one-out.
    intervals : bool, default=True
        Whether to measure errors on held-out graphs, for :meth:`predict_interval`, at the cost of
        ten more (cheap) fits of an SVM on the same Gram matrix. A ridge regression knows them.
    **kernel parameters
        All those of :class:`nask.NASK`, with the same defaults.

    Attributes
    ----------
    kernel_ : NASK
        The fitted kernel, reduced to the support graphs.
    functions_ : KernelSVM or KernelRidge
        Coefficients of the support graphs, and a constant.
    support_ : ndarray of int
        Positions of the support graphs in the training list.

    Notes
    -----
    Where the target grows with the size of a graph, ``normalize=False`` is worth a try: normalised
    graphs have no size. :class:`nask.TunedNASKRegressor` tries both.

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs
    >>> sizes = [graph.n_nodes for graph in graphs]
    >>> model = nask.NASKRegressor(normalize=False).fit(graphs[::2], sizes[::2])
    >>> bool(model.score(graphs[1::2], sizes[1::2]) > 0.9)
    True
    """

    learner: Learner = "svm"
    C: float = 10.0
    epsilon: float = 0.1
    alpha: float | None = None
    intervals: bool = True

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        self._check_option("learner", get_args(Learner))
        check_penalty(self.C, type(self).__name__)
        valid = is_number(self.epsilon) and self.epsilon >= 0
        self._check(valid, "epsilon", "a float in the range [0, inf)")
        check_alpha(self.alpha, type(self).__name__)
        self._check(isinstance(self.intervals, (bool, np.bool_)), "intervals", "a bool")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on graphs and their target values.

        Parameters
        ----------
        X : list of graphs
        y : array-like of shape (n_graphs,)
        sample_weight : array-like of shape (n_graphs,), default=None
            How much each graph counts. A graph of weight 2 is as good as two, one of weight 0 as
            none.
        """
        self.check_parameters()
        graphs, values = training_data(X, y, type(self).__name__)
        target = as_numbers(values, type(self).__name__)
        n_graphs = len(graphs)
        there, weights = weights_of_items(sample_weight, n_graphs, type(self).__name__)
        graphs, target = [graphs[k] for k in there], target[there]
        kernel, gram = self._fit_kernel(graphs)
        functions: KernelModel
        if self.learner == "svm":
            how = self.C, self.epsilon, weights, self.intervals
            functions = KernelSVM.regress(gram, target, *how)
        else:
            functions = KernelRidge.regress(gram, target, self.alpha, weights)
        self._keep(kernel, functions, there, n_graphs, gram)
        return self

    def predict(self, X: Any) -> Float64:
        """Predicted value of each graph."""
        gram = self._gram(X)
        return np.asarray(self.functions_.decide(gram)[:, 0])

    def predict_interval(self, X: Any, *, coverage: float = 0.9) -> Float64:
        """Lower and upper end of an interval that holds the true value so often, (n_graphs, 2).

        It is the predicted value, less and plus what the model's errors on held-out training graphs
        call for: all intervals are equally wide.

        Parameters
        ----------
        X : list of graphs
        coverage : float, default=0.9
            Share of graphs like those of training whose true value is within the interval.

        Examples
        --------
        >>> import nask
        >>> graphs = nask.load_dataset("MUTAG").graphs
        >>> sizes = np.array([graph.n_nodes for graph in graphs])
        >>> model = nask.NASKRegressor(normalize=False).fit(graphs[::2], sizes[::2])
        >>> lower, upper = model.predict_interval(graphs[1::2], coverage=0.9).T
        >>> bool(np.mean((lower <= sizes[1::2]) & (sizes[1::2] <= upper)) > 0.85)
        True
        """
        check_is_fitted(self)
        owner, conformity = type(self).__name__, self.functions_.conformity
        return number_intervals(conformity, lambda: self.predict(X), coverage, owner)

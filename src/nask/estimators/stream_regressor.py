"""Regression on graphs that come in a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from sklearn.base import RegressorMixin

from nask.arrays import Array, Float64
from nask.estimators.stream_base import StreamEstimator, targets_of
from nask.learning.targets import as_numbers


@dataclass(kw_only=True, eq=False, repr=False)
class NASKStreamRegressor(RegressorMixin, StreamEstimator):
    """Regression on any number of graphs, read once and in constant memory.

    Ridge regression on rows of features, exact: as :class:`nask.NASKStreamClassifier`, which tells
    more of it.

    Parameters
    ----------
    features : NASKFeatures or NASKNystroem, default=None
        The map from graphs to rows, with the parameters of the kernel; ``NASKFeatures()`` by
        default. One that is fitted is used as it is. Another one is fitted: to all graphs of a
        list, or to the first batch of an iterator or of ``partial_fit``.
    alpha : float, default=None
        Penalty of complexity; by default the one of thirteen values with the least squared error on
        held-out folds.
    batch_size, random_state, n_jobs, verbose
        As those of :class:`nask.NASKStreamClassifier`.

    Attributes
    ----------
    features_, functions_, alpha_, errors_, n_graphs_
        As those of :class:`nask.NASKStreamClassifier`.

    Notes
    -----
    Where the target grows with the size of a graph, features with ``normalize=False`` are worth a
    try: normalised graphs have no size.

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs
    >>> sizes = [graph.n_nodes for graph in graphs]
    >>> features = nask.NASKFeatures(normalize=False)
    >>> model = nask.NASKStreamRegressor(features=features).fit(iter(graphs[::2]), sizes[::2])
    >>> bool(model.score(graphs[1::2], sizes[1::2]) > 0.9)
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from graphs and their numbers, in one pass.

        Parameters
        ----------
        X : iterable of graphs
            A list, or an iterator that is read once, ``batch_size`` graphs at a time.
        y : array-like of shape (n_graphs,)
        sample_weight : array-like of shape (n_graphs,), default=None
            How much each graph counts. A graph of weight 2 is as good as two.
        """
        self.check_parameters()
        self._fit(X, self._numbers(y), _column, 1, sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from more graphs.

        Parameters
        ----------
        X : list of graphs
        y : array-like of shape (n_graphs,)
        sample_weight : array-like of shape (n_graphs,), default=None
        """
        self.check_parameters()
        self._partial_fit(X, self._numbers(y), _column, 1, sample_weight)
        return self

    def predict(self, X: Any) -> Float64:
        """Predicted value of each graph."""
        return self._decide(X)[:, 0]

    def _numbers(self, y: Any) -> Float64:
        owner = type(self).__name__
        return as_numbers(targets_of(y, owner), owner)


def _column(target: Array) -> tuple[Float64, None]:
    """One column of targets, and no codes of classes."""
    return target[:, None], None

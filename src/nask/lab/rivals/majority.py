"""The lowest accuracy to expect of any method: always the most frequent class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float64
from nask.graph.chosen_nodes import node_positions
from nask.io.coerce import TakesGraphs, as_graph, as_graphs
from nask.learning.mixins import ScoresNodes
from nask.learning.node_targets import class_per_node, known_nodes
from nask.learning.targets import class_codes, training_data


class MajorityClassifier(TakesGraphs, ClassifierMixin, BaseEstimator):
    """Predict the most frequent class of the training graphs; the first of equally frequent ones.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = MajorityClassifier().fit(mutag.graphs, mutag.y)
    >>> model.predict(mutag.graphs[:3]).tolist()
    [1, 1, 1]
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Count the classes."""
        _, target = training_data(X, y, type(self).__name__)
        self.classes_, codes = class_codes(target)
        counts = np.bincount(codes)
        self.majority_, self.shares_ = self.classes_[counts.argmax()], counts / len(codes)
        return self

    def predict(self, X: Any) -> Array:
        """Return the same class for each graph."""
        check_is_fitted(self)
        return np.full(len(as_graphs(X)), self.majority_)

    def predict_proba(self, X: Any) -> Float64:
        """Return the shares of the classes in training for each graph."""
        check_is_fitted(self)
        return np.tile(self.shares_, (len(as_graphs(X)), 1))


class MajorityNodeClassifier(ScoresNodes, BaseEstimator):
    """Predict the most frequent class of the training nodes; the first of equally frequent ones.

    Examples
    --------
    >>> import nask
    >>> graph = nask.AttributedGraph(4, edges=[(0, 1)])
    >>> MajorityNodeClassifier().fit(graph, [1, 2, 2, -1]).predict(graph, nodes=[3]).tolist()
    [2]
    """

    def fit(self, graph: Any, y: Any, train: Any = None) -> Self:
        """Count the classes of the training nodes; by default of all that have one."""
        target = class_per_node(y, as_graph(graph).n_nodes)
        rows = known_nodes(target, train, "train")
        self.classes_, codes = class_codes(target[rows], "node", rows)
        counts = np.bincount(codes)
        self.majority_, self.shares_ = self.classes_[counts.argmax()], counts / len(codes)
        return self

    def predict(self, graph: Any, nodes: Any = None) -> Array:
        """Return the same class for each node, or for the given ones."""
        check_is_fitted(self)
        n_nodes = as_graph(graph).n_nodes
        n = n_nodes if nodes is None else len(node_positions(nodes, n_nodes, "nodes"))
        return np.full(n, self.majority_)

    def predict_proba(self, graph: Any, nodes: Any = None) -> Float64:
        """Return the shares of the classes in training for each node, or for the given ones."""
        return np.tile(self.shares_, (len(self.predict(graph, nodes)), 1))

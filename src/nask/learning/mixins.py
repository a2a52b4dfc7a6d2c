"""What classifiers of graphs share, and what classifiers of nodes do."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float64
from nask.io.coerce import as_graph
from nask.learning.decisions import most_confident
from nask.learning.node_targets import class_per_node, scored_nodes


class DecidesClasses(ClassifierMixin):
    """A classifier of graphs by its confidence in each class; a subclass decides."""

    classes_: Array

    @abstractmethod
    def decision_function(self, X: Any) -> Float64:
        """Confidence: (m,) for two classes, positive for the second; (m, n_classes) otherwise."""

    def predict(self, X: Any) -> Array:
        """Most confident class of each graph."""
        check_is_fitted(self)
        return np.asarray(self.classes_[most_confident(self.decision_function(X))])


class ScoresNodes(ClassifierMixin):
    """A classifier of the nodes of one graph; a subclass predicts."""

    @abstractmethod
    def predict(self, graph: Any, nodes: Any = None) -> Array:
        """Class of nodes of a graph."""

    def score(self, graph: Any, y: Any, nodes: Any = None) -> float:
        """Share of nodes whose class is found.

        Parameters
        ----------
        graph : graph
        y : array of shape (n_nodes,)
            One class per node; -1, None or NaN where it is not known.
        nodes : array of int, or of bool, default=None
            Which nodes, by their positions or by a mask; all whose class is known by default.
        """
        graph = as_graph(graph)
        chosen, truth = scored_nodes(class_per_node(y, graph.n_nodes), nodes)
        return float(np.mean(self.predict(graph, chosen) == truth))

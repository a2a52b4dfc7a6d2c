"""What classifiers of graphs share, and what classifiers of nodes do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float64
from nask.io.coerce import as_graph
from nask.learning.node_targets import class_per_node, scored_nodes
from nask.learning.votes import class_confidence, most_confident


class DecidesClasses(ClassifierMixin):
    """A classifier of graphs by one decision per pair of classes; a subclass decides."""

    classes_: Array
    decide: Callable[[Any], Float64]
    """One decision per graph and pair of classes, (m, n_pairs): positive for the first class of a
    pair, but for the second where there are two classes."""

    def decision_function(self, X: Any) -> Float64:
        """Confidence: (m,) for two classes, positive for the second; (m, n_classes) otherwise."""
        check_is_fitted(self)
        return class_confidence(self.decide(X), len(self.classes_))

    def predict(self, X: Any) -> Array:
        """Most confident class of each graph."""
        check_is_fitted(self)
        chosen = most_confident(self.decide(X), len(self.classes_))
        return np.asarray(self.classes_[chosen])


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

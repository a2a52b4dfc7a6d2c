"""Checks of y for nodes: one class per node, some of them unknown."""

from __future__ import annotations

from typing import Any

import numpy as np

from nask.arrays import Array, Float64, Index
from nask.exceptions import ParameterError
from nask.graph.attribute import is_missing
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.chosen_nodes import node_positions
from nask.io.node_dataset import NO_CLASS
from nask.io.target import as_target, is_number
from nask.learning.sample_weights import weights_of_items
from nask.learning.targets import one_column


def class_per_node(y: Any, n_nodes: int) -> Array:
    """Classes as an array of objects, None where one is not known."""
    if y is None:
        raise ParameterError(
            "A classifier of nodes requires y to be passed, but the target y is None: expected "
            "one class per node."
        )
    target = np.array(one_column(y, "node"), dtype=object)
    if len(target) != n_nodes:
        raise ParameterError(
            f"Got {len(target)} values of y for a graph of {n_nodes} nodes: expected one per node, "
            "-1 or None where the class is not known."
        )
    target[[is_missing(label) or _is_no_class(label) for label in target]] = None
    return target


def _is_no_class(label: Any) -> bool:
    return is_number(label) and bool(label == NO_CLASS)


def known_nodes(target: Array, nodes: Any, name: str) -> Index:
    """Check the nodes given, or take all that have a class."""
    known = np.array([label is not None for label in target], dtype=bool)
    if nodes is None:
        return np.flatnonzero(known)
    positions = node_positions(nodes, len(target), name)
    unknown = positions[~known[positions]]
    if len(unknown):
        raise ParameterError(
            f"Node {unknown[0]} is in {name!r}, but has no class (-1, None or NaN in y). Leave it "
            "out."
        )
    return positions


def weighted_nodes(
    nodes: Index, sample_weight: Any, graph: AttributedGraph, owner: str
) -> tuple[Index, Float64 | None]:
    """Training nodes that have a weight above 0, and their weights; None where all are 1.

    Parameters
    ----------
    nodes : ndarray
        The training nodes.
    sample_weight : array-like of shape (n_nodes,), or None
        One weight per node of the graph; those of other nodes make no difference.
    graph : AttributedGraph
    owner : str
        Whose parameter it is, for messages.
    """
    there, weights = weights_of_items(sample_weight, graph.n_nodes, owner, "node")
    if weights is None:
        # All weights are 1, or 0.
        return nodes[np.isin(nodes, there)], None
    full = np.zeros(graph.n_nodes)
    full[there] = weights
    own = nodes[full[nodes] > 0]
    return own, full[own]


def scored_nodes(target: Array, nodes: Any) -> tuple[Index, Array]:
    """Nodes to score and their classes: the given ones, or all that have a class."""
    chosen = known_nodes(target, nodes, "nodes")
    if not len(chosen):
        raise ParameterError(
            "There are no nodes to score: expected one at least whose class is in y."
        )
    return chosen, as_target(target[chosen])

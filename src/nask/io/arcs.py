"""Graphs whose edges are listed as arcs: an undirected edge is an arc in each direction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from nask.exceptions import GraphError
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.edges import as_edge_array


def graph_from_arcs(
    n_nodes: int,
    arcs: Iterable[Any],
    node_attributes: Mapping[str, Iterable[Any]],
    edge_attributes: Mapping[str, Iterable[Any]],
    *,
    categorical: Collection[str] = (),
    numerical: Collection[str] = (),
    to_undirected: bool = False,
) -> AttributedGraph:
    """Build a graph from arcs; an arc and its mirror image are one edge, not a repeat.

    Parameters
    ----------
    n_nodes : int
    arcs : iterable of (int, int)
    node_attributes, edge_attributes : mapping of str to sequence
        One value a node, or one an arc.
    categorical, numerical : collection of str
        Names of attributes whose kind is forced.
    to_undirected : bool, default=False
        Take an arc without its mirror image for an edge as well, instead of an error.

    Examples
    --------
    >>> graph = graph_from_arcs(2, [(0, 1), (1, 0), (1, 0)], {}, {})
    >>> graph.n_edges, graph.n_duplicate_edges_removed
    (1, 1)
    >>> graph_from_arcs(2, [(0, 1)], {}, {})
    Traceback (most recent call last):
    nask.exceptions.GraphError: The graph is directed: it has the edge 0 -> 1, but not 1 -> 0. ...
    """
    array = as_edge_array(arcs, n_nodes)
    tail, head = array[array[:, 0] != array[:, 1]].T
    # Each arc and its mirror image as one number.
    forward, backward = tail * n_nodes + head, head * n_nodes + tail
    single = ~np.isin(forward, backward)
    if single.any() and not to_undirected:
        k = int(np.flatnonzero(single)[0])
        raise GraphError(
            f"The graph is directed: it has the edge {tail[k]} -> {head[k]}, but not {head[k]} -> "
            f"{tail[k]}. Pass to_undirected=True to ignore directions."
        )
    graph = AttributedGraph(
        n_nodes, array, node_attributes, edge_attributes,
        categorical=categorical, numerical=numerical,
    )  # fmt: skip
    return AttributedGraph.from_valid(
        n_nodes,
        graph.edges,
        graph.node_attributes,
        graph.edge_attributes,
        n_self_loops_removed=graph.n_self_loops_removed,
        n_duplicate_edges_removed=len(forward) - len(np.unique(forward)),
    )

"""Graphs in the form that GraKeL takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from nask.graph.attributed_graph import AttributedGraph


def labelled(graphs: Sequence[AttributedGraph], labels: Sequence[Iterable[Any]]) -> list[Any]:
    """Return graphs of GraKeL with a label at each node.

    Parameters
    ----------
    labels : sequence of iterable
        For each graph, one label per node. Give integers: GraKeL orders labels by their hash, and
        the hash of text differs in each run.

    Examples
    --------
    >>> import nask
    >>> [graph] = labelled([nask.AttributedGraph(3, [(0, 1)])], [[7, 7, 9]])
    >>> sorted(graph.vertices), graph.node_labels
    ([0, 1, 2], {0: 7, 1: 7, 2: 9})
    """
    from grakel import Graph

    result = []
    for graph, own in zip(graphs, labels, strict=True):
        # Every node is a key, since GraKeL drops nodes without an edge.
        neighbours: dict[int, dict[int, float]] = {v: {} for v in range(graph.n_nodes)}
        for u, v in graph.edges.tolist():
            neighbours[u][v] = neighbours[v][u] = 1.0
        result.append(Graph(neighbours, dict(enumerate(own)), graph_format="dictionary"))
    return result


def attributed(
    graphs: Sequence[AttributedGraph], rows: Sequence[Any], lonely: bool = True
) -> list[Any]:
    """Return graphs of GraKeL as adjacency matrices, with a vector or a label at each node.

    Parameters
    ----------
    rows : sequence of array
        For each graph, one row or one label per node. Nothing may be missing: where there is a
        NaN, GraKeL returns wrong matrices without an error.
    lonely : bool, default=True
        Whether to keep nodes without neighbours. GraphHopper fails on them.

    Examples
    --------
    >>> import nask, numpy as np
    >>> [graph] = attributed([nask.AttributedGraph(2, [(0, 1)])], [np.array([[1.0], [2.0]])])
    >>> graph.get_adjacency_matrix().tolist(), graph.get_labels()[1].tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [2.0])
    """
    from grakel import Graph

    result = []
    for graph, own in zip(graphs, rows, strict=True):
        adjacency = np.zeros((graph.n_nodes, graph.n_nodes))
        u, v = graph.edges.T
        adjacency[u, v] = adjacency[v, u] = 1.0
        kept = np.arange(graph.n_nodes) if lonely else np.unique(graph.edges)
        labels = dict(enumerate(np.asarray(own)[kept]))
        result.append(Graph(adjacency[np.ix_(kept, kept)], labels, graph_format="adjacency"))
    return result

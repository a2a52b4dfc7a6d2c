"""Graphs in the form GraKeL takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from nask.graph.attributed_graph import AttributedGraph


def labelled(graphs: Sequence[AttributedGraph], labels: Sequence[Iterable[Any]]) -> list[Any]:
    """Graphs of GraKeL with a label at each node.

    Parameters
    ----------
    graphs : sequence of AttributedGraph
    labels : sequence of iterable
        One label a node, for each graph. GraKeL sorts labels and orders them by their hash, so
        give integers: the hash of text is another one in each run.

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
        # Every node is a key, since GraKeL forgets those that are in no edge.
        neighbours: dict[int, dict[int, float]] = {v: {} for v in range(graph.n_nodes)}
        for u, v in graph.edges.tolist():
            neighbours[u][v] = neighbours[v][u] = 1.0
        result.append(Graph(neighbours, dict(enumerate(own)), graph_format="dictionary"))
    return result


def attributed(
    graphs: Sequence[AttributedGraph], rows: Sequence[Any], lonely: bool = True
) -> list[Any]:
    """Graphs of GraKeL as adjacency matrices, with a vector or a label at each node.

    Parameters
    ----------
    graphs : sequence of AttributedGraph
    rows : sequence of array
        One row, or one label, a node, for each graph. Nothing may be missing: GraKeL gives wrong
        matrices in silence where there is a NaN.
    lonely : bool, default=True
        Whether nodes without neighbours stay. GraphHopper fails on them.

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

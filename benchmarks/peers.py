"""Kernels of others: graphs in the form that GraKeL takes, and WWL on POT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from nask import AttributedGraph
from nask.arrays import Float64
from nask.lab.rivals.kernels import grakel_graphs

# The iterations of WWL; its gamma does not affect the time.
N_ITERATIONS, GAMMA = 3, 1.0
# Enough to reach the optimum for the largest graphs of DD; POT would stop at 10^5.
MOST_STEPS = 10**8


def labelled(graphs: Sequence[AttributedGraph]) -> list[Any]:
    """Return graphs of GraKeL with the first categorical attribute as their node label."""
    return grakel_graphs.labelled(graphs, [_label(graph) for graph in graphs])


def attributed(graphs: Sequence[AttributedGraph], lonely: bool = True) -> list[Any]:
    """Return graphs of GraKeL with vectors at their nodes, see :func:`vectors`.

    Without ``lonely``, nodes without neighbours are left out: GraphHopper fails on them.
    """
    return grakel_graphs.attributed(graphs, vectors(graphs), lonely)


def vectors(graphs: Sequence[AttributedGraph]) -> list[Float64]:
    """Return numerical attributes, one row per node; the one-hot label where a set has none."""
    columns = [
        [a.data for a in graph.node_attributes.values() if a.kind == "numerical"]
        for graph in graphs
    ]
    if any(columns):
        return [np.column_stack(own) for own in columns]
    labels = [_label(graph) for graph in graphs]
    names = sorted({label for own in labels for label in own})
    place = {name: k for k, name in enumerate(names)}
    identity = np.eye(len(names))
    return [identity[[place[label] for label in own]] for own in labels]


class WWL:
    """Wasserstein Weisfeiler-Lehman kernel for continuous attributes.

    The attributes of a node, z-scored over the set, are averaged with the mean over its
    neighbours, several times. The results of all iterations are its embedding. The kernel of two
    graphs is exp(-gamma W) with the Wasserstein distance W between their sets of embeddings, in
    which all nodes have the same weight.

    References
    ----------
    Togninalli, M., Ghisu, E., Llinares-Lopez, F., Rieck, B. and Borgwardt, K. Wasserstein
    Weisfeiler-Lehman graph kernels. NeurIPS 2019.
    """

    def fit_transform(self, graphs: Sequence[AttributedGraph]) -> Float64:
        """Return the kernel between all pairs of graphs."""
        # Here, since POT loads torch, which must not count as memory of other methods.
        import ot  # type: ignore[import-untyped]

        embeddings = self.embeddings(graphs)
        weights = [np.full(len(rows), 1 / len(rows)) for rows in embeddings]
        distances = np.zeros((len(graphs), len(graphs)))
        for i, rows in enumerate(embeddings):
            for j in range(i):
                cost = ot.dist(rows, embeddings[j], metric="euclidean")
                distances[i, j] = distances[j, i] = ot.emd2(
                    weights[i], weights[j], cost, numItermax=MOST_STEPS
                )
        kernel: Float64 = np.exp(-GAMMA * distances)
        return kernel

    def embeddings(self, graphs: Sequence[AttributedGraph]) -> list[Float64]:
        """Return the attributes of each node after 0, 1, ... iterations, one after another."""
        values = vectors(graphs)
        pooled = np.concatenate(values)
        spread = pooled.std(axis=0)
        spread[spread == 0] = 1.0
        result = []
        for graph, own in zip(graphs, values, strict=True):
            mean_of_neighbours = _mean_of_neighbours(graph)
            steps = [(own - pooled.mean(axis=0)) / spread]
            for _ in range(N_ITERATIONS):
                steps.append((steps[-1] + mean_of_neighbours @ steps[-1]) / 2)
            result.append(np.concatenate(steps, axis=1))
        return result


def _label(graph: AttributedGraph) -> list[Any]:
    return next(a.values() for a in graph.node_attributes.values() if a.kind == "categorical")


def _mean_of_neighbours(graph: AttributedGraph) -> Any:
    """Return the averaging matrix; a node without neighbours has a row of zeros."""
    u, v = graph.edges.T
    ends = np.concatenate([u, v]), np.concatenate([v, u])
    shape = (graph.n_nodes, graph.n_nodes)
    adjacency = sparse.coo_array((np.ones(len(ends[0])), ends), shape=shape).tocsr()
    degree = np.maximum(adjacency.sum(axis=1), 1)
    return sparse.diags_array(1 / degree) @ adjacency

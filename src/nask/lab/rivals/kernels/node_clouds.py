"""Mean similarity of all pairs of nodes of two graphs, for many graphs at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from scipy.spatial.distance import cdist

from nask.arrays import Float64, Index
from nask.graph.elements import positions_of

# Pairs of nodes in a tile: 32 MB per matrix.
TILE = 2**22


@dataclass(frozen=True, eq=False)
class NodeClouds:
    r"""The nodes of some graphs as points, compared by a product of Laplacian kernels,

    .. math:: \kappa(u, v) = [l(u) = l(v)] \prod_i \exp(-\|x_i(u) - x_i(v)\|).

    Parameters
    ----------
    positions : tuple of ndarray of shape (n_nodes, any)
        x_1, x_2, ...
    labels : ndarray of shape (n_nodes,)
    ptr : ndarray of shape (n_graphs + 1,)
        The nodes of graph i are those from ``ptr[i]`` to ``ptr[i + 1]``.
    """

    positions: tuple[Float64, ...]
    labels: Index
    ptr: Index

    @property
    def n_graphs(self) -> int:
        """Number of graphs."""
        return len(self.ptr) - 1

    def take(self, graphs: Index) -> NodeClouds:
        """Return the nodes of some graphs, in the order given."""
        nodes, ptr = positions_of(self.ptr, graphs)
        return NodeClouds(tuple(x[nodes] for x in self.positions), self.labels[nodes], ptr)

    def runs(self) -> dict[int, Runs]:
        """Return the nodes of each label, those of a graph next to each other."""
        graph = np.repeat(np.arange(self.n_graphs), np.diff(self.ptr))
        found = {}
        for label in np.unique(self.labels).tolist():
            nodes = np.flatnonzero(self.labels == label)
            graphs, starts = np.unique(graph[nodes], return_index=True)
            positions = tuple(np.ascontiguousarray(x[nodes]) for x in self.positions)
            found[label] = Runs(positions, graphs, np.append(starts, len(nodes)))
        return found


@dataclass(frozen=True, eq=False)
class Runs:
    """Nodes of one label: those of ``graphs[i]`` are from ``ptr[i]`` to ``ptr[i + 1]``."""

    positions: tuple[Float64, ...]
    graphs: Index
    ptr: Index

    def take(self, first: int, last: int) -> Runs:
        """Return the nodes of consecutive graphs."""
        nodes = slice(self.ptr[first], self.ptr[last])
        ptr = self.ptr[first : last + 1] - self.ptr[first]
        return Runs(tuple(x[nodes] for x in self.positions), self.graphs[first:last], ptr)

    def tiles(self, n_others: int) -> Iterator[tuple[int, int]]:
        """Yield first and last graphs, so that a tile has up to ``TILE`` pairs, or one graph."""
        first = 0
        while first < len(self.graphs):
            most = self.ptr[first] + TILE // max(1, n_others)
            last = max(first + 1, int(np.searchsorted(self.ptr, most, side="right")) - 1)
            yield first, last
            first = last


def mean_similarities(
    clouds: NodeClouds, others: NodeClouds | None = None, n_jobs: int | None = None
) -> Float64:
    """Return the mean of the kernel over all pairs of nodes of two graphs, (n_graphs, n_others).

    Without ``others`` the graphs are compared with each other, symmetric to the last digit. The
    mean of no pair is 0.

    Examples
    --------
    >>> points = np.array([[0.0], [1.0], [1.0]])
    >>> clouds = NodeClouds((points,), np.array([0, 0, 1]), np.array([0, 1, 3]))
    >>> mean_similarities(clouds).round(3)
    array([[1.   , 0.184],
           [0.184, 0.5  ]])
    """
    symmetric = others is None
    others = clouds if others is None else others
    rows, columns = clouds.runs(), others.runs()
    tasks = (
        (
            rows[label].take(*tile),
            columns[label].take(tile[0] if symmetric else 0, len(columns[label].graphs)),
        )
        for label in rows.keys() & columns.keys()
        for tile in rows[label].tiles(int(columns[label].ptr[-1]))
    )
    sums = np.zeros((clouds.n_graphs, others.n_graphs))
    # Added in the order of the tasks, so that rounding does not depend on the number of threads.
    results = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
        delayed(_sums)(*task) for task in tasks
    )
    for graphs, their_graphs, found in results:
        sums[np.ix_(graphs, their_graphs)] += found
    if symmetric:
        sums = np.triu(sums) + np.triu(sums, 1).T
    mine, theirs = (np.maximum(np.diff(c.ptr), 1) for c in (clouds, others))
    sums /= mine[:, None] * theirs
    return sums


def own_similarities(clouds: NodeClouds) -> Float64:
    """Return the mean of the kernel over all pairs of nodes of each graph: the diagonal alone.

    Examples
    --------
    >>> points = np.array([[0.0], [1.0], [1.0]])
    >>> own_similarities(NodeClouds((points,), np.array([0, 0, 1]), np.array([0, 1, 3])))
    array([1. , 0.5])
    """
    sums = np.zeros(clouds.n_graphs)
    for runs in clouds.runs().values():
        for i, graph in enumerate(runs.graphs):
            own = runs.take(i, i + 1)
            sums[graph] += _sums(own, own)[2].item()
    sums /= np.maximum(np.diff(clouds.ptr), 1) ** 2
    return sums


def _sums(rows: Runs, columns: Runs) -> tuple[Index, Index, Float64]:
    exponent = np.zeros((int(rows.ptr[-1]), int(columns.ptr[-1])))
    for mine, theirs in zip(rows.positions, columns.positions, strict=True):
        # Not by a matrix product: equal points must have the distance 0, not 1e-8.
        exponent -= cdist(mine, theirs)
    np.exp(exponent, out=exponent)
    by_graph = np.add.reduceat(exponent, columns.ptr[:-1], axis=1)
    return rows.graphs, columns.graphs, np.add.reduceat(by_graph, rows.ptr[:-1], axis=0)

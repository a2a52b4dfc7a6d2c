"""The positions of nodes on shortest paths, as GraphHopper counts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from nask.arrays import Array, Float64, Positions
from nask.graph.attributed_graph import AttributedGraph

# A tile of this many nodes on both sides takes 2 MB.
NODES_AT_ONCE = 512


@dataclass(frozen=True, eq=False)
class HopperNodes:
    """The nodes of graphs: their rows of numbers, and their positions on shortest paths.

    Nodes of a graph with the same row are merged, since only a sum over them is needed.

    Parameters
    ----------
    ptr : ndarray of int
        The nodes of graph i are those from ``ptr[i]`` to ``ptr[i + 1]``.
    rows : ndarray of shape (n_nodes, d)
    positions : list of csr_array
        Of each graph, as :func:`positions_on_paths` counts them.
    """

    ptr: Positions
    rows: Float64
    positions: list[Any]

    @classmethod
    def of(cls, graphs: Sequence[AttributedGraph], rows: Sequence[Array]) -> Self:
        """Return the nodes of graphs, with one array of rows per graph."""
        distinct, positions = [], []
        for graph, own in zip(graphs, rows, strict=True):
            values, which = np.unique(own, axis=0, return_inverse=True)
            arrays = (np.ones(len(own)), which, np.arange(len(own) + 1))
            same = sparse.csr_array(arrays, shape=(len(own), len(values)))
            distinct.append(values.astype(np.float64))
            positions.append((same.T @ positions_on_paths(graph)).tocsr())
        ptr = np.cumsum([0, *map(len, distinct)])
        return cls(ptr, np.concatenate(distinct), positions)

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def width(self) -> int:
        """Number of columns of the longest path."""
        return max(int(own.shape[1]) for own in self.positions)

    def take(self, graphs: slice) -> HopperNodes:
        """Return the nodes of consecutive graphs."""
        start, stop, _ = graphs.indices(len(self))
        ptr = self.ptr[start : stop + 1]
        return HopperNodes(ptr - ptr[0], self.rows[ptr[0] : ptr[-1]], self.positions[graphs])

    def tiles(self) -> Iterator[tuple[slice, HopperNodes]]:
        """Yield consecutive graphs that have few nodes in all."""
        starts = np.flatnonzero(np.diff(self.ptr[:-1] // NODES_AT_ONCE, prepend=-1))
        for start, stop in pairwise([*starts.tolist(), len(self)]):
            yield slice(start, stop), self.take(slice(start, stop))

    def counts(self, width: int) -> Float64:
        """Return the first columns of all positions; the other side has no longer paths."""
        result = np.zeros((len(self.rows), width))
        for start, stop, own in zip(self.ptr, self.ptr[1:], self.positions, strict=False):
            some = own[:, :width]
            result[start:stop, : some.shape[1]] = some.toarray()
        return result

    def membership(self) -> Any:
        """Return which node is in which graph, graphs x nodes."""
        n_nodes = len(self.rows)
        arrays = (np.ones(n_nodes), np.arange(n_nodes), self.ptr)
        return sparse.csr_array(arrays, shape=(len(self), n_nodes))


def positions_on_paths(graph: AttributedGraph) -> Any:
    """Count the shortest paths that have a node at a position.

    Returns
    -------
    csr_array of shape (n_nodes, n_columns)
        Paths of j edges with the node at position i <= j are in column j (j + 1) / 2 + i, so that
        graphs of any diameter share columns.

    Examples
    --------
    Each of the three nodes is a path; the next columns are the ends of four paths of one edge,
    then the ends and the middle of two paths of two edges.

    >>> import nask
    >>> positions_on_paths(nask.AttributedGraph(3, [(0, 1), (1, 2)])).toarray().astype(int)
    array([[1, 1, 1, 1, 0, 1],
           [1, 2, 2, 0, 2, 0],
           [1, 1, 1, 1, 0, 1]])
    """
    n = graph.n_nodes
    if n == 0:
        return sparse.csr_array((0, 1))
    ends = np.concatenate([graph.edges, graph.edges[:, ::-1]]).T
    adjacency = sparse.csr_array((np.ones(ends.shape[1]), tuple(ends)), shape=(n, n))
    distances = csgraph.shortest_path(adjacency, unweighted=True)
    longest = int(distances[np.isfinite(distances)].max())
    n_paths = step = np.eye(n)
    for length in range(1, longest + 1):
        step = (step @ adjacency) * (distances == length)
        n_paths = n_paths + step
    n_columns = (longest + 1) * (longest + 2) // 2
    result = np.zeros((n, n_columns))
    reached = np.isfinite(distances)
    for v in range(n):
        start, end = np.nonzero(reached & (distances[:, [v]] + distances[v] == distances))
        length = distances[start, end].astype(np.intp)
        column = length * (length + 1) // 2 + distances[start, v].astype(np.intp)
        result[v] = np.bincount(column, n_paths[start, v] * n_paths[v, end], n_columns)
    return sparse.csr_array(result)

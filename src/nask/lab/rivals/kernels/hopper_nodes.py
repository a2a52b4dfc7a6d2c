"""Where on shortest paths the nodes of graphs are, as GraphHopper counts it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from nask.graph.attributed_graph import AttributedGraph
from nask.lab.rivals.kernels.base import Floats

# A matrix of so many nodes on both sides takes 2 MB.
NODES_AT_ONCE = 512


@dataclass(frozen=True, eq=False)
class HopperNodes:
    """The nodes of graphs: their rows of numbers and where on shortest paths they are.

    Nodes of a graph with the same row count as one, since all that matters of them is a sum.

    Parameters
    ----------
    ptr : ndarray of int
        The nodes of graph i are those from ``ptr[i]`` to ``ptr[i + 1]``.
    rows : ndarray of shape (n_nodes, d)
    positions : list of csr_array
        Of each graph, as :func:`positions_on_paths` counts them.
    """

    ptr: npt.NDArray[np.intp]
    rows: Floats
    positions: list[Any]

    @classmethod
    def of(cls, graphs: Sequence[AttributedGraph], rows: Sequence[npt.NDArray[Any]]) -> Self:
        """The nodes of graphs, whose rows are given for each graph."""
        distinct, positions = [], []
        for graph, own in zip(graphs, rows, strict=True):
            values, which = np.unique(own, axis=0, return_inverse=True)
            parts = (np.ones(len(own)), which, np.arange(len(own) + 1))
            same = sparse.csr_array(parts, shape=(len(own), len(values)))
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
        """The nodes of some graphs that follow each other."""
        start, stop, _ = graphs.indices(len(self))
        ptr = self.ptr[start : stop + 1]
        return HopperNodes(ptr - ptr[0], self.rows[ptr[0] : ptr[-1]], self.positions[graphs])

    def blocks(self) -> Iterator[tuple[slice, HopperNodes]]:
        """Graphs together that have few nodes in all."""
        starts = np.flatnonzero(np.diff(self.ptr[:-1] // NODES_AT_ONCE, prepend=-1))
        for start, stop in pairwise([*starts.tolist(), len(self)]):
            yield slice(start, stop), self.take(slice(start, stop))

    def counts(self, width: int) -> Floats:
        """The first columns of all positions; longer paths meet none of the same length."""
        result = np.zeros((len(self.rows), width))
        for start, stop, own in zip(self.ptr, self.ptr[1:], self.positions, strict=False):
            some = own[:, :width]
            result[start:stop, : some.shape[1]] = some.toarray()
        return result

    def membership(self) -> Any:
        """Which node is in which graph, graphs x nodes."""
        n_nodes = len(self.rows)
        parts = (np.ones(n_nodes), np.arange(n_nodes), self.ptr)
        return sparse.csr_array(parts, shape=(len(self), n_nodes))


def positions_on_paths(graph: AttributedGraph) -> Any:
    """Count the shortest paths that have a node at a position.

    Returns
    -------
    csr_array of shape (n_nodes, n_columns)
        Paths of j edges with the node at position i <= j are in column j (j + 1) / 2 + i, so that
        graphs of any diameter share columns.

    Examples
    --------
    Each of three nodes is a path; the columns after that are the ends of four paths of one edge,
    and the ends and middle of two paths of two edges.

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

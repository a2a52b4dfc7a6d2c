"""The small graph around each node, in arrays of the same size for all nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from nask.arrays import Index
from nask.compiled.compiling import compiled

ABSENT = np.iinfo(np.int32).max
"""The offset that fills empty places, where an ego graph has fewer nodes."""


@dataclass(frozen=True, eq=False)
class EgoGraphs:
    """The ego graph of every node of a list of graphs.

    Parameters
    ----------
    offset : ndarray of int32 of shape (n_nodes, size)
        Member u of the ego graph of v as u - v, nearest first; ``ABSENT`` after the last. The
        difference of two positions is the same in every batch of graphs.
    adjacency : ndarray of uint8 of shape (n_nodes, size, size)
        Which members are joined by an edge.
    """

    offset: npt.NDArray[np.int32]
    adjacency: npt.NDArray[np.uint8]


def ego_graphs(edges: Index, n_nodes: int, n_hops: int = 2, size: int = 10) -> EgoGraphs:
    """Return the graph induced by the nearest nodes within some hops, for each node.

    The search goes breadth first from the node itself. The neighbours of a member follow in the
    order of their numbers until the ego graph is full.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2)
        Each undirected edge once, or in both directions.
    size : int, default=10
        Largest number of members of an ego graph, the node itself included.

    Examples
    --------
    >>> import numpy as np
    >>> path = np.array([(0, 1), (1, 2), (2, 3)])
    >>> balls = ego_graphs(path, n_nodes=4, n_hops=2, size=3)
    >>> balls.offset.tolist()  # 0 1 2; 1 0 2; 2 1 3; 3 2 1
    [[0, 1, 2], [0, -1, 1], [0, -1, 1], [0, -1, -2]]
    >>> balls.adjacency[1].tolist()
    [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    """
    edges = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    rows = np.concatenate([edges[:, 0], edges[:, 1]])
    columns = np.concatenate([edges[:, 1], edges[:, 0]])
    joined = sparse.csr_array(
        (np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(n_nodes, n_nodes)
    )
    joined.sort_indices()
    offset = np.full((n_nodes, size), ABSENT, dtype=np.int32)
    adjacency = np.zeros((n_nodes, size, size), dtype=np.uint8)
    indptr, indices = joined.indptr.astype(np.int64), joined.indices.astype(np.int64)
    fill_ego_graphs(indptr, indices, n_hops, offset, adjacency)
    return EgoGraphs(offset, adjacency)


@compiled
def fill_ego_graphs(
    indptr: Index,
    indices: Index,
    n_hops: int,
    offset: npt.NDArray[np.int32],
    adjacency: npt.NDArray[np.uint8],
) -> None:
    """Breadth first from every node; ``place`` says where a node is in the current ego graph.

    Parameters
    ----------
    indptr, indices : ndarray
        Neighbours of v: ``indices[indptr[v]:indptr[v + 1]]``, in ascending order.
    offset, adjacency : ndarray
        Results, as in :class:`EgoGraphs`: filled with ``ABSENT`` and with zeros.
    """
    n_nodes, size = offset.shape
    place = np.full(n_nodes, -1, dtype=np.int64)
    members = np.empty(size, dtype=np.int64)
    for core in range(n_nodes):
        members[0] = core
        place[core] = 0
        count = 1
        start = 0
        for _ in range(n_hops):
            end = count
            for m in range(start, end):
                for e in range(indptr[members[m]], indptr[members[m] + 1]):
                    if count < size and place[indices[e]] < 0:
                        members[count] = indices[e]
                        place[indices[e]] = count
                        count += 1
            start = end
        for m in range(count):
            offset[core, m] = members[m] - core
            for e in range(indptr[members[m]], indptr[members[m] + 1]):
                if place[indices[e]] >= 0:
                    adjacency[core, m, place[indices[e]]] = 1
        for m in range(count):
            place[members[m]] = -1

"""The members of each node's star: its nodes and its edges, at every hop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nask.arrays import Index
from nask.choices import Expansion
from nask.graph.batch import GraphBatch
from nask.graph.elements import positions_of


@dataclass(frozen=True, eq=False)
class Members:
    """Lists of members, one per node and level.

    The members of node v at level l are ``index[ptr[l, v]:ptr[l, v + 1]]``.

    Parameters
    ----------
    ptr : ndarray of shape (n_levels, n_nodes + 1)
    index : ndarray
        Positions of nodes, or edges, in the batch.
    """

    ptr: Index
    index: Index

    @classmethod
    def from_matrices(cls, matrices: list[sparse.csr_array]) -> Members:
        """Return the lists of 0/1 matrices, one per level: row v has ones at the members of v."""
        starts = np.cumsum([0, *(matrix.nnz for matrix in matrices[:-1])])
        ptr = np.array(
            [m.indptr.astype(np.int64) + s for m, s in zip(matrices, starts, strict=True)]
        )
        index = np.concatenate([matrix.indices for matrix in matrices]).astype(np.int64)
        return cls(ptr, index)

    def take(self, nodes: Index, members: Index) -> Members:
        """Return the lists of some nodes, with nodes and members numbered anew.

        Parameters
        ----------
        nodes : ndarray
            The present positions of the nodes, which become 0, 1, 2, ...
        members : ndarray
            The present positions of all members that occur, which become 0, 1, 2, ...

        Examples
        --------
        >>> stars = Members(np.array([[0, 2, 4, 5]]), np.array([0, 1, 0, 1, 2]))
        >>> stars.take(np.array([2, 0, 1]), np.array([2, 0, 1]))
        Members(ptr=array([[0, 1, 3, 5]]), index=array([0, 1, 2, 1, 2]))
        """
        place = np.full(members.max(initial=-1) + 1, -1)
        place[members] = np.arange(len(members))
        lists = [lists_of(ptr, self.index, nodes) for ptr in self.ptr]
        index = np.concatenate([members_of_level for _, members_of_level in lists])
        starts = np.cumsum([0, *(ptr[-1] for ptr, _ in lists[:-1])])
        ptr = np.array([ptr + start for (ptr, _), start in zip(lists, starts, strict=True)])
        return Members(ptr, place[index])

    def counts(self) -> Index:
        """Return the number of members of each node at each level."""
        return np.diff(self.ptr, axis=1)


def star_matrices(
    batch: GraphBatch, n_hops: int, expansion: Expansion
) -> tuple[list[sparse.csr_array], list[sparse.csr_array]]:
    """Return membership as 0/1 matrices per level: nodes x nodes (R_h) and nodes x edges (Q_h).

    Nested stars are one hop wide at every hop, so they have one level. Balls have one level per
    hop: R_h has all nodes within h hops, Q_h all edges with an endpoint within h - 1 hops.

    Examples
    --------
    >>> import nask
    >>> from nask.graph.schema import Schema
    >>> path = nask.AttributedGraph(4, edges=[(0, 1), (1, 2), (2, 3)])
    >>> batch = GraphBatch.encode([path], Schema.fit([path]))
    >>> nodes, edges = star_matrices(batch, 2, "ball")
    >>> nodes[1].toarray()[0].tolist()  # within two hops of node 0
    [1, 1, 1, 0]
    >>> edges[1].toarray()[0].tolist()  # with an endpoint within one hop of node 0
    [1, 1, 0]
    """
    n, m = batch.n_nodes, len(batch.edges)
    u, v = batch.endpoints.T
    incidence = _pattern(np.concatenate([u, v]), np.tile(np.arange(m), 2), (n, m))
    star = star_pattern(batch)
    nodes, edges = [star], [incidence]
    if expansion == "ball":
        for _ in range(n_hops - 1):
            edges.append(_ones(nodes[-1] @ incidence))
            nodes.append(_ones(nodes[-1] @ star))
    return nodes, edges


def star_pattern(batch: GraphBatch) -> sparse.csr_array:
    """Return a 0/1 matrix whose row v has ones at the nodes of the one-hop star of v."""
    n, (u, v) = batch.n_nodes, batch.endpoints.T
    loops = np.arange(n)
    return _pattern(np.concatenate([loops, u, v]), np.concatenate([loops, v, u]), (n, n))


def _pattern(rows: Index, columns: Index, shape: tuple[int, int]) -> sparse.csr_array:
    ones = np.ones(len(rows), dtype=np.int32)
    return _ones(sparse.csr_array((ones, (rows, columns)), shape=shape))


def _ones(matrix: sparse.csr_array) -> sparse.csr_array:
    """Set every stored entry of a matrix to 1, and sort its columns."""
    matrix.sum_duplicates()
    matrix.sort_indices()
    matrix.data[:] = 1
    return matrix


def lists_of(ptr: Index, index: Index, chosen: Index) -> tuple[Index, Index]:
    """Return the lists ``index[ptr[v] : ptr[v + 1]]`` of the chosen v, as a new ptr and index."""
    positions, starts = positions_of(ptr, chosen)
    return starts, index[positions]

"""The members of each node's star: its nodes and its edges, at every hop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nask.arrays import Index
from nask.attributes.pair_similarity import similarity_of_pairs
from nask.graph.batch import GraphBatch
from nask.graph.elements import positions_of
from nask.stars.spec import StarSpec

# Leaves whose similarities differ by a smaller part are equally similar: rounding must not choose.
SAME = 1e-9


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

    def transposed(self, n_members: int) -> Members:
        """Return for each member the nodes that have it, at each level.

        Examples
        --------
        >>> Members(np.array([[0, 2, 3]]), np.array([0, 1, 1])).transposed(2)
        Members(ptr=array([[0, 1, 3]]), index=array([0, 0, 1]))
        """
        ones = np.ones(len(self.index), dtype=np.int32)
        shape = self.ptr.shape[1] - 1, n_members
        return Members.from_matrices(
            [
                sparse.csr_array(
                    (ones[: ptr[-1] - ptr[0]], self.index[ptr[0] : ptr[-1]], ptr - ptr[0]), shape
                ).T.tocsr()
                for ptr in self.ptr
            ]
        )

    def counts(self) -> Index:
        """Return the number of members of each node at each level."""
        return np.diff(self.ptr, axis=1)


def star_matrices(
    batch: GraphBatch, spec: StarSpec
) -> tuple[list[sparse.csr_array], list[sparse.csr_array]]:
    """Return membership as 0/1 matrices per level: nodes x nodes (R_h) and nodes x edges (Q_h).

    Nested stars and walks are one hop wide at every hop, so they have one level; a walk goes on
    from a neighbour, so the core is no member of its own star. Balls have one level per hop: R_h
    has all nodes within h hops, Q_h all edges with an endpoint within h - 1 hops.

    With ``max_leaves`` stars keep the leaves that are most similar to their cores, and the edges
    to them. Then u may be a leaf of v where v is none of u, so that R_1 is not symmetric.

    Examples
    --------
    >>> import nask
    >>> path = nask.AttributedGraph(4, edges=[(0, 1), (1, 2), (2, 3)])
    >>> training = nask.NASK(n_hops=2, expansion="ball").fit([path]).fitted_.graphs
    >>> nodes, edges = star_matrices(training.batch, training.spec)
    >>> nodes[1].toarray()[0].tolist()  # within two hops of node 0
    [1, 1, 1, 0]
    >>> edges[1].toarray()[0].tolist()  # with an endpoint within one hop of node 0
    [1, 1, 0]
    """
    n, m = batch.n_nodes, len(batch.edges)
    core, leaf, edge = kept_leaves(batch, spec)
    incidence = _pattern(core, edge, (n, m))
    loops = np.arange(n if spec.expansion != "walk" else 0)
    rows, columns = np.concatenate([loops, core]), np.concatenate([loops, leaf])
    star = _pattern(rows, columns, (n, n))
    nodes, edges = [star], [incidence]
    if spec.expansion == "ball":
        for _ in range(spec.n_hops - 1):
            edges.append(_ones(nodes[-1] @ incidence))
            nodes.append(_ones(nodes[-1] @ star))
    return nodes, edges


def kept_leaves(batch: GraphBatch, spec: StarSpec) -> tuple[Index, Index, Index]:
    """Return the leaves of all stars: for each its core, itself, and the edge between them.

    With ``max_leaves`` these are the leaves most similar to the core, by P. Those that are as
    similar as the last one stay as well, so that the order of nodes does not matter.

    Examples
    --------
    >>> import nask
    >>> letters = {"letter": ["a", "a", "b", "b"]}
    >>> star = nask.AttributedGraph(4, [(0, 1), (0, 2), (0, 3)], letters)
    >>> for k in (1, 2):
    ...     training = nask.NASK(max_leaves=k).fit([star]).fitted_.graphs
    ...     core, leaf, _ = kept_leaves(training.batch, training.spec)
    ...     print(leaf[core == 0].tolist())
    [1]
    [1, 2, 3]
    """
    (u, v), edge = batch.endpoints.T, np.arange(len(batch.edges))
    core, leaf = np.concatenate([u, v]), np.concatenate([v, u])
    edges = np.tile(edge, 2)
    if spec.max_leaves is None:
        return core, leaf, edges
    P = np.tile(similarity_of_pairs(batch.nodes, batch.features, u, v, spec.nodes), 2)
    order = np.lexsort((-P, core))
    counts = np.bincount(core, minlength=batch.n_nodes)
    starts = np.cumsum(counts) - counts
    # The last one that is kept of each star; all are where there are no more.
    last = np.zeros(batch.n_nodes)
    # A model file may say a number of leaves beyond any integer of a machine.
    most = min(spec.max_leaves, batch.n_nodes)
    many = np.flatnonzero(counts > most)
    last[many] = P[order[starts[many] + most - 1]]
    kept = last[core] * (1 - SAME) <= P
    return core[kept], leaf[kept], edges[kept]


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

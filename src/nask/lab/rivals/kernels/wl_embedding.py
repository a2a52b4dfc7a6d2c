"""Continuous Weisfeiler-Lehman embedding: nodes as vectors that know their neighbourhood."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from nask.arrays import Float64, Index
from nask.graph.attributed_graph import AttributedGraph


def wl_embeddings(
    graphs: Sequence[AttributedGraph], vectors: Sequence[Float64], n_iterations: int
) -> list[Float64]:
    """Return the vectors of nodes after 0, 1, ..., ``n_iterations`` rounds, one after another.

    In a round the vector of a node is averaged with the mean over its neighbours,

        a_{t+1}(v) = (a_t(v) + 1 / deg(v) sum_{u in N(v)} a_t(u)) / 2,

    and the embedding of a node is (a_0(v), ..., a_H(v)). A node without neighbours keeps its
    vector; the papers do not say.

    Parameters
    ----------
    vectors : sequence of ndarray of shape (n_nodes, d)
        One matrix per graph, the same d in all.
    n_iterations : int
        H, 0 or more.

    Returns
    -------
    list of ndarray of shape (n_nodes, d (H + 1))

    References
    ----------
    Togninalli, Ghisu, Llinares-López, Rieck, Borgwardt, "Wasserstein Weisfeiler-Lehman graph
    kernels", NeurIPS 2019.

    Examples
    --------
    >>> import nask
    >>> path = nask.AttributedGraph(3, edges=[(0, 1), (1, 2)])
    >>> wl_embeddings([path], [np.array([[0.0], [0.0], [8.0]])], 2)[0]
    array([[0., 0., 1.],
           [0., 2., 2.],
           [8., 4., 3.]])
    """
    sizes = np.array([graph.n_nodes for graph in graphs], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    level = np.concatenate([np.asarray(v, dtype=np.float64) for v in vectors])
    ends = np.concatenate(
        [graph.edges + start for graph, start in zip(graphs, starts, strict=True)]
    )
    step = _averaging(ends, len(level))
    levels = [level]
    for _ in range(n_iterations):
        level = step @ level
        levels.append(level)
    return np.split(np.hstack(levels), starts[1:])


def _averaging(ends: Index, n_nodes: int) -> sparse.csr_array:
    """Return the matrix of one round."""
    both = np.concatenate([ends, ends[:, ::-1]])
    degrees = np.bincount(both[:, 0], minlength=n_nodes)
    own = np.where(degrees > 0, 0.5, 1.0)
    everyone = np.arange(n_nodes)
    weights = np.concatenate([0.5 / degrees[both[:, 0]], own])
    rows, columns = (np.concatenate([side, everyone]) for side in both.T)
    return sparse.csr_array((weights, (rows, columns)), shape=(n_nodes, n_nodes))

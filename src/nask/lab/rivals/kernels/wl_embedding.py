"""Continuous Weisfeiler-Lehman embedding: nodes as vectors that know their neighbourhood."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from nask.graph.attributed_graph import AttributedGraph

Floats = npt.NDArray[np.float64]


def wl_embeddings(
    graphs: Sequence[AttributedGraph], vectors: Sequence[Floats], n_iterations: int
) -> list[Floats]:
    """Vectors of the nodes of each graph after 0, 1, ..., ``n_iterations`` rounds, side by side.

    In a round the vector of a node is averaged with the mean of its neighbours',

        a_{t+1}(v) = (a_t(v) + 1 / deg(v) sum_{u in N(v)} a_t(u)) / 2,

    and the embedding of a node is (a_0(v), ..., a_H(v)). A node without neighbours has no mean to
    go to and keeps its vector; the papers do not say.

    Parameters
    ----------
    graphs : sequence of AttributedGraph
    vectors : sequence of ndarray of shape (n_nodes, d)
        One matrix a graph, the same d in all.
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


def _averaging(ends: npt.NDArray[np.int64], n_nodes: int) -> sparse.csr_array:
    """Matrix of one round."""
    both = np.concatenate([ends, ends[:, ::-1]])
    degrees = np.bincount(both[:, 0], minlength=n_nodes)
    own = np.where(degrees > 0, 0.5, 1.0)
    everyone = np.arange(n_nodes)
    weights = np.concatenate([0.5 / degrees[both[:, 0]], own])
    rows, columns = (np.concatenate([side, everyone]) for side in both.T)
    return sparse.csr_array((weights, (rows, columns)), shape=(n_nodes, n_nodes))

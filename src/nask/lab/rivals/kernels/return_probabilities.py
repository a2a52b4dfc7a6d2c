"""Return probabilities of random walks: the structural role of a node."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from nask.arrays import Float64, Index
from nask.execution.threads import one_blas_thread

# Numbers in a stack of matrices of graphs of one size: 32 MB.
AT_ONCE = 2**22
# Largest length that may be cut off a vector of return probabilities.
LOST = 1e-8


def return_probabilities(
    ptr: Index, endpoints: Index, n_steps: int, self_loops: bool = True
) -> Float64:
    """Return the probability that a random walk from a node is back after 1, 2, ... steps.

    A step goes to a neighbour, each with the same probability. With self-loops a node is its own
    neighbour; a walk at a node without other neighbours stays in either case. The probabilities
    come from the eigenvectors of :math:`D^{-1/2} A D^{-1/2}`, whose powers have the same diagonals
    as those of the transition matrix. They are found for all graphs of one size together.

    Parameters
    ----------
    ptr : ndarray of shape (n_graphs + 1,)
        The nodes of graph i are those from ``ptr[i]`` to ``ptr[i + 1]``.
    endpoints : ndarray of shape (n_edges, 2)
        Each edge once, no loops.

    Returns
    -------
    ndarray of shape (n_nodes, n_steps)

    Examples
    --------
    >>> path = np.array([[0, 1], [1, 2]])
    >>> return_probabilities(np.array([0, 3]), path, 3, self_loops=False).round(3) + 0.0
    array([[0. , 0.5, 0. ],
           [0. , 1. , 0. ],
           [0. , 0.5, 0. ]])
    """
    sizes = np.diff(ptr)
    result = np.empty((int(ptr[-1]), n_steps))
    graph_of_node = np.repeat(np.arange(len(sizes)), sizes)
    graph_of_edge = graph_of_node[endpoints[:, 0]]
    inside = endpoints - ptr[graph_of_edge][:, None]
    # With threads the linear algebra library took 40 times as long on matrices of 10 to 100 rows.
    with one_blas_thread():
        for size in np.unique(sizes[sizes > 0]).tolist():
            alike = np.flatnonzero(sizes == size)
            for graphs in np.array_split(alike, -(-len(alike) * size**2 // AT_ONCE)):
                place = np.full(len(sizes), -1)
                place[graphs] = np.arange(len(graphs))
                edges = np.flatnonzero(place[graph_of_edge] >= 0)
                links = np.zeros((len(graphs), size, size))
                stack, (u, v) = place[graph_of_edge[edges]], inside[edges].T
                links[stack, u, v] = links[stack, v, u] = 1.0
                rows = ptr[graphs][:, None] + np.arange(size)
                result[rows] = _of_equal_size(links, n_steps, self_loops)
    return result


def _of_equal_size(links: Float64, n_steps: int, self_loops: bool) -> Float64:
    """Return probabilities, (n_graphs, size, n_steps); the adjacency matrices are overwritten."""
    diagonal = np.arange(links.shape[1])
    links[:, diagonal, diagonal] = 1.0 if self_loops else links.sum(axis=2) == 0
    root = np.sqrt(links.sum(axis=2))
    links /= root[:, :, None] * root[:, None, :]
    values, vectors = np.linalg.eigh(links)
    powers = values[:, :, None] ** np.arange(1, n_steps + 1)
    found: Float64 = vectors**2 @ powers
    return found


@lru_cache
def shortening(n_steps: int) -> Float64:
    """Return fewer than ``n_steps`` orthonormal columns that keep all probabilities to 1e-8.

    The return probabilities of a node are a mean of sequences (x, x^2, ...) for eigenvalues x in
    [-1, 1], which all lie near a space of few dimensions. Distances take half the time there.

    Examples
    --------
    >>> shortening(50).shape
    (50, 29)
    """
    grid = np.cos(np.linspace(0.0, np.pi, 2001))
    sequences = grid[:, None] ** np.arange(1, n_steps + 1)
    axes = np.linalg.svd(sequences, full_matrices=False)[2]
    # What is left of each sequence after its first 0, 1, ... coordinates.
    squares = (sequences @ axes.T)[:, ::-1] ** 2
    left = np.sqrt(squares.cumsum(axis=1)[:, ::-1].max(axis=0))
    return axes[: int(np.count_nonzero(left > LOST))].T

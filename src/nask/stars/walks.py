r"""Random walks that end near where they begin, and means over the nodes where they end.

A walk from node v stays or goes to a neighbour, each equally likely. Before every step it ends with
probability r, and after ``STEPS`` steps at the latest. With M the matrix of one step, the
probabilities of where it ends are the rows of

    S = r (I + (1 - r) M + ... + (1 - r)^9 M^9) + (1 - r)^10 M^10

which is the PageRank of a surfer who restarts at v, cut off after ten steps.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nask.arrays import Float64, Floats, Index
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.stars.members import star_pattern

# What (1 - r)^10 leaves for longer walks is 35 % at r = 0.1, and 3 % at r = 0.3.
STEPS = 10
# Numbers that are at work at once, as whole columns: they stay in the cache.
NUMBERS = 2**18


def mean_over_walks(
    batch: GraphBatch, restart: float, values: Floats, execution: Execution
) -> None:
    """Replace the row of each node by the mean of the rows of the nodes where its walks end.

    Parameters
    ----------
    batch : GraphBatch
    restart : float
        The probability r that a walk ends before a step.
    values : ndarray of shape (n_nodes, n_columns)
        Multiplied by S from the left, in place.
    execution : Execution

    Examples
    --------
    >>> import nask
    >>> from nask.graph.schema import Schema
    >>> path = nask.AttributedGraph(3, [(0, 1), (1, 2)])
    >>> batch = GraphBatch.encode([path], Schema.fit([path]))
    >>> ends = np.eye(3)
    >>> mean_over_walks(batch, 0.5, ends, Execution())
    >>> ends.round(3)
    array([[0.718, 0.231, 0.051],
           [0.154, 0.692, 0.154],
           [0.051, 0.231, 0.718]])
    """
    star = star_pattern(batch)
    chance = (1 - restart) / np.diff(star.indptr)
    step = sparse.csr_array(star.multiply(chance[:, None]), dtype=values.dtype)

    def spread(first: int, last: int) -> None:
        start = np.ascontiguousarray(values[:, first:last])
        own, mean = start * values.dtype.type(restart), start
        for _ in range(STEPS):
            mean = step @ mean
            mean += own
        values[:, first:last] = mean

    n_columns = values.shape[1]
    width = max(8, NUMBERS // max(1, len(values)))
    for _ in execution.run_ranges(spread, n_columns, width, float(STEPS) * step.nnz * n_columns):
        pass


def walk_ends(batch: GraphBatch, restart: float, weights: Float64, execution: Execution) -> Float64:
    """Where walks that begin with given weights end: weights S.

    The step from u to a neighbour has the probability of the step back, times the size of the star
    there over that of u. So S(v, u) = S(u, v) size(u) / size(v), and products from the left follow
    from those from the right.

    Parameters
    ----------
    batch : GraphBatch
    restart : float
    weights : ndarray of shape (n_rows, n_nodes)
    execution : Execution

    Examples
    --------
    >>> import nask
    >>> from nask.graph.schema import Schema
    >>> path = nask.AttributedGraph(3, [(0, 1), (1, 2)])
    >>> batch = GraphBatch.encode([path], Schema.fit([path]))
    >>> walk_ends(batch, 0.5, np.array([[0.0, 1.0, 0.0]]), Execution()).round(3)
    array([[0.154, 0.692, 0.154]])
    """
    sizes = np.diff(star_pattern(batch).indptr).astype(np.float64)
    columns = np.ascontiguousarray((weights / sizes).T)
    mean_over_walks(batch, restart, columns, execution)
    return np.asarray(columns.T * sizes)


def kernel_over_walks(
    batch: GraphBatch, restart: float, kernel: Floats, nodes: Index | None, execution: Execution
) -> Floats:
    """Mean of a kernel over the ends of walks from two nodes, S K S', between some nodes.

    Parameters
    ----------
    batch : GraphBatch
    restart : float
    kernel : ndarray of shape (n_nodes, n_nodes)
        Symmetric; overwritten.
    nodes : ndarray of int, or None
        Where walks begin; None are all.
    execution : Execution

    Returns
    -------
    ndarray of shape (n_chosen, n_chosen)
        Symmetric to the last bit.
    """
    mean_over_walks(batch, restart, kernel, execution)
    chosen = kernel if nodes is None else kernel[nodes]
    other = np.array(chosen.T, order="C")
    mean_over_walks(batch, restart, other, execution)
    found = other if nodes is None else other[nodes]
    _symmetrise(found)
    return found


def _symmetrise(matrix: Floats) -> None:
    """Take out what rounding has made different, some rows at a time: it may be gigabytes."""
    height = max(1, NUMBERS // max(1, len(matrix)))
    for first in range(0, len(matrix), height):
        own = slice(first, first + height)
        mean = matrix[own, first:] + matrix[first:, own].T
        mean *= 0.5
        matrix[own, first:] = mean
        matrix[first:, own] = mean.T

"""Sparse node features as a part of P, compiled: the work is done for nonzeros only.

The node features of two nodes add to P, in units of what one pair of equal values adds,

    n_features - sum f(x) - sum f(x') + sum (f(x) + f(x') - 1 + s(x, x')),    f(x) = 1 - s(x, 0)

Here s is s' scaled to [0, 1]. The last sum is over the columns in which both nodes have a nonzero;
the other columns need no work. For zeros and ones every term is an integer, so the sum is exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from nask.arrays import Array, Float64
from nask.attributes.similarity import AttributeSimilarity
from nask.compiled.compiling import inner
from nask.compiled.exponential import exp
from nask.compiled.vectors import LANES, aligned, at, load, maximum, spread, store, where_below


class NodeFeatures(NamedTuple):
    """Features of some nodes by node, those of others by column, to compare each with each.

    Arrays that are read in vectors have eight zeros at the end.
    """

    row_ptr: Array
    row_column: Array
    row_value: Array
    row_lack: Array  # f(x)
    row_lacks: Array  # sum of f(x), by node
    column_ptr: Array
    column_node: Array
    column_value: Array
    column_lack: Array
    column_lacks: Array
    n_features: float
    gamma: float
    inverse_gain: float  # 1 / (1 - exp(-gamma))
    scale: float  # what one pair of equal values adds to P; 0 without node features

    @classmethod
    def of(cls, rows: Any, columns: Any, similarity: AttributeSimilarity) -> NodeFeatures:
        """Lay out the features of two lists of nodes, which may be the same object.

        Each is a matrix, nodes x features, or None where nodes have no features.
        """
        n_features, gamma = similarity.n_features, similarity.feature_gamma
        none = sparse.csr_array((0, n_features))
        down, across = (none if each is None else each for each in (rows, columns))
        row_lack = lacks(down, gamma)
        column_lack = row_lack if columns is rows else lacks(across, gamma)
        by_column, lack_by_column = across.tocsc(), column_lack.tocsc()
        gain = -np.expm1(-gamma)
        return cls(
            row_ptr=down.indptr.astype(np.int64),
            row_column=down.indices.astype(np.int64),
            row_value=down.data.copy(),
            row_lack=row_lack.data,
            row_lacks=_sums(row_lack),
            column_ptr=by_column.indptr.astype(np.int64),
            column_node=by_column.indices.astype(np.int64),
            column_value=_padded(by_column.data),
            column_lack=_padded(lack_by_column.data),
            column_lacks=_padded(_sums(column_lack)),
            n_features=float(n_features),
            gamma=float(gamma),
            inverse_gain=float(1 / gain),
            scale=float(similarity.feature_weight * gain) if n_features else 0.0,
        )


def lacks(features: Any, gamma: float) -> sparse.csr_array:
    """Return f(x) = 1 - s(x, 0) of each nonzero.

    Examples
    --------
    >>> lacks(sparse.csr_array([[0.0, 1.0, 0.5]]), 1.0).toarray().round(3)
    array([[0.   , 1.   , 0.622]])
    """
    distance = np.minimum(np.abs(features.data), 1.0)
    lack = np.expm1(-gamma * distance) / np.expm1(-gamma)
    return sparse.csr_array((lack, features.indices, features.indptr), features.shape)


def _sums(matrix: sparse.csr_array) -> Float64:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()


def _padded(values: Float64) -> Float64:
    copy = aligned(len(values) + LANES)
    copy[: len(values)], copy[len(values) :] = values, 0.0
    return copy


@inner
def shared_terms(f: NodeFeatures, k: int, value: float, lack: float) -> Any:
    """Return f(x) + f(x') - 1 + s(x, x') of a nonzero of a row with eight of the same column.

    Parameters
    ----------
    k : int
        The first of the eight, in the lists by column.
    value, lack : float
        x and f(x) of the row.
    """
    distance = load(f.column_value, k) - value
    distance = maximum(distance, 0.0 - distance)
    # Equal values: exactly 1. The training range apart or more: exactly 0.
    near = 1.0 - (1.0 - exp(distance * -f.gamma)) * f.inverse_gain
    near = where_below(distance, 1.0, near)
    return (load(f.column_lack, k) + lack) + (near - 1.0)


@inner
def add_features(
    line: Array, start: int, n: int, f: NodeFeatures, row: int, shared: Array, square: Array
) -> None:
    """Add what the features of a row node and of n column nodes have of P.

    Parameters
    ----------
    line : ndarray
        Takes the n numbers, a multiple of eight, from ``start`` on.
    shared, square : ndarray
        Working memory: one number per column node, and eight numbers.
    """
    shared[:n] = 0.0
    for i in range(f.row_ptr[row], f.row_ptr[row + 1]):
        column, value, lack = at(f.row_column, i), at(f.row_value, i), at(f.row_lack, i)
        last = at(f.column_ptr, column + 1)
        for k in range(at(f.column_ptr, column), last, LANES):
            store(square, 0, shared_terms(f, k, value, lack))
            for j in range(min(LANES, last - k)):
                shared[at(f.column_node, k + j)] += square[j]
    for c in range(0, n, LANES):
        # In this order, so that P of a graph with itself is symmetric to the last digit.
        lack = load(f.column_lacks, c) + at(f.row_lacks, row)
        gain = maximum((f.n_features - lack) + load(shared, c), spread(0.0))
        store(line, start + c, load(line, start + c) + gain * f.scale)

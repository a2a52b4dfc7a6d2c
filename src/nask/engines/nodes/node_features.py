"""P between the nodes of one graph, compiled: the work is done for nonzero node features only.

The node features of two nodes add to P, in units of what one pair of equal values adds,

    n_features - sum f(x) - sum f(x') + sum (f(x) + f(x') - 1 + s(x, x')),    f(x) = 1 - s(x, 0)

Here s is s' scaled to [0, 1]. The last sum is over the columns in which both nodes have a nonzero;
the other columns need no work. For zeros and ones every term is an integer, so the sum is exact.
Named attributes are compared by ``attributes/compiled_similarity.py``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from nask.arrays import Array, Float64
from nask.attributes.compiled_similarity import Operand, Similarity, fill_similarity
from nask.attributes.similarity import AttributeSimilarity
from nask.compiled.compiling import compiled, inner
from nask.compiled.exponential import exp
from nask.compiled.vectors import (
    LANES,
    aligned,
    at,
    load,
    maximum,
    spread,
    store,
    where_below,
)


class NodeFeatures(NamedTuple):
    """Node features by node and by column; arrays read in vectors have eight zeros at the end."""

    row_ptr: Array
    row_column: Array
    row_value: Array
    row_lack: Array  # f(x)
    column_ptr: Array
    column_node: Array
    column_value: Array
    column_lack: Array
    lack: Array  # sum of f(x), by node
    n_features: float
    gamma: float
    inverse_gain: float  # 1 / (1 - exp(-gamma))
    scale: float  # what one pair of equal values adds to P

    @classmethod
    def of(cls, features: Any, similarity: AttributeSimilarity) -> NodeFeatures:
        """Lay out the node features of a batch, None where it has none."""
        n_features, gamma = similarity.n_features, similarity.feature_gamma
        matrix = sparse.csr_array((0, n_features)) if features is None else features
        gain = -np.expm1(-gamma)
        distance = np.minimum(np.abs(matrix.data), 1.0)
        lacks = sparse.csr_array(
            (np.expm1(-gamma * distance) / -gain, matrix.indices, matrix.indptr), matrix.shape
        )
        columns, column_lacks = matrix.tocsc(), lacks.tocsc()
        return cls(
            row_ptr=matrix.indptr.astype(np.int64),
            row_column=matrix.indices.astype(np.int64),
            row_value=matrix.data.copy(),
            row_lack=lacks.data,
            column_ptr=columns.indptr.astype(np.int64),
            column_node=columns.indices.astype(np.int64),
            column_value=_padded(columns.data),
            column_lack=_padded(column_lacks.data),
            lack=_padded(np.asarray(lacks.sum(axis=1)).ravel()),
            n_features=float(n_features),
            gamma=float(gamma),
            inverse_gain=float(1 / gain),
            scale=float(similarity.feature_weight * gain),
        )


def _padded(values: Float64) -> Float64:
    copy = aligned(len(values) + LANES)
    copy[: len(values)], copy[len(values) :] = values, 0.0
    return copy


@inner
def add_shared(shared: Array, square: Array, f: NodeFeatures, v: int) -> None:
    """Add the terms of columns in which v and another node have a nonzero, by the other node."""
    for i in range(f.row_ptr[v], f.row_ptr[v + 1]):
        column, value, lack = at(f.row_column, i), at(f.row_value, i), at(f.row_lack, i)
        last = at(f.column_ptr, column + 1)
        for k in range(at(f.column_ptr, column), last, LANES):
            distance = load(f.column_value, k) - value
            distance = maximum(distance, 0.0 - distance)
            # Equal values: exactly 1. The training range apart or more: exactly 0.
            near = 1.0 - (1.0 - exp(distance * -f.gamma)) * f.inverse_gain
            near = where_below(distance, 1.0, near)
            store(square, 0, (load(f.column_lack, k) + lack) + (near - 1.0))
            for j in range(min(LANES, last - k)):
                shared[at(f.column_node, k + j)] += square[j]


@compiled
def fill_rows(
    P: Array, first: int, last: int, nodes: Operand, s: Similarity, f: NodeFeatures,
    shared: Array, square: Array,
) -> None:  # fmt: skip
    """Write P between some nodes and all nodes.

    Parameters
    ----------
    P : ndarray with whole vectors of rows and of columns
    first, last : int
        The rows to write are those from ``first`` to ``last - 1``, both multiples of eight.
    nodes : Operand
        Values of the named attributes.
    s : Similarity
        Their parameters.
    shared, square : ndarray
        Working memory: one number per column, and eight numbers.
    """
    n = P.shape[1]
    lines = P[first:last].reshape((last - first) * n)
    fill_similarity(lines, n, last - first, nodes, 0, nodes, first, s)
    if f.scale > 0.0:
        for v in range(first, min(last, len(f.row_ptr) - 1)):
            shared[:] = 0.0
            add_shared(shared, square, f, v)
            for c in range(0, n, LANES):
                # In this order, so that P is symmetric to the last digit.
                lack = load(f.lack, c) + at(f.lack, v)
                gain = maximum((f.n_features - lack) + load(shared, c), spread(0.0))
                place = (v - first) * n + c
                store(lines, place, load(lines, place) + gain * f.scale)

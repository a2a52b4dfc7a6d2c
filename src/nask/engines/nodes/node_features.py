"""P between the nodes of one graph, compiled: named attributes in vectors, features by nonzeros."""

from __future__ import annotations

from nask.arrays import Array
from nask.attributes.compiled_features import NodeFeatures, add_features
from nask.attributes.compiled_similarity import Operand, Similarity, fill_similarity
from nask.compiled.compiling import compiled


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
        for v in range(first, min(last, len(f.row_lacks))):
            add_features(lines, (v - first) * n, n, f, v, shared, square)

"""P between a few elements, by numpy, in the form that compiled code takes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nask.attributes.similarity import AttributeSimilarity
from nask.engines.compiled.lines import whole_vectors
from nask.engines.compiled.vectors import aligned
from nask.graph.elements import Elements

Floats = npt.NDArray[np.floating]
# Rows at a time, so that what is added up stays in the cache.
BLOCK_ROWS = 128


def similarity_matrix(a: Elements, b: Elements, s: AttributeSimilarity, dtype: str) -> Floats:
    """P between the distinct nodes, or edges, of two parts; whole vectors of columns.

    As in the reference, the base plus what exceeds it, so that pruning can give exactly 0.
    """
    P = aligned((len(a), whole_vectors(len(b))), dtype)
    P[:] = 0
    for first in range(0, len(a), BLOCK_ROWS):
        rows = slice(first, first + BLOCK_ROWS)
        excess = np.zeros((len(P[rows]), len(b)))
        numerical = (s.numerical_gamma, s.numerical_weight, a.numerical, b.numerical)
        for gamma, weight, x, y in zip(*numerical, strict=True):
            distance = np.abs(x[rows, None] - y)
            near = distance < 1  # and so not missing
            excess[near] += weight * (np.exp(-gamma * distance[near]) - np.exp(-gamma))
        categorical = (s.categorical_gamma, s.categorical_weight, a.categorical, b.categorical)
        for gamma, weight, x, y in zip(*categorical, strict=True):
            excess -= (weight * np.expm1(-gamma)) * ((x[rows, None] == y) & (y >= 0))
        P[rows, : len(b)] = s.base + excess
    return P

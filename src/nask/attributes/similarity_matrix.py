"""P between a few elements as a matrix in the form that compiled code takes, made by numpy."""

from __future__ import annotations

import numpy as np

from nask.arrays import Float64, Floats
from nask.attributes.euclidean import FROM_MISSING, coordinates
from nask.attributes.similarity import AttributeSimilarity
from nask.compiled.lines import whole_vectors
from nask.compiled.vectors import aligned
from nask.graph.elements import Elements

# Rows computed at once, so that their sums stay in the cache.
TILE_ROWS = 128


def similarity_matrix(a: Elements, b: Elements, s: AttributeSimilarity, dtype: str) -> Floats:
    """Return P between elements, with zeros up to whole vectors of columns.

    As in the reference, P is the base plus what exceeds it, so that pruning gives exactly 0.
    """
    P = aligned((len(a), whole_vectors(len(b))), dtype)
    P[:] = 0
    if s.joint:
        for first in range(0, len(a), TILE_ROWS):
            rows = slice(first, first + TILE_ROWS)
            own = a.take(np.arange(len(a))[rows])
            P[rows, : len(b)] = np.exp(-_distances(own, b, s))
        return P
    for first in range(0, len(a), TILE_ROWS):
        rows = slice(first, first + TILE_ROWS)
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


def _distances(a: Elements, b: Elements, s: AttributeSimilarity) -> Float64:
    """Return squared distances between elements, of all attributes together."""
    total = np.zeros((len(a), len(b)))
    scale = s.numerical_weight * s.numerical_gamma
    for x, y in zip(coordinates(a.numerical, scale), coordinates(b.numerical, scale), strict=True):
        with np.errstate(over="ignore"):
            total += (x[:, None] - y) ** 2
    scale = s.categorical_weight * s.categorical_gamma
    for size, x, y in zip(scale, a.categorical, b.categorical, strict=True):
        both = (x[:, None] >= 0) & (y >= 0)
        one = (x[:, None] >= 0) != (y >= 0)
        total += size * (both & (x[:, None] != y)) + FROM_MISSING * size * one
    return total

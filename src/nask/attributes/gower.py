"""Gower similarity of one attribute and its exponential transform, one value at a time.

This is section 3 of the paper in plain Python: the definition, not the way to compute many.
"""

from __future__ import annotations

import math


def numerical_similarity(x: float, y: float) -> float:
    """Gower similarity s of two values scaled to the training range; 0 where one is missing (NaN).

    Examples
    --------
    >>> numerical_similarity(0.25, 1.0), numerical_similarity(0.0, 1.5)
    (0.25, 0.0)
    >>> numerical_similarity(0.5, float("nan"))
    0.0
    """
    if math.isnan(x) or math.isnan(y):
        return 0.0
    return max(0.0, 1.0 - abs(x - y))


def categorical_similarity(x: int, y: int) -> float:
    """Gower similarity s of two category codes; 0 where one is missing (negative).

    Examples
    --------
    >>> categorical_similarity(2, 2), categorical_similarity(2, 3), categorical_similarity(-1, -1)
    (1.0, 0.0, 0.0)
    """
    return float(x == y and x >= 0)


def exponential_transform(similarity: float, gamma: float) -> float:
    """s' = exp(-gamma (1 - s)), in [exp(-gamma), 1] for s in [0, 1].

    Examples
    --------
    >>> exponential_transform(1.0, gamma=2.0)
    1.0
    >>> round(exponential_transform(0.5, gamma=2.0), 6)  # exp(-1)
    0.367879
    """
    return math.exp(-gamma * (1.0 - similarity))

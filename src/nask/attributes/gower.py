"""The Gower similarity of two values and its exponential transform.

This is the definition, section 3 of the paper, for one pair of values at a time. The engines
compute many at once in other ways.
"""

from __future__ import annotations

import math


def numerical_similarity(x: float, y: float) -> float:
    """Return s = max(0, 1 - |x - y|) of numbers in units of the training range; 0 if one is NaN.

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
    """Return s = 1 for equal codes of categories, else 0; 0 too if one is missing (negative).

    Examples
    --------
    >>> categorical_similarity(2, 2), categorical_similarity(2, 3), categorical_similarity(-1, -1)
    (1.0, 0.0, 0.0)
    """
    return float(x == y and x >= 0)


def exponential_transform(similarity: float, gamma: float) -> float:
    """Return s' = exp(-gamma (1 - s)), which is in [exp(-gamma), 1] for s in [0, 1].

    Examples
    --------
    >>> exponential_transform(1.0, gamma=2.0)
    1.0
    >>> round(exponential_transform(0.5, gamma=2.0), 6)  # exp(-1)
    0.367879
    """
    return math.exp(-gamma * (1.0 - similarity))

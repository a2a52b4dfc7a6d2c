"""The squared distance of two values as points of a Euclidean space.

A number in units of the training range is itself. Categories are corners of a simplex, at a
squared distance of 1 from each other, as far as the ends of a training range. A missing number is
the middle of the range, which is how it is encoded; a missing category is the origin, at a squared
distance of 1/2 from every category. So missing values resemble values here, and each other
entirely.

This is the definition for one pair of values at a time; the engines compute many at once.
"""

from __future__ import annotations

import numpy as np

from nask.arrays import Float64

# The squared distance of a missing category from any other.
FROM_MISSING = 0.5
# Coordinates end here, so that their differences may be infinite, but never NaN.
FARTHEST = 1e307


def numerical_distance(x: float, y: float) -> float:
    """Return the squared distance of two numbers.

    Examples
    --------
    >>> numerical_distance(0.0, 0.5)
    0.25
    """
    return (x - y) * (x - y)


def categorical_distance(x: int, y: int) -> float:
    """Return the squared distance of two codes of categories; those of missing ones are negative.

    Examples
    --------
    >>> [categorical_distance(*pair) for pair in ((2, 2), (2, 3), (2, -1), (-1, -1))]
    [0.0, 1.0, 0.5, 0.0]
    """
    if x == y or (x < 0 and y < 0):
        return 0.0
    return FROM_MISSING if x < 0 or y < 0 else 1.0


def coordinates(numbers: Float64, scale: Float64) -> Float64:
    """Return numbers, attributes x elements, as coordinates in which distances add up.

    ``scale`` is weight * gamma of each attribute.
    """
    with np.errstate(over="ignore"):
        return np.clip(numbers * np.sqrt(scale)[:, None], -FARTHEST, FARTHEST)

"""Kernels scaled to K(G, G) = 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from nask.arrays import Float64


def normalised(gram: Any, rows: Float64, columns: Float64) -> Float64:
    """Divide a kernel by the square roots of K(G, G) of its rows and columns; 0 where that is 0.

    Examples
    --------
    >>> normalised(np.array([[4.0, 2.0, 0.0]]), np.array([4.0]), np.array([4.0, 1.0, 0.0]))
    array([[1., 1., 0.]])
    """
    sides = (np.where(own > 0, own, np.inf) for own in (rows, columns))
    left, right = (1 / np.sqrt(own) for own in sides)
    return np.asarray(gram * np.outer(left, right), dtype=np.float64)

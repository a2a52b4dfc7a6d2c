"""Numerical limits and functions that every folder needs."""

from __future__ import annotations

import numpy as np

from nask.arrays import Float64, Floats

# Smaller numbers of float64 have fewer digits. A self-similarity below this counts as 0.
TINY = float(np.finfo(np.float64).tiny)


def inverse_root(own: Floats) -> Float64:
    """Return 1 / sqrt(k(x, x)), by which a kernel is normalised; 0 where k(x, x) is 0.

    Examples
    --------
    >>> inverse_root(np.array([4.0, 0.0]))
    array([0.5, 0. ])
    """
    root = np.zeros(own.shape)
    positive = own >= TINY
    root[positive] = 1 / np.sqrt(own[positive], dtype=np.float64)
    return root

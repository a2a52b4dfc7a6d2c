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


def scale_pairs(matrix: Floats, rows: Floats, columns: Floats) -> None:
    """Multiply every entry by the factor of its row and that of its column, in place.

    By their product, which is the same either way round: so a symmetric matrix stays symmetric to
    the last bit.

    Parameters
    ----------
    matrix : ndarray of shape (..., n, m)
    rows : ndarray of shape (n,)
    columns : ndarray of shape (m,)

    Examples
    --------
    >>> K = np.ones((2, 2))
    >>> scale_pairs(K, np.array([1.0, 2.0]), np.array([1.0, 2.0]))
    >>> K
    array([[1., 2.],
           [2., 4.]])
    """
    for i, factor in enumerate(rows):
        matrix[..., i, :] *= factor * columns

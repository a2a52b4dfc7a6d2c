"""Triangles of matrices by LAPACK, in their place and without Python's lock.

SciPy's own functions for these routines hold the lock, so that threads wait for each other. Called
through ctypes, the same routines do not. They see an array row by row as its transpose: what is
lower here is upper there.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, byref, c_double, c_int, c_void_p
from functools import cache
from typing import Any

import numpy as np
from numba.extending import get_cython_function_address

from nask.arrays import Float64

UPPER, NOT_UNIT, RIGHT, TRANSPOSED = b"U", b"N", b"R", b"T"


def factorise(matrix: Float64) -> bool:
    """Write L of matrix = L L' into its lower triangle; tell whether it is positive definite.

    What is above the diagonal stays as it was, here and below.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        As all arrays here, with rows of adjacent numbers; it may be a part of a larger one.

    Examples
    --------
    >>> import numpy as np
    >>> matrix = np.array([[4.0, 2.0], [2.0, 2.0]])
    >>> factorise(matrix), np.tril(matrix)
    (True, array([[2., 0.],
                  [1., 1.]]))
    """
    failed = c_int()
    routine = _routine("lapack", "dpotrf", 5)
    routine(UPPER, byref(c_int(len(matrix))), *_place(matrix), byref(failed))
    return failed.value == 0


def invert(lower: Float64) -> None:
    """Write the inverse of a lower triangle L over it.

    Examples
    --------
    >>> import numpy as np
    >>> lower = np.array([[2.0, 0.0], [1.0, 1.0]])
    >>> invert(lower)
    >>> lower
    array([[ 0.5,  0. ],
           [-0.5,  1. ]])
    """
    routine = _routine("lapack", "dtrtri", 6)
    routine(UPPER, NOT_UNIT, byref(c_int(len(lower))), *_place(lower), byref(c_int()))


def square(lower: Float64) -> None:
    """Write the lower triangle of L'L over L.

    Examples
    --------
    >>> import numpy as np
    >>> lower = np.array([[2.0, 0.0], [1.0, 1.0]])
    >>> square(lower)
    >>> lower
    array([[5., 0.],
           [1., 1.]])
    """
    routine = _routine("lapack", "dlauum", 5)
    routine(UPPER, byref(c_int(len(lower))), *_place(lower), byref(c_int()))


def multiply(lower: Float64, columns: Float64) -> None:
    """Write L'B over B.

    Examples
    --------
    >>> import numpy as np
    >>> columns = np.array([[1.0], [10.0]])
    >>> multiply(np.array([[2.0, 0.0], [3.0, 1.0]]), columns)
    >>> columns
    array([[32.],
           [10.]])
    """
    # As LAPACK sees it: B' L.
    sides = byref(c_int(columns.shape[1])), byref(c_int(len(lower)))
    matrices = *_place(lower), *_place(columns)
    routine = _routine("blas", "dtrmm", 11)
    routine(RIGHT, UPPER, TRANSPOSED, NOT_UNIT, *sides, byref(c_double(1.0)), *matrices)


def _place(matrix: Float64) -> tuple[int, Any]:
    """Where a matrix begins, and how far apart its rows are."""
    # LAPACK gets no more than this: of any other array it would read and write what lies beside.
    assert matrix.dtype == np.float64, matrix.dtype
    assert matrix.strides[1] == matrix.itemsize, matrix.strides
    distance = max(1, matrix.strides[0] // matrix.itemsize)
    return matrix.ctypes.data, byref(c_int(distance))


@cache
def _routine(library: str, name: str, n_arguments: int) -> Any:
    """Find a routine that SciPy has for compiled code; it takes addresses only."""
    address = get_cython_function_address(f"scipy.linalg.cython_{library}", name)
    # Unlike PYFUNCTYPE, this lets go of the lock.
    return CFUNCTYPE(None, *[c_void_p] * n_arguments)(address)

"""Triangles of matrices by LAPACK, in their place and without Python's lock.

SciPy's own functions for these routines hold the lock, so that threads wait for each other. Called
through ctypes, the same routines do not. They see an array row by row as its transpose: what is
lower here is upper there.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

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
    return _call("lapack", "dpotrf", UPPER, len(matrix), matrix, 0) == 0


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
    _call("lapack", "dtrtri", UPPER, NOT_UNIT, len(lower), lower, 0)


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
    _call("lapack", "dlauum", UPPER, len(lower), lower, 0)


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
    sides = columns.shape[1], len(lower)
    _call("blas", "dtrmm", RIGHT, UPPER, TRANSPOSED, NOT_UNIT, *sides, 1.0, lower, columns)


def _call(library: str, name: str, *arguments: Any) -> int:
    """Call a routine; every argument is passed by its address. Return the last one, if a number."""
    passed: list[Any] = []
    for own in arguments:
        if isinstance(own, bytes):
            passed.append(ctypes.c_char(own))
        elif isinstance(own, int):
            passed.append(ctypes.c_int(own))
        elif isinstance(own, float):
            passed.append(ctypes.c_double(own))
        else:
            # An array is followed by the distance of its rows.
            passed += [ctypes.c_double.from_address(own.ctypes.data)]
            passed += [ctypes.c_int(max(1, own.strides[0] // own.itemsize))]
    _routine(library, name)(*map(ctypes.byref, passed))
    return int(passed[-1].value)


@cache
def _routine(library: str, name: str) -> Any:
    """Find the routine that SciPy has for compiled code; ctypes calls it without the lock."""
    address = get_cython_function_address(f"scipy.linalg.cython_{library}", name)
    return ctypes.CFUNCTYPE(None)(address)

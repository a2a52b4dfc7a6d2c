"""Decorators that compile loops: without Python's lock, and with the machine code kept on disk.

Of numba's ``fastmath`` only contraction (fused multiply-add) is on. The compiler must not assume
that values are finite, nor change the order of a sum.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numba

from nask.compiled.cache import StampedCache

OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": {"contract"}, "no_cfunc_wrapper": True}


def compiled(function: Any) -> Any:
    """Compile a function that Python calls; its code is kept on disk where that can be written."""
    dispatcher = numba.njit(**OPTIONS)(function)
    with suppress(RuntimeError, OSError):
        # numba has no public way to give a function another cache than its own.
        dispatcher._cache = StampedCache(function)
    return dispatcher


def inner(function: Any) -> Any:
    """Compile a function that only compiled code calls, and that creates no arrays.

    It gets no entry point for Python, which would double the time to compile, and no counting of
    references, which would cost time at every call.
    """
    return numba.njit(**OPTIONS, no_cpython_wrapper=True, _nrt=False)(function)

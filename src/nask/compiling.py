"""How loops are compiled: without Python's lock, once, and kept on disk.

Only contraction (fused multiply-add) is allowed of fast mathematics: no value may be assumed
finite, and no order of a sum may be changed.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numba

from nask.compiled_cache import StampedCache

OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": {"contract"}, "no_cfunc_wrapper": True}


def compiled(function: Any) -> Any:
    """Compile an entry point, cached on disk where there is a place to write."""
    dispatcher = numba.njit(**OPTIONS)(function)
    with suppress(RuntimeError, OSError):
        dispatcher._cache = StampedCache(function)
    return dispatcher


def inner(function: Any) -> Any:
    """Compile what only compiled code calls, which makes no arrays of its own.

    Without an entry for Python, which would double the time to compile, and without counts of
    references, which would be kept up at every call.
    """
    return numba.njit(**OPTIONS, no_cpython_wrapper=True, _nrt=False)(function)

"""Stars that are alike have a similarity of exactly 1, whatever rounding made of it."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from nask.compiling import inner
from nask.engines.compiled.vectors import load, maximum, minimum, store, where_equal

Array = npt.NDArray[Any]

HUGE = 1e300
# The largest number below 1, and what it lacks.
BELOW_ONE_BY = 2.0**-53
BELOW_ONE = 1.0 - BELOW_ONE_BY


@inner
def guard(x: Any, alike: Array, position: int, label: int) -> Any:
    """k^ of eight stars with one, x, made 1 where they are alike and less elsewhere.

    Of a star that is similar to nothing, itself included, x is 0 and stays so.
    """
    same = where_equal(alike, position, label, 1.0)
    return minimum(x + x * same * HUGE, same * BELOW_ONE_BY + BELOW_ONE)


@inner
def watch(nearest: Array, x: Any, alike: Array, position: int, label: int) -> None:
    """Note how near eight stars are to one that they are not alike."""
    other = x - where_equal(alike, position, label, 2.0)
    store(nearest, 0, maximum(load(nearest, 0), other))

"""The similarity of alike stars, set to exactly 1, and how near other stars come to it."""

from __future__ import annotations

from typing import Any

from nask.arrays import Array
from nask.compiled.compiling import inner
from nask.compiled.vectors import load, maximum, minimum, store, where_equal

HUGE = 1e300
# The largest float64 below 1, and how far it is from 1.
BELOW_ONE_BY = 2.0**-53
BELOW_ONE = 1.0 - BELOW_ONE_BY


@inner
def guard(x: Any, alike: Array, position: int, label: int) -> Any:
    """Return k^ of eight stars with one, x, set to 1 where they are alike and below 1 elsewhere.

    Where x is 0 it stays 0: such a star is similar to nothing, not even to itself.

    Parameters
    ----------
    x : vector
    alike : ndarray of int32
        Labels of stars; those of the eight begin at ``position``.
    label : int
        The label of the one star.
    """
    same = where_equal(alike, position, label, 1.0)
    return minimum(x + x * same * HUGE, same * BELOW_ONE_BY + BELOW_ONE)


@inner
def watch(nearest: Array, x: Any, alike: Array, position: int, label: int) -> None:
    """Keep the largest similarity of eight stars to one, among those that are not alike.

    ``nearest`` takes it, in each lane; the other parameters are those of :func:`guard`.
    """
    other = x - where_equal(alike, position, label, 2.0)
    store(nearest, 0, maximum(load(nearest, 0), other))

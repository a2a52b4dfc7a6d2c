"""Lines of a matrix added up or picked, eight at a time, and transposed.

Sums over members would pick single numbers from a line, which the compiler cannot vectorise. Of
eight lines that are transposed, every pick brings a vector of eight.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from nask.compiling import inner
from nask.engines.compiled.vectors import (
    LANES,
    at,
    load,
    load_square,
    spread,
    store,
    store_square,
    transposed,
)

Array = npt.NDArray[Any]


@inner
def sum_lines(
    lines: Array, turned: Array, P: Array, n: int, ptr: Array, member: Array, c: int, last: int,
    first: int,
) -> None:  # fmt: skip
    """For each of eight columns from c on, add the lines of its members, and transpose the sums.

    Beyond the last column, that one again. Members are counted from ``first``, the lines from 0.
    """
    for k in range(LANES):
        column = min(c + k, last)
        begin, end = at(ptr, column), at(ptr, column + 1)
        v = 0
        while v + 4 * LANES <= n:
            w, x, y, z = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
            for i in range(begin, end):
                place = (at(member, i) - first) * n + v
                w = w + load(P, place)
                x = x + load(P, place + LANES)
                y = y + load(P, place + 2 * LANES)
                z = z + load(P, place + 3 * LANES)
            place = k * n + v
            store(lines, place, w)
            store(lines, place + LANES, x)
            store(lines, place + 2 * LANES, y)
            store(lines, place + 3 * LANES, z)
            v += 4 * LANES
        while v < n:
            w = spread(0.0)
            for i in range(begin, end):
                w = w + load(P, (at(member, i) - first) * n + v)
            store(lines, k * n + v, w)
            v += LANES
    for v in range(0, n, LANES):
        square = transposed(load_square(lines, v, n))
        store_square(turned, LANES * v, LANES, square)


def whole_vectors(n: int) -> int:
    """Round a number of columns up to whole vectors."""
    return -(-n // LANES) * LANES


@inner
def turn_lines(turned: Array, P: Array, line: Array, first: int, last: int) -> None:
    """Lay the lines of P of eight rows from ``first`` on side by side, the last again at the end.

    ``line`` tells which line a row has.
    """
    n = P.shape[1]
    for u in range(0, n, LANES):
        square = transposed(
            (
                load(P, at(line, first) * n + u),
                load(P, at(line, min(first + 1, last)) * n + u),
                load(P, at(line, min(first + 2, last)) * n + u),
                load(P, at(line, min(first + 3, last)) * n + u),
                load(P, at(line, min(first + 4, last)) * n + u),
                load(P, at(line, min(first + 5, last)) * n + u),
                load(P, at(line, min(first + 6, last)) * n + u),
                load(P, at(line, min(first + 7, last)) * n + u),
            )
        )
        store_square(turned, LANES * u, LANES, square)

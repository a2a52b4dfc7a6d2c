"""Sums of lines of a matrix, eight sums at a time, and transposed.

A sum over the members of a star picks single numbers from a line, which the compiler cannot
vectorise. After eight lines are transposed, each pick is a vector of eight numbers.
"""

from __future__ import annotations

from nask.arrays import Array
from nask.compiled.compiling import inner
from nask.compiled.vectors import (
    LANES,
    at,
    load,
    load_square,
    spread,
    store,
    store_square,
    transposed,
)


@inner
def sum_lines(
    lines: Array, transpose: Array, P: Array, n: int, ptr: Array, member: Array, c: int, last: int,
    first: int,
) -> None:  # fmt: skip
    """Write the sums of the lines of P over the members of eight columns, transposed.

    Parameters
    ----------
    lines : ndarray
        Takes the eight sums, one after the other.
    transpose : ndarray
        Takes the sums transposed: eight first numbers, eight second numbers, and so on.
    P : ndarray
        A matrix with lines of ``n`` numbers.
    ptr, member : ndarray
        The members of each column, ``member[ptr[c] : ptr[c + 1]]``.
    c, last : int
        The first of the eight columns, and the last that exists; it is repeated beyond its place.
    first : int
        The member whose line is the first of P.
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
        store_square(transpose, LANES * v, LANES, square)


def whole_vectors(n: int) -> int:
    """Return a number of columns rounded up to whole vectors."""
    return -(-n // LANES) * LANES


@inner
def transpose_lines(transpose: Array, P: Array, line: Array, first: int, last: int) -> None:
    """Write the lines of P of eight rows, transposed.

    Parameters
    ----------
    transpose : ndarray
        Takes the eight first numbers, the eight second numbers, and so on.
    line : ndarray
        The line of P that belongs to each row.
    first, last : int
        The first of the eight rows, and the last that exists; it is repeated beyond its place.
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
        store_square(transpose, LANES * u, LANES, square)

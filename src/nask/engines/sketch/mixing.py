"""Random rotations, cosines and sines of rows side by side, compiled.

Rows of one width, a power of two, lie side by side: their first numbers, their second numbers, and
so on; eight rows of float64 (see ``compiled/vectors``) or sixteen of float32
(``compiled/singles``). So every operation works on a whole vector, and no row depends on the
others. A rotation is a change of signs and a Walsh-Hadamard transform. For width w it takes
w log w sums, where a random matrix would take w^2 products, and only the signs have to be stored.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nask.arrays import Array, Float64
from nask.compiled.compiling import inner
from nask.compiled.exponential import ROUND
from nask.compiled.singles import WIDE, load_singles, store_singles
from nask.compiled.vectors import LANES, at, load, store

PERIODS = 1 / (2 * math.pi)
# ROUND of float32: 1.5 * 2^23.
ROUND_SINGLE = 12582912.0
# 2 pi as a sum: the first term has so few bits that its product with a small integer is exact.
PERIOD_HIGH = 6.283185243606567
PERIOD_LOW = 2 * math.pi - PERIOD_HIGH
SHORT_HIGH = 6.28125
SHORT_LOW = 2 * math.pi - SHORT_HIGH
COSINE = tuple((-1) ** k / math.factorial(2 * k) for k in range(11))
SINE = tuple((-1) ** k / math.factorial(2 * k + 1) for k in range(11))
C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10 = COSINE
S0, S1, S2, S3, S4, S5, S6, S7, S8, S9, S10 = SINE
# Polynomials in r^2, by interpolation at Chebyshev's points, with errors below 2e-8 on [-pi, pi].
SHORT_COSINE = (
    0.999999989, -0.4999998907, 0.04166648879, -0.00138878015, 2.476983808e-05, -2.707858037e-07,
    1.724343251e-09,
)  # fmt: skip
SHORT_SINE = (
    0.9999999993, -0.1666666592, 0.008333321265, -0.0001984053266, 2.753581898e-06,
    -2.472850497e-08, 1.361196911e-10,
)  # fmt: skip
c0, c1, c2, c3, c4, c5, c6 = SHORT_COSINE
s0, s1, s2, s3, s4, s5, s6 = SHORT_SINE


def _rotations(load: Any, store: Any, lanes: int) -> tuple[Any, Any]:
    """The transform and the rotation of rows that are loaded and stored so many at a time."""

    @inner
    def put_eight(rows: Array, i: int, q: int, values: Any) -> None:
        """Transform eight vectors and write them from position i on, q apart."""
        a, b, c, d, e, f, g, h = values
        a, b, c, d, e, f, g, h = a + b, a - b, c + d, c - d, e + f, e - f, g + h, g - h
        a, c, b, d, e, g, f, h = a + c, a - c, b + d, b - d, e + g, e - g, f + h, f - h
        store(rows, i, a + e)
        store(rows, i + q, b + f)
        store(rows, i + 2 * q, c + g)
        store(rows, i + 3 * q, d + h)
        store(rows, i + 4 * q, a - e)
        store(rows, i + 5 * q, b - f)
        store(rows, i + 6 * q, c - g)
        store(rows, i + 7 * q, d - h)

    @inner
    def from_half(rows: Array, width: int, half: int) -> None:
        """Transform rows in place, whose parts of ``half`` columns are transformed already.

        Eight columns at a time, the last ones in pairs.
        """
        while 8 * half <= width:
            q = half * lanes
            for start in range(0, width * lanes, 8 * q):
                for i in range(start, start + q, lanes):
                    values = (
                        load(rows, i), load(rows, i + q), load(rows, i + 2 * q),
                        load(rows, i + 3 * q), load(rows, i + 4 * q), load(rows, i + 5 * q),
                        load(rows, i + 6 * q), load(rows, i + 7 * q),
                    )  # fmt: skip
                    put_eight(rows, i, q, values)
            half *= 8
        while half < width:
            q = half * lanes
            for start in range(0, width * lanes, 2 * q):
                for i in range(start, start + q, lanes):
                    a, b = load(rows, i), load(rows, i + q)
                    store(rows, i, a + b)
                    store(rows, i + q, a - b)
            half *= 2

    @inner
    def transform(rows: Array, width: int) -> None:
        """Transform rows in place, without the factor 1 / sqrt(width)."""
        from_half(rows, width, 1)

    @inner
    def turn(rows: Array, signs: Array, source: Array) -> None:
        """Write ``source`` times ``signs``, transformed, to ``rows``.

        This is a rotation if the signs are 1 / sqrt(width) or -1 / sqrt(width).
        """
        width, q = len(signs), lanes
        if width < 8:
            for k in range(width):
                store(rows, k * q, load(source, k * q) * at(signs, k))
            from_half(rows, width, 1)
            return
        for k in range(0, width, 8):
            i = k * q
            values = (
                load(source, i) * at(signs, k),
                load(source, i + q) * at(signs, k + 1),
                load(source, i + 2 * q) * at(signs, k + 2),
                load(source, i + 3 * q) * at(signs, k + 3),
                load(source, i + 4 * q) * at(signs, k + 4),
                load(source, i + 5 * q) * at(signs, k + 5),
                load(source, i + 6 * q) * at(signs, k + 6),
                load(source, i + 7 * q) * at(signs, k + 7),
            )
            put_eight(rows, i, q, values)
        from_half(rows, width, 8)

    return transform, turn


hadamard, rotate = _rotations(load, store, LANES)
hadamard_singles, rotate_singles = _rotations(load_singles, store_singles, WIDE)


def rotated(signs: Array, vector: Float64) -> Float64:
    """A single vector as :func:`rotate` turns it.

    Examples
    --------
    >>> rotated(np.array([0.5, -0.5, 0.5, 0.5]), np.array([1.0, 2.0, 3.0, 4.0]))
    array([ 3.,  1., -4.,  2.])
    """
    turned = vector * signs.astype(np.float64)
    half = 1
    while half < len(turned):
        pairs = turned.reshape(-1, 2, half)
        turned = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()
        half *= 2
    return turned


@inner
def cosine_and_sine(x: Any) -> Any:
    """Return cos x and sin x in each lane, to 1e-9, for |x| up to about 10^6."""
    n = (x * PERIODS + ROUND) - ROUND
    r = (x - n * PERIOD_HIGH) - n * PERIOD_LOW
    y = r * r
    cosine = C5 + y * (C6 + y * (C7 + y * (C8 + y * (C9 + y * C10))))
    cosine = C0 + y * (C1 + y * (C2 + y * (C3 + y * (C4 + y * cosine))))
    sine = S5 + y * (S6 + y * (S7 + y * (S8 + y * (S9 + y * S10))))
    sine = r * (S0 + y * (S1 + y * (S2 + y * (S3 + y * (S4 + y * sine)))))
    return cosine, sine


@inner
def cosine_and_sine_singles(x: Any) -> Any:
    """Return cos x and sin x in each lane of float32, to 1e-6, for |x| up to about 10^4."""
    n = (x * PERIODS + ROUND_SINGLE) - ROUND_SINGLE
    r = (x - n * SHORT_HIGH) - n * SHORT_LOW
    y = r * r
    cosine = c0 + y * (c1 + y * (c2 + y * (c3 + y * (c4 + y * (c5 + y * c6)))))
    sine = s0 + y * (s1 + y * (s2 + y * (s3 + y * (s4 + y * (s5 + y * s6)))))
    return cosine, r * sine

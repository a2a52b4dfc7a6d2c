"""Random rotations, cosines and sines of eight rows side by side, compiled.

Eight rows of one width, a power of two, lie side by side: their eight first numbers, their eight
second numbers, and so on. So every operation works on a vector of eight (see
``compiled/vectors``), and no row depends on the others. A rotation is a change of signs and a
Walsh-Hadamard transform. For width w it takes w log w sums, where a random matrix would take w^2
products, and only the signs have to be stored.
"""

from __future__ import annotations

import math
from typing import Any

from nask.arrays import Array
from nask.compiled.compiling import inner
from nask.compiled.exponential import ROUND
from nask.compiled.vectors import LANES, at, load, store

PERIODS = 1 / (2 * math.pi)
# 2 pi as a sum: the first term has so few bits that its product with a small integer is exact.
PERIOD_HIGH = 6.283185243606567
PERIOD_LOW = 2 * math.pi - PERIOD_HIGH
COSINE = tuple((-1) ** k / math.factorial(2 * k) for k in range(11))
SINE = tuple((-1) ** k / math.factorial(2 * k + 1) for k in range(11))
C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10 = COSINE
S0, S1, S2, S3, S4, S5, S6, S7, S8, S9, S10 = SINE


@inner
def hadamard(rows: Array, width: int) -> None:
    """Transform rows in place, without the factor 1 / sqrt(width); four columns at a time."""
    half = 1
    while 2 * half < width:
        q = half * LANES
        for start in range(0, width * LANES, 4 * q):
            for i in range(start, start + q, LANES):
                a, b = load(rows, i), load(rows, i + q)
                c, d = load(rows, i + 2 * q), load(rows, i + 3 * q)
                low, high = a + b, c + d
                store(rows, i, low + high)
                store(rows, i + 2 * q, low - high)
                low, high = a - b, c - d
                store(rows, i + q, low + high)
                store(rows, i + 3 * q, low - high)
        half *= 4
    if half < width:
        q = half * LANES
        for i in range(0, q, LANES):
            a, b = load(rows, i), load(rows, i + q)
            store(rows, i, a + b)
            store(rows, i + q, a - b)


@inner
def rotate(rows: Array, signs: Array, source: Array) -> None:
    """Write ``source`` times ``signs``, transformed, to ``rows``.

    This is a rotation if the signs are 1 / sqrt(width) or -1 / sqrt(width).
    """
    width = len(signs)
    for k in range(width):
        store(rows, k * LANES, load(source, k * LANES) * at(signs, k))
    hadamard(rows, width)


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

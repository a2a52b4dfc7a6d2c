"""Random rotations and waves of eight vectors side by side, compiled.

A block holds eight vectors of one width, a power of two: their first numbers, their second numbers
and so on, so that every operation is one on a vector of eight (see ``compiled/vectors``). The
transform of Walsh and Hadamard takes w log w sums where a random matrix would take w^2 products,
and nothing but signs has to be stored. What is done to one of the eight does not depend on the
others.
"""

from __future__ import annotations

import math
from typing import Any

import numpy.typing as npt

from nask.compiling import inner
from nask.engines.compiled.vectors import LANES, ROUND, at, load, store

Array = npt.NDArray[Any]

TURNS = 1 / (2 * math.pi)
# 2 pi in two parts: the first has so few bits that its product with a small integer is exact.
TURN_HIGH = 6.283185243606567
TURN_LOW = 2 * math.pi - TURN_HIGH
COSINE = tuple((-1) ** k / math.factorial(2 * k) for k in range(11))
SINE = tuple((-1) ** k / math.factorial(2 * k + 1) for k in range(11))
C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10 = COSINE
S0, S1, S2, S3, S4, S5, S6, S7, S8, S9, S10 = SINE


@inner
def hadamard(block: Array, width: int) -> None:
    """Transform in place, without the factor 1 / sqrt(width); four numbers at a time."""
    half = 1
    while 2 * half < width:
        q = half * LANES
        for start in range(0, width * LANES, 4 * q):
            for i in range(start, start + q, LANES):
                a, b = load(block, i), load(block, i + q)
                c, d = load(block, i + 2 * q), load(block, i + 3 * q)
                low, high = a + b, c + d
                store(block, i, low + high)
                store(block, i + 2 * q, low - high)
                low, high = a - b, c - d
                store(block, i + q, low + high)
                store(block, i + 3 * q, low - high)
        half *= 4
    if half < width:
        q = half * LANES
        for i in range(0, q, LANES):
            a, b = load(block, i), load(block, i + q)
            store(block, i, a + b)
            store(block, i + q, a - b)


@inner
def rotate(block: Array, signs: Array, source: Array) -> None:
    """Write the vectors of ``source``, times ``signs`` and transformed, to ``block``.

    With signs of size 1 / sqrt(width) this is a rotation.
    """
    width = len(signs)
    for k in range(width):
        store(block, k * LANES, load(source, k * LANES) * at(signs, k))
    hadamard(block, width)


@inner
def cosine_and_sine(x: Any) -> Any:
    """Both in each lane, to 1e-9, for |x| up to some 10^6."""
    n = (x * TURNS + ROUND) - ROUND
    r = (x - n * TURN_HIGH) - n * TURN_LOW
    y = r * r
    cosine = C5 + y * (C6 + y * (C7 + y * (C8 + y * (C9 + y * C10))))
    cosine = C0 + y * (C1 + y * (C2 + y * (C3 + y * (C4 + y * cosine))))
    sine = S5 + y * (S6 + y * (S7 + y * (S8 + y * (S9 + y * S10))))
    sine = r * (S0 + y * (S1 + y * (S2 + y * (S3 + y * (S4 + y * sine)))))
    return cosine, sine

"""P between elements, compiled: eight elements with one at a time.

Where an attribute has factors (``factors``), it takes no exponential. Nothing here checks its
input.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nask.arrays import Array
from nask.attributes.euclidean import FROM_MISSING
from nask.compiled.compiling import inner
from nask.compiled.exponential import exp
from nask.compiled.vectors import (
    LANES,
    at,
    load,
    maximum,
    minimum,
    spread,
    store,
    where_below,
    where_equal,
)


class Operand(NamedTuple):
    """The attributes of the nodes, or the edges, of a batch as flat arrays, from which P is made.

    The factors p and q contain the square root of the attribute's weight. They lie in the order in
    which they are read: all attributes of eight elements, then those of the next eight. The other
    arrays are attributes x elements.
    """

    n: int  # number of elements, including those that only fill vectors
    p: Array  # exp(gamma (x - 1/2)), and 0 where x is missing
    q: Array  # exp(-gamma (x - 1/2)), and 0 where x is missing
    wide: Array  # x of attributes whose p or q would overflow, NaN where missing; or coordinates
    codes: Array  # categories, negative where missing


class Similarity(NamedTuple):
    """The parameters of P for nodes, or for edges."""

    least: Array  # weight * exp(-gamma) of the attributes in p and q
    n_plain: int  # so many of these, the first ones, never go below ``least``
    wide_gamma: Array  # of the attributes in wide
    wide_weight: Array
    wide_least: Array
    gain: Array  # weight * (1 - exp(-gamma)) of the categorical attributes
    rest: float  # P of two entirely dissimilar elements, less the sum of ``least``
    joint: bool  # whether P is a Gaussian of the distance


@inner
def factor(a: Operand, i: int, b: Operand, j: int) -> Any:
    """Return weight * exp(-gamma |x - y|) of a numerical attribute, of eight elements with one.

    exp(-gamma |x - y|) is the smaller of exp(gamma (x - y)) and exp(gamma (y - x)). It is s' where
    x and y are at most the training range apart.
    """
    return minimum(load(a.p, i) * at(b.q, j), load(a.q, i) * at(b.p, j))


@inner
def exceptional(x: Any, a: Operand, v: int, b: Operand, c: int, s: Similarity) -> Any:
    """Return x plus the terms of P without factors: wide and categorical attributes, the rest."""
    for d in range(len(s.wide_gamma)):
        distance = load(a.wide, d * a.n + v) - spread(b.wide[d * b.n + c])
        distance = maximum(distance, 0.0 - distance)
        near = exp(distance * -s.wide_gamma[d]) * s.wide_weight[d] - s.wide_least[d]
        x = x + where_below(distance, 1.0, near)
    for d in range(len(s.gain)):
        code = b.codes[d * b.n + c]
        # A missing value equals none: -2 is no code.
        x = x + where_equal(a.codes, d * a.n + v, code if code >= 0 else np.int32(-2), s.gain[d])
    return x + s.rest


@inner
def apart(a: Operand, i: int, code: int, size: float) -> Any:
    """Return ``size`` times the squared distance of eight categories, from i on, from one."""
    missing = where_equal(a.codes, i, np.int32(-1), size * FROM_MISSING)
    if code < 0:
        return size * FROM_MISSING - missing
    return size - where_equal(a.codes, i, code, size) - missing


@inner
def fill_gaussian(
    P: Array, n: int, m: int, a: Operand, a0: int, b: Operand, b0: int, s: Similarity
) -> None:
    """Write P where it is joint: exp(-squared distance). Parameters as of the next function."""
    for v in range(a0, a0 + n, LANES):
        for c in range(b0, b0 + m):
            x = spread(0.0)
            for d in range(len(s.wide_gamma)):
                distance = load(a.wide, d * a.n + v) - spread(b.wide[d * b.n + c])
                x = x + distance * distance
            for d in range(len(s.gain)):
                x = x + apart(a, d * a.n + v, b.codes[d * b.n + c], s.gain[d])
            store(P, (c - b0) * n + v - a0, exp(0.0 - x))


@inner
def fill_similarity(
    P: Array, n: int, m: int, a: Operand, a0: int, b: Operand, b0: int, s: Similarity
) -> None:
    """Write P between n elements of ``a`` from a0 on and m elements of ``b`` from b0 on.

    Parameters
    ----------
    P : ndarray
        Takes m lines of n numbers.
    n, m : int
        n is a multiple of eight, m one of four.
    """
    if s.joint:
        fill_gaussian(P, n, m, a, a0, b, b0, s)
        return
    n_factors = len(s.least)
    for v in range(a0, a0 + n, LANES):
        # Eight rows stay in the nearest cache. Four columns are done at a time, so that most of
        # the time goes into arithmetic, not into loading.
        for c in range(b0, b0 + m, 4):
            w, x, y, z = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
            i, j = v * n_factors, (c - c % LANES) * n_factors + c % LANES
            for _ in range(s.n_plain):
                w = w + factor(a, i, b, j)
                x = x + factor(a, i, b, j + 1)
                y = y + factor(a, i, b, j + 2)
                z = z + factor(a, i, b, j + 3)
                i, j = i + LANES, j + LANES
            for d in range(s.n_plain, n_factors):
                least = spread(s.least[d])
                w = w + maximum(factor(a, i, b, j), least)
                x = x + maximum(factor(a, i, b, j + 1), least)
                y = y + maximum(factor(a, i, b, j + 2), least)
                z = z + maximum(factor(a, i, b, j + 3), least)
                i, j = i + LANES, j + LANES
            place = (c - b0) * n + v - a0
            store(P, place, exceptional(w, a, v, b, c, s))
            store(P, place + n, exceptional(x, a, v, b, c + 1, s))
            store(P, place + 2 * n, exceptional(y, a, v, b, c + 2, s))
            store(P, place + 3 * n, exceptional(z, a, v, b, c + 3, s))

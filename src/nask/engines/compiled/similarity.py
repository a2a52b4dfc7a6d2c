"""P between elements, eight of them with one at a time, without exponentials where it can be.

Nothing here checks its input.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nask.compiling import inner
from nask.engines.compiled.vectors import (
    LANES,
    at,
    exp,
    load,
    maximum,
    minimum,
    spread,
    store,
    where_below,
    where_equal,
)

Array = npt.NDArray[Any]


class Operand(NamedTuple):
    """Attributes of the nodes, or the edges, of a batch, ready for P, as flat arrays.

    Both factors carry the square root of the attribute's weight. They lie in the order in which
    they are read: eight elements after the other, of these one attribute after the other. The
    rest is attributes x elements.
    """

    n: int  # elements, with those that only fill vectors
    p: Array  # exp(gamma (x - 1/2)), and 0 where x is missing
    q: Array  # exp(-gamma (x - 1/2)), and 0 where x is missing
    wide: Array  # x of attributes whose p or q would overflow, NaN where missing
    codes: Array  # categories, negative where missing


class Similarity(NamedTuple):
    """Parameters of P for one element kind."""

    least: Array  # weight * exp(-gamma) of the attributes in p and q
    n_plain: int  # the first of these have values in the training range only, and all of them
    wide_gamma: Array  # of the attributes in wide
    wide_weight: Array
    wide_least: Array
    gain: Array  # weight * (1 - exp(-gamma)) of the categorical attributes
    rest: float  # what P of two entirely dissimilar elements has beyond the sum of ``least``


@inner
def factor(a: Operand, i: int, b: Operand, j: int) -> Any:
    """Weighted exp(-gamma |x - y|) of a numerical attribute, of eight elements with one.

    It is the smaller of exp(gamma (x - y)) and exp(gamma (y - x)), and s' where x and y are at
    most the training range apart.
    """
    return minimum(load(a.p, i) * at(b.q, j), load(a.q, i) * at(b.p, j))


@inner
def exceptional(x: Any, a: Operand, v: int, b: Operand, c: int, s: Similarity) -> Any:
    """Add the parts of P that have no factors: of wide and of categorical attributes."""
    for d in range(len(s.wide_gamma)):
        distance = load(a.wide, d * a.n + v) - spread(b.wide[d * b.n + c])
        distance = maximum(distance, 0.0 - distance)
        near = exp(distance * -s.wide_gamma[d]) * s.wide_weight[d] - s.wide_least[d]
        x = x + where_below(distance, 1.0, near)
    for d in range(len(s.gain)):
        code = b.codes[d * b.n + c]
        # No code of a missing value equals another.
        x = x + where_equal(a.codes, d * a.n + v, code if code >= 0 else np.int32(-2), s.gain[d])
    return x + s.rest


@inner
def fill_similarity(
    P: Array, n: int, m: int, a: Operand, a0: int, b: Operand, b0: int, s: Similarity
) -> None:
    """P between n elements of ``a`` from a0 on and m elements of ``b`` from b0 on."""
    n_factors = len(s.least)
    for v in range(a0, a0 + n, LANES):
        # The rows stay in the nearest cache; four columns at a time, so that arithmetic and not
        # loading takes the time.
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

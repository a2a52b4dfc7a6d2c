"""The parameters of one hop, in the form that compiled code takes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nask.arrays import Array
from nask.compiled.compiling import compiled
from nask.compiled.exponential import exp
from nask.compiled.vectors import LANES, spread, store
from nask.stars.spec import StarSpec


class HopRules(NamedTuple):
    """The parameters of one hop."""

    gamma_star: float
    star_norm: bool
    core_floor: float  # 0 unless cores are pruned
    core_scale: float  # 1 unless cores are pruned
    guarded: bool  # whether the similarity of alike stars is set to 1
    watched: bool  # whether to keep the largest similarity of other stars
    walk: bool  # whether the next hop's P is k^_h itself, and cores are compared by P_0

    @classmethod
    def of(cls, spec: StarSpec, h: int, floor: float) -> HopRules:
        """Return the rules of hop h, counted from 0; ``floor`` is the least P of two nodes."""
        scale = 1.0
        if not spec.prune_cores:
            floor = 0.0
        else:
            scale = float(1 / spec.core_spreads()[h])
            if h > 0 and spec.nested:
                floor = star_floor(spec.gamma_star)
        guarded = spec.guarded, spec.guarded and spec.watched(h)
        walk = spec.expansion == "walk"
        return cls(spec.gamma_star, spec.star_norm, floor, scale, *guarded, walk)


def star_floor(gamma_star: float) -> float:
    """Return exp(-gamma_star) as compiled code computes it, so that pruning gives exactly 0."""
    values = np.empty(LANES)
    fill_floor(gamma_star, values)
    return float(values[0])


@compiled
def fill_floor(gamma_star: float, values: Array) -> None:
    """Fill a vector with exp(-gamma_star)."""
    store(values, 0, exp(spread(-gamma_star)))

"""What to compute at one hop, as compiled code takes it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nask.compiling import compiled
from nask.engines.compiled.vectors import LANES, exp, spread, store
from nask.stars.spec import StarSpec

Array = npt.NDArray[Any]


class HopRules(NamedTuple):
    """What to compute at one hop."""

    gamma_star: float
    star_norm: bool
    core_floor: float  # 0 unless cores are pruned
    core_scale: float  # 1 unless cores are pruned
    guarded: bool  # whether stars that are alike are told
    watched: bool  # whether it matters how near other stars are

    @classmethod
    def of(cls, spec: StarSpec, h: int, floor: float) -> HopRules:
        """The rules of hop h, counted from 0, where ``floor`` is the least P of two nodes."""
        scale = 1.0
        if not spec.prune_cores:
            floor = 0.0
        else:
            scale = float(1 / spec.core_spreads()[h])
            if h > 0 and spec.expansion == "nested":
                floor = star_floor(spec.gamma_star)
        guarded = spec.guarded, spec.guarded and spec.watched(h)
        return cls(spec.gamma_star, spec.star_norm, floor, scale, *guarded)


def star_floor(gamma_star: float) -> float:
    """exp(-gamma_star) to the same last digit as tiles compute it, so that pruning gives 0."""
    values = np.empty(LANES)
    fill_floor(gamma_star, values)
    return float(values[0])


@compiled
def fill_floor(gamma_star: float, values: Array) -> None:
    """Fill a vector with exp(-gamma_star)."""
    store(values, 0, exp(spread(-gamma_star)))

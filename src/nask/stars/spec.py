"""The star kernel as a set of choices: what an engine computes, apart from how."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from nask.attributes.similarity import AttributeSimilarity
from nask.choices import Expansion

ROUNDING = float(np.finfo(np.float64).eps)
# Hops may magnify rounding up to this before stars that are alike are told from others.
LARGEST_ERROR = 1e-10
# And up to this where stars are all but alike, before the user is told: several roundings meet,
# and six digits are promised.
FELT_ERROR = 1e-7


@dataclass(frozen=True)
class StarSpec:
    """One star kernel kappa_1, ..., kappa_H with every choice made.

    Parameters
    ----------
    n_hops : int
        H.
    gamma_star : float
        Sharpness of the exponential transform between stars (nested expansion).
    expansion : {"nested", "ball"}
    star_norm : bool
        Whether kappa_h is the normalised star similarity or the raw one.
    use_edges : bool
        Whether stars also compare by their edges.
    prune_cores : bool
        Whether entirely dissimilar cores contribute exactly nothing.
    nodes, edges : AttributeSimilarity
        P between nodes and P between edges.
    dtype : {"float32", "float64"}
        Arithmetic of the fast engines.
    """

    n_hops: int
    gamma_star: float
    expansion: Expansion
    star_norm: bool
    use_edges: bool
    prune_cores: bool
    nodes: AttributeSimilarity
    edges: AttributeSimilarity
    dtype: Literal["float32", "float64"]

    def magnified(self, n_hops: int) -> float:
        """What a rounding error becomes in so many more hops, each of which magnifies it."""
        if self.expansion == "ball":
            return ROUNDING
        exponent = n_hops * math.log(max(self.gamma_star, 1.0)) + math.log(ROUNDING)
        return math.exp(min(exponent, 0.0))

    @property
    def guarded(self) -> bool:
        """Whether hops magnify rounding so much that stars which are alike have to be told.

        Their similarity is then 1 by decree (see ``stars/alike.py``).
        """
        return self.magnified(self.n_hops - 1) > LARGEST_ERROR

    def watched(self, h: int) -> bool:
        """Whether later hops would magnify how near stars are at hop h, counted from 0."""
        return self.magnified(self.n_hops - 1 - h) > FELT_ERROR

    def core_spreads(self) -> npt.NDArray[np.float64]:
        """1 - core_floor at each hop: what the core factor is divided by when pruning."""
        spreads = np.full(self.n_hops, self.nodes.spread)
        if self.expansion == "nested":
            spreads[1:] = -np.expm1(-self.gamma_star)
        return spreads

    def core_floor(self, hop: int) -> float:
        """The least P two cores can have at a hop (counted from 1); subtracted when pruning."""
        if hop == 1 or self.expansion == "ball":
            return self.nodes.floor
        return float(np.exp(-self.gamma_star))

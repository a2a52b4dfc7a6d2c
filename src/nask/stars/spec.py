"""The star kernel as a set of choices: what an engine computes, apart from how."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nask.arrays import Float64
from nask.attributes.similarity import AttributeSimilarity
from nask.choices import Expansion

ROUNDING = float(np.finfo(np.float64).eps)
# Where hops would magnify rounding errors beyond this, engines are told which stars are alike.
LARGEST_ERROR = 1e-10
# Where they would magnify them beyond this and some stars are almost alike, the user is warned:
# six digits are promised, and several rounding errors add up.
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
    expansion : {"nested", "ball", "walk"}
    star_norm : bool
        Whether kappa_h is the normalised star similarity or the raw one.
    use_edges : bool
        Whether stars are also compared by their edges.
    prune_cores : bool
        Whether two stars with entirely dissimilar cores contribute exactly 0.
    nodes, edges : AttributeSimilarity
        P between nodes and P between edges.
    dtype : {"float32", "float64"}
        Precision in which the fast engines store P.
    max_leaves : int or None
        How many leaves a star has at most, those most similar to its core; more if several are
        equally similar.
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
    max_leaves: int | None = None

    @property
    def nested(self) -> bool:
        """Whether P_h is the exponential transform of k^_h, and the core of the next hop."""
        return self.expansion == "nested"

    @property
    def deepens(self) -> bool:
        """Whether a hop is made of the one before; its stars then are one hop wide, as all are."""
        return self.expansion != "ball"

    @property
    def joint(self) -> bool:
        """Whether P of nodes, or of edges that count, is no sum over attributes."""
        return self.nodes.joint or (self.use_edges and self.edges.joint)

    @property
    def rounding(self) -> float:
        """The rounding error of k^; what pruning divides cores by magnifies it."""
        least = float(self.core_spreads().min()) if self.prune_cores else 1.0
        return ROUNDING / max(least, ROUNDING)

    def magnified(self, n_hops: int) -> float:
        """Return the size of a rounding error after ``n_hops`` more hops, which magnify it."""
        if not self.nested:
            return self.rounding
        exponent = n_hops * math.log(max(self.gamma_star, 1.0)) + math.log(self.rounding)
        return math.exp(min(exponent, 0.0))

    @property
    def guarded(self) -> bool:
        """Whether hops magnify rounding errors so much that engines need to know alike stars.

        The normalised similarity of such stars is then set to 1 (see ``stars/alike.py``).
        """
        return self.magnified(self.n_hops - 1) > LARGEST_ERROR

    def watched(self, h: int) -> bool:
        """Tell whether rounding errors of hop h, counted from 0, may show after the later hops."""
        return self.magnified(self.n_hops - 1 - h) > FELT_ERROR

    def core_spreads(self) -> Float64:
        """Return 1 - core_floor at each hop; pruning divides the core factor by it."""
        spreads = np.full(self.n_hops, self.nodes.spread)
        if self.nested:
            spreads[1:] = -np.expm1(-self.gamma_star)
        return spreads

    def core_floor(self, hop: int) -> float:
        """Return the least P of two cores at a hop, counted from 1; pruning subtracts it."""
        if hop == 1 or not self.nested:
            return self.nodes.floor
        return float(np.exp(-self.gamma_star))

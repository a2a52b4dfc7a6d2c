"""The star kernel as a set of choices: what an engine computes, apart from how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from nask.attributes.similarity import AttributeSimilarity

Expansion = Literal["nested", "ball"]


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

"""The derivatives of a sum over pairs of elements of weight * P by the parameters of P."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nask.arrays import Float64
from nask.graph.schema import FEATURES, AttributeSpec


@dataclass(frozen=True, eq=False)
class SimilarityGradient:
    """Sums over pairs of elements of x times what P is made of.

    P = sum_d w_d (e^-gamma_d + near_d), where near is s' - e^-gamma of two numbers less than the
    training range apart, and of two equal categories; else 0.

    Parameters
    ----------
    total : float
        The sum of x.
    near, steep : ndarray, one number per numerical attribute
        The sums of x * (s' - e^-gamma) and of x * (distance * s' - e^-gamma) over near pairs.
    same : ndarray, one number per categorical attribute
        The sum of x over pairs with equal values.
    """

    total: float
    near: Float64
    steep: Float64
    same: Float64

    def by_attribute(
        self,
        specs: Sequence[AttributeSpec],
        gamma: Mapping[str, float],
        weight: Mapping[str, float],
        n_features: int,
    ) -> dict[str, tuple[float, float]]:
        """Return the derivatives by the logarithms of gamma and of the weight, by attribute.

        Parameters
        ----------
        specs : sequence of AttributeSpec
            Of the nodes, or of the edges.
        gamma, weight : mapping of str to float
            By name; weights are relative.
        n_features : int
            Number of node features, the last numerical attributes, which share both parameters.

        Examples
        --------
        >>> specs = [AttributeSpec("letter", "categorical", categories=("a", "b"))]
        >>> own = SimilarityGradient(3.0, np.empty(0), np.empty(0), np.array([1.0]))
        >>> found = own.by_attribute(specs, {"letter": 2.0}, {"letter": 1.0}, 0)
        >>> np.round(found["letter"], 3)  # -2 e^-2 (3 - 1), and nothing: there is no other weight
        array([-0.541,  0.   ])
        """
        names = [spec.name for spec in specs] + [FEATURES] * (n_features > 0)
        sums: dict[str, tuple[float, float]] = {}
        near, steep, same = iter(self.near), iter(self.steep), iter(self.same)
        for spec in specs:
            g = gamma[spec.name]
            least = float(np.exp(-g))
            if spec.encoded == "numerical":
                own = self.total * least + next(near), self.total * least + next(steep)
            elif spec.encoded == "categorical":
                equal = float(next(same))
                own = self.total * least - equal * np.expm1(-g), (self.total - equal) * least
            else:
                own = self.total * least, self.total * least
            sums[spec.name] = own
        if n_features:
            constant = n_features * self.total * float(np.exp(-gamma[FEATURES]))
            sums[FEATURES] = constant + sum(near), constant + sum(steep)
        relative = {name: weight[name] for name in names}
        size = sum(weight[spec.name] for spec in specs) + n_features * weight.get(FEATURES, 0.0)
        mean = sum(relative[name] * sums[name][0] for name in names) / size if names else 0.0
        counts = {name: n_features if name == FEATURES else 1 for name in names}
        return {
            name: (
                -gamma[name] * relative[name] / size * sums[name][1],
                relative[name] / size * (sums[name][0] - counts[name] * mean),
            )
            for name in names
        }

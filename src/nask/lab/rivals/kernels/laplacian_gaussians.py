"""Graphs as Gaussians: the feature space Laplacian kernel, on which ML is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from nask.arrays import Float64, Positions

# Pairs of Gaussians of rank 10 take 13 MB.
PAIRS_AT_ONCE = 16384


@dataclass(frozen=True, eq=False)
class Gaussians:
    r"""Zero-mean Gaussians, each with the covariance of a graph's smooth functions.

    With features U of the nodes, one row each, and the Laplacian L of a graph,

    .. math:: S = U^T (L + \eta I)^{-1} U + \gamma I.

    Parameters
    ----------
    inverses : ndarray of shape (n, p, p)
        Of the covariances S.
    logdets : ndarray of shape (n,)
        Logarithms of the determinants of S.
    """

    inverses: Float64
    logdets: Float64

    @classmethod
    def of(
        cls, graphs: Sequence[tuple[Float64, Float64]], rank: int, eta: float, gamma: float
    ) -> Self:
        """Return the Gaussians of graphs, each an adjacency matrix and features of its nodes."""
        covariances = np.zeros((len(graphs), rank, rank))
        for covariance, (adjacency, features) in zip(covariances, graphs, strict=True):
            laplacian = np.diag(adjacency.sum(axis=1) + eta) - adjacency
            covariance[:] = features.T @ np.linalg.solve(laplacian, features)
        covariances += gamma * np.eye(rank)
        inverses = np.asarray(np.linalg.inv(covariances), dtype=np.float64)
        return cls(inverses, np.linalg.slogdet(covariances)[1])

    def __len__(self) -> int:
        return len(self.logdets)

    def take(self, chosen: Positions | slice) -> Gaussians:
        """Return some of them."""
        return Gaussians(self.inverses[chosen], self.logdets[chosen])

    def compare(self, other: Gaussians) -> Float64:
        r"""Return the Bhattacharyya kernel, 1 for equal Gaussians.

        .. math:: \frac{|(S^{-1} / 2 + S'^{-1} / 2)^{-1}|^{1/2}}{|S|^{1/4} |S'|^{1/4}}

        Examples
        --------
        >>> edge, features = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1.0], [1.0]])
        >>> both = Gaussians.of([(edge, features), (edge, 2 * features)], 1, eta=0.1, gamma=0.1)
        >>> both.compare(both).round(3)
        array([[1.   , 0.895], [0.895, 1.   ]])
        """
        result = np.zeros((len(self), len(other)))
        step = max(1, PAIRS_AT_ONCE // max(1, len(other)))
        for start in range(0, len(self), step):
            some = slice(start, start + step)
            means = (self.inverses[some, None] + other.inverses) / 2
            scale = self.logdets[some, None] + other.logdets
            result[some] = np.exp(-np.linalg.slogdet(means)[1] / 2 - scale / 4)
        return result

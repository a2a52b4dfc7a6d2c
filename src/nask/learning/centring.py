"""Centring of a Gram matrix, so that one grid of C serves every kernel and dataset."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nask.arrays import Array, Float64


@dataclass(frozen=True)
class Centring:
    """Centring in feature space and scaling to unit mean diagonal, so that one C grid serves.

    An SVM with a constant term does not see the centring itself: its dual coefficients sum to zero.
    It makes the scale meaningful, the mean squared distance of a graph from the mean of all.

    Examples
    --------
    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> centring = Centring.fit(K)
    >>> centring.apply(K)
    array([[ 1., -1.],
           [-1.,  1.]])
    """

    column_means: Float64
    scale: float
    shares: Float64 | None = None

    @classmethod
    def fit(cls, gram: Array, weights: Float64 | None = None) -> Centring:
        """Learn from the Gram matrix of the training graphs.

        With weights, means are weighted: a graph of weight 2 counts as two.
        """
        shares = None if weights is None else weights / weights.sum()
        if shares is None:
            means = gram.mean(axis=0, dtype=np.float64)
            own = float(np.trace(gram, dtype=np.float64)) / len(gram)
            mean = means.mean()
        else:
            means, own = shares @ gram, float(shares @ gram.diagonal())
            mean = means @ shares
        spread = float(own - mean)
        # Training graphs that are all alike leave rounding errors only: do not magnify them.
        rounding = 1e3 * float(np.finfo(gram.dtype).eps) * own
        return cls(means, spread if spread > rounding else 1.0, shares)

    def apply(self, gram: Array, dtype: npt.DTypeLike = np.float64) -> Array:
        """Centre and scale the kernel between some graphs and the training graphs."""
        if self.shares is None:
            row_means, mean = gram.mean(axis=1, dtype=np.float64), self.column_means.mean()
        else:
            row_means, mean = gram @ self.shares, self.column_means @ self.shares
        # One array and no more: that of tens of thousands of nodes takes gigabytes.
        centred = np.empty(gram.shape, dtype=dtype)
        np.subtract(gram, self.column_means, out=centred, casting="same_kind")
        centred -= row_means[:, None]
        centred += mean
        centred /= self.scale
        return centred

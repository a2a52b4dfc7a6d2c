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

    @classmethod
    def fit(cls, gram: Array) -> Centring:
        """Learn from the Gram matrix of the training graphs."""
        means = gram.mean(axis=0, dtype=np.float64)
        own = float(np.trace(gram, dtype=np.float64)) / len(gram)
        spread = float(own - means.mean())
        # Training graphs that are all alike leave rounding errors only: do not magnify them.
        rounding = 1e3 * float(np.finfo(gram.dtype).eps) * own
        return cls(means, spread if spread > rounding else 1.0)

    def apply(self, gram: Array, dtype: npt.DTypeLike = np.float64) -> Array:
        """Centre and scale the kernel between some graphs and the training graphs."""
        row_means = gram.mean(axis=1, dtype=np.float64)
        # One array and no more: that of tens of thousands of nodes takes gigabytes.
        centred = np.empty(gram.shape, dtype=dtype)
        np.subtract(gram, self.column_means, out=centred, casting="same_kind")
        centred -= row_means[:, None]
        centred += self.column_means.mean()
        centred /= self.scale
        return centred

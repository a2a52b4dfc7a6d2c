"""Numbers put in bins, so that they are compared as categories are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64

# Bins of equal width from the least training value to the largest.
N_BINS = 10
# Numbers below the training range have one more, and those above it another.
BELOW, ABOVE = N_BINS, N_BINS + 1
N_CODES = N_BINS + 2


def bins_of(scaled: Float64) -> npt.NDArray[np.int32]:
    """Return the bin of each number in units of the training range; -1 where it is missing.

    Examples
    --------
    >>> bins_of(np.array([0.0, 0.05, 0.1, 1.0, -0.2, 7.0, np.nan])).tolist()
    [0, 0, 1, 9, 10, 11, -1]
    """
    missing = np.isnan(scaled)
    bins = np.minimum(np.floor(np.where(missing, 0.0, scaled) * N_BINS), N_BINS - 1)
    bins = np.select([missing, scaled < 0, scaled > 1], [-1, BELOW, ABOVE], bins)
    return bins.astype(np.int32)


def feature_bins(scaled: Float64) -> Float64:
    """Return the bins of node features as whole numbers, that of a zero being 0.

    Their width is a tenth of the training range, and they are counted from 0 in both directions
    without an end: the least training value of a column is mostly 0, and is not known otherwise.
    The bin below 1 is called 1, and the others are counted down from it: features of zeros and
    ones stay what they are.

    Examples
    --------
    >>> feature_bins(np.array([0.05, 0.1, 0.95, 1.0, 1.2, -0.05])).tolist()
    [0.0, 9.0, 1.0, 1.0, 12.0, -1.0]
    """
    bins = np.floor(scaled * N_BINS)
    bins = np.where(scaled == 1.0, N_BINS - 1.0, bins)
    inside = (bins >= 1) & (bins < N_BINS)
    return np.where(inside, N_BINS - bins, bins)

"""The largest similarities, in an order that rounding does not decide."""

from __future__ import annotations

import numpy as np

from nask.arrays import Float64, Floats, Positions
from nask.kernels.forms import ROUNDING


def best_first(similarities: Floats, k: int) -> Positions:
    """Positions of the k largest similarities, the largest first; of equal ones the first in place.

    Similarities that differ by rounding alone, less than 1e-12, are equal.

    Examples
    --------
    >>> best_first(np.array([0.5, 1.0 - 1e-15, 0.2, 1.0, 0.5]), 3).tolist()
    [1, 3, 0]
    """
    n = len(similarities)
    chosen = np.arange(n)
    if k < n:
        last = np.partition(similarities, n - k)[n - k]
        chosen = np.flatnonzero(similarities >= last - ROUNDING)
    values = similarities[chosen]
    order = np.argsort(-values, kind="stable")
    chosen, values = chosen[order], values[order]
    tier = np.concatenate([[0], np.cumsum(-np.diff(values) > ROUNDING)])
    return np.asarray(chosen[np.lexsort((chosen, tier))][:k])


def as_similarities(values: Floats) -> Float64:
    """Similarities from 0 to 1, and exactly 1 where rounding alone makes the difference.

    Examples
    --------
    >>> as_similarities(np.array([1.0 + 2e-16, 1.0 - 1e-15, 0.5])).tolist()
    [1.0, 1.0, 0.5]
    """
    return np.where(values > 1 - ROUNDING, 1.0, values)

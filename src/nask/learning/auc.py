"""The area under the ROC curve, of many methods at once, and what each item adds to it."""

from __future__ import annotations

import numpy as np

from nask.arrays import Array, Float64, Mask


def auc_parts(positive: Mask, decisions: Array, weights: Float64) -> Float64:
    """What each item adds to the area under the curve of each method, (n_methods, n).

    The area is the share of pairs of a positive and a negative item that are in the right order.
    The mean of a row is the area; beyond, a part tells how the area would change if the item
    counted a little more, from the share of the other class that the item is on the right side of
    (DeLong et al. 1988).

    Parameters
    ----------
    positive : ndarray of bool of shape (n,)
    decisions : ndarray of shape (n_methods, n)
        Higher for the positive.
    weights : ndarray of shape (n,)

    Examples
    --------
    >>> positive = np.array([False, False, True, True])
    >>> auc_parts(positive, np.array([[0.1, 0.4, 0.3, 0.8]]), np.ones(4))
    array([[1.25, 0.25, 0.25, 1.25]])
    """
    if positive.all() or not positive.any():
        # No pairs, as in a small sample: nothing is known of any method.
        return np.full(decisions.shape, 0.5)
    parts = np.empty(decisions.shape)
    own, other = np.flatnonzero(positive), np.flatnonzero(~positive)
    total, rest = weights[own].sum(), weights[other].sum()
    for row, values in zip(parts, decisions, strict=True):
        below = _shares_below(values[own], values[other], weights[other]) / rest
        above = 1 - _shares_below(values[other], values[own], weights[own]) / total
        area = float(weights[own] @ below / total)
        row[own] = area + len(values) * weights[own] * (below - area) / total
        row[other] = area + len(values) * weights[other] * (above - area) / rest
    return parts


def _shares_below(values: Array, others: Array, weights: Float64) -> Float64:
    """Weight of the others that are below each value; half of that of equal ones."""
    order = np.argsort(others, kind="stable")
    ranked, summed = others[order], np.concatenate([[0.0], np.cumsum(weights[order])])
    first, last = (summed[np.searchsorted(ranked, values, side)] for side in ("left", "right"))
    return np.asarray((first + last) / 2)

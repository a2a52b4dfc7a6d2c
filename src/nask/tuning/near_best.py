"""Which of many settings are as good as the best, as far as their errors tell."""

from __future__ import annotations

import numpy as np

from nask.arrays import Float64, Mask

# Standard errors of the difference that a setting may lie behind the best.
BEHIND = 1.0


def near_best(right: Mask) -> Mask:
    """Tell which settings are within a standard error of the most accurate one.

    The comparison is paired: what counts are the graphs that one setting gets right and the other
    wrong. The mean decision of all such settings is steadier than that of the best, which is the
    luckiest of hundreds (``benchmarks/choice.py``).

    Parameters
    ----------
    right : ndarray of bool of shape (n_settings, n)
        Which graphs each setting has classified rightly, held out.

    Examples
    --------
    >>> right = np.array([[1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 0], [1, 0, 0, 0, 0, 1]], dtype=bool)
    >>> near_best(right)
    array([ True, False, False])
    """
    best = right[int(right.sum(axis=1).argmax())]
    lost = np.count_nonzero(best & ~right, axis=1).astype(np.float64)
    won = np.count_nonzero(right & ~best, axis=1)
    behind = lost - won
    variance = lost + won - behind**2 / right.shape[1]
    return np.asarray(behind <= BEHIND * np.sqrt(variance) + 1e-9)


def near_best_parts(parts: Float64) -> Mask:
    """Tell the same of any score, from what each item adds to it.

    Of a mean over items, such as the mean squared error, these are the items' own values; of
    others, such as the area under the ROC curve, what the jackknife tells
    (:meth:`nask.learning.goals.Goal.parts`).

    Parameters
    ----------
    parts : ndarray of shape (n_settings, n)
        Their means order the settings; more is better.

    Examples
    --------
    >>> near_best_parts(np.array([[-1.0, -1, -1, -1], [-1.2, -0.9, -1.1, -1], [-2, -2, -2, -2.1]]))
    array([ True,  True, False])
    """
    gaps = parts[int(parts.mean(axis=1).argmax())] - parts
    behind = gaps.sum(axis=1)
    variance = np.maximum((gaps**2).sum(axis=1) - behind**2 / parts.shape[1], 0.0)
    # Settings whose answers are the same differ by rounding.
    rounding = 1e-9 * np.abs(parts).sum(axis=1).max(initial=0.0)
    return np.asarray(behind <= BEHIND * np.sqrt(variance) + rounding)


def may_be_near(right: Mask) -> Mask:
    """Tell which settings may be near the best, when others are still to come.

    A setting that is d graphs behind is not, if d is more than the root of their number: the
    variance of the difference is no larger than that, and a better one that comes leaves it further
    behind.

    Examples
    --------
    >>> right = np.arange(9) < np.array([[9], [6], [5]])
    >>> may_be_near(right)
    array([ True,  True, False])
    """
    n_right = right.sum(axis=1)
    behind = n_right.max() - n_right
    return np.asarray(behind <= BEHIND * np.sqrt(right.shape[1]) + 1e-9)

"""Which of many settings are as good as the best, as far as their errors tell."""

from __future__ import annotations

import numpy as np

from nask.arrays import Mask

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

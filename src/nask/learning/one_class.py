"""One-class SVMs on a Gram matrix, and the score below which a new item is an outlier."""

from __future__ import annotations

import math

import numpy as np
from sklearn.model_selection import KFold
from sklearn.svm import OneClassSVM

from nask.arrays import Float64
from nask.exceptions import ParameterError
from nask.learning.svm import KernelSVM

FOLDS = 5
# Of (n + 1) * nu, which 0.1 * 9 need not hit.
ROUNDING = 1e-9


def one_class(gram: Float64, nu: float) -> KernelSVM:
    """Learn a function that is positive on most items.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        Not centred: items are parted from the origin.
    nu : float
        Share of the items that may lie outside, at most.

    Examples
    --------
    >>> x = np.array([0.0, 0.1, 0.2, 5.0])
    >>> found = one_class(np.exp(-(np.subtract.outer(x, x) ** 2)), nu=0.3)
    >>> new = np.array([0.1, 9.0])
    >>> alike = np.exp(-(np.subtract.outer(new, x[found.support]) ** 2))
    >>> (found.decide(alike)[:, 0] >= -1e-9).tolist()
    [True, False]
    """
    svm = OneClassSVM(kernel="precomputed", nu=nu).fit(gram)
    return KernelSVM(svm.dual_coef_, np.asarray(svm.intercept_), np.asarray(svm.support_))


def left_out_scores(gram: Float64, nu: float) -> Float64:
    """What one-class SVMs that have learned from other folds say of each item.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    nu : float
    """
    n = len(gram)
    scores = np.empty(n)
    for train, test in KFold(min(FOLDS, n), shuffle=True, random_state=0).split(gram):
        learned = one_class(gram[np.ix_(train, train)], nu)
        scores[test] = learned.decide(gram[np.ix_(test, train[learned.support])])[:, 0]
    return scores


def lowest_normal(scores: Float64, nu: float, owner: str) -> float:
    """The score below which a new item is an outlier, for a share of ``nu`` of those that are none.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Of items that were left out.
    nu : float
    owner : str
        Name of the model's class, for the message.

    Examples
    --------
    >>> lowest_normal(np.arange(9.0), 0.2, "NASKOutlierDetector")
    1.0
    >>> lowest_normal(np.arange(9.0), 0.05, "NASKOutlierDetector")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: 9 training graphs tell what is seen once in 10 graphs, and with
    nu=0.05 NASKOutlierDetector looks for what is rarer. Give a larger nu, or 19 graphs or more.
    """
    n = len(scores)
    rank = math.floor((n + 1) * nu + ROUNDING)
    if rank < 1:
        raise ParameterError(
            f"{n} training graphs tell what is seen once in {n + 1} graphs, and with nu={nu:g} "
            f"{owner} looks for what is rarer. Give a larger nu, or {math.ceil(1 / nu) - 1} graphs "
            "or more."
        )
    return float(np.partition(scores, rank - 1)[rank - 1])

"""From one decision per pair of classes to the confidence in each class."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from nask.arrays import Float64


def class_confidence(decisions: Float64) -> Float64:
    """Confidence in the second of two classes, (m,), or in each class, (m, n_classes).

    Of several classes: votes, ties broken by summed confidence.

    Parameters
    ----------
    decisions : ndarray of shape (m, n_pairs)
        Positive for the first class of a pair, but for the second where there are two classes.

    Examples
    --------
    >>> class_confidence(np.array([[1.0, 1.0, -1.0]])).argmax(axis=1)  # 0 beats 1 and 2
    array([0])
    >>> class_confidence(np.array([[0.5], [-2.0]]))
    array([ 0.5, -2. ])
    """
    if decisions.shape[1] == 1:
        return decisions[:, 0]
    n_classes = (1 + math.isqrt(1 + 8 * decisions.shape[1])) // 2
    votes = np.zeros((len(decisions), n_classes))
    confidence = np.zeros_like(votes)
    for (i, j), decision in zip(combinations(range(n_classes), 2), decisions.T, strict=True):
        votes[:, i] += decision >= 0
        votes[:, j] += decision < 0
        confidence[:, i] += decision
        confidence[:, j] -= decision
    # Squeezed into (-1/3, 1/3), so that confidence never outweighs a vote.
    scores: Float64 = votes + confidence / (3 * (np.abs(confidence) + 1))
    return scores

"""From one decision per pair of classes to one class."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from nask.arrays import Float64, Positions


def most_confident(decisions: Float64, n_classes: int) -> Positions:
    """Number of the chosen class of each graph, from one decision per pair of classes.

    Examples
    --------
    >>> most_confident(np.array([[0.5], [-2.0]]), 2)
    array([1, 0])
    """
    if n_classes == 2:
        return np.asarray(decisions[:, 0] > 0, dtype=np.intp)
    return np.asarray(one_versus_rest(decisions, n_classes).argmax(axis=1))


def class_confidence(decisions: Float64, n_classes: int) -> Float64:
    """What a classifier's ``decision_function`` returns: one number for two classes, else one
    per class."""
    return decisions[:, 0] if n_classes == 2 else one_versus_rest(decisions, n_classes)


def one_versus_rest(decisions: Float64, n_classes: int) -> Float64:
    """One score per class from one decision per pair: votes, ties broken by summed confidence.

    Examples
    --------
    >>> one_versus_rest(np.array([[1.0, 1.0, -1.0]]), 3).argmax(axis=1)  # 0 beats 1 and 2
    array([0])
    """
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

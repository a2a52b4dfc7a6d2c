"""Scores of predicted classes, from counts of which class was taken for which."""

from __future__ import annotations

import numpy as np

from nask.arrays import Float64, Positions

# The step of a derivative, as a part of the count that it changes.
STEP = 1e-6


def confusion_matrices(
    truth: Positions, predicted: Positions, n_classes: int, weights: Float64 | None = None
) -> Float64:
    """How often each class, the row, was taken for each, the column: (..., n_classes, n_classes).

    Parameters
    ----------
    truth : ndarray of shape (n,)
        Classes by their number.
    predicted : ndarray of shape (..., n)
        The same, of one or more methods.
    n_classes : int
    weights : ndarray of shape (n,), optional
        How much each item counts; 1 by default.

    Examples
    --------
    >>> confusion_matrices(np.array([0, 0, 1]), np.array([0, 1, 1]), 2)
    array([[1., 1.],
           [0., 1.]])
    """
    rows = np.asarray(predicted, dtype=np.intp).reshape(-1, len(truth))
    size = n_classes**2
    cells = truth * n_classes + rows + size * np.arange(len(rows))[:, None]
    own = None if weights is None else np.tile(weights, len(rows))
    counts = np.bincount(cells.ravel(), own, minlength=size * len(rows)).astype(np.float64)
    return counts.reshape(*np.shape(predicted)[:-1], n_classes, n_classes)


def score_of_confusion(name: str, counts: Float64) -> Float64:
    """Score of confusion matrices, (...), by scikit-learn's name.

    Shares of nothing are 0, and averages are over the classes that are there, as in scikit-learn.

    Parameters
    ----------
    name : str
    counts : ndarray of shape (..., n_classes, n_classes)

    Examples
    --------
    >>> counts = np.array([[3.0, 1.0], [0.0, 1.0]])
    >>> float(score_of_confusion("accuracy", counts)), float(score_of_confusion("recall", counts))
    (0.8, 1.0)
    """
    right = counts.diagonal(axis1=-2, axis2=-1)
    true, found = counts.sum(axis=-1), counts.sum(axis=-2)
    if name == "accuracy":
        return _share(right.sum(axis=-1), true.sum(axis=-1))
    if name == "balanced_accuracy":
        return _mean(_share(right, true), true > 0)
    if name == "matthews_corrcoef":
        total, agreed = true.sum(axis=-1), right.sum(axis=-1)
        both = agreed * total - (true * found).sum(axis=-1)
        spread = (total**2 - (true**2).sum(axis=-1)) * (total**2 - (found**2).sum(axis=-1))
        return _share(both, np.sqrt(np.maximum(spread, 0.0)))
    kind, _, average = name.partition("_")
    above, below = _parts(kind, right, true, found)
    if average == "micro":
        above, below = above.sum(axis=-1, keepdims=True), below.sum(axis=-1, keepdims=True)
    shares = _share(above, below)
    if average == "macro":
        return _mean(shares, true + found > 0)
    if average == "weighted":
        return _share((shares * true).sum(axis=-1), true.sum(axis=-1))
    # Of the second class, or the only share.
    return np.asarray(shares[..., -1 if average else 1])


def score_parts(
    name: str, truth: Positions, predicted: Positions, n_classes: int, weights: Float64
) -> Float64:
    """What each item adds to the score of each of several methods, (n_methods, n).

    The mean of a row is the score of its method. Beyond, a part tells how the score would change
    if the item counted a little more (the infinitesimal jackknife), so that the spread of parts
    gives the standard error of the score. Of accuracy a part is 1 where the item is right, else 0.

    Parameters
    ----------
    name : str
    truth : ndarray of shape (n,)
    predicted : ndarray of shape (n_methods, n)
    n_classes : int
    weights : ndarray of shape (n,)

    Examples
    --------
    >>> truth, predicted = np.array([0, 0, 0, 1]), np.array([[0, 0, 1, 1]])
    >>> score_parts("balanced_accuracy", truth, predicted, 2, np.ones(4)).round(2)
    array([[1.06, 1.06, 0.39, 0.83]])
    """
    counts = confusion_matrices(truth, predicted, n_classes, weights)
    score = score_of_confusion(name, counts)
    parts = np.repeat(score[:, None], len(truth), axis=1)
    cells = truth * n_classes + np.asarray(predicted, dtype=np.intp)
    for cell in np.unique(cells):
        methods = np.flatnonzero((cells == cell).any(axis=1))
        i, j = divmod(int(cell), n_classes)
        more, less = counts[methods].copy(), counts[methods].copy()
        step = STEP * counts[methods, i, j]
        more[:, i, j] += step
        less[:, i, j] -= step
        change = score_of_confusion(name, more) - score_of_confusion(name, less)
        own = len(truth) * (change / (2 * step))[:, None] * weights
        parts[methods] += np.where(cells[methods] == cell, own, 0.0)
    return parts


def _parts(kind: str, right: Float64, true: Float64, found: Float64) -> tuple[Float64, Float64]:
    """What is divided by what, for each class."""
    if kind == "precision":
        return right, found
    if kind == "recall":
        return right, true
    if kind == "f1":
        return 2 * right, true + found
    return right, true + found - right


def _share(above: Float64, below: Float64) -> Float64:
    """a / b; 0 where b is 0."""
    return np.asarray(np.divide(above, below, out=np.zeros_like(above), where=below != 0))


def _mean(shares: Float64, there: Float64) -> Float64:
    return np.asarray((shares * there).sum(axis=-1) / there.sum(axis=-1))

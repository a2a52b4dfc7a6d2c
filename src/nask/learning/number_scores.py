"""Scores of predicted numbers."""

from __future__ import annotations

import numpy as np

from nask.arrays import Float64

# Of the median and of the largest error the parts of single items tell no standard error.
BY_ONE_ERROR = ("neg_median_absolute_error", "neg_max_error")


def score_of_numbers(
    name: str, truth: Float64, predicted: Float64, weights: Float64 | None = None
) -> Float64:
    """Score of predictions, (...), by scikit-learn's name.

    Parameters
    ----------
    name : str
    truth : ndarray of shape (n,)
    predicted : ndarray of shape (..., n)
        Of one or more methods.
    weights : ndarray of shape (n,), optional
        How much each item counts; 1 by default. The median and the largest error have none.

    Examples
    --------
    >>> truth, predicted = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])
    >>> float(score_of_numbers("r2", truth, predicted))
    0.5
    >>> float(score_of_numbers("neg_mean_absolute_error", truth, predicted)).__round__(3)
    -0.333
    """
    truth = np.asarray(truth, dtype=np.float64)
    predicted = np.asarray(predicted, dtype=np.float64)
    if name == "neg_median_absolute_error":
        return np.asarray(-np.median(np.abs(truth - predicted), axis=-1))
    if name == "neg_max_error":
        return np.asarray(-np.abs(truth - predicted).max(axis=-1))
    loss = np.average(item_losses(name, truth, predicted, weights), axis=-1, weights=weights)
    if name in ("r2", "explained_variance"):
        mean = np.average(truth, weights=weights)
        return _beside(loss, np.average((truth - mean) ** 2, weights=weights))
    if name == "d2_absolute_error_score":
        return _beside(loss, np.average(np.abs(truth - np.median(truth)), weights=weights))
    return np.asarray(-np.sqrt(loss) if name == "neg_root_mean_squared_error" else -loss)


def item_losses(
    name: str, truth: Float64, predicted: Float64, weights: Float64 | None = None
) -> Float64:
    """Losses of items, (..., n), whose mean orders methods as the score does.

    Squared errors for R2 and the mean squared error, absolute ones for the mean absolute error, and
    so on.

    Examples
    --------
    >>> item_losses("r2", np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    array([0., 4.])
    """
    errors = predicted - truth
    if name == "explained_variance":
        errors = errors - np.average(errors, axis=-1, weights=weights)[..., None]
    if name in ("neg_mean_absolute_error", "d2_absolute_error_score"):
        return np.abs(errors)
    if name == "neg_mean_absolute_percentage_error":
        return np.abs(errors) / np.maximum(np.abs(truth), np.finfo(np.float64).eps)
    return np.asarray(errors**2)


def _beside(loss: Float64, of_constant: float) -> Float64:
    """1 - loss / loss of a constant; where that is 0, 1 for no loss and 0 for any."""
    if of_constant == 0.0:
        return np.where(loss == 0.0, 1.0, 0.0)
    return np.asarray(1 - loss / of_constant)

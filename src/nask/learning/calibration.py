"""Probabilities from decisions, learned from held-out ones: Platt or temperature scaling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC

from nask.arrays import Array, Float64, Positions

FOLDS = 5
# Factors go from probabilities that are all but equal to those that are all but certain: from
# e^-7 to e^7, in units of the spread.
POWERS = 7.0
# 14 is divided by 1.6 so many times: 1e-4 is left.
SECTIONS = 25


@dataclass(frozen=True)
class Calibration:
    """Scores d A + b of the classes, from what ``decision_function`` returns, d.

    Parameters
    ----------
    coefficients : ndarray of shape (n_classes, 1 for two classes, else n_classes)
    constants : ndarray of shape (n_classes,)
    """

    coefficients: Float64
    constants: Float64

    @classmethod
    def fit(
        cls, held_out: Float64, codes: Positions, sample_weight: Float64 | None = None
    ) -> Calibration | None:
        """Learn from held-out decisions; None where a class has a single member.

        Parameters
        ----------
        held_out : ndarray of shape (n,), or (n, n_classes)
        codes : ndarray of shape (n,)
            The number of each class.
        sample_weight : ndarray of shape (n,), optional
        """
        if int(np.bincount(codes).min()) < 2:
            return None
        held_out = held_out.reshape(len(codes), -1)
        unit = held_out.std(axis=0)
        unit[unit == 0] = 1.0
        logistic = LogisticRegression(max_iter=10_000)
        logistic.fit(held_out / unit, codes, sample_weight)
        coefficients, constants = logistic.coef_ / unit, logistic.intercept_
        if len(coefficients) == 1:
            coefficients = np.concatenate([np.zeros_like(coefficients), coefficients])
            constants = np.concatenate([[0.0], constants])
        return cls(coefficients, constants)

    @classmethod
    def scaled(
        cls, held_out: Float64, codes: Positions, sample_weight: Float64 | None = None
    ) -> Calibration | None:
        """Learn one factor of all decisions; None where a class has a single member.

        With it the most probable class is the most confident one, always (temperature scaling,
        Guo et al. 2017). It suits decisions that are on one scale and have no bias, such as those
        of ridge regressions.

        Parameters
        ----------
        held_out : ndarray of shape (n,), or (n, n_classes)
        codes : ndarray of shape (n,)
            The number of each class.
        sample_weight : ndarray of shape (n,), optional

        Examples
        --------
        >>> held_out, codes = np.array([-2.0, -1.0, 1.0, -1.0]), np.array([0, 0, 1, 1])
        >>> fitted = Calibration.scaled(held_out, codes)
        >>> fitted.constants, fitted.probabilities(np.array([-1e-9, 1e-9])).argmax(axis=1)
        (array([0., 0.]), array([0, 1]))
        """
        if int(np.bincount(codes).min()) < 2:
            return None
        decisions = held_out.reshape(len(codes), -1)
        if decisions.shape[1] == 1:
            decisions = np.hstack([np.zeros_like(decisions), decisions])
        unit = float(decisions.std()) or 1.0

        def loss(power: float) -> float:
            scores = decisions * (np.exp(power) / unit)
            losses = logsumexp(scores, axis=1) - scores[range(len(codes)), codes]
            return float(np.average(losses, weights=sample_weight))

        power = float(minimize_scalar(loss, bounds=(-POWERS, POWERS), method="bounded").x)
        factor = np.exp(power) / unit
        if held_out.ndim == 1:
            return cls(np.array([[0.0], [factor]]), np.zeros(2))
        return cls(factor * np.eye(decisions.shape[1]), np.zeros(decisions.shape[1]))

    def probabilities(self, decisions: Float64) -> Float64:
        """Probability of each class, (m, n_classes).

        Examples
        --------
        >>> even = Calibration(np.array([[0.0], [1.0]]), np.zeros(2))
        >>> even.probabilities(np.array([0.0, np.log(3.0)])).round(2)
        array([[0.5 , 0.5 ], [0.25, 0.75]])
        """
        scores = decisions.reshape(len(decisions), -1) @ self.coefficients.T + self.constants
        scores -= scores.max(axis=1, keepdims=True)
        odds = np.exp(scores)
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def decisions_of_folds(
    svm: SVC, gram: Array, codes: Positions, sample_weight: Float64 | None = None
) -> Float64 | None:
    """Decisions about each item by an SVM fitted on other folds; None where a class has one member.

    Parameters
    ----------
    svm : SVC
        Fitted once per fold, on the rows of the fold's training part.
    gram : ndarray of shape (n, n)
        Centred.
    codes : ndarray of shape (n,)
        The number of each class.
    sample_weight : ndarray of shape (n,), optional
    """
    smallest = int(np.bincount(codes).min())
    if smallest < 2:
        return None
    folds = StratifiedKFold(min(FOLDS, smallest), shuffle=True, random_state=0)
    given = None if sample_weight is None else {"sample_weight": sample_weight}
    decided: Float64 = cross_val_predict(
        svm, gram, codes, cv=folds, method="decision_function", params=given
    )
    return decided


def scaling_factors(
    scores: Float64, codes: Positions, weights: Float64, n_numbers: int = 2**21
) -> Float64:
    """The factor by which :meth:`Calibration.scaled` would multiply, of many methods at once.

    Parameters
    ----------
    scores : ndarray of shape (n_methods, n, n_classes)
        Held-out scores of classes.
    codes : ndarray of shape (n,)
    weights : ndarray of shape (n,)
    n_numbers : int
        Numbers that are held at a time.

    Examples
    --------
    >>> decisions, codes = np.array([-2.0, -1.0, 1.0, -1.0]), np.array([0, 0, 1, 1])
    >>> scores = np.stack([np.zeros(4), decisions], axis=1)
    >>> [factor] = scaling_factors(scores[None], codes, np.ones(4))
    >>> bool(abs(factor - Calibration.scaled(decisions, codes).coefficients[1, 0]) < 1e-4)
    True
    """
    n_methods, n, n_classes = scores.shape
    step = max(1, n_numbers // (n * n_classes))
    parts = [
        _factors(scores[first : first + step], codes, weights)
        for first in range(0, n_methods, step)
    ]
    return np.concatenate(parts)


def _factors(scores: Float64, codes: Positions, weights: Float64) -> Float64:
    """By golden sections of all intervals at once: the loss has one minimum in each."""
    unit = scores.std(axis=(1, 2))
    unit[unit == 0] = 1.0
    true = np.take_along_axis(scores, codes[None, :, None], axis=2)

    def loss(power: Float64) -> Float64:
        behind = (scores - true) * (np.exp(power) / unit)[:, None, None]
        return np.asarray(np.average(logsumexp(behind, axis=2), axis=1, weights=weights))

    golden = (np.sqrt(5) - 1) / 2
    low, high = np.full(len(scores), -POWERS), np.full(len(scores), POWERS)
    for _ in range(SECTIONS):
        left, right = high - golden * (high - low), low + golden * (high - low)
        falls = loss(left) > loss(right)
        low, high = np.where(falls, left, low), np.where(falls, high, right)
    return np.asarray(np.exp((low + high) / 2) / unit)

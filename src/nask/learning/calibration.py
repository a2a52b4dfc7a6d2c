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
    def of_folds(cls, svm: SVC, gram: Array, codes: Positions) -> Calibration | None:
        """Learn from decisions on held-out folds; None where a class has a single member.

        Parameters
        ----------
        svm : SVC
            Fitted once per fold, on the rows of the fold's training part.
        gram : ndarray of shape (n, n)
            Centred.
        codes : ndarray of shape (n,)
            The number of each class.
        """
        smallest = int(np.bincount(codes).min())
        if smallest < 2:
            return None
        folds = StratifiedKFold(min(FOLDS, smallest), shuffle=True, random_state=0)
        return cls.fit(
            cross_val_predict(svm, gram, codes, cv=folds, method="decision_function"), codes
        )

    @classmethod
    def fit(cls, held_out: Float64, codes: Positions) -> Calibration | None:
        """Learn from held-out decisions; None where a class has a single member.

        Parameters
        ----------
        held_out : ndarray of shape (n,), or (n, n_classes)
        codes : ndarray of shape (n,)
            The number of each class.
        """
        if int(np.bincount(codes).min()) < 2:
            return None
        held_out = held_out.reshape(len(codes), -1)
        unit = held_out.std(axis=0)
        unit[unit == 0] = 1.0
        logistic = LogisticRegression(max_iter=10_000).fit(held_out / unit, codes)
        coefficients, constants = logistic.coef_ / unit, logistic.intercept_
        if len(coefficients) == 1:
            coefficients = np.concatenate([np.zeros_like(coefficients), coefficients])
            constants = np.concatenate([[0.0], constants])
        return cls(coefficients, constants)

    @classmethod
    def scaled(cls, held_out: Float64, codes: Positions) -> Calibration | None:
        """Learn one factor of all decisions; None where a class has a single member.

        With it the most probable class is the most confident one, always (temperature scaling,
        Guo et al. 2017). It suits decisions that are on one scale and have no bias, such as those
        of ridge regressions.

        Parameters
        ----------
        held_out : ndarray of shape (n,), or (n, n_classes)
        codes : ndarray of shape (n,)
            The number of each class.

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
            return float(np.mean(logsumexp(scores, axis=1) - scores[range(len(codes)), codes]))

        # Between probabilities that are all but equal and all but certain.
        power = float(minimize_scalar(loss, bounds=(-7.0, 7.0), method="bounded").x)
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

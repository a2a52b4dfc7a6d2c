"""Probabilities from decisions: a logistic regression on held-out decisions (Platt scaling)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
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
    def fit(cls, svm: SVC, gram: Array, codes: Positions) -> Calibration | None:
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
        held_out = cross_val_predict(svm, gram, codes, cv=folds, method="decision_function")
        held_out = held_out.reshape(len(codes), -1)
        unit = held_out.std(axis=0)
        unit[unit == 0] = 1.0
        logistic = LogisticRegression(max_iter=10_000).fit(held_out / unit, codes)
        coefficients, constants = logistic.coef_ / unit, logistic.intercept_
        if len(coefficients) == 1:
            coefficients = np.concatenate([np.zeros_like(coefficients), coefficients])
            constants = np.concatenate([[0.0], constants])
        return cls(coefficients, constants)

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

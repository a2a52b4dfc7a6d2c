"""Classification of graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC

from nask.estimators.machine import KernelMachine
from nask.exceptions import ParameterError
from nask.kernels.parameters import is_positive
from nask.learning.support import class_confidence, most_confident
from nask.learning.targets import class_codes
from nask.messages import listed, quoted

CALIBRATION_FOLDS = 5
ClassWeight = Mapping[Any, float] | Literal["balanced"] | None
Calibration = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


@dataclass(kw_only=True, eq=False, repr=False)
class NASKClassifier(ClassifierMixin, KernelMachine):
    """A support vector classifier on the Neighborhood-Aware Star Kernel.

    The Gram matrix is centred and scaled to unit mean diagonal, so the same values of C make sense
    for every dataset and kernel parameter.

    Parameters
    ----------
    C : float, default=10.0
        Penalty of training errors.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn's SVC.
    probability : bool, default=True
        Whether to calibrate probabilities, at the cost of five more (cheap) fits of the SVM on
        the same Gram matrix.
    **kernel parameters
        All those of :class:`nask.NASK`, with the same defaults.

    Attributes
    ----------
    classes_ : ndarray
    kernel_ : NASK
        The fitted kernel, reduced to the support graphs.
    support_ : ndarray of int
        Positions of the support graphs in the training list.

    Notes
    -----
    ``predict_proba`` is a logistic regression (Platt scaling; multinomial for three classes or
    more) on decision values of held-out folds of the training graphs. It may disagree with
    ``predict`` where the decision is close.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = nask.NASKClassifier(n_hops=2, C=10.0).fit(mutag.graphs[::2], mutag.y[::2])
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.75)
    True
    >>> model.predict_proba(mutag.graphs[:1]).shape
    (1, 2)
    """

    class_weight: ClassWeight = None
    probability: bool = True

    def fit(self, X: Any, y: Any) -> Self:
        """Train on graphs and their classes."""
        graphs, target = self._training_data(X, y)
        self.classes_, codes = class_codes(target)
        counts = np.bincount(codes)
        weights = self._weights_by_code(self.classes_)
        model = SVC(kernel="precomputed", C=self.C, class_weight=weights)
        gram = self._learn(graphs, model, codes)
        self._calibration: Calibration | None = None
        if self.probability and counts.min() > 1:
            self._calibration = calibrate(model, gram, codes, int(counts.min()))
        return self

    def _weights_by_code(self, classes: npt.NDArray[Any]) -> dict[int, float] | str | None:
        return weights_by_code(self.class_weight, classes, type(self).__name__)

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Confidence: (m,) for two classes, positive for the second; (m, n_classes) otherwise."""
        return class_confidence(self._decide(X), len(self.classes_))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Most confident class of each graph."""
        decisions = self._decide(X)
        return np.asarray(self.classes_[most_confident(decisions, len(self.classes_))])

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Calibrated probability of each class, (m, n_classes)."""
        decision = self.decision_function(X)
        if self._calibration is None:
            raise ParameterError(
                "This NASKClassifier has no probabilities: it was fitted with probability=False, "
                "or a class had a single training graph. Fit with probability=True, as nask fit "
                "does, and two graphs or more of each class."
            )
        return probabilities(decision, *self._calibration)


def weights_by_code(
    given: ClassWeight, classes: npt.NDArray[Any], owner: str
) -> dict[int, float] | str | None:
    """The parameter ``class_weight`` by the number of a class.

    Examples
    --------
    >>> weights_by_code({"toxic": 3.0}, np.array(["safe", "toxic"]), "NASKClassifier")
    {1: 3.0}
    """
    if given is None or given == "balanced":
        return given
    expected = "None, 'balanced' or a dict of positive floats by class"
    if not isinstance(given, Mapping) or not all(map(is_positive, given.values())):
        raise ParameterError.expected("class_weight", owner, expected, given)
    number = {label: code for code, label in enumerate(classes.tolist())}
    unknown = [label for label in given if label not in number]
    if unknown:
        raise ParameterError(
            f"The 'class_weight' parameter of {owner} names the class {quoted(unknown[0])}, but "
            f"the training set has the classes {listed(number)}."
        )
    return {number[label]: float(weight) for label, weight in given.items()}


def calibrate(
    model: SVC, gram: npt.NDArray[Any], y: npt.NDArray[Any], smallest_class: int
) -> Calibration:
    """Logistic regression of the class on held-out decision values, as scores = d A + b."""
    folds = StratifiedKFold(min(CALIBRATION_FOLDS, smallest_class), shuffle=True, random_state=0)
    held_out = cross_val_predict(model, gram, y, cv=folds, method="decision_function")
    held_out = held_out.reshape(len(y), -1)
    unit = held_out.std(axis=0)
    unit[unit == 0] = 1.0
    logistic = LogisticRegression(max_iter=10_000).fit(held_out / unit, y)
    coefficients, constants = logistic.coef_ / unit, logistic.intercept_
    if len(coefficients) == 1:
        coefficients = np.concatenate([np.zeros_like(coefficients), coefficients])
        constants = np.concatenate([[0.0], constants])
    return coefficients, constants


def probabilities(
    decision: npt.NDArray[np.float64],
    coefficients: npt.NDArray[np.float64],
    constants: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Probability of each class from decision values and what :func:`calibrate` returns."""
    scores = decision.reshape(len(decision), -1) @ coefficients.T + constants
    scores -= scores.max(axis=1, keepdims=True)
    odds = np.exp(scores)
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))

"""What is to be explained: a sum of decision functions that a user asks for by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, get_args

import numpy as np

from nask.arrays import Array, Float64
from nask.choices import Scale, Scheme
from nask.exceptions import ParameterError
from nask.learning.calibration import Calibration
from nask.learning.held_out import class_scores
from nask.learning.votes import class_confidence
from nask.messages import listed, quoted


def scores_of(decisions: Float64, scheme: Scheme, n_classes: int) -> Float64:
    """Scores of all classes, (n_classes,), from the values of all functions, (n_functions,)."""
    row = decisions[None]
    scores = class_confidence(row) if scheme == "votes" else class_scores(row, scheme, n_classes)
    return np.asarray(scores[0])


@dataclass(frozen=True)
class Question:
    """Which decision is to be explained.

    Parameters
    ----------
    target : int or None
        The class in question, by number; None of a regression.
    against : int or None
        The class it is compared with, if any.
    n_classes : int
    factor, shift : float
        Of the logit, if that is asked for: factor * decision + shift.
    text : str
        What is explained, in words.
    """

    target: int | None
    against: int | None
    n_classes: int
    factor: float
    shift: float
    text: str

    def weights(self, decisions: Float64, scheme: Scheme) -> Float64:
        """The weight of every function in the decision.

        Parameters
        ----------
        decisions : ndarray of shape (n_functions,)
            Their values: the least duel of a class depends on them.
        scheme : {"ovr", "ovo", "votes"}
            Each class against the others; the least of a class's duels with other classes; or the
            votes of all duels.

        Examples
        --------
        >>> margin = Question(0, 2, 3, 1.0, 0.0, "")
        >>> margin.weights(np.array([0.9, 0.1, -2.0]), "ovr")
        array([ 1.,  0., -1.])
        >>> margin.weights(np.array([0.9, 0.1, -2.0]), "ovo")  # 0 : 2, and 2 : 0
        array([0., 2., 0.])
        >>> margin.weights(np.array([0.9, 0.1, -2.0]), "votes")
        array([0., 1., 0.])
        """
        if self.target is None:
            return np.ones(1)
        table = _score_weights(decisions, scheme, self.n_classes)
        weights = table[self.target].copy()
        if self.against is not None and scheme == "votes":
            # The duel of the two alone.
            weights[table[self.against] == 0] = 0.0
        elif self.against is not None:
            weights -= table[self.against]
        return np.asarray(self.factor * weights)


def _score_weights(decisions: Float64, scheme: Scheme, n_classes: int) -> Float64:
    """Weights of functions in the score of each class, (n_classes, n_functions).

    Of votes, which are no sum, a class has all its duels instead.
    """
    n_functions = len(decisions)
    table = np.zeros((n_classes, n_functions))
    if n_classes == 2:
        sign = -1.0 if scheme == "ovo" else 1.0
        table[:, 0] = -sign, sign
        return table
    if scheme == "ovr":
        return np.eye(n_classes)
    for number, (i, j) in enumerate(combinations(range(n_classes), 2)):
        table[i, number], table[j, number] = 1.0, -1.0
    if scheme == "ovo":
        duels = np.where(table == 0, np.inf, table * decisions)
        least = duels.argmin(axis=1)
        chosen = np.zeros_like(table)
        rows = np.arange(n_classes)
        chosen[rows, least] = table[rows, least]
        return chosen
    return table


def ask(
    classes: Array | None,
    confidence: Float64 | None,
    calibration: Calibration | None,
    schemes: Sequence[Scheme],
    target: Any,
    against: Any,
    scale: str,
) -> Question:
    """Make a question of what a user asks for.

    Parameters
    ----------
    classes : ndarray, or None
        None of a regression.
    confidence : ndarray of shape (n_classes,), or None
        Of the graph in all classes.
    calibration : Calibration or None
    schemes : sequence of str
        Of all functions of the model.
    target, against : class, or None
        By default the second of two classes, or the predicted one of several, and no other.
    scale : {"decision", "logit"}
    """
    if scale not in get_args(Scale):
        expected = f"one of {', '.join(map(repr, get_args(Scale)))}"
        raise ParameterError.expected("scale", "explain", expected, scale)
    if classes is None or confidence is None:
        if target is not None or against is not None or scale == "logit":
            raise ParameterError(
                "A regression has no classes: explain takes neither target nor against, nor "
                "scale='logit'."
            )
        return Question(None, None, 1, 1.0, 0.0, "predicted value")
    n_classes = len(classes)
    of = 1 if n_classes == 2 else int(confidence.argmax())
    of = of if target is None else _number(target, classes, "target")
    other = None if against is None else _number(against, classes, "against")
    if other == of:
        raise ParameterError(
            f"The decision for class {quoted(classes[of])} cannot be explained against that class "
            "itself: target and against are the same class. Choose another target, or against."
        )
    name = quoted(classes[of])
    if n_classes == 2:
        # The decision for a class is that against the other one.
        other = None
    if scale == "logit":
        return _logit(classes, confidence, calibration, schemes, of, other, name)
    if other is not None:
        text = f"decision for class {name} against {quoted(classes[other])}"
    elif "votes" in schemes and n_classes > 2:
        text = f"sum of the decisions for class {name} against each other one"
    else:
        text = f"decision for class {name}"
    return Question(of, other, n_classes, 1.0, 0.0, text)


def _logit(
    classes: Array,
    confidence: Float64,
    calibration: Calibration | None,
    schemes: Sequence[Scheme],
    of: int,
    other: int | None,
    name: str,
) -> Question:
    n_classes = len(classes)
    if calibration is None:
        raise ParameterError(
            "This model has no probabilities, so no logit: fit it with probability=True."
        )
    if n_classes == 2:
        factor = float(calibration.coefficients[1, 0] - calibration.coefficients[0, 0])
        shift = float(calibration.constants[1] - calibration.constants[0])
        text = f"logit of the probability of class {name}"
        return Question(of, None, 2, factor, shift if of == 1 else -shift, text)
    if "votes" in schemes:
        raise ParameterError(
            "The probabilities of an SVM for several classes come from votes, which are no sum "
            "over nodes: its logit cannot be shared out. Explain scale='decision', or fit "
            "learner='ridge'."
        )
    if other is None:
        rivals = np.where(np.arange(n_classes) == of, -np.inf, confidence)
        other = int(rivals.argmax())
    # One factor for all classes (temperature scaling).
    factor = float(calibration.coefficients[of, of])
    text = f"log odds of class {name} against {quoted(classes[other])}"
    return Question(of, other, n_classes, factor, 0.0, text)


def _number(given: Any, classes: Array, parameter: str) -> int:
    known = classes.tolist()
    try:
        return int(known.index(given))
    except ValueError:
        raise ParameterError(
            f"The {parameter!r} {quoted(given)} is not a class of this model. Its classes are "
            f"{listed(known)}."
        ) from None

"""Sets and intervals of a model, once all that is asked of it is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nask.arrays import Float64, Mask
from nask.exceptions import ParameterError
from nask.kernels.parameters import is_number
from nask.learning.calibration import Calibration
from nask.learning.conformal import Conformity
from nask.learning.decisions import most_confident

COVERAGES = "a float in the range (0, 1)"


def check_coverage(coverage: Any, owner: str) -> float:
    """Return a coverage; raise unless it is a share between 0 and 1.

    Examples
    --------
    >>> check_coverage(0.9, "predict_set")
    0.9
    >>> check_coverage(90, "predict_set")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'coverage' parameter of predict_set must be a float in the
    range (0, 1). Got 90 instead.
    """
    if not is_number(coverage) or not 0 < coverage < 1:
        raise ParameterError.expected("coverage", owner, COVERAGES, coverage)
    return float(coverage)


def check_by_class(by_class: Any) -> None:
    """Raise unless it is a bool."""
    if not isinstance(by_class, (bool, np.bool_)):
        raise ParameterError.expected("by_class", "predict_set", "a bool", by_class)


def known_errors(conformity: Conformity | None, owner: str) -> Conformity:
    """Return what a model knows of its errors; raise where it knows nothing.

    Parameters
    ----------
    conformity : Conformity or None
    owner : str
        Name of the model's class, for the message.
    """
    if conformity is None:
        raise ParameterError(
            f"This {owner} does not know how wrong it is about what it has not seen: it was fitted "
            "without held-out predictions (probability=False or intervals=False, or on a single "
            "graph of a class, or in all), or saved by a nask that did not keep them. Fit it anew "
            "with the default, on two graphs or more of each class."
        )
    return conformity


def class_sets(
    conformity: Conformity | None,
    calibration: Calibration | None,
    decide: Callable[[], Float64],
    coverage: float,
    by_class: bool,
    owner: str,
) -> Mask:
    """Tell which classes are in the set of each item, (m, n_classes).

    Parameters
    ----------
    conformity, calibration
        What the model knows.
    decide : callable
        Called once all else is known to be right: returns what ``decision_function`` does.
    coverage, by_class
        As in :meth:`Conformity.sets`.
    owner : str
        Name of the model's class, for messages.
    """
    coverage = check_coverage(coverage, "predict_set")
    check_by_class(by_class)
    known = known_errors(None if calibration is None else conformity, owner)
    assert calibration is not None
    decisions = decide()
    probabilities = calibration.probabilities(decisions)
    return known.sets(probabilities, most_confident(decisions), coverage, by_class)


def number_intervals(
    conformity: Conformity | None, predict: Callable[[], Float64], coverage: float, owner: str
) -> Float64:
    """Lower and upper end of the interval of each item, (m, 2).

    Parameters
    ----------
    conformity : Conformity or None
        What the model knows.
    predict : callable
        Called once all else is known to be right.
    coverage : float
    owner : str
        Name of the model's class, for messages.
    """
    coverage = check_coverage(coverage, "predict_interval")
    known = known_errors(conformity, owner)
    known.half_width(coverage)
    return known.interval(predict(), coverage)

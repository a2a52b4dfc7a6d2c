"""Weights of classes, by their number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from nask.arrays import Array, Float64, Positions
from nask.exceptions import ParameterError
from nask.io.target import is_number
from nask.messages import listed, quoted

ClassWeight = Mapping[Any, float] | Literal["balanced"] | None
"""As users give them, by class."""
CodeWeight = Mapping[int, float] | str | None
"""By the number of a class."""


def weights_by_code(given: ClassWeight, classes: Array, owner: str) -> CodeWeight:
    """The parameter ``class_weight`` by the number of a class.

    Examples
    --------
    >>> weights_by_code({"toxic": 3.0}, np.array(["safe", "toxic"]), "NASKClassifier")
    {1: 3.0}
    """
    if given is None or given == "balanced":
        return given
    expected = "None, 'balanced' or a dict of positive floats by class"
    if not isinstance(given, Mapping) or not all(
        is_number(weight) and weight > 0 for weight in given.values()
    ):
        raise ParameterError.expected("class_weight", owner, expected, given)
    number = {label: code for code, label in enumerate(classes.tolist())}
    unknown = [label for label in given if label not in number]
    if unknown:
        raise ParameterError(
            f"The 'class_weight' parameter of {owner} names the class {quoted(unknown[0])}, but "
            f"the training set has the classes {listed(number)}."
        )
    return {number[label]: float(weight) for label, weight in given.items()}


def weight_of_classes(class_weight: CodeWeight, codes: Positions, n_classes: int) -> Float64:
    """Weight of each class. (scikit-learn's function for it takes longer than a small fit.)

    Examples
    --------
    >>> weight_of_classes("balanced", np.array([0, 0, 0, 1]), 2)
    array([0.66666667, 2.        ])
    """
    if class_weight is None:
        return np.ones(n_classes)
    if isinstance(class_weight, str):
        return np.asarray(len(codes) / (n_classes * np.bincount(codes)))
    return np.array([class_weight.get(code, 1.0) for code in range(n_classes)])

"""Weights of classes, by their number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from nask.arrays import Array, Float64, Mask, Positions
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


def weight_of_classes(
    class_weight: CodeWeight,
    codes: Positions,
    n_classes: int,
    sample_weight: Float64 | None = None,
) -> Float64:
    """Weight of each class. (scikit-learn's function for it takes longer than a small fit.)

    Balanced ones make all classes count alike, whatever the weights of items.

    Examples
    --------
    >>> weight_of_classes("balanced", np.array([0, 0, 0, 1]), 2)
    array([0.66666667, 2.        ])
    >>> weight_of_classes("balanced", np.array([0, 1]), 2, np.array([3.0, 1.0]))
    array([0.66666667, 2.        ])
    """
    if class_weight is None:
        return np.ones(n_classes)
    if isinstance(class_weight, str):
        total = len(codes) if sample_weight is None else sample_weight.sum()
        return np.asarray(total / (n_classes * np.bincount(codes, sample_weight)))
    return np.array([class_weight.get(code, 1.0) for code in range(n_classes)])


def weight_of_items(
    class_weight: CodeWeight,
    codes: Positions,
    n_classes: int,
    sample_weight: Float64 | None = None,
    known: Mask | None = None,
) -> Float64:
    """Weight of each item times that of its class.

    Parameters
    ----------
    class_weight : dict by number, "balanced" or None
    codes : ndarray of shape (n,)
    n_classes : int
    sample_weight : ndarray of shape (n,), optional
    known : ndarray of bool of shape (n,), optional
        Items whose classes decide what is balanced; all by default.

    Examples
    --------
    >>> weight_of_items({1: 10.0}, np.array([0, 1, 1]), 2, np.array([1.0, 2.0, 3.0]))
    array([ 1., 20., 30.])
    """
    seen = codes if known is None else codes[known]
    own = sample_weight if known is None or sample_weight is None else sample_weight[known]
    weights: Float64 = weight_of_classes(class_weight, seen, n_classes, own)[codes]
    return weights if sample_weight is None else weights * sample_weight

"""P of two elements, literally: by the equations of each kind of similarity."""

from __future__ import annotations

import math

from nask.attributes.euclidean import categorical_distance, numerical_distance
from nask.attributes.gower import (
    categorical_similarity,
    exponential_transform,
    numerical_similarity,
)
from nask.attributes.similarity import AttributeSimilarity
from nask.graph.elements import Elements

Values = tuple[list[float], list[int]]


def element_similarity(x: Values, y: Values, similarity: AttributeSimilarity) -> float:
    """Return P of two elements: the sum over d of w_d exp(-gamma_d (1 - s_d)).

    It is summed as the base, which is P of dissimilar elements, plus what exceeds it. With pruning,
    the core factor of two entirely dissimilar cores is then exactly 0, not a rounding error.

    If P is joint, it is exp(-sum over d of w_d gamma_d * squared distance).
    """
    if similarity.joint:
        return math.exp(-_distance(x, y, similarity))
    return similarity.base + _excess(x, y, similarity)


def values_of(elements: Elements, x: int) -> Values:
    """Return the numbers and the codes of one element, in lists: loops over arrays are slow."""
    return elements.numerical[:, x].tolist(), elements.categorical[:, x].tolist()


def _distance(x: Values, y: Values, similarity: AttributeSimilarity) -> float:
    total = 0.0
    scales = (similarity.numerical_weight * similarity.numerical_gamma).tolist()
    for number, other, scale in zip(x[0], y[0], scales, strict=True):
        # An infinite distance would make NaN of a scale of 0.
        total += scale * numerical_distance(number, other) if scale > 0 else 0.0
    scales = (similarity.categorical_weight * similarity.categorical_gamma).tolist()
    for code, other_code, scale in zip(x[1], y[1], scales, strict=True):
        total += scale * categorical_distance(code, other_code)
    return total


def _excess(x: Values, y: Values, similarity: AttributeSimilarity) -> float:
    excess = 0.0
    gammas, weights = similarity.numerical_gamma.tolist(), similarity.numerical_weight.tolist()
    for own, other, gamma, weight in zip(x[0], y[0], gammas, weights, strict=True):
        s = numerical_similarity(own, other)
        excess += weight * (exponential_transform(s, gamma) - exponential_transform(0.0, gamma))
    gammas, weights = similarity.categorical_gamma.tolist(), similarity.categorical_weight.tolist()
    for own, other, gamma, weight in zip(x[1], y[1], gammas, weights, strict=True):
        s = categorical_similarity(own, other)
        excess += weight * (exponential_transform(s, gamma) - exponential_transform(0.0, gamma))
    return excess

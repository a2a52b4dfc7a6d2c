"""P of pairs of elements of one batch, pair by pair, such as of the two ends of every edge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nask.arrays import Float64, Index
from nask.attributes.euclidean import FROM_MISSING
from nask.attributes.similarity import AttributeSimilarity
from nask.graph.elements import Elements

# Numbers of sparse node features that are made dense at once: 32 MB.
DENSE_NUMBERS = 4_000_000


def similarity_of_pairs(
    elements: Elements, features: Any, first: Index, second: Index, s: AttributeSimilarity
) -> Float64:
    """Return P of ``first[k]`` and ``second[k]`` for every k.

    Parameters
    ----------
    elements : Elements
    features : csr_array or None
        Sparse node features, if there are any.
    first, second : ndarray
        Positions of elements.

    Examples
    --------
    >>> import nask
    >>> kernel = nask.NASK().fit([nask.AttributedGraph(3, (), {"x": [0.0, 0.5, None]})])
    >>> stars = kernel.fitted_.graphs
    >>> pairs = np.array([0, 0, 0]), np.array([0, 1, 2])
    >>> similarity_of_pairs(stars.batch.nodes, None, *pairs, stars.spec.nodes).round(3)
    array([1.   , 0.607, 0.368])
    """
    height = max(1, DENSE_NUMBERS // max(1, s.n_features))
    parts = [
        _similarity(elements, features, first[k : k + height], second[k : k + height], s)
        for k in range(0, len(first), height)
    ]
    return np.concatenate([np.empty(0), *parts])


def _similarity(
    elements: Elements, features: Any, first: Index, second: Index, s: AttributeSimilarity
) -> Float64:
    total = np.full(len(first), s.base)
    for gamma, weight, x, y in _numbers(elements, features, first, second, s):
        if s.joint:
            with np.errstate(over="ignore"):
                total += (gamma * weight * (x - y) ** 2) if weight > 0 else 0.0
        else:
            distance = np.abs(x - y)
            near = distance < 1  # and so not missing
            total[near] += weight * (np.exp(-gamma * distance[near]) - np.exp(-gamma))
    for gamma, weight, codes in zip(
        s.categorical_gamma, s.categorical_weight, elements.categorical, strict=True
    ):
        x, y = codes[first], codes[second]
        if s.joint:
            both, one = (x >= 0) & (y >= 0), (x >= 0) != (y >= 0)
            total += gamma * weight * ((both & (x != y)) + FROM_MISSING * one)
        else:
            total -= weight * np.expm1(-gamma) * ((x == y) & (y >= 0))
    return np.exp(-total) if s.joint else total


def _numbers(
    elements: Elements, features: Any, first: Index, second: Index, s: AttributeSimilarity
) -> Iterator[tuple[float, float, Float64, Float64]]:
    """Yield gamma, weight and the numbers of both ends, of every number and node feature."""
    named = zip(s.numerical_gamma, s.numerical_weight, elements.numerical, strict=True)
    for gamma, weight, numbers in named:
        yield float(gamma), float(weight), numbers[first], numbers[second]
    if features is not None:
        ends = (np.ascontiguousarray(features[side].toarray().T) for side in (first, second))
        for x, y in zip(*ends, strict=True):
            yield s.feature_gamma, s.feature_weight, x, y

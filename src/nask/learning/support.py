"""What a trained support vector machine is: coefficients on support graphs, and a constant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
ClassWeight = Mapping[int, float] | str | None


@dataclass(frozen=True)
class Centring:
    """Centring in feature space and scaling to unit mean diagonal, so that one C grid serves.

    A support vector machine with a constant term does not see the centring itself: its dual
    coefficients sum to zero. It makes the scale meaningful, the mean squared distance of a graph
    from the mean of all.

    Examples
    --------
    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> centring = Centring.fit(K)
    >>> centring.apply(K)
    array([[ 1., -1.],
           [-1.,  1.]])
    """

    column_means: Floats
    scale: float

    @classmethod
    def fit(cls, gram: npt.NDArray[Any]) -> Centring:
        """Learn from the Gram matrix of the training graphs."""
        means = gram.mean(axis=0, dtype=np.float64)
        own = float(np.trace(gram, dtype=np.float64)) / len(gram)
        spread = float(own - means.mean())
        # Training graphs that are all alike leave rounding errors only: do not magnify them.
        rounding = 1e3 * float(np.finfo(gram.dtype).eps) * own
        return cls(means, spread if spread > rounding else 1.0)

    def apply(self, gram: npt.NDArray[Any], dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
        """Centre and scale the kernel between some graphs and the training graphs."""
        row_means = gram.mean(axis=1, dtype=np.float64)
        # One array and no more: that of ten thousands of nodes takes gigabytes.
        centred = np.empty(gram.shape, dtype=dtype)
        np.subtract(gram, self.column_means, out=centred, casting="same_kind")
        centred -= row_means[:, None]
        centred += self.column_means.mean()
        centred /= self.scale
        return centred


@dataclass(frozen=True)
class SupportMachine:
    """Decision functions f(G) = sum over support graphs of coefficient * K(G_i, G) + constant.

    Parameters
    ----------
    coefficients : ndarray of shape (n_functions, n_support)
        One function for a regression or two classes, one a pair of classes otherwise.
    constants : ndarray of shape (n_functions,)
    """

    coefficients: Floats
    constants: Floats

    @classmethod
    def from_libsvm(cls, model: Any, centring: Centring) -> SupportMachine:
        """Take the solution out of a fitted SVC or SVR, and the centring into it."""
        n_classes = len(getattr(model, "classes_", ()))
        dual, constants = model.dual_coef_, model.intercept_
        if n_classes > 2:
            dual = _by_pair(dual, model.n_support_)
        coefficients = dual / centring.scale
        shift = coefficients @ centring.column_means[model.support_]
        return cls(coefficients, constants - shift)

    def decide(self, gram: npt.NDArray[Any]) -> Floats:
        """Values of the functions, graphs x functions, from the kernel with the support graphs."""
        return np.asarray(gram @ self.coefficients.T + self.constants, dtype=np.float64)


def _by_pair(dual: Floats, n_support: npt.NDArray[np.int32]) -> Floats:
    """Unfold libsvm's coefficients: for classes i < j, row j - 1 holds those of class i's
    support vectors, row i those of class j's."""
    stops = np.cumsum(n_support)
    own = [slice(stop - n, stop) for stop, n in zip(stops, n_support, strict=True)]
    pairs = list(combinations(range(len(n_support)), 2))
    unfolded = np.zeros((len(pairs), dual.shape[1]))
    for row, (i, j) in zip(unfolded, pairs, strict=True):
        row[own[i]], row[own[j]] = dual[j - 1, own[i]], dual[i, own[j]]
    return unfolded


def most_confident(decisions: Floats, n_classes: int) -> npt.NDArray[np.intp]:
    """Number of the chosen class of each graph, from one decision a pair of classes.

    Examples
    --------
    >>> most_confident(np.array([[0.5], [-2.0]]), 2)
    array([1, 0])
    """
    if n_classes == 2:
        return np.asarray(decisions[:, 0] > 0, dtype=np.intp)
    return np.asarray(one_versus_rest(decisions, n_classes).argmax(axis=1))


def class_confidence(decisions: Floats, n_classes: int) -> Floats:
    """What a classifier's ``decision_function`` returns: one number of two classes, else one a
    class."""
    return decisions[:, 0] if n_classes == 2 else one_versus_rest(decisions, n_classes)


def one_versus_rest(decisions: Floats, n_classes: int) -> Floats:
    """One score a class from one decision a pair: votes, ties broken by summed confidence.

    Examples
    --------
    >>> one_versus_rest(np.array([[1.0, 1.0, -1.0]]), 3).argmax(axis=1)  # 0 beats 1 and 2
    array([0])
    """
    votes = np.zeros((len(decisions), n_classes))
    confidence = np.zeros_like(votes)
    for (i, j), decision in zip(combinations(range(n_classes), 2), decisions.T, strict=True):
        votes[:, i] += decision >= 0
        votes[:, j] += decision < 0
        confidence[:, i] += decision
        confidence[:, j] -= decision
    # Squeezed into (-1/3, 1/3), so that confidence never outweighs a vote.
    scores: Floats = votes + confidence / (3 * (np.abs(confidence) + 1))
    return scores


def weight_of_classes(
    class_weight: ClassWeight, codes: npt.NDArray[np.intp], n_classes: int
) -> Floats:
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

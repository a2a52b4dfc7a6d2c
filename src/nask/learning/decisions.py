"""Decision functions on a kernel: sums over training graphs, or nodes."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np

from nask.arrays import Array, Float64, Floats, Positions
from nask.choices import Scheme
from nask.learning.calibration import Calibration
from nask.learning.conformal import Conformity

# Of decisions, which are of the size of their targets, 1 and -1.
ROUNDING = 1e-10


@dataclass(frozen=True)
class DecisionFunctions:
    """f(G) = sum over graphs of coefficient * K(G_i, G) + constant.

    Parameters
    ----------
    coefficients : ndarray of shape (n_functions, n_graphs)
        One function for a regression or two classes, otherwise one per class or per pair of
        classes.
    constants : ndarray of shape (n_functions,)
    """

    coefficients: Float64
    constants: Float64

    def decide(self, gram: Array) -> Float64:
        """Values of the functions, new graphs x functions, from the kernel with the graphs."""
        return np.asarray(gram @ self.coefficients.T + self.constants, dtype=np.float64)


@dataclass(frozen=True)
class KernelModel(DecisionFunctions):
    """A fitted learner: decision functions of its support graphs.

    Parameters
    ----------
    coefficients, constants : ndarray
        As in :class:`DecisionFunctions`, of the support graphs.
    support : ndarray of shape (n_support,)
        Positions of the support graphs, or nodes, among those learned from.
    calibration : Calibration or None
        What makes probabilities of the confidence in classes.
    conformity : Conformity or None
        How wrong the learner was about training items that it had not seen.
    """

    support: Positions
    calibration: Calibration | None = None
    conformity: Conformity | None = field(default=None, kw_only=True)

    @property
    @abstractmethod
    def scheme(self) -> Scheme:
        """How the functions tell classes apart."""

    @abstractmethod
    def confidence(self, gram: Array) -> Float64:
        """Confidence in the second of two classes, (m,), or in each class, (m, n_classes).

        Parameters
        ----------
        gram : ndarray of shape (m, n_support)
            The kernel between new graphs and the support graphs.
        """


def best_class(scores: Floats) -> Positions:
    """Number of the class with the highest score, along the last axis; the first of equal ones.

    Scores that differ by rounding errors are equal: those of a kernel to which all graphs are alike
    would otherwise be told apart by noise.

    Examples
    --------
    >>> best_class(np.array([[0.2, 0.7], [1e-17, 2e-17]])), best_class(np.array([[0.1, 0.3, 0.3]]))
    (array([1, 0]), array([1]))
    """
    if scores.shape[-1] == 2:
        # Several times as fast as to look for the largest of two.
        return np.asarray(scores[..., 1] > scores[..., 0] + ROUNDING, dtype=np.intp)
    highest = scores.max(axis=-1, keepdims=True)
    return np.asarray((scores >= highest - ROUNDING).argmax(axis=-1))


def most_confident(confidence: Float64) -> Positions:
    """Number of the chosen class of each graph.

    Examples
    --------
    >>> most_confident(np.array([0.5, -2.0])), most_confident(np.array([[0.5, 2.0, -1.0]]))
    (array([1, 0]), array([1]))
    """
    if confidence.ndim == 1:
        return np.asarray(confidence > ROUNDING, dtype=np.intp)
    return best_class(confidence)

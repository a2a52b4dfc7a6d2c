"""SVMs on one Gram matrix for a path of penalties, compiled.

A search fits thousands of small SVMs on the same matrices. scikit-learn's SVC takes a millisecond
per fit, most of it checks and copies, and begins each from nothing. Here the solution for one C is
the start for the next, and the matrix is read where it lies. ``benchmarks/solvers.py`` measures
both. (A model that is kept is fitted by SVC.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, starmap
from typing import Any

import numpy as np

from nask.arrays import Float64, Floats, Positions
from nask.compiled.compiling import compiled, inner
from nask.learning.centring import Centring
from nask.learning.class_weights import CodeWeight, weight_of_items
from nask.learning.decisions import DecisionFunctions
from nask.learning.votes import class_confidence

# The optimality conditions hold to this; that of libsvm.
TOLERANCE = 1e-3
# What the curvature between two graphs is taken for where rounding leaves none; as libsvm does.
LEAST_CURVATURE = 1e-12
# A positive definite matrix needs far fewer steps; one that is not might go round for ever.
STEPS_PER_GRAPH, STEPS = 200, 1_000_000


def confidences(
    gram: Floats,
    codes: Positions,
    train: Positions,
    test: Positions,
    penalties: Sequence[float],
    class_weight: CodeWeight,
    sample_weight: Float64 | None = None,
) -> Iterator[Float64]:
    """Confidence of test graphs for each C, in the order of the penalties.

    In the second of two classes, (n_test,), or in each of several, (n_test, n_classes).

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        Of all graphs, positive semidefinite.
    codes : ndarray of shape (n,)
        Their classes, numbered from 0.
    train, test : ndarray of int
        Positions of the graphs to learn from, which must have all classes, and of those to predict.
    penalties : sequence of float
        Ascending.
    class_weight : dict by number of the class, "balanced" or None
    sample_weight : ndarray of shape (n,), optional
        Weights of all graphs.

    Examples
    --------
    >>> x = np.array([-2.0, -1.0, 1.0, 2.0, 3.0])
    >>> codes, train, test = np.array([0, 0, 1, 1, 1]), np.arange(4), np.array([4])
    >>> found = confidences(np.outer(x, x), codes, train, test, [0.1, 10.0], None)
    >>> [(own > 0).astype(int) for own in found]
    [array([1]), array([1])]
    """
    square = gram[np.ix_(train, train)]
    weights = None if sample_weight is None else sample_weight[train]
    centring = Centring.fit(square, weights)
    new = centring.apply(gram[np.ix_(test, train)])
    square = centring.apply(square, dtype=gram.dtype)
    for svm in penalty_path(square, codes[train], penalties, class_weight, weights):
        yield class_confidence(svm.decide(new))


def penalty_path(
    gram: Floats,
    codes: Positions,
    penalties: Sequence[float],
    class_weight: CodeWeight = None,
    sample_weight: Float64 | None = None,
) -> Iterator[DecisionFunctions]:
    """One SVM for each C, in ascending order; one function for each pair of classes.

    Once no coefficient reaches its bound C, a larger C changes nothing: the same SVM comes again.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        Of the training graphs, positive semidefinite.
    codes : ndarray of shape (n,)
        Their classes, numbered from 0.
    penalties : sequence of float
        Ascending.
    class_weight : dict by number of the class, "balanced" or None
    sample_weight : ndarray of shape (n,), optional

    Examples
    --------
    >>> gram = np.array([[4.0, -2.0, -2.0], [-2.0, 1.0, 1.0], [-2.0, 1.0, 1.0]])
    >>> [svm] = penalty_path(gram, np.array([1, 0, 0]), [100.0])
    >>> svm.decide(gram[:, :]).ravel().round(3)
    array([ 1., -1., -1.])
    """
    n, n_classes = len(gram), int(codes.max()) + 1
    weights = weight_of_items(class_weight, codes, n_classes, sample_weight)
    pairs = [(0, 1)] if n_classes == 2 else list(combinations(range(n_classes), 2))
    coefficients = np.zeros((len(penalties), len(pairs), n))
    constants = np.zeros((len(penalties), len(pairs)))
    # One pair after the other, so that the window of the Gram of one alone is in memory.
    for k, (i, j) in enumerate(pairs):
        rows = np.flatnonzero((codes == i) | (codes == j))
        # Of two classes the second is positive, of several the first of each pair: as in libsvm.
        sign = np.where(codes[rows] == (j if n_classes == 2 else i), 1.0, -1.0)
        window = gram if len(rows) == n else np.ascontiguousarray(gram[np.ix_(rows, rows)])
        bounds = weights[rows]
        alpha, slope, constant, separated = np.zeros(len(rows)), -sign, 0.0, False
        for step, C in enumerate(penalties):
            if not separated:
                constant = solve(window, sign, C * bounds, alpha, slope)
                separated = bool(alpha.max() < C * bounds.min())
            coefficients[step, k, rows], constants[step, k] = alpha * sign, constant
    return starmap(DecisionFunctions, zip(coefficients, constants, strict=True))


@inner
def _barrier(present: bool) -> float:
    return np.inf if present else 0.0


@compiled
def solve(  # noqa: PLR0912
    K: Any, sign: Any, bound: Any, alpha: Any, slope: Any
) -> float:
    """Solve the dual problem in place by moving two coefficients at a time; return the constant.

    The pair is chosen by second-order information (Fan, Chen and Lin, JMLR 2005).

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Kernel between the graphs of two classes.
    sign : ndarray of shape (n,)
        1 for graphs of one class, -1 for those of the other.
    bound : ndarray of shape (n,)
        Largest value of each coefficient: C times the weight of the class.
    alpha : ndarray of shape (n,)
        The coefficients, to start from; changed in place.
    slope : ndarray of shape (n,)
        K (alpha * sign) - sign, kept up to date in place.
    """
    n = len(alpha)
    # What keeps a coefficient from rising or falling along its sign: 0 if nothing, else infinity.
    # Added, since branches that no one can predict would take most of the time.
    diagonal, no_rise, no_fall = np.empty(n), np.empty(n), np.empty(n)
    for k in range(n):
        diagonal[k] = K[k, k]
        at_top, at_zero = _barrier(alpha[k] >= bound[k]), _barrier(alpha[k] <= 0)
        no_rise[k], no_fall[k] = (at_top, at_zero) if sign[k] > 0 else (at_zero, at_top)
    highest, lowest, step = 0.0, 0.0, 0.0
    row = other = K[0]
    for _ in range(STEPS + STEPS_PER_GRAPH * n):
        i, highest, lowest = -1, -np.inf, np.inf
        for k in range(n):
            slope[k] += step * (row[k] - other[k])
            if -slope[k] - no_rise[k] > highest:
                i, highest = k, -slope[k]
            if -slope[k] + no_fall[k] < lowest:
                lowest = -slope[k]
        if i < 0 or highest - lowest < TOLERANCE:
            break
        row = K[i]
        j, best, step = -1, 0.0, 0.0
        for k in range(n):
            gap = highest + slope[k] - no_fall[k]
            curvature = max(diagonal[i] + diagonal[k] - 2 * row[k], LEAST_CURVATURE)
            gain = gap * gap / curvature if gap > 0 else 0.0
            if gain > best:
                j, best, step = k, gain, gap / curvature
        if j < 0:
            break
        other = K[j]
        room_i = bound[i] - alpha[i] if sign[i] > 0 else alpha[i]
        room_j = alpha[j] if sign[j] > 0 else bound[j] - alpha[j]
        step = min(step, room_i, room_j)
        alpha[i] += sign[i] * step
        alpha[j] -= sign[j] * step
        # One that reaches its bound is set to it exactly: rounding must not leave it free.
        if step == room_i:
            alpha[i] = bound[i] if sign[i] > 0 else 0.0
        if step == room_j:
            alpha[j] = 0.0 if sign[j] > 0 else bound[j]
        for k in (i, j):
            at_top, at_zero = _barrier(alpha[k] >= bound[k]), _barrier(alpha[k] <= 0)
            no_rise[k], no_fall[k] = (at_top, at_zero) if sign[k] > 0 else (at_zero, at_top)
    total, free = 0.0, 0
    for k in range(n):
        if no_rise[k] + no_fall[k] == 0:
            total, free = total - slope[k], free + 1
    return total / free if free else (highest + lowest) / 2

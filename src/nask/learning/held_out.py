"""Kernel ridge regression with exact held-out decisions: all folds from one inverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lapack

from nask.arrays import Float64, Positions
from nask.choices import Multiclass
from nask.compiled.compiling import compiled, inner
from nask.learning.decisions import DecisionFunctions

# Columns that are solved for at once: with the rows of 400 test graphs they stay in the cache.
COLUMNS = 256
SQUARE = 32


@dataclass(frozen=True, eq=False)
class Problem:
    """What one or more functions are learned from.

    Parameters
    ----------
    items : ndarray of shape (m,)
        Positions of the graphs or nodes.
    targets : ndarray of shape (m, n_functions)
        1 or -1.
    """

    items: Positions
    targets: Float64


def one_against_rest(codes: Positions, n_classes: int) -> list[Problem]:
    """One function per class on all items; one in all, for the second, where there are two classes.

    Examples
    --------
    >>> [problem] = one_against_rest(np.array([0, 1, 2]), 3)
    >>> problem.targets
    array([[ 1., -1., -1.],
           [-1.,  1., -1.],
           [-1., -1.,  1.]])
    """
    positive = np.arange(1, 2) if n_classes == 2 else np.arange(n_classes)
    targets = np.where(codes[:, None] == positive, 1.0, -1.0)
    return [Problem(np.arange(len(codes)), targets)]


def one_against_one(codes: Positions, n_classes: int) -> list[Problem]:
    """One function per pair of classes, positive for the first, on the items of these two.

    Examples
    --------
    >>> pairs = one_against_one(np.array([0, 1, 2]), 3)
    >>> [(problem.items.tolist(), problem.targets[:, 0].tolist()) for problem in pairs]
    [([0, 1], [1.0, -1.0]), ([0, 2], [1.0, -1.0]), ([1, 2], [1.0, -1.0])]
    """
    problems = []
    for i, j in combinations(range(n_classes), 2):
        items = np.flatnonzero((codes == i) | (codes == j))
        problems.append(Problem(items, np.where(codes[items] == i, 1.0, -1.0)[:, None]))
    return problems


def class_scores(decisions: Float64, multiclass: Multiclass, n_classes: int) -> Float64:
    """Score of each class from the values of all functions, along the last axis.

    Of pairs of classes, the score of a class is its least decision against another one: it has to
    win against all. (Where classes are many, the mean of a class's decisions is far worse: most of
    them are about pairs that a graph belongs to neither of.)

    Examples
    --------
    >>> class_scores(np.array([[0.9, 0.1, -2.0]]), "ovo", 3)  # 0 : 1, 0 : 2, 1 : 2
    array([[ 0.1, -2. , -0.1]])
    >>> class_scores(np.array([[0.5]]), "ovr", 2)
    array([[-0.5,  0.5]])
    """
    if n_classes == 2:
        # Of one against one the first class is positive, otherwise the second.
        first = decisions if multiclass == "ovo" else -decisions
        return np.concatenate([first, -first], axis=-1)
    if multiclass == "ovr":
        return decisions
    scores = np.full((n_classes, *decisions.shape[:-1]), np.inf)
    for number, (i, j) in enumerate(combinations(range(n_classes), 2)):
        decision = decisions[..., number]
        np.minimum(scores[i], decision, out=scores[i])
        np.minimum(scores[j], -decision, out=scores[j])
    return np.moveaxis(scores, 0, -1)


class HeldOut(NamedTuple):
    """Decisions about every item by functions that have not learned from it, and these functions.

    Parameters
    ----------
    decisions : ndarray of shape (n_folds, n, n_functions)
        About the test items of a fold: by the functions learned from all others. About each of the
        others: by functions learned from all but the test items and itself, which is leave-one-out
        within the training set.
    functions : list of DecisionFunctions
        Those of each fold, where they were asked for: learned from all but its test items, whose
        coefficients are 0.
    """

    decisions: Float64
    functions: list[DecisionFunctions]


def hold_out(
    gram: Float64,
    problems: Sequence[Problem],
    penalties: Float64,
    tests: Sequence[Positions] = (np.empty(0, dtype=np.intp),),
    functions: bool = True,
) -> HeldOut:
    """Learn without the test items of each fold, and without each of the others in turn.

    Let B be the inverse of [[K + Λ, 1], [1', 0]] and a = B [y, 0]. Without the items H, the
    coefficients of the others are a_t - B_tH B_HH⁻¹ a_H, the diagonal of their inverse is
    diag(B_tt - B_tH B_HH⁻¹ B_Ht), and the decisions about H are y_H - B_HH⁻¹ a_H: the targets of H
    have no part in them. The decision about one more item left out is y_i - a_i / B_ii.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    problems : sequence of Problem
    penalties : ndarray of shape (n,)
        Diagonal of Λ.
    tests : sequence of ndarray
        The test items of each fold; by default one fold without any.
    functions : bool, default=True
        Whether to return the functions, too.

    Examples
    --------
    >>> x = np.array([-2.0, -1.0, 1.0, 2.0])
    >>> problems = one_against_rest(np.array([0, 0, 1, 1]), 2)
    >>> found = hold_out(np.outer(x, x), problems, np.full(4, 0.1), [np.array([0])])
    >>> found.decisions[0, :, 0].round(2), found.functions[0].coefficients[0].round(2)
    (array([-1.53,  1.  ,  0.33,  1.9 ]), array([ 0.  , -1.68,  4.34, -2.66]))
    """
    n, n_functions = len(gram), sum(problem.targets.shape[1] for problem in problems)
    # Function by function in memory: there may be hundreds, each learned from a few items.
    decisions = np.empty((n_functions, len(tests), n))
    kept = [_blank(n_functions, n) for _ in tests] if functions else []
    # All test items, and the fold of each.
    joined = np.concatenate([*tests, np.empty(0, dtype=np.intp)])
    folds = np.repeat(np.arange(len(tests)), [len(test) for test in tests])
    stops = np.zeros(len(tests) + 1, dtype=np.intp)
    first = 0
    for problem in problems:
        items = problem.items
        own = slice(first, first + problem.targets.shape[1])
        inverse = bordered_inverse(gram, items, penalties[items])
        place = np.full(n, -1, dtype=np.intp)
        place[items] = np.arange(len(items))
        known = place[joined] >= 0
        np.cumsum(np.bincount(folds[known], minlength=len(tests)), out=stops[1:])
        decided, learned = _left_out(inverse, problem.targets, place[joined[known]], stops)
        if len(items) < n:
            # One product for all folds.
            coefficients = learned.transpose(2, 0, 1).reshape(-1, len(items) + 1)
            others = coefficients[:, :-1] @ gram[items] + coefficients[:, -1:]
            decisions[own] = others.reshape(-1, len(tests), n)
        decisions[own, :, items] = decided.transpose(2, 0, 1)
        for fold, part in zip(kept, learned, strict=False):
            fold.coefficients[own, items] = part[:-1].T
            fold.constants[own] = part[-1]
        first = own.stop
    return HeldOut(np.moveaxis(decisions, 0, -1), kept)


def _blank(n_functions: int, n: int) -> DecisionFunctions:
    return DecisionFunctions(np.zeros((n_functions, n)), np.zeros(n_functions))


def bordered_inverse(gram: Float64, items: Positions, penalties: Float64) -> Float64:
    """Inverse of [[K + Λ, 1], [1', 0]] of some items.

    Examples
    --------
    >>> bordered_inverse(np.eye(2), np.array([0, 1]), np.ones(2))
    array([[ 0.25, -0.25,  0.5 ],
           [-0.25,  0.25,  0.5 ],
           [ 0.5 ,  0.5 , -1.  ]])
    """
    m = len(items)
    # There may be hundreds of pairs of classes with a few items each: written so that what NumPy
    # does around its loops takes little time.
    system = gram[items[:, None], items]
    place = np.arange(m)
    system[place, place] += penalties
    bordered = np.empty((m + 1, m + 1))
    bordered[:m, :m] = _symmetric_inverse(system)
    constant = bordered[:m, :m].sum(axis=1)
    total = constant.sum()
    share = constant / total
    bordered[:m, :m] -= constant[:, None] * share
    bordered[m, :m] = bordered[:m, m] = share
    bordered[m, m] = -1 / total
    return bordered


def _symmetric_inverse(matrix: Float64) -> Float64:
    """By Cholesky's method; by that of Gauss where the matrix is not positive definite."""
    factor, failed = lapack.dpotrf(matrix.T)
    if failed:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    inverse, _ = lapack.dpotri(factor, overwrite_c=True)
    # LAPACK stores it column by column and leaves out what is below the diagonal.
    whole: Float64 = inverse.T
    _mirror(whole)
    return whole


@compiled
def _mirror(matrix: Any) -> None:
    """Copy what is below the diagonal to above it, in squares that stay in the cache."""
    n = len(matrix)
    for first in range(0, n, SQUARE):
        for start in range(0, first + 1, SQUARE):
            for i in range(first, min(first + SQUARE, n)):
                for j in range(start, min(start + SQUARE, i)):
                    matrix[j, i] = matrix[i, j]


def _left_out(
    inverse: Float64, targets: Float64, places: Positions, stops: Positions
) -> tuple[Float64, Float64]:
    """Held-out decisions about the items of a problem, and the coefficients without test items.

    Parameters
    ----------
    inverse : ndarray of shape (m + 1, m + 1)
    targets : ndarray of shape (m, n_functions)
    places : ndarray
        Positions of test items among the items of the problem, fold by fold.
    stops : ndarray of shape (n_folds + 1,)
        Where those of each fold begin and end.
    """
    solution = inverse[:, :-1] @ targets
    shape = (len(stops) - 1, len(solution), targets.shape[1])
    decided, coefficients = np.empty((shape[0], shape[1] - 1, shape[2])), np.empty(shape)
    _leave_out(inverse, solution, targets, places, stops, decided, coefficients)
    return decided, coefficients


@inner
def _inverted(number: float) -> float:
    """1 / x; 0 of 0, which is the diagonal of an item that has been left out."""
    return 1.0 / number if number != 0.0 else 0.0


@inner
def _factorise(inverse: Any, left: Any, factor: Any, pivot: Any) -> None:
    """B_HH = L D L', with ones on the diagonal of L; ``pivot`` is 1 / D."""
    for i in range(len(left)):
        for j in range(i + 1):
            factor[i, j] = inverse[left[i], left[j]]
    for j in range(len(left)):
        pivot[j] = _inverted(factor[j, j])
        for i in range(j + 1, len(left)):
            share = factor[i, j] * pivot[j]
            for k in range(j + 1, i + 1):
                factor[i, k] -= share * factor[k, j]
        for i in range(j + 1, len(left)):
            factor[i, j] *= pivot[j]


@inner
def _forward(factor: Any, own: Any) -> None:
    """L⁻¹ a_H in the place of a_H."""
    for i in range(len(factor)):
        for j in range(i):
            for f in range(own.shape[1]):
                own[i, f] -= factor[i, j] * own[j, f]


@inner
def _backward(factor: Any, pivot: Any, own: Any) -> None:
    """B_HH⁻¹ a_H in the place of L⁻¹ a_H."""
    for i in range(len(factor) - 1, -1, -1):
        for f in range(own.shape[1]):
            own[i, f] *= pivot[i]
            for j in range(i + 1, len(factor)):
                own[i, f] -= factor[j, i] * own[j, f]


@inner
def _take_out(
    columns: Any, left: Any, factor: Any, pivot: Any, own: Any, rows: Any, coefficients: Any
) -> None:
    """L⁻¹ B_Ht into ``rows``, and B_tH B_HH⁻¹ a_H off the coefficients."""
    width = columns.shape[1]
    for i in range(len(left)):
        for t in range(width):
            rows[i, t] = columns[left[i], t]
        for j in range(i):
            share = factor[i, j]
            for t in range(width):
                rows[i, t] -= share * rows[j, t]
        for f in range(own.shape[1]):
            share = own[i, f] * pivot[i]
            for t in range(width):
                coefficients[t, f] -= share * rows[i, t]


@inner
def _take_squares(rows: Any, pivot: Any, diagonal: Any) -> None:
    """diag(B_tH B_HH⁻¹ B_Ht) off the diagonal."""
    for i in range(len(rows)):
        for t in range(len(diagonal)):
            diagonal[t] -= rows[i, t] * rows[i, t] * pivot[i]


@compiled
def _leave_out(
    inverse: Any,
    solution: Any,
    targets: Any,
    places: Any,
    stops: Any,
    decided: Any,
    coefficients: Any,
) -> None:
    """Fill in, fold by fold, what :func:`_left_out` returns."""
    size, n_functions = solution.shape
    for fold in range(len(stops) - 1):
        left = places[stops[fold] : stops[fold + 1]]
        factor, pivot = np.empty((len(left), len(left))), np.empty(len(left))
        _factorise(inverse, left, factor, pivot)
        own = solution[left]
        _forward(factor, own)
        rows, diagonal = np.empty((len(left), COLUMNS)), np.empty(COLUMNS)
        for first in range(0, size, COLUMNS):
            stop = min(first + COLUMNS, size)
            some = coefficients[fold, first:stop]
            some[:] = solution[first:stop]
            _take_out(inverse[:, first:stop], left, factor, pivot, own, rows, some)
            for t in range(stop - first):
                diagonal[t] = inverse[first + t, first + t]
            _take_squares(rows, pivot, diagonal)
            for t in range(min(stop, size - 1) - first):
                for f in range(n_functions):
                    moved = some[t, f] * _inverted(diagonal[t])
                    decided[fold, first + t, f] = targets[first + t, f] - moved
        _backward(factor, pivot, own)
        for i in range(len(left)):
            for f in range(n_functions):
                decided[fold, left[i], f] = targets[left[i], f] - own[i, f]
                coefficients[fold, left[i], f] = 0.0

"""Kernel ridge regression with exact held-out decisions: all folds from one inverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from nask.arrays import Float64, Positions
from nask.choices import Multiclass
from nask.learning.bordered import BorderedInverse, part
from nask.learning.decisions import DecisionFunctions


@dataclass(frozen=True, eq=False)
class Problem:
    """What one or more functions are learned from.

    Parameters
    ----------
    items : ndarray of shape (m,)
        Positions of the graphs or nodes.
    targets : ndarray of shape (m, n_functions)
        1 or -1, or numbers.
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


def confidence_of(scores: Float64) -> Float64:
    """What ``decision_function`` returns, from the scores of all classes."""
    return scores[:, 1] if scores.shape[1] == 2 else scores


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
    have no part in them. The decision about one more item left out is y_i - a_i / B_ii. Items that
    every fold leaves out have no part in B.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        Symmetric to the last bit, where there are tests.
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
    n_tested = np.bincount(joined, minlength=n)
    first = 0
    for problem in problems:
        own = slice(first, first + problem.targets.shape[1])
        first = own.stop
        # Those that are left out at times come last; those that always are have no part at all.
        times = n_tested[problem.items]
        last = np.flatnonzero((times > 0) & (times < len(tests)))
        order = np.concatenate([np.flatnonzero(times == 0), last])
        if not len(order):
            # Nothing to learn from: the function is 0 everywhere.
            decisions[own] = 0.0
            continue
        items, targets = problem.items[order], problem.targets[order]
        inverse = BorderedInverse.of(gram, items, len(last), penalties[items], targets)
        place = np.full(n, -1, dtype=np.intp)
        place[items] = np.arange(len(items))
        known = place[joined] >= 0
        np.cumsum(np.bincount(folds[known], minlength=len(tests)), out=stops[1:])
        decided, learned = inverse.without(place[joined[known]], stops)
        decisions[own, :, items] = decided.transpose(2, 0, 1)
        others = np.flatnonzero(place < 0)
        if len(others):
            # One product for all folds.
            coefficients = learned.transpose(2, 0, 1).reshape(-1, len(items) + 1)
            about = coefficients[:, :-1] @ part(gram, items, others) + coefficients[:, -1:]
            decisions[own, :, others] = about.reshape(-1, len(tests), len(others))
        for fold, coefficients in zip(kept, learned, strict=False):
            fold.coefficients[own, items] = coefficients[:-1].T
            fold.constants[own] = coefficients[-1]
    return HeldOut(np.moveaxis(decisions, 0, -1), kept)


def _blank(n_functions: int, n: int) -> DecisionFunctions:
    return DecisionFunctions(np.zeros((n_functions, n)), np.zeros(n_functions))

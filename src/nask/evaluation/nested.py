"""Nested cross-validation of a kernel support vector machine on precomputed Gram matrices."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from nask.estimators.support import Centring
from nask.evaluation.candidates import Candidate
from nask.exceptions import ParameterError
from nask.progress import Progress, track

DEFAULT_C = (1.0, 10.0, 100.0, 1000.0)


@dataclass(frozen=True)
class FoldResult:
    """One outer fold: what was chosen on its training part, and the accuracy on its test part."""

    accuracy: float
    inner_accuracy: float
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class NestedResult:
    """The outcome of a nested cross-validation."""

    folds: tuple[FoldResult, ...]
    seconds: float

    @property
    def mean(self) -> float:
        """Mean accuracy over the outer folds."""
        return float(np.mean([fold.accuracy for fold in self.folds]))

    @property
    def std(self) -> float:
        """Standard deviation of the accuracy over the outer folds."""
        return float(np.std([fold.accuracy for fold in self.folds]))


def nested_cross_validation(
    candidates: Sequence[Candidate],
    y: npt.ArrayLike,
    *,
    C: Sequence[float] = DEFAULT_C,
    folds: int = 10,
    inner: int = 5,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> NestedResult:
    """Estimate the accuracy of a classifier that chooses its own kernel and C.

    In each outer fold, every candidate and C is judged by inner cross-validation of the training
    part; the best is trained on the whole training part and meets the test part once.

    Parameters
    ----------
    candidates : sequence of Candidate
    y : array-like of shape (n_graphs,)
        Class of each graph.
    C : sequence of float
        Penalties to choose from.
    folds, inner : int
        Number of outer and inner folds, stratified by class.
    random_state : int
        Seed of the outer and inner splits.

    Examples
    --------
    >>> import nask
    >>> from nask.evaluation.candidates import candidates
    >>> mutag = nask.load_dataset("MUTAG")
    >>> grams = list(candidates(mutag.graphs, {"gamma": [0.1, 1.0]}, n_hops=2))
    >>> result = nested_cross_validation(grams, mutag.y, folds=3, inner=2)
    >>> len(result.folds), bool(result.mean > 0.8)
    (3, True)
    """
    labels = np.asarray(y)
    smallest = int(np.unique(labels, return_counts=True)[1].min())
    if smallest < folds:
        raise ParameterError(
            f"{folds} outer folds need as many graphs of each class, but the smallest class has "
            f"{smallest}. Use folds={smallest} or fewer."
        )
    start = time.perf_counter()
    outer = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    run = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    tasks = (
        delayed(_fold)(candidates, labels, train, test, C, inner, random_state)
        for train, test in outer.split(labels, labels)
    )
    results = tuple(track(run(tasks), folds, progress, "Nested cross-validation"))
    return NestedResult(results, time.perf_counter() - start)


def _fold(
    candidates: Sequence[Candidate],
    y: npt.NDArray[Any],
    train: npt.NDArray[np.intp],
    test: npt.NDArray[np.intp],
    C: Sequence[float],
    inner: int,
    random_state: int,
) -> FoldResult:
    smallest = int(np.unique(y[train], return_counts=True)[1].min())
    splitter = StratifiedKFold(min(inner, smallest), shuffle=True, random_state=random_state)
    splits = [(train[a], train[b]) for a, b in splitter.split(train, y[train])]
    # Ties go to the first candidate and the smallest C: the simplest machine.
    best = FoldResult(0.0, -1.0, {})
    chosen = candidates[0]
    for candidate in candidates:
        scores = np.mean([_scores(candidate.gram, y, a, b, C) for a, b in splits], axis=0)
        k = int(np.argmax(scores))
        if scores[k] > best.inner_accuracy:
            best = FoldResult(0.0, float(scores[k]), {**candidate.parameters, "C": C[k]})
            chosen = candidate
    accuracy = _scores(chosen.gram, y, train, test, [best.parameters["C"]])[0]
    return FoldResult(accuracy, best.inner_accuracy, best.parameters)


def _scores(
    gram: npt.NDArray[np.floating],
    y: npt.NDArray[Any],
    train: npt.NDArray[np.intp],
    test: npt.NDArray[np.intp],
    C: Sequence[float],
) -> list[float]:
    """Accuracy on the test part for each C, the centring learned on the training part."""
    square = gram[np.ix_(train, train)]
    centring = Centring.fit(square)
    centred, new = centring.apply(square), centring.apply(gram[np.ix_(test, train)])
    machines = (SVC(kernel="precomputed", C=c).fit(centred, y[train]) for c in C)
    return [float(machine.score(new, y[test])) for machine in machines]

"""One outer fold: learn from its training set, then classify its test set."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from nask.arrays import Array, Index, Positions
from nask.evaluation.records import FoldRecord
from nask.evaluation.splits import Split
from nask.execution.progress import Progress, track
from nask.graph.attributed_graph import AttributedGraph
from nask.io.node_dataset import NO_CLASS
from nask.learning.decisions import best_class
from nask.learning.path import predictions
from nask.tuning.inner_folds import one_split
from nask.tuning.screening import finalists
from nask.tuning.sweeps import Candidate, Sweep

# Of the scores of test items that are kept until settings have been chosen.
BYTES_OF_SCORES = 2**30
CaughtWarning = tuple[str, type[Warning]]


def with_warnings(
    fold: Callable[..., FoldRecord], *arguments: Any
) -> tuple[FoldRecord, list[CaughtWarning]]:
    """Run a fold; return its record and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        record = fold(*arguments)
    return record, [(str(warning.message), warning.category) for warning in caught]


def fold_of_shared(
    method: Any,
    sweeps: Sequence[Sweep],
    stacks: Sequence[Array],
    classes: Array,
    codes: Positions,
    split: Split,
    seconds_before: float = 0.0,
) -> FoldRecord:
    """Choose an SVM and fit it, both from rows of Gram matrices of the whole set.

    Parameters
    ----------
    method : TunedClassifier
        Its ``svm_judge`` chooses.
    sweeps : sequence of Sweep
        The candidates of this fold.
    stacks : sequence of ndarray
        The Gram matrices of all graphs or nodes, one stack per sweep.
    classes : ndarray of shape (n_classes,)
    codes : ndarray of shape (n,)
        The class of each graph or node, as its number in ``classes``.
    split : Split
    seconds_before : float
        Spent on choosing the candidates.
    """
    start = time.perf_counter()
    rows, splits = split.train, None
    if split.validation is not None:
        rows, splits = one_split(split.train, split.validation)
    judge = method.svm_judge(codes[rows], classes, splits=splits)
    stack_of = {id(sweep): stack for sweep, stack in zip(sweeps, stacks, strict=True)}
    for sweep in sweeps:
        judge.enter(sweep, stack_of[id(sweep)], rows)
    chosen = judge.best
    gram = chosen.sweep.gram(stack_of[id(chosen.sweep)], chosen.candidate)
    weights = method.class_weight_by_code(classes)
    [predicted] = predictions(gram, codes, split.train, split.test, [chosen.C], weights)
    seconds = time.perf_counter() - start + seconds_before
    return _record(
        split, classes[codes], classes[predicted], chosen.parameters, chosen.score, 0.0, seconds
    )


class RidgeFold(NamedTuple):
    """A fold that ridge regressions were chosen and judged for.

    Parameters
    ----------
    record : FoldRecord
    finalists : list of Candidate
        The kernels that SVMs are tried with in this fold.
    """

    record: FoldRecord
    finalists: list[Candidate]


def ridge_folds(
    method: Any,
    sweeps: Sequence[Sweep],
    kept: Sequence[Sequence[Candidate]] | None,
    stacks: Sequence[Array],
    classes: Array,
    codes: Positions,
    splits: Sequence[Split],
    progress: Progress,
    description: str,
) -> Iterator[RidgeFold]:
    """Choose ridge regressions and predict, for many folds at once.

    Every Gram matrix of the whole set is inverted once per penalty; what each fold would learn
    without its test set follows exactly (:mod:`nask.learning.held_out`).

    Parameters
    ----------
    method : TunedClassifier
    sweeps : sequence of Sweep
    kept : sequence of sequence of Candidate, or None
        What each split may choose among; all where None.
    stacks : sequence of ndarray
        The Gram matrices of all graphs or nodes, one stack per sweep.
    classes : ndarray of shape (n_classes,)
    codes : ndarray of shape (n,)
        The class of each graph or node, as its number in ``classes``; -1 where it has none.
    splits : sequence of Split
    progress : bool or callable
    description : str
        The text beside the bar.
    """
    # A public split may leave out nodes that have a class.
    known = np.union1d(splits[0].train, splits[0].test)
    place = np.empty(len(codes), dtype=np.intp)
    place[known] = np.arange(len(known))
    for first, some in _groups(sweeps, splits, len(classes)):
        start = time.perf_counter()
        few = None if kept is None else kept[first : first + len(some)]
        judge, rows = _judge_of(method, classes, codes, known, place, few, some)
        for sweep, stack in track(
            zip(sweeps, stacks, strict=True), len(sweeps), progress, description
        ):
            judge.enter(sweep, stack, rows)
        choices = [judge.choose(fold) for fold in range(len(some))]
        seconds = (time.perf_counter() - start) / len(some)
        for fold, (split, choice) in enumerate(zip(some, choices, strict=True)):
            predicted = classes[best_class(judge.scores(fold, choice))]
            chosen = choice.parameters, choice.score
            record = _record(split, classes[codes], predicted, *chosen, 0.0, seconds)
            yield RidgeFold(record, finalists(judge, fold))


def _judge_of(
    method: Any,
    classes: Array,
    codes: Positions,
    known: Positions,
    place: Positions,
    kept: Sequence[Sequence[Candidate]] | None,
    splits: Sequence[Split],
) -> tuple[Any, Positions]:
    """The judge of some splits, and the rows of the Gram matrices that it sees."""
    [first, *_] = splits
    if first.validation is not None:
        shown = np.concatenate([first.train, first.validation])
        rows = np.concatenate([shown, first.test])
        return method.judge_on_validation(codes[shown], classes, len(first.train)), rows
    tests = [place[split.test] for split in splits]
    return method.judge(codes[known], classes, tests, kept), known


def _groups(
    sweeps: Sequence[Sweep], splits: Sequence[Split], n_classes: int
) -> Iterator[tuple[int, Sequence[Split]]]:
    """Splits that are judged together, and the number of the first one.

    As many as the scores of all settings fit into memory.
    """
    n_settings = sum(
        len(own.alpha) * (len(own.multiclass) if n_classes > 2 else 1)
        for sweep in sweeps
        for own in sweep.candidates
    )
    bytes_per_split = 4 * max(1, n_settings) * n_classes * max(len(split.test) for split in splits)
    n_together = max(1, BYTES_OF_SCORES // bytes_per_split)
    for first in range(0, len(splits), n_together):
        yield first, splits[first : first + n_together]


def fold_of_its_own(
    method: Any, graphs: Sequence[AttributedGraph], y: Array, split: Split
) -> FoldRecord:
    """Fit on the training graphs as if there were no others.

    Parameters
    ----------
    method : estimator
        Cloned, never fitted itself.
    graphs : sequence of AttributedGraph
        All graphs of the set.
    y : ndarray of shape (n_graphs,)
    split : Split
    """
    start = time.perf_counter()
    fitted = clone(method).fit([graphs[i] for i in split.train], y[split.train])
    predicted = fitted.predict([graphs[i] for i in split.test])
    return _fitted_record(split, y, fitted, predicted, start)


def nodes_of_their_own(method: Any, graph: AttributedGraph, y: Index, split: Split) -> FoldRecord:
    """Fit on the network and the classes of the training nodes; other classes are hidden.

    A method whose ``fit`` takes ``validation`` also gets the classes of the validation nodes.

    Parameters
    ----------
    method : estimator
        Cloned, never fitted itself.
    graph : AttributedGraph
        The network, with the training and the test nodes.
    y : ndarray of shape (n_nodes,)
        The classes, with ``NO_CLASS``, or None beside text, where a node has none.
    split : Split
    """
    start = time.perf_counter()
    given = {"train": split.train}
    if split.validation is not None and "validation" in signature(method.fit).parameters:
        given["validation"] = split.validation
    known = np.full_like(y, None if y.dtype == object else NO_CLASS)
    for nodes in given.values():
        known[nodes] = y[nodes]
    fitted = clone(method).fit(graph, known, **given)
    predicted = fitted.predict(graph, nodes=split.test)
    return _fitted_record(split, y, fitted, predicted, start)


def _fitted_record(
    split: Split, y: Array, fitted: Any, predicted: Array, start: float
) -> FoldRecord:
    kernel = getattr(fitted, "seconds_kernel_", 0.0)
    return _record(
        split,
        y,
        predicted,
        getattr(fitted, "best_params_", {}),
        getattr(fitted, "best_score_", None),
        kernel,
        time.perf_counter() - start - kernel,
    )


def _record(
    split: Split,
    y: Array,
    predicted: Array,
    parameters: Mapping[str, Any],
    score: float | None,
    kernel: float,
    learning: float,
) -> FoldRecord:
    return FoldRecord(
        repeat=split.repeat,
        fold=split.fold,
        accuracy=float(np.mean(predicted == y[split.test])),
        parameters=parameters,
        inner_accuracy=score,
        test=tuple(split.test.tolist()),
        predicted=tuple(predicted.tolist()),
        seconds_kernel=kernel,
        seconds_learning=learning,
        truth=tuple(y[split.test].tolist()),
    )

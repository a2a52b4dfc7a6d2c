"""One outer fold: learn from its training part, then classify its test part."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from nask.evaluation.records import FoldRecord
from nask.evaluation.splits import Split
from nask.graph.attributed_graph import AttributedGraph
from nask.io.node_dataset import NO_CLASS
from nask.learning.path import predictions
from nask.tuning.race import one_split

CaughtWarning = tuple[str, type[Warning]]


def with_warnings(
    fold: Callable[..., FoldRecord], *arguments: Any
) -> tuple[FoldRecord, list[CaughtWarning]]:
    """Run a fold; return its record, and what it warned of."""
    with warnings.catch_warnings(record=True) as caught:
        record = fold(*arguments)
    return record, [(str(warning.message), warning.category) for warning in caught]


def fold_of_shared(
    method: Any,
    stacks: Sequence[npt.NDArray[Any]],
    classes: npt.NDArray[Any],
    codes: npt.NDArray[np.intp],
    split: Split,
) -> FoldRecord:
    """Choose and learn from the rows of Gram matrices over the whole set."""
    start = time.perf_counter()
    rows, splits = split.train, None
    if split.validation is not None:
        rows, splits = one_split(split.train, split.validation)
    race = method.race(codes[rows], classes, splits=splits)
    sweeps = method.sweeps()
    for sweep, stack in zip(sweeps, stacks, strict=True):
        race.enter(sweep, stack, rows)
    chosen = race.winner()
    gram = chosen.sweep.gram(stacks[sweeps.index(chosen.sweep)], chosen.candidate)
    weights = method.class_weight_by_code(classes)
    [predicted] = predictions(gram, codes, split.train, split.test, [chosen.C], weights)
    seconds = time.perf_counter() - start
    return _record(
        split, classes[codes], classes[predicted], chosen.parameters, chosen.score, 0.0, seconds
    )


def fold_of_its_own(
    method: Any, graphs: Sequence[AttributedGraph], y: npt.NDArray[Any], split: Split
) -> FoldRecord:
    """Fit on the training graphs as if there were no others."""
    start = time.perf_counter()
    fitted = clone(method).fit([graphs[i] for i in split.train], y[split.train])
    predicted = fitted.predict([graphs[i] for i in split.test])
    return _fitted_record(split, y, fitted, predicted, start)


def nodes_of_their_own(
    method: Any, graph: AttributedGraph, y: npt.NDArray[np.int64], split: Split
) -> FoldRecord:
    """Fit on the network and the classes of the training nodes; no other class is given away.

    Those of validation nodes go to a method whose ``fit`` takes a ``validation`` part.
    """
    start = time.perf_counter()
    parts = {"train": split.train}
    if split.validation is not None and "validation" in signature(method.fit).parameters:
        parts["validation"] = split.validation
    known = np.full_like(y, NO_CLASS)
    for nodes in parts.values():
        known[nodes] = y[nodes]
    fitted = clone(method).fit(graph, known, **parts)
    predicted = fitted.predict(graph, nodes=split.test)
    return _fitted_record(split, y, fitted, predicted, start)


def _fitted_record(
    split: Split, y: npt.NDArray[Any], fitted: Any, predicted: npt.NDArray[Any], start: float
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
    y: npt.NDArray[Any],
    predicted: npt.NDArray[Any],
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

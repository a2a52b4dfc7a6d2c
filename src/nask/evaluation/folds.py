"""One outer fold: learn from its training part, then classify its test part."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from nask.evaluation.records import FoldRecord
from nask.evaluation.splits import Split
from nask.graph.attributed_graph import AttributedGraph
from nask.tuning.path import predictions


def fold_of_shared(
    method: Any,
    stacks: Sequence[npt.NDArray[Any]],
    classes: npt.NDArray[Any],
    codes: npt.NDArray[np.intp],
    split: Split,
) -> FoldRecord:
    """Choose and learn from the rows of Gram matrices over the whole set."""
    start = time.perf_counter()
    race = method.race(codes[split.train], classes)
    sweeps = method.sweeps()
    for sweep, stack in zip(sweeps, stacks, strict=True):
        race.enter(sweep, stack, split.train)
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
    )

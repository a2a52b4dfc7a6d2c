"""Results of methods that never ran, to compare: folds as they are drawn, accuracies as told."""

from pathlib import Path

import numpy as np

from nask.evaluation.comparison import Comparison, ComparisonTable
from nask.evaluation.journal import Journal
from nask.evaluation.ranking import Ranking
from nask.evaluation.records import Evaluation, FoldRecord
from nask.evaluation.splits import outer_splits


def result(dataset, method, right, folds=5, n_items=50, seed=0, items="graphs", timeout=None):
    """An evaluation with that number of right predictions in each fold of each repeat."""
    y = np.arange(n_items) % 2
    repeats = max(len(right) // folds, 1)
    if timeout is not None:
        records = ()
    else:
        splits = outer_splits(y, folds, repeats, seed)
        records = tuple(_record(split, y, n) for split, n in zip(splits, right, strict=True))
    return Evaluation(
        dataset, method, records, folds, repeats, 3, seed, True, 0.5, n_items, 0.0, 1.0, {}, items,
        timeout,
    )  # fmt: skip


def single(dataset, method, right, n_items=50):
    """An evaluation on a public split."""
    test = tuple(range(n_items))
    accuracy = right / n_items
    truth = tuple(int(i >= right) for i in range(n_items))
    record = FoldRecord(0, 0, accuracy, {}, None, test, (0,) * n_items, 0.0, 1.0, truth)
    return Evaluation(
        f"{dataset}@planetoid", method, (record,), 1, 1, None, 0, True, 0.5, n_items, 0.0, 1.0, {},
        "nodes",
    )  # fmt: skip


def write(folder, *results):
    """Write records as nask.evaluate does."""
    for made in results:
        run = {
            "dataset": made.dataset,
            "content": "made up",
            "classes": {"0": made.n_items // 2, "1": made.n_items - made.n_items // 2},
            "method": made.method,
            "model": {},
            "folds": made.folds,
            "inner": made.inner,
            "random_state": made.random_state,
            "strict": made.strict,
            "nask": "0.1.0",
            "items": made.items,
        }
        journal = Journal(Path(folder) / f"{made.dataset}--{made.method}.jsonl", run)
        for record in made.records:
            journal.note_fold(record)
    return folder


def ranked(accuracies, methods=None, reference=None, alpha=0.05, items="graphs"):
    """A comparison that has average ranks alone."""
    accuracies = np.asarray(accuracies)
    datasets = [f"set {i}" for i in range(len(accuracies))]
    methods = methods or [f"method-{i}" for i in range(accuracies.shape[1])]
    ranking = Ranking.of(methods, datasets, accuracies, alpha)
    table = ComparisonTable(
        items, ranking.methods, ranking.datasets, {}, reference, alpha, ranking, {}
    )
    return Comparison((table,), reference, alpha)


def _record(split, y, n_right):
    truth = y[split.test]
    predicted = np.where(np.arange(len(truth)) < n_right, truth, 1 - truth)
    return FoldRecord(
        repeat=split.repeat,
        fold=split.fold,
        accuracy=float(np.mean(predicted == truth)),
        parameters={},
        inner_score=None,
        test=tuple(split.test.tolist()),
        predicted=tuple(predicted.tolist()),
        seconds_kernel=0.0,
        seconds_learning=1.0,
        truth=tuple(truth.tolist()),
    )

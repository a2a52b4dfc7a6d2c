"""Pictures beside the records of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nask import plots
from nask.arrays import Array
from nask.cli.output import save_picture
from nask.evaluation.records import Evaluation
from nask.io.dataset import Dataset
from nask.io.node_dataset import NodeDataset
from nask.tuning.tuned import TunedStarModel

# With more nodes, the picture of a kernel would take minutes and show no more.
MOST_NODES = 5000


def draw_result(
    result: Evaluation, model: Any, dataset: Dataset | NodeDataset, out: Path, n_jobs: int | None
) -> None:
    """Draw the predictions for all test folds, and the Gram matrix most folds chose.

    Predictions are a confusion matrix, or numbers against the true ones.

    Parameters
    ----------
    model : estimator
        The method that was evaluated. Only a tuned star kernel has a Gram matrix to draw.
    dataset : Dataset or NodeDataset
    out : Path
        The folder of the pictures.
    n_jobs : int or None
        Threads that compute the Gram matrix.
    """
    truth = np.asarray(dataset.y)
    test = np.concatenate([record.test for record in result.records]).astype(np.intp)
    predicted = np.concatenate([np.asarray(record.predicted) for record in result.records])
    name = f"{result.dataset}--{result.method}"
    if result.task == "regress":
        means = {name: float(values.mean()) for name, values in result.errors().items()}
        ax = plots.predicted(
            np.asarray(truth[test], dtype=np.float64),
            predicted,
            errors={name.upper(): value for name, value in means.items()},
        )
        ax.set_title(f"{result.dataset} ({result.method})", fontsize=10)
        save_picture(ax.figure, out / f"{name}-predicted.png", "--out")
    else:
        ax = plots.confusion(truth[test], predicted)
        right = 100 * result.accuracy_mean
        ax.set_title(f"{result.dataset}: {right:.1f} % right ({result.method})")
        save_picture(ax.figure, out / f"{name}-confusion.png", "--out")
    too_large = isinstance(dataset, NodeDataset) and len(truth) > MOST_NODES
    if isinstance(model, TunedStarModel) and not too_large:
        chosen = result.most_chosen()
        gram = _gram(model.kernel(**chosen, n_jobs=n_jobs, verbose=True), dataset)
        if isinstance(dataset, NodeDataset):
            labelled = np.flatnonzero(dataset.known)
            gram, truth = gram[np.ix_(labelled, labelled)], truth[labelled]
        settings = ", ".join(f"{k} {v}" for k, v in chosen.items())
        title = f"{result.dataset}, the kernel chosen most often: {settings}"
        overview = plots.kernel_overview(gram, truth, title, result.items, task=result.task)
        save_picture(overview, out / f"{name}-kernel.png", "--out")


def _gram(kernel: Any, dataset: Dataset | NodeDataset) -> Array:
    data = dataset.graph if isinstance(dataset, NodeDataset) else dataset.graphs
    gram: Array = kernel.fit_transform(data)
    return gram


def draw_accuracies(results: Sequence[Evaluation], out: Path) -> None:
    """Draw the accuracies of all datasets and methods side by side, if there are any."""
    with_figures = [own for own in results if own.timeout is None and own.task == "classify"]
    if with_figures:
        save_picture(plots.accuracy(with_figures).figure, out / "accuracy.png", "--out")

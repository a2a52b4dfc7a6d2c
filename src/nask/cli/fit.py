"""``nask fit``: train a model on a dataset and save it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import nask
from nask.cli.arguments import (
    DatasetArgument,
    TaskOption,
    other_task,
    with_task,
)
from nask.cli.kernel_options import with_kernel_options
from nask.cli.network_models import fit_nodes
from nask.cli.output import check_output
from nask.cli.reading_options import ReadingOptions, with_reading_options
from nask.exceptions import ParameterError


@with_kernel_options
@with_reading_options
def fit(
    dataset: DatasetArgument,
    model: Annotated[Path, typer.Option(help="File to save the model to.")],
    kernel: dict[str, Any],
    reading: ReadingOptions,
    C: Annotated[float, typer.Option("--C", help="Penalty of training errors.")] = 10.0,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune/--no-tune",
            help="Choose the parameters by leave-one-out, instead of the options for the kernel "
            "and C that the search varies.",
        ),
    ] = False,
    features: Annotated[
        int | None,
        typer.Option(
            help="For many graphs: learn from so many random features of each, 1024 for a start, "
            "in time and memory that grow with their number and not with its square.",
            show_default=False,
        ),
    ] = None,
    task: TaskOption = None,
) -> None:
    """Train a classifier, or a regressor, on all graphs of a dataset and save it.

    Of one network (nodes.csv without a column graph), the nodes are classified: it learns from
    those of train_mask, or else from all, that have a class.

    Text and integers in y are classes, and so are whole numbers with a point (0.0, 1.0) if there
    are few different ones. Other numbers with a point are regressed on. The command prints which
    task it took.

    nask predict applies the model to other graphs, and nask.load reads it in Python.
    """
    check_output(model, "--model")
    if features is not None and tune:
        raise ParameterError(
            "--tune compares all pairs of graphs, and --features none: leave out one of them. With "
            "--features the penalty is always chosen, by cross-validation."
        )
    loaded = reading.load(dataset, "skip")
    if isinstance(loaded, nask.NodeDataset):
        if task == "regress":
            raise ParameterError(
                f"{loaded.name} is one network, whose nodes are classified: leave out --task "
                "regress."
            )
        if features is not None:
            raise ParameterError(
                f"{loaded.name} is one network: --features is for sets of graphs. Leave it out."
            )
        fit_nodes(loaded, model, kernel, C, tune, reading.target or "y")
        return
    data, told = with_task(_with_target(loaded), task)
    typer.echo(told if task else told + other_task(data))
    estimator = _checked_estimator(data)
    trained: Any
    if features is None:
        trained = estimator(C=C, **kernel)
    else:
        trained = _of_features(estimator, features, kernel)
    if tune:
        trained = _tuned(trained, data)
    else:
        trained.fit(data.graphs, data.y)
    trained.target_name_ = reading.target or "y"
    trained.save(model)
    typer.echo(f"{data.name}: trained a {type(trained).__name__} on {len(data)} graphs.")
    if data.learning_task()[0] == "classify":
        labels, counts = np.unique(np.asarray(data.y), return_counts=True)
        sizes = ", ".join(f"{label} ({n})" for label, n in zip(labels, counts, strict=True))
        typer.echo(f"{len(labels)} classes with their graphs: {sizes}.")
    if features is not None:
        typer.echo(f"{features} features, penalty {trained.alpha_:g}. Saved to {model}.")
    elif hasattr(trained, "settings"):
        typer.echo(f"The mean of {len(trained.settings)} settings. Saved to {model}.")
    else:
        typer.echo(f"{len(trained.support_)} support graphs. Saved to {model}.")


def _of_features(estimator: type[Any], n_components: int, kernel: dict[str, Any]) -> Any:
    """The model of a stream, with the kernel's options that random features have."""
    from dataclasses import fields

    known = {own.name for own in fields(nask.NASKFeatures)} - {"dtype"}
    exact = nask.NASK()
    for name, value in kernel.items():
        if name not in known and value != getattr(exact, name):
            raise ParameterError(
                f"Random features have no option --{name.replace('_', '-')}. Leave out one of the "
                "two."
            )
    chosen = {name: value for name, value in kernel.items() if name in known - {"verbose"}}
    stream = nask.NASKStreamRegressor
    if estimator is nask.NASKClassifier:
        stream = nask.NASKStreamClassifier
    graph_map = nask.NASKFeatures(n_components=n_components, **chosen)
    return stream(features=graph_map, n_jobs=kernel["n_jobs"], verbose=kernel["verbose"])


def _tuned(model: nask.NASKClassifier | nask.NASKRegressor, data: nask.Dataset) -> Any:
    from sklearn.base import clone

    quiet = clone(model).set_params(verbose=False)
    numbers = isinstance(model, nask.NASKRegressor)
    tuned = nask.TunedNASKRegressor if numbers else nask.TunedNASKClassifier
    search = tuned(estimator=quiet, n_jobs=model.n_jobs, verbose=True)
    search.fit(data.graphs, data.y)
    chosen = ", ".join(f"{name} {value}" for name, value in search.best_params_.items())
    score = f"{100 * search.best_score_:.1f} % right"
    if numbers:
        score = f"R2 {search.best_score_:.3f}"
    typer.echo(f"Chosen: {chosen} ({score} by leave-one-out).")
    return search.best_estimator_


def _checked_estimator(data: nask.Dataset) -> type[nask.NASKClassifier | nask.NASKRegressor]:
    """Return the estimator of the task; raise, naming graphs by id, if a target is not for it."""
    from nask.learning.targets import as_numbers, class_codes

    if data.learning_task()[0] == "classify":
        class_codes(np.asarray(data.y), ids=data.ids)
        return nask.NASKClassifier
    as_numbers(data.y, nask.NASKRegressor.__name__, data.ids)
    return nask.NASKRegressor


def _with_target(data: nask.Dataset) -> nask.Dataset:
    if data.y is None:
        raise ParameterError(
            f"{data.name} has no targets to learn: expected a column y in graphs.csv, or a file "
            f"{data.name}_graph_labels.txt or {data.name}_graph_attributes.txt beside the others."
        )
    if data.y.ndim == 2:
        raise ParameterError(
            f"{data.name} has {data.y.shape[1]} targets per graph, and nask fit learns one. In "
            "Python, fit NASKRegressor on one column of dataset.y."
        )
    return data

"""``nask fit``: train a model on a dataset and save it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import nask
from nask.choices import FitLearner
from nask.cli.arguments import (
    DatasetArgument,
    TaskOption,
    other_task,
    with_task,
)
from nask.cli.fitted import Wanted, what_it_learned
from nask.cli.kernel_options import with_kernel_options
from nask.cli.network_models import fit_nodes
from nask.cli.output import check_output
from nask.cli.reading_options import ReadingOptions, with_reading_options
from nask.exceptions import ParameterError


@with_kernel_options
@with_reading_options
def fit(
    context: typer.Context,
    dataset: DatasetArgument,
    model: Annotated[Path, typer.Option(help="File to save the model to.")],
    kernel: dict[str, Any],
    reading: ReadingOptions,
    learner: Annotated[
        FitLearner,
        typer.Option(
            help="svm; ridge: kernel ridge regression, whose penalty is chosen by leave-one-out; "
            "process: a Gaussian process, which learns the kernel's parameters and tells how sure "
            "it is; outliers: which graphs are unlike those of training, without classes."
        ),
    ] = "svm",
    C: Annotated[float, typer.Option("--C", help="Penalty of training errors of an SVM.")] = 10.0,
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
    given = {
        name
        for name in context.params
        if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"
    }
    wanted = Wanted(learner, C, tune, features, kernel, given)
    wanted.check()
    # Whoever looks for outliers needs no targets.
    loaded = reading.load(dataset, "keep" if learner == "outliers" else "skip")
    if isinstance(loaded, nask.NodeDataset):
        if task == "regress":
            raise ParameterError(
                f"{loaded.name} is one network, whose nodes are classified: leave out --task "
                "regress."
            )
        wanted.check_nodes(loaded.name)
        search = wanted.search() if tune else None
        fit_nodes(loaded, model, wanted.of_nodes(), search, reading.target or "y")
        return
    if learner == "outliers":
        detector = wanted.outliers().fit(loaded.graphs)
        detector.target_name_ = reading.target or "y"
        detector.save(model)
        typer.echo(
            f"{loaded.name}: trained a {type(detector).__name__} on {len(loaded)} graphs. Of new "
            f"graphs like these {100 * detector.nu:g} % will be called outliers (-1). Saved to "
            f"{model}."
        )
        return
    data, told = with_task(_with_target(loaded), task)
    typer.echo(told if task else told + other_task(data))
    trained = wanted.fit(data, _checked_task(data))
    trained.target_name_ = reading.target or "y"
    trained.save(model)
    typer.echo(f"{data.name}: trained a {type(trained).__name__} on {len(data)} graphs.")
    if data.learning_task()[0] == "classify":
        labels, counts = np.unique(np.asarray(data.y), return_counts=True)
        sizes = ", ".join(f"{label} ({n})" for label, n in zip(labels, counts, strict=True))
        typer.echo(f"{len(labels)} classes with their graphs: {sizes}.")
    typer.echo(f"{what_it_learned(trained)} Saved to {model}.")


def _checked_task(data: nask.Dataset) -> bool:
    """Return whether numbers are learned; raise, naming graphs by id, if a target is not fit."""
    from nask.learning.targets import as_numbers, class_codes

    if data.learning_task()[0] == "classify":
        class_codes(np.asarray(data.y), ids=data.ids)
        return False
    as_numbers(data.y, nask.NASKRegressor.__name__, data.ids)
    return True


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

"""``nask predict``: apply a saved model to a dataset."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Annotated, Any, TextIO

import numpy as np
import typer

from nask.arrays import Array
from nask.cli.arguments import (
    CategoricalOption,
    DatasetArgument,
    JobsOption,
    MemoryOption,
    load_graphs,
)
from nask.cli.models import is_classifier, load_model
from nask.cli.output import check_output
from nask.evaluation.records import ERRORS
from nask.exceptions import ParameterError
from nask.learning.number_scores import score_of_numbers
from nask.storage.replacing import replacing


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="File that nask fit saved.")],
    dataset: DatasetArgument,
    out: Annotated[
        Path | None, typer.Option(help="CSV file to write; standard output by default.")
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of each class.")
    ] = False,
    categorical: CategoricalOption = "",
    n_jobs: JobsOption = -1,
    memory_limit: MemoryOption = None,
) -> None:
    """Predict the class, or value, of each graph of a dataset with a saved model.

    The CSV has the columns graph (its id in a folder of CSV files, else its position from 0),
    prediction and, with --proba, probability_CLASS for each class. Where the dataset has targets,
    the accuracy, or R2 and the mean errors, go to standard error.
    """
    if out:
        check_output(out, "--out")
    trained = load_model(model, n_jobs, memory_limit, verbose=True)
    if proba and not is_classifier(trained):
        raise ParameterError(
            f"{model} holds a {type(trained).__name__}, which predicts numbers without "
            "probabilities. Leave out --proba."
        )
    data = load_graphs(dataset, categorical)
    predictions = trained.predict(data.graphs)
    names = range(len(data)) if data.ids is None else data.ids
    columns: dict[str, Any] = {"graph": names, "prediction": predictions.tolist()}
    if proba:
        probabilities = trained.predict_proba(data.graphs).T.tolist()
        classes = [f"probability_{label}" for label in trained.classes_.tolist()]
        columns |= dict(zip(classes, probabilities, strict=True))
    if out:
        with (
            replacing(out, "--out") as file,
            file.open("w", newline="", encoding="utf-8") as stream,
        ):
            _write(stream, columns)
    else:
        _write(sys.stdout, columns)
    if data.y is not None and data.y.ndim == 1:
        typer.echo(_score(trained, data.y, predictions), err=True)


def _write(stream: TextIO, columns: dict[str, Any]) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))


def _score(trained: Any, y: Array, predictions: Array) -> str:
    if is_classifier(trained):
        if not {*y.tolist()} & {*trained.classes_.tolist()}:
            return "No accuracy: the classes of the dataset are not those of the model."
        right = int(np.sum(predictions == y))
        return f"Accuracy {100 * right / len(y):.1f} % ({right} of {len(y)} graphs)."
    known = np.isfinite(y) if y.dtype.kind in "iuf" else np.zeros(len(y), dtype=bool)
    if known.sum() < 2:
        return "No R2: it takes two graphs or more whose target is a number."
    r2, mae, rmse = (
        sign * float(score_of_numbers(name, y[known], predictions[known]))
        for sign, name in ERRORS.values()
    )
    return (
        f"R2 {r2:.3f}, mean absolute error {mae:.4g}, root mean squared error {rmse:.4g} "
        f"({known.sum()} graphs)."
    )

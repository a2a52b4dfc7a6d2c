"""``nask predict``: apply a saved model to a dataset."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TextIO

import numpy as np
import typer

import nask
from nask.arrays import Array
from nask.cli.arguments import (
    DatasetArgument,
    JobsOption,
    MemoryOption,
)
from nask.cli.models import (
    finds_outliers,
    is_classifier,
    load_model,
    predicts,
    remember,
    tells_likeness,
)
from nask.cli.network_models import NodeChoice, chosen_nodes, node_columns, node_score
from nask.cli.output import check_output
from nask.cli.predicted import (
    ApplicabilityOption,
    Asked,
    ByClassOption,
    CoverageOption,
    ProbaOption,
    StdOption,
    note_of_unlike,
)
from nask.cli.reading_options import ReadingOptions, with_reading_options
from nask.evaluation.records import ERRORS
from nask.exceptions import ParameterError
from nask.graph.attribute import is_missing
from nask.io.target import is_number
from nask.learning.number_scores import score_of_numbers
from nask.storage.replacing import replacing


@with_reading_options
def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="File that nask fit saved.")],
    dataset: DatasetArgument,
    reading: ReadingOptions,
    out: Annotated[
        Path | None, typer.Option(help="CSV file to write; standard output by default.")
    ] = None,
    proba: ProbaOption = False,
    std: StdOption = False,
    coverage: CoverageOption = None,
    by_class: ByClassOption = False,
    applicability: ApplicabilityOption = False,
    nodes: Annotated[
        NodeChoice,
        typer.Option(
            help="Of a network: those whose class is unknown, all, or those of a mask of nodes.csv."
        ),
    ] = "unknown",
    n_jobs: JobsOption = -1,
    memory_limit: MemoryOption = None,
) -> None:
    """Predict the class, or value, of each graph of a dataset, or of nodes of a network.

    The CSV has the columns graph, or node (its id in a folder of CSV files, else its position from
    0), prediction and, with --proba, probability_CLASS for each class. With --std it has the column
    std. With --coverage it has the column set, of classes with | between them, or the columns lower
    and upper. Where the dataset
    has targets, the accuracy, or R2 and the mean errors, go to standard error; of nodes, those that
    the model did not learn from count.

    A file of molecules is read as that of the training was, unless options say otherwise. Molecules
    go by their lines, or by --id, and each row has its line in the CSV; where it could not be read,
    the prediction is empty.

    A note on standard error tells where far more graphs than expected are unlike those of training.
    """
    if out:
        check_output(out, "--out")
    trained = load_model(model, n_jobs, memory_limit, verbose=True)
    asked = Asked(proba, std, coverage, by_class, applicability)
    asked.check(trained, model)
    remember(trained)
    data = reading.as_by(trained, dataset).load(dataset)
    _check_items(trained, model, data)
    where: tuple[Any, ...]
    chosen = np.empty(0, dtype=np.int64)
    if isinstance(data, nask.NodeDataset):
        chosen = chosen_nodes(data, nodes)
        where, names = (data.graph, chosen), node_columns(data, chosen)
    else:
        where = (data.graphs,)
        names = {"graph": range(len(data)) if data.ids is None else data.ids}
    predictions = trained.predict(*where)
    columns = {"prediction": predictions.tolist(), **asked.columns(trained, where)}
    note = ""
    if tells_likeness(trained):
        shares = trained.applicability(*where)
        note = note_of_unlike(shares)
        columns |= {"applicability": shares.tolist()} if applicability else {}
    rows = _rows(data, names, list(zip(*columns.values(), strict=True)), len(columns))
    if out:
        with (
            replacing(out, "--out") as file,
            file.open("w", newline="", encoding="utf-8") as stream,
        ):
            _write(stream, [*names, *columns], rows)
    else:
        _write(sys.stdout, [*names, *columns], rows)
    if isinstance(data, nask.NodeDataset):
        score = node_score(trained, data, chosen, predictions)
        if score:
            typer.echo(score, err=True)
    elif data.y is not None and data.y.ndim == 1 and not finds_outliers(trained):
        typer.echo(_score(trained, data.y, predictions), err=True)
    if note:
        typer.echo(note, err=True)


def _rows(
    data: nask.Dataset | nask.NodeDataset,
    names: Mapping[str, Iterable[Any]],
    values: Sequence[tuple[Any, ...]],
    width: int,
) -> Iterable[list[Any]]:
    """Return a row for each prediction; of a file of molecules one for each of its own."""
    from nask.io.molecule_dataset import MoleculeDataset

    if isinstance(data, MoleculeDataset):
        # Cells that are empty, so that the result has the rows of the file.
        empty = [""] * width
        return [[name, *(own or empty)] for name, own in data.by_row(values)]
    return [
        [*name, *own] for name, own in zip(zip(*names.values(), strict=True), values, strict=True)
    ]


def _check_items(trained: Any, model: Path, data: nask.Dataset | nask.NodeDataset) -> None:
    """Raise where a model of graphs is to predict nodes, or the other way round."""
    items = "nodes" if isinstance(data, nask.NodeDataset) else "graphs"
    if items != predicts(trained):
        raise ParameterError(
            f"{model} holds a model of {predicts(trained)}, but {data.name} is "
            f"{'one network' if items == 'nodes' else 'a set of graphs'}. (In a folder of CSV "
            "files, nodes.csv of many graphs has a column graph, that of one network has none.)"
        )


def _write(stream: TextIO, columns: list[str], rows: Iterable[list[Any]]) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)


def _score(trained: Any, y: Array, predictions: Array) -> str:
    if is_classifier(trained):
        given = [(p, own) for p, own in zip(predictions.tolist(), y.tolist(), strict=True)]
        given = [(p, own) for p, own in given if not is_missing(own)]
        if not {own for _, own in given} & {*trained.classes_.tolist()}:
            return "No accuracy: the classes of the dataset are not those of the model."
        right = sum(p == own for p, own in given)
        return f"Accuracy {100 * right / len(given):.1f} % ({right} of {len(given)} graphs)."
    known = np.array([is_number(own) and np.isfinite(own) for own in y.tolist()])
    if known.sum() < 2:
        return "No R2: it takes two graphs or more whose target is a number."
    truth = y[known].astype(np.float64)
    r2, mae, rmse = (
        sign * float(score_of_numbers(name, truth, predictions[known]))
        for sign, name in ERRORS.values()
    )
    return (
        f"R2 {r2:.3f}, mean absolute error {mae:.4g}, root mean squared error {rmse:.4g} "
        f"({known.sum()} graphs)."
    )

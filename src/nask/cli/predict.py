"""``nask predict``: apply a saved model to a dataset."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Annotated, Any, TextIO

import numpy as np
import typer

import nask
from nask.arrays import Array
from nask.cli.arguments import (
    CategoricalOption,
    DatasetArgument,
    JobsOption,
    MemoryOption,
    RepeatedEdgesOption,
    load_any,
)
from nask.cli.models import is_classifier, kinds_of, load_model, predicts, target_of
from nask.cli.network_models import NodeChoice, chosen_nodes, node_columns, node_score
from nask.cli.output import check_output
from nask.exceptions import ParameterError
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
    nodes: Annotated[
        NodeChoice,
        typer.Option(
            help="Of a network: those whose class is unknown, all, or those of a mask of nodes.csv."
        ),
    ] = "unknown",
    categorical: CategoricalOption = "",
    target: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Column of known classes, which is no attribute.",
            show_default="as in nask fit",
        ),
    ] = "",
    repeated_edges: RepeatedEdgesOption = "error",
    n_jobs: JobsOption = -1,
    memory_limit: MemoryOption = None,
) -> None:
    """Predict the class, or value, of each graph of a dataset, or of nodes of a network.

    The CSV has the columns graph, or node (its id in a folder of CSV files, else its position from
    0), prediction and, with --proba, probability_CLASS for each class. Where the dataset has
    targets, the accuracy, or R2, goes to standard error; of nodes that the model did not learn
    from.
    """
    if out:
        check_output(out, "--out")
    trained = load_model(model, n_jobs, memory_limit, verbose=True)
    if proba and not is_classifier(trained):
        raise ParameterError(
            f"{model} holds a {type(trained).__name__}, which predicts numbers without "
            "probabilities. Leave out --proba."
        )
    data = load_any(
        dataset,
        categorical,
        target or target_of(trained, dataset),
        repeated_edges,
        kinds_of(trained),
    )
    _check_items(trained, model, data)
    where: tuple[Any, ...]
    chosen = np.empty(0, dtype=np.int64)
    if isinstance(data, nask.NodeDataset):
        chosen = chosen_nodes(data, nodes)
        where, columns = (data.graph, chosen), node_columns(data, chosen)
    else:
        where = (data.graphs,)
        columns = {"graph": range(len(data)) if data.ids is None else data.ids}
    predictions = trained.predict(*where)
    columns["prediction"] = predictions.tolist()
    if proba:
        probabilities = trained.predict_proba(*where).T.tolist()
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
    if isinstance(data, nask.NodeDataset):
        score = node_score(trained, data, chosen, predictions)
        if score:
            typer.echo(score, err=True)
    elif data.y is not None and data.y.ndim == 1:
        typer.echo(_score(trained, data.y, predictions), err=True)


def _check_items(trained: Any, model: Path, data: nask.Dataset | nask.NodeDataset) -> None:
    """Raise where a model of graphs is to predict nodes, or the other way round."""
    items = "nodes" if isinstance(data, nask.NodeDataset) else "graphs"
    if items != predicts(trained):
        raise ParameterError(
            f"{model} holds a model of {predicts(trained)}, but {data.name} is "
            f"{'one network' if items == 'nodes' else 'a set of graphs'}. (In a folder of CSV "
            "files, nodes.csv of many graphs has a column graph, that of one network has none.)"
        )


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
    from sklearn.metrics import r2_score

    return f"R2 {r2_score(y[known], predictions[known]):.3f} ({known.sum()} graphs)."

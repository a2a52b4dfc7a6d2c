"""``nask explain``: why a saved model decides as it does, graph by graph."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import nask
from nask.cli.arguments import (
    DatasetArgument,
    JobsOption,
    MemoryOption,
)
from nask.cli.models import is_classifier, is_stream, load_model, predicts
from nask.cli.output import check_output, save_picture
from nask.cli.reading_options import ReadingOptions, with_reading_options
from nask.exceptions import ParameterError, did_you_mean
from nask.execution.progress import track
from nask.storage.replacing import replacing
from nask.storage.write_errors import writing

PICTURE_FORMAT: Literal["png", "svg", "pdf"] = "png"
FILES = ("explanations.csv", "explanations.json", "counterfactuals.csv")


@with_reading_options
def explain(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="File that nask fit saved.")],
    dataset: DatasetArgument,
    reading: ReadingOptions,
    out: Annotated[Path, typer.Option(help="Folder for tables and drawings.")] = Path(
        "explanations"
    ),
    graph: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="Graphs to explain: ids in a folder of CSV files, lines or ids of molecules, else "
            "positions from 0.",
            show_default="all",
        ),
    ] = "",
    counterfactual: Annotated[
        bool,
        typer.Option(
            "--counterfactual", help="Add the smallest edit that gives each graph another class."
        ),
    ] = False,
    budget: Annotated[
        int,
        typer.Option(min=1, help="Edited copies of a graph to try at most, for --counterfactual."),
    ] = 3000,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Only the nodes of each graph that stand out most of its background, in the CSV.",
            show_default="all nodes",
        ),
    ] = None,
    plots: Annotated[
        bool, typer.Option("--plots/--no-plots", help="Draw each graph with its shares.")
    ] = True,
    picture_format: Annotated[
        Literal["png", "svg", "pdf"], typer.Option("--format", help="Of drawings.")
    ] = PICTURE_FORMAT,
    n_jobs: JobsOption = -1,
    memory_limit: MemoryOption = None,
) -> None:
    """Tell why a saved model decides as it does about each graph of a dataset.

    explanations.csv has one row per node: its share in the decision for the class "target", how
    far it stands out of the background of the graph, and its share per hop. The shares of all nodes
    and the intercept add up to the decision. explanations.json has attributes, edges and training
    graphs, too. GRAPH.png is a drawing of each graph. With --counterfactual, counterfactuals.csv
    has the smallest edit of attributes or edges that gives each graph another class.
    """
    trained = load_model(model, n_jobs, memory_limit)
    if counterfactual and not is_classifier(trained):
        raise ParameterError(
            f"{model} holds a {type(trained).__name__}, which predicts numbers, and "
            "--counterfactual is for classes. Leave it out."
        )
    if predicts(trained) == "nodes":
        raise ParameterError(
            f"{model} holds a model of nodes, and this command explains decisions about graphs. In "
            "Python: nask.load(file).explain(network.graph, node)."
        )
    if is_stream(trained):
        raise ParameterError(
            f"{model} holds a model that learned from random features, which do not tell the "
            "members of a star apart. Fit without --features on fewer graphs to have decisions "
            "explained."
        )
    data = reading.as_by(trained, dataset).load_graphs(dataset)
    names = [str(name) for name in (range(len(data)) if data.ids is None else data.ids)]
    chosen = _positions(graph, names, data.name)
    if plots and find_spec("matplotlib") is None:
        typer.echo(
            "No drawings: that needs matplotlib. Install it with: pip install 'nask[plots]'",
            err=True,
        )
        plots = False
    with writing(out, "--out"):
        out.mkdir(parents=True, exist_ok=True)
    check_output(out / FILES[0], "--out")
    files = _file_names(names)
    rows: list[dict[str, Any]] = []
    documents: list[dict[str, Any]] = []
    edits: list[dict[str, Any]] = []
    for position in track(chosen, len(chosen), True, "Explaining graphs"):
        why = trained.explain(data.graphs[position])
        rows += _rows(names[position], why, top)
        documents.append({"graph": names[position], **why.to_json()})
        if counterfactual and data.graphs[position].n_nodes:
            found = nask.counterfactual(trained, data.graphs[position], budget=budget)
            edits.append(_edit_row(names[position], found))
            documents[-1]["counterfactual"] = found.to_json()
        if plots:
            picture = out / f"{files[position]}.{picture_format}"
            save_picture(why.plot(), picture, "--out")
    _write_csv(out / FILES[0], rows)
    with replacing(out / FILES[1], "--out") as file:
        file.write_text(json.dumps(documents, indent=1) + "\n", encoding="utf-8")
    if counterfactual:
        _write_csv(out / FILES[2], edits)
        n_found = sum(row["found"] for row in edits)
        typer.echo(f"{n_found} of {len(edits)} graphs get another class by one or two edits.")
    graphs = "1 graph" if len(chosen) == 1 else f"{len(chosen)} graphs"
    typer.echo(f"Explained {graphs} of {data.name}: see {out}.")


def _positions(graph: str, names: Sequence[str], dataset: str) -> list[int]:
    """Return the positions of the graphs that are named, each once; of all without a name."""
    if not graph:
        return list(range(len(names)))
    places: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        places.setdefault(name, []).append(k)  # molecules of a file may share an id
    # The id of a graph may have a comma.
    given = [graph] if graph in places else map(str.strip, graph.split(","))
    wanted = dict.fromkeys(name for name in given if name)
    if not wanted:
        raise ParameterError(f"--graph {graph}: there is no name. Give one, or leave --graph out.")
    are_numbers = names == [str(k) for k in range(len(names))]
    for name in wanted:
        if name not in places:
            hint = did_you_mean(name, names)
            if are_numbers:
                hint = f"Expected a position from 0 to {len(names) - 1}."
            raise ParameterError(f"--graph {name}: {dataset} has no such graph. {hint}")
    return [place for name in wanted for place in places[name]]


def _file_names(names: Sequence[str]) -> list[str]:
    """Return a name for the drawing of each graph: its own, where that can be one of a file.

    Examples
    --------
    >>> _file_names(["0", "1"]), _file_names(["a/b", "a.b", "a b"])
    (['0', '1'], ['a_b', 'a.b', 'a_b-2'])
    """
    found: list[str] = []
    for position, name in enumerate(names):
        # Of a length that every system has room for, and not hidden.
        safe = re.sub(r"[^\w.-]+|^\.", "_", name)[:100]
        found.append(f"{safe}-{position}" if safe.lower() in map(str.lower, found) else safe)
    return found


def _rows(name: str, why: Any, top: int | None) -> Iterable[dict[str, Any]]:
    """Return a row per node, those that stand out first if only some are wanted."""
    shares, background = why.nodes.tolist(), why.background.tolist()
    order = list(range(len(shares)))
    if top is not None:
        order = sorted(order, key=lambda node: -background[node])[:top]
    for node in order:
        yield {
            "graph": name,
            "prediction": why.prediction,
            "target": why.target,
            "decision": why.decision,
            "intercept": why.intercept,
            "node": node,
            "share": shares[node],
            "background": background[node],
            **{f"hop {h}": own for h, own in enumerate(why.hops[:, node].tolist(), start=1)},
        }


def _edit_row(name: str, found: Any) -> dict[str, Any]:
    return {
        "graph": name,
        "found": found.found,
        "before": found.before,
        "after": found.after,
        "change": found.change,
        "edits": "; ".join(map(str, found.edits)),
        "tried": found.n_evaluated,
    }


def _write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    with (
        replacing(path, "--out") as file,
        file.open("w", newline="", encoding="utf-8") as stream,
    ):
        columns = dict.fromkeys(column for row in rows for column in row)
        writer = csv.DictWriter(stream, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)

"""``nask similar``: the graphs of a dataset that are most similar to one of them, or to another."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

import nask
from nask.choices import SearchMethod
from nask.cli.arguments import DatasetArgument
from nask.cli.kernel_options import with_kernel_options
from nask.cli.models import kinds_of_schemas
from nask.cli.output import check_output, check_picture, save_picture
from nask.cli.reading_options import ReadingOptions, with_reading_options
from nask.cli.show import show
from nask.exceptions import GraphError, ParameterError, did_you_mean
from nask.messages import quoted
from nask.storage.replacing import replacing

OPTIONS = {
    "n_hops", "gamma", "gamma_star", "expansion", "star_norm", "attributes", "degree",
    "similarity", "max_leaves", "use_edges", "n_jobs", "memory_limit",
}  # fmt: skip
# Stars whose likeness is 1.00 in two digits.
ALIKE = 0.995
COLUMNS = ("query", "rank", "position", "id", "similarity", "stars")


class Query(NamedTuple):
    """A graph to search for: its name, and its place in the dataset if it is of that."""

    name: str
    graph: Any
    place: int | None = None


@partial(with_kernel_options, names=OPTIONS)
@with_reading_options
def similar(
    dataset: DatasetArgument,
    graph: Annotated[
        str,
        typer.Argument(
            metavar="GRAPH",
            help="What to search for: the id of a graph of the dataset, or its position from 0, "
            "where no id is a number; or the path of other graphs, or a SMILES.",
        ),
    ],
    kernel: dict[str, Any],
    reading: ReadingOptions,
    k: Annotated[int, typer.Option("-k", min=1, help="How many graphs to find.")] = 10,
    pairs: Annotated[
        int, typer.Option("--stars", min=0, help="How many pairs of matching stars to show.")
    ] = 8,
    method: Annotated[
        SearchMethod,
        typer.Option(
            help="exact: compare with every graph; features: with those that features choose "
            "first; auto: exact for up to 500,000 nodes."
        ),
    ] = "auto",
    picture: Annotated[
        Path | None,
        typer.Option(
            help="Draw query and best hits into this .png, .pdf or .svg, matching stars in one "
            "colour."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the hits into this .csv as well.")] = None,
) -> None:
    """Find the graphs of a dataset that are most similar to a graph.

    Similarity is the normalised kernel, from 0 to 1. A graph of the dataset itself is left out of
    its hits. Beside each hit stand pairs of nodes whose stars match, the node of the query first,
    and in brackets how alike the two stars are, where they are not wholly so.
    """
    if out:
        check_output(out, "--out", (".csv",))
    if picture:
        check_picture(picture, "--picture")
    data = reading.load_graphs(dataset)
    index = nask.Index(data.graphs, ids=data.ids, method=method, **kernel)
    queries = _queries(graph, data, index, reading)
    if picture and len(queries) > 1:
        raise ParameterError(
            f"--picture draws one query, and {graph} has {len(queries)} graphs. Leave it out, or "
            "name a path of one graph."
        )
    found = []
    for query in queries:
        hits = (
            index.query(query.graph, k) if query.place is None else index.neighbours(query.place, k)
        )
        found.append((query, hits))
        show(_table(query, hits, data.name, pairs))
    if out:
        _write(out, found)
        typer.echo(f"Wrote the hits to {out}.")
    if picture:
        ((query, hits),) = found
        save_picture(hits.plot(title=f"{data.name}: {query.name}"), picture, "--picture")
        typer.echo(f"Drew them into {picture}.")


def _queries(
    text: str,
    data: nask.Dataset,
    index: nask.Index,
    reading: ReadingOptions,
) -> list[Query]:
    """The graphs that the user means: of the dataset, by id or position; else of a file; or one."""
    names = [str(name) for name in index.ids]
    # Where ids are numbers, another number is no position: the line of a row that was left out.
    numbered = data.ids is not None and any(name.isdecimal() for name in names)
    if text in names:
        if names.count(text) > 1:
            places = [place for place, name in enumerate(names) if name == text]
            advice = "Make them differ" if numbered else "Give one of these positions as GRAPH"
            raise ParameterError(
                f"{data.name} has {len(places)} graphs of the id {quoted(text)}, at the positions "
                f"{', '.join(map(str, places))}. {advice}."
            )
        place = names.index(text)
        return [Query(text, data.graphs[place], place)]
    if text.isdecimal() and not numbered and int(text) < len(data):
        place = int(text)
        return [Query(names[place], data.graphs[place], place)]
    if Path(text).expanduser().exists():
        molecules = replace(reading.molecules, known=getattr(data, "reading", None))
        kinds = kinds_of_schemas([index.kernel.schema_])
        others = replace(reading, molecules=molecules, kinds=kinds).load_graphs(text)
        ids = range(len(others)) if others.ids is None else others.ids
        return [Query(str(name), own) for name, own in zip(ids, others.graphs, strict=True)]
    expected = ["an id" if numbered else f"a position from 0 to {len(data) - 1}"]
    expected.append("the path of other graphs")
    known = index.kernel.molecules_
    if known is not None:
        from nask.io.coerce import as_graph

        try:
            return [Query(text, as_graph(text, known))]
        except GraphError:
            expected.append("a SMILES that RDKit can read")
    hint = f"Expected {', '.join(expected[:-1])} or {expected[-1]}."
    if data.ids is not None:
        hint = f"{did_you_mean(text, names)} {hint}"
    raise ParameterError(f"{data.name} has no graph {quoted(text)}. {hint}")


def _table(query: Query, hits: Any, name: str, pairs: int) -> Table:
    title = f"{name}: most similar to {query.name}"
    table = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD)
    for heading in ("", "id", "similarity"):
        table.add_column(heading, justify="left" if heading == "id" else "right", no_wrap=True)
    if pairs:
        table.add_column("matching stars")
    for rank, hit in enumerate(hits, start=1):
        shown = [Text(_stars(hit, pairs))] if pairs else []
        table.add_row(str(rank), Text(str(hit.id)), f"{hit.similarity:.4f}", *shown)
    return table


def _stars(hit: Any, most: int) -> str:
    """The best pairs of nodes, that of the query first; in brackets how alike, if not wholly."""
    shown = []
    for pair in hit.stars[:most]:
        likeness = float(hit.likeness[pair.node, pair.other])
        told = "" if likeness >= ALIKE else f"({likeness:.2f})"
        shown.append(f"{pair.node}={pair.other}{told}")
    return " ".join(shown)


def _write(path: Path, found: Sequence[tuple[Query, Any]]) -> None:
    with (
        replacing(path, "--out") as file,
        file.open("w", newline="", encoding="utf-8") as stream,
    ):
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for query, hits in found:
            for rank, hit in enumerate(hits, start=1):
                pairs = _stars(hit, len(hit.stars))
                writer.writerow([query.name, rank, hit.position, hit.id, hit.similarity, pairs])

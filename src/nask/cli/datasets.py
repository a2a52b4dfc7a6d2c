"""``nask datasets``: which benchmark sets there are, where they lie, and downloads."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

import nask
from nask.exceptions import NaskError

SHORT_TASKS = {
    "graph classification": "graph",
    "graph regression": "value",
    "node classification": "node",
}
LEGEND = (
    "Tasks: graph, classes of graphs; value, numbers of graphs; node, classes of nodes. nodes and "
    "edges: means per graph. node attr., edge attr.: columns, c categorical, n numerical. where: "
    "at hand in the package, in NASK_DATA or in the cache; download, on first use."
)

datasets_app = typer.Typer(
    help="Benchmark sets: which there are, where they lie, and downloads.", no_args_is_help=True
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@datasets_app.command("list")
def list_datasets(as_json: AsJson = False) -> None:
    """List the published sets, and those of your own that NASK_DATA holds."""
    from nask.datasets.catalogue import catalogue

    names = {*catalogue(), *nask.datasets.available_datasets()}
    records = [_record(name) for name in sorted(names, key=_order)]
    if as_json:
        typer.echo(json.dumps(records, indent=2))
        return
    table = Table(box=box.SIMPLE_HEAD, padding=0, show_edge=False)
    for heading in (
        "name",
        "task",
        "graphs",
        "classes",
        "nodes",
        "edges",
        "node\nattr.",
        "edge\nattr.",
        "where",
    ):
        left = heading in ("name", "task", "where")
        table.add_column(heading, justify="left" if left else "right", no_wrap=True)
    for record in records:
        table.add_row(
            record["name"],
            SHORT_TASKS.get(record.get("task", ""), ""),
            str(record.get("n_graphs") or "-"),
            str(record.get("n_classes") or "-"),
            _mean(record, "nodes"),
            _mean(record, "edges"),
            _columns(record, "node"),
            _columns(record, "edge"),
            record["where"],
        )
    console = Console()
    console.print(table)
    console.print(LEGEND, highlight=False)


@datasets_app.command("info")
def show_info(
    name: Annotated[str, typer.Argument(help="Such as MUTAG.")], as_json: AsJson = False
) -> None:
    """Show everything that is known of a set: counts, citation, where it lies."""
    from nask.datasets.registry import dataset_info

    if name not in nask.datasets.available_datasets():
        dataset_info(name)  # raises if the name is unknown
    record = _record(name)
    if as_json:
        typer.echo(json.dumps(record, indent=2))
        return
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for key, value in record.items():
        listed = value if isinstance(value, list | tuple) else [value]
        for number, item in enumerate(listed):
            if item not in (None, ""):
                table.add_row(key if number == 0 else "", str(item))
    Console(highlight=False).print(table)


@datasets_app.command("fetch")
def fetch(
    names: Annotated[list[str], typer.Argument(help="Such as NCI1 Cora.", metavar="NAME...")],
) -> None:
    """Make sets available offline: download those not at hand, and check their counts."""
    from nask.datasets.registry import locate, read_place

    failed = False
    for name in names:
        try:
            place = locate(name)
            dataset = read_place(place, name)
        except NaskError as error:
            typer.echo(f"nask: {error}", err=True)
            failed = True
        else:
            typer.echo(f"{place}: {dataset!r}")
    if failed:
        raise typer.Exit(2)


def _order(name: str) -> tuple[str, str]:
    return name.lower(), name


def _record(name: str) -> dict[str, Any]:
    """Return what is known of a set, and where it lies."""
    from nask.datasets.catalogue import catalogue
    from nask.datasets.places import places

    info = catalogue().get(name)
    place = places().get(name)
    where = place.kind if place else "download"
    known = {"name": name} if info is None else asdict(info)
    return {**known, "where": where, "path": str(place.path) if place else None}


def _mean(record: dict[str, Any], kind: str) -> str:
    mean = record.get(f"mean_{kind}")
    if mean is None:
        return "-"
    return f"{mean:.0f}" if record["n_graphs"] == 1 else f"{mean:.2f}"


def _columns(record: dict[str, Any], element: str) -> str:
    if "task" not in record:
        return "-"
    counts = (record[f"{element}_labels"], "c"), (record[f"{element}_attributes"], "n")
    return " ".join(f"{count}{kind}" for count, kind in counts if count)

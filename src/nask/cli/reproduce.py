"""``nask reproduce``: every table and figure of the paper, from one command each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markdown import Markdown
from rich.table import Table

from nask.cli.arguments import FoldJobsOption, GramsOption
from nask.cli.output import save_picture
from nask.cli.show import show
from nask.exceptions import NaskError, ParameterError
from nask.execution.progress import track
from nask.lab.experiments.catalogue import NAMES, experiment
from nask.lab.experiments.experiment import Cell, Experiment, Place, found
from nask.messages import quoted
from nask.optional import require
from nask.storage.replacing import replacing
from nask.storage.write_errors import writing

ALL = "all"
QUICK = "quick"
# Of sets or rows, in a message.
MOST_NAMES = 20
SMALL = "A quick run, on a few graphs: it shows that all works, and its figures mean nothing.\n\n"


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID", help=f"{', '.join(NAMES)}, or {ALL}.", show_default="list them"
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Folder for records, tables and pictures; a rerun goes on.")
    ] = Path("results"),
    quick: Annotated[
        bool, typer.Option("--quick", help="A few graphs, methods and folds: minutes.")
    ] = False,
    run: Annotated[
        bool, typer.Option("--run/--no-run", help="Run what is missing, or show what is there.")
    ] = True,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME", help="Run this set alone; may be given several times."
        ),
    ] = None,
    row: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Run this method, or variant, alone; may be given several times.",
        ),
    ] = None,
    grams: GramsOption = None,
    n_jobs: FoldJobsOption = -1,
) -> None:
    """Run an experiment of the paper, and put its figures beside ours.

    Without an ID, list all with what they cost. Folds are recorded as they are done, as by
    *nask evaluate*: if it is stopped and started again, it goes on, and records that are in the
    folder already are used. A method that takes more than an hour on a set is ended, and its cell
    says TIMEOUT or has the repeats that were done. Tables and pictures have all that is recorded,
    also where --set and --row say what is run.
    """
    if not names:
        _list()
        return
    chosen = [experiment(name) for name in dict.fromkeys(names) if name != ALL]
    if ALL in names:
        chosen = [experiment(name) for name in NAMES]
    if out.exists() and not out.is_dir():
        raise ParameterError(f"--out {out} is a file: expected a folder for results.")
    # Before the work, and not after hours of it.
    require("matplotlib.figure", "plots")
    place = Place(out, n_jobs, grams=grams)
    cells = [_chosen(own, quick, column or [], row or []) for own in chosen]
    failures = []
    for own, of_own in zip(chosen, cells, strict=True):
        if run:
            failures += _run(own, of_own, place)
        _report(own, place, quick)
    if failures:
        typer.echo(f"nask: not run: {'; '.join(failures)}.", err=True)
        raise typer.Exit(2)


def _list() -> None:
    table = Table(title="The experiments of the paper", box=None, padding=(0, 2, 0, 0))
    for heading in ("ID", "what", "the full protocol on two cores"):
        table.add_column(heading)
    for name in NAMES:
        own = experiment(name)
        table.add_row(name, own.title, own.cost)
    show(table)
    show("\nRun one with: nask reproduce ID, or a small version of it with --quick.")


def _chosen(own: Experiment, quick: bool, columns: list[str], rows: list[str]) -> list[Cell]:
    """The cells of the sets and rows that were named, or all."""
    cells = list(own.cells(quick))
    for option, given, known in (
        ("--set", columns, dict.fromkeys(cell.column for cell in cells)),
        ("--row", rows, dict.fromkeys(cell.row for cell in cells)),
    ):
        for name in given:
            if name not in known:
                raise ParameterError(
                    f"{own.name} has no {option} {quoted(name)}: expected one of "
                    f"{', '.join(list(known)[:MOST_NAMES])}"
                    f"{', ...' if len(known) > MOST_NAMES else ''}."
                )
    return [
        cell
        for cell in cells
        if (not columns or cell.column in columns) and (not rows or cell.row in rows)
    ]


def _run(own: Experiment, cells: list[Cell], place: Place) -> list[str]:
    """Run the cells without complete records; tell which could not be run."""
    missing = [cell for cell in cells if cell.find(place) is None]
    failures = []
    for cell in track(missing, len(missing), progress=True, description=own.name):
        try:
            cell.run(place)
        # Where memory runs out, the process of a cell is killed; others go on.
        except (NaskError, ChildProcessError) as error:
            typer.echo(f"nask: {own.name}: {cell.row} on {cell.column}: {error}", err=True)
            failures.append(f"{cell.row} on {cell.column}")
    return failures


def _report(own: Experiment, place: Place, quick: bool) -> None:
    """Write the table and the pictures of what is there, and show the table."""
    results = found(own, place, quick)
    if not results:
        typer.echo(f"nask: {own.name}: there are no records in {place.folder}.", err=True)
        return
    report = own.report(results)
    text = (SMALL if quick else "") + report.text
    folder = place.folder / QUICK if quick else place.folder
    with writing(folder, "--out"):
        folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / f"{own.name}.md", "--out") as temporary:
        temporary.write_text(f"# {own.title}\n\n{text}", encoding="utf-8")
    written = [f"{own.name}.md"]
    for name, figure in report.pictures.items():
        for ending in ("png", "svg"):
            save_picture(figure, folder / f"{name}.{ending}", "--out")
            written.append(f"{name}.{ending}")
    show(Markdown(text.replace("<br>", " / ")))
    show(f"In {folder}: {', '.join(written)}.")

"""``nask compare``: which methods differ, in tables and a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

import nask
from nask.cli.output import check_output, check_picture, save_picture
from nask.cli.show import show
from nask.evaluation.records import Evaluation
from nask.exceptions import ParameterError, did_you_mean
from nask.messages import quoted
from nask.storage.replacing import replacing

if TYPE_CHECKING:
    from nask.evaluation.comparison import Comparison, ComparisonTable

file_option = partial(typer.Option, rich_help_panel="Files")


def compare(
    folder: Annotated[Path, typer.Argument(help="Folder that nask evaluate wrote records to.")],
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Method to test all others against.",
            show_default="the best of each set",
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Level of significance.")] = 0.05,
    scoring: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Compare by this score, such as balanced_accuracy or r2, and only what has it.",
            show_default="that of each run",
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Compare on this one. Repeat it for several.", show_default="all"
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Compare this one. Repeat it for several.", show_default="all"
        ),
    ] = None,
    markdown: Annotated[Path | None, file_option(help="Write the tables there.")] = None,
    csv: Annotated[
        Path | None, file_option(help="Write one line per method and set there.")
    ] = None,
    latex: Annotated[Path | None, file_option(help="Write the tables there.")] = None,
    plot: Annotated[
        Path | None,
        file_option(
            help="Draw the critical-difference diagram there, or the accuracies where there are "
            "no average ranks: .png, .pdf or .svg."
        ),
    ] = None,
) -> None:
    """Compare methods on the folds they share.

    On each dataset the best method is tested against the others, by the corrected resampled
    t-test with Holm's correction. Over all datasets, methods get average ranks, with the tests
    of Friedman and Nemenyi. Sets of graphs and networks are compared separately.
    """
    from nask.cli.comparison_table import comparison_tables

    results = _chosen(nask.read_results(folder), dataset, method)
    # If nothing is chosen, compare gets the folder itself: its error on an empty one names it.
    comparison = nask.compare(results if dataset or method else folder, reference, alpha, scoring)
    texts: list[tuple[str, Path | None, Callable[[], str]]] = [
        ("--markdown", markdown, comparison.to_markdown),
        ("--csv", csv, comparison.to_csv),
        ("--latex", latex, comparison.to_latex),
    ]
    for option, path, _ in texts:
        if path is not None:
            check_output(path, option)
    pictures = {} if plot is None else _pictures(comparison, plot)
    for path in pictures:
        check_picture(path, "--plot")
    for option, path, text in texts:
        if path is not None:
            with replacing(path, option) as temporary:
                temporary.write_text(text(), encoding="utf-8")
    for path, table in pictures.items():
        save_picture(_figure(comparison, results, table), path, "--plot")
    written = [*(path for _, path, _ in texts if path is not None), *pictures]
    for drawn in comparison_tables(comparison, Console()):
        show(drawn)
    if plot is not None and not _ranked(comparison):
        show(
            "The picture has the accuracies: average ranks take two methods or more on the same "
            "two sets or more."
        )
    if written:
        show(f"Written: {', '.join(map(str, written))}.")


def _chosen(
    results: Sequence[Evaluation], datasets: list[str] | None, methods: list[str] | None
) -> list[Evaluation]:
    """Return the results on these datasets, in that order, and of these methods."""
    known = {result.dataset: None for result in results}
    for kind, names, there in (
        ("dataset", datasets, known),
        ("method", methods, {result.method: None for result in results}),
    ):
        for name in names or []:
            if name not in there:
                hint = did_you_mean(name, there)
                raise ParameterError(f"There is no result of a {kind} {quoted(name)}. {hint}")
    return [
        result
        for dataset in dict.fromkeys(datasets or known)
        for result in results
        if result.dataset == dataset and (not methods or result.method in methods)
    ]


def _ranked(comparison: Comparison) -> list[ComparisonTable]:
    """Return the tables that have average ranks."""
    return [table for table in comparison.tables if table.ranking is not None]


def _pictures(comparison: Comparison, path: Path) -> dict[Path, ComparisonTable | None]:
    """Return one file per ranking; if there are several, their names say which is which."""
    ranked = _ranked(comparison)
    if len(ranked) <= 1:
        return {path: ranked[0] if ranked else None}
    several = len({table.scoring for table in ranked}) > 1
    return {
        path.with_stem("-".join([path.stem, own.items, *([own.scoring] if several else [])])): own
        for own in ranked
    }


def _figure(
    comparison: Comparison, results: Sequence[Evaluation], table: ComparisonTable | None
) -> Any:
    """Draw a ranking, or the accuracies if there is none."""
    if table is not None:
        return nask.plots.critical_difference(comparison, table.items, table.scoring).figure
    found = [own for own in results if own.timeout is None and own.task == "classify"]
    if not found:
        raise ParameterError(
            "--plot draws average ranks, or accuracies, and there are neither: results on numbers "
            "on fewer than two sets have no picture here. nask evaluate draws predictions."
        )
    return nask.plots.accuracy(found).figure

"""``nask describe``: what a dataset holds, column by column, and what looks wrong in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from nask.cli.arguments import DatasetArgument
from nask.cli.output import check_picture, save_picture
from nask.cli.reading_options import ReadingOptions, with_reading_options
from nask.cli.show import show


@with_reading_options
def describe(
    dataset: DatasetArgument,
    reading: ReadingOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Picture of the histograms: .png, .svg or .pdf.")
    ] = None,
) -> None:
    """Tell what a dataset holds, column by column, and what looks wrong in it.

    Each column with its kind and why, missing values, the most common values and a histogram. Then
    what looks wrong, each with what to do: dates read as text, ids, codes, stand-ins for missing
    values, several spellings of a word, columns that tell nothing, rare classes, isolated nodes,
    and graphs that are there twice. Every value is looked at; nothing is sampled.
    """
    if plot is not None:
        check_picture(plot, "--plot")
    description = reading.load(dataset).describe()
    if as_json:
        typer.echo(json.dumps(description.to_json(), indent=1))
    else:
        from nask.description.text import rendered

        show(rendered(description))
    if plot is not None:
        save_picture(description.plot(), plot, "--plot")

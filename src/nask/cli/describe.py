"""``nask describe``: what a dataset holds, column by column, and what looks wrong in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from nask.cli.arguments import (
    CategoricalOption,
    DatasetArgument,
    RepeatedEdgesOption,
    TargetOption,
    load_any,
)
from nask.cli.molecule_options import MoleculeOptions, with_molecule_options
from nask.cli.output import check_picture, save_picture
from nask.cli.show import show


@with_molecule_options
def describe(
    dataset: DatasetArgument,
    molecules: MoleculeOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Picture of the histograms: .png, .svg or .pdf.")
    ] = None,
    categorical: CategoricalOption = "",
    target: TargetOption = None,
    repeated_edges: RepeatedEdgesOption = "error",
) -> None:
    """Tell what a dataset holds, column by column, and what looks wrong in it.

    Each column with its kind and why, missing values, the most common values and a histogram. Then
    what looks wrong, each with what to do: dates read as text, ids, codes, stand-ins for missing
    values, several spellings of a word, columns that tell nothing, rare classes, isolated nodes,
    and graphs that are there twice. Every value is looked at; nothing is sampled.
    """
    if plot is not None:
        check_picture(plot, "--plot")
    description = load_any(dataset, categorical, target, repeated_edges, None, molecules).describe()
    if as_json:
        typer.echo(json.dumps(description.to_json(), indent=1))
    else:
        from nask.description.text import rendered

        show(rendered(description))
    if plot is not None:
        save_picture(description.plot(), plot, "--plot")

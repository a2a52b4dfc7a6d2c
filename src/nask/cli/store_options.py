"""Options of commands that can write a chunked store, alone or with a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nask.cli.arguments import RUNNING
from nask.exceptions import ParameterError

STORE = ".zarr"

SchedulerOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Dask scheduler, such as tcp://host:8786, whose workers fill a .zarr store.",
        rich_help_panel=RUNNING,
    ),
]
ChunkOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Graphs along a chunk of a .zarr store.",
        rich_help_panel=RUNNING,
    ),
]


def check_store_options(out: Path, scheduler: str | None, chunk: int | None) -> bool:
    """Return whether to write a store; if not, raise on an option that is for stores only.

    Examples
    --------
    >>> check_store_options(Path("gram.zarr"), "tcp://host:8786", None)
    True
    >>> check_store_options(Path("gram.npy"), "tcp://host:8786", None)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: --scheduler needs a chunked store: give --out a name that ends \
in .zarr, not gram.npy.
    """
    if out.suffix.lower() == STORE:
        return True
    for option, value in (("--scheduler", scheduler), ("--chunk", chunk)):
        if value is not None:
            raise ParameterError(
                f"{option} needs a chunked store: give --out a name that ends in {STORE}, not "
                f"{out}."
            )
    return False

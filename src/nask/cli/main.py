"""The command ``nask``."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

import nask
from nask.cli.compare import compare
from nask.cli.datasets import datasets_app
from nask.cli.demo import demo
from nask.cli.describe import describe
from nask.cli.evaluate import evaluate
from nask.cli.explain import explain
from nask.cli.features import features
from nask.cli.fit import fit
from nask.cli.gram import gram
from nask.cli.league import league
from nask.cli.predict import predict
from nask.cli.reproduce import reproduce
from nask.cli.similar import similar
from nask.cli.stopping import stoppable
from nask.evaluation.time_limit import quiet_tracker
from nask.exceptions import NaskError

app = typer.Typer(
    help="The Neighborhood-Aware Star Kernel: compare and classify graphs with mixed attributes.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",  # which fills paragraphs
)
for command in (
    demo,
    describe,
    evaluate,
    compare,
    league,
    gram,
    features,
    fit,
    predict,
    explain,
    similar,
    reproduce,
):
    app.command()(command)
app.add_typer(datasets_app, name="datasets")


def run() -> None:
    """Run the command; an error of the user ends it with a message, not with a traceback."""
    os.environ |= quiet_tracker()
    with stoppable() as stopping:
        try:
            _run()
        finally:
            # Whatever was raised after a signal is an echo of it.
            if stopping.signal is not None:
                stopping.tell()
                sys.exit(stopping.exit_code)


def _run() -> None:
    try:
        with plain_warnings():
            # The same name for python -m nask, which would show the path of a file.
            app(prog_name="nask")
    except (NaskError, OSError) as error:
        typer.echo(f"nask: {error}", err=True)
        sys.exit(2)


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Write each different warning to standard error once, while the block runs.

    Examples
    --------
    >>> import contextlib, io
    >>> with contextlib.redirect_stderr(io.StringIO()) as lines, plain_warnings():
    ...     warnings.simplefilter("always")
    ...     warnings.warn("Mind the gap.")
    ...     warnings.warn("Mind the gap.")
    >>> lines.getvalue()
    'Warning: Mind the gap.\\n'
    """
    told = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = " ".join(str(message).split())
        if text not in told:
            told.add(text)
            typer.echo(f"Warning: {text}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def _version(value: bool) -> None:
    if value:
        typer.echo(f"nask {nask.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Compare and classify graphs with mixed attributes."""

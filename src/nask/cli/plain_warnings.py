"""Warnings on the terminal: one plain line each, once, without the place in the code."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer


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

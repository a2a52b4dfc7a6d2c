"""Progress of long work: a bar on the terminal, or a function of yours."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import ProgressColumn

T = TypeVar("T")
Progress = bool | int | Callable[[int, int], None]


def track(
    steps: Iterable[T],
    total: int,
    progress: Progress,
    description: str = "Comparing graphs",
    start: int = 0,
) -> Iterator[T]:
    """Pass the steps on and report how many are done.

    Parameters
    ----------
    total : int
        How many there will be.
    start : int
        How many of them were done before.
    progress : bool, int or callable
        ``False`` or 0 is silent, ``True`` or a positive number shows a bar on standard error,
        a function is called with ``(done, total)`` after each step.

    Examples
    --------
    >>> list(track("ab", 2, lambda done, total: print(f"{done} of {total}")))
    1 of 2
    2 of 2
    ['a', 'b']
    """
    if callable(progress):
        for done, step in enumerate(steps, start=start + 1):
            yield step
            progress(done, total)
    elif progress:
        from rich.progress import MofNCompleteColumn

        with terminal_bar(MofNCompleteColumn()) as bar:
            task = bar.add_task(description, total=total, completed=start)
            for step in steps:
                yield step
                bar.advance(task)
    else:
        yield from steps


@contextlib.contextmanager
def counting(progress: Progress, description: str) -> Iterator[Callable[[], None]]:
    """Count steps whose number nobody knows; what is yielded is called after each of them.

    A function as progress hears nothing: it is told of steps among so many.

    Examples
    --------
    >>> with counting(False, "Climbing") as step:
    ...     step()
    """
    if callable(progress) or not progress:
        yield lambda: None
        return
    from rich.progress import TextColumn

    with terminal_bar(TextColumn("step {task.completed:.0f}")) as bar:
        task = bar.add_task(description, total=None)
        yield lambda: bar.advance(task)


def terminal_bar(done: ProgressColumn) -> Bar:
    """Return a bar on standard error, where that is a terminal; a column tells how much is done."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), done, TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)

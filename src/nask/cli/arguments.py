"""Arguments that several commands share, and what they say together."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

import nask
from nask.choices import LearningTask
from nask.exceptions import ParameterError
from nask.io.target import can_be_classes

# The heading of options that say how to run, and an option under it.
RUNNING = "Running"
running_option = partial(typer.Option, rich_help_panel=RUNNING)
STORE = ".zarr"

DatasetArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATASET",
        help="Name of a dataset, such as MUTAG, or path of a folder, a zip, or a CSV or SD file of "
        "molecules.",
    ),
]
JobsOption = Annotated[int, running_option("--n-jobs", help="Threads; -1 takes all cores.")]
FoldJobsOption = Annotated[
    int,
    running_option(
        "--n-jobs",
        help="Folds at a time, in processes, and threads of the kernel; -1 takes all cores.",
    ),
]
GramsOption = Annotated[
    Path | None,
    typer.Option(
        help="Folder that keeps Gram matrices, for runs with other learners or folds.",
        show_default="deleted at the end",
    ),
]
MemoryOption = Annotated[
    str | None,
    running_option(
        "--memory-limit",
        metavar="SIZE",
        help="Memory for the Gram matrix, such as 4GB; a larger one is computed in a file.",
    ),
]
TimeLimitOption = Annotated[
    str | None,
    running_option(
        "--time-limit",
        metavar="TIME",
        help="Time for each method on each dataset, such as 90s, 20m or 2h; then it is ended.",
    ),
]
SchedulerOption = Annotated[
    str | None,
    running_option(
        metavar="ADDRESS",
        help="Dask scheduler, such as tcp://host:8786, whose workers fill a .zarr store.",
    ),
]
ChunkOption = Annotated[
    int | None, running_option(metavar="N", help="Graphs along a chunk of a .zarr store.")
]
TaskOption = Annotated[
    LearningTask | None,
    typer.Option(
        help="What y holds: classes, or numbers on a scale to regress on.",
        show_default="told from its values",
    ),
]
SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def seconds(time: str | None) -> float | None:
    """Read a time such as 90s, 20m or 2h; a number alone is seconds.

    Examples
    --------
    >>> seconds("90"), seconds("1.5m"), seconds("2h"), seconds(None)
    (90.0, 90.0, 7200.0, None)
    """
    if time is None:
        return None
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+) *([smh]?)", time.strip().lower(), re.ASCII)
    if found is None or not float(found[1]):
        expected = "a positive time such as 90s, 20m or 2h"
        raise ParameterError.expected("--time-limit", "nask evaluate", expected, time)
    return float(found[1]) * SECONDS[found[2]]


def with_task(data: nask.Dataset, task: LearningTask | None) -> tuple[nask.Dataset, str]:
    """Return the dataset with its task, and a sentence that says which task it is and why.

    Examples
    --------
    >>> mutag = nask.load_dataset("MUTAG")
    >>> with_task(mutag, None)[1]
    'Task: classify, because y holds integers.'
    >>> with_task(mutag, "regress")[1]
    'Task: regress, because --task says so.'
    """
    if task is not None:
        return replace(data, task=task), f"Task: {task}, because --task says so."
    told, why = data.learning_task()
    return data, f"Task: {told}, because {why}."


def other_task(data: nask.Dataset) -> str:
    """Return, in words, how to choose the other task; empty if the values of y allow only one.

    Examples
    --------
    >>> other_task(nask.load_dataset("MUTAG"))
    ' (--task regress says otherwise.)'
    """
    if data.y is None or data.y.dtype.kind not in "iuf" or not can_be_classes(data.y):
        return ""
    other = "regress" if data.learning_task()[0] == "classify" else "classify"
    return f" (--task {other} says otherwise.)"


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

"""Arguments that several commands share, and the graphs they name."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from nask.datasets.registry import load_dataset
from nask.exceptions import ParameterError
from nask.io.dataset import Dataset
from nask.io.node_dataset import NodeDataset

# The heading of these options in a command's help.
RUNNING = "Running"

DatasetArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATASET",
        help="Name of a dataset, such as MUTAG, or path of a folder or zip.",
    ),
]
CategoricalOption = Annotated[
    str,
    typer.Option(
        metavar="NAME,...", help="Columns of a folder of CSV files whose numbers are codes."
    ),
]
JobsOption = Annotated[
    int, typer.Option("--n-jobs", help="Threads; -1 takes all cores.", rich_help_panel=RUNNING)
]
MemoryOption = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help="Memory for the Gram matrix, such as 4GB; a larger one is computed in a file.",
        rich_help_panel=RUNNING,
    ),
]
TimeLimitOption = Annotated[
    str | None,
    typer.Option(
        "--time-limit",
        metavar="TIME",
        help="Time for each method on each dataset, such as 90s, 20m or 2h; then it is ended.",
        rich_help_panel=RUNNING,
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


def load_graphs(dataset: str, categorical: str = "") -> Dataset:
    """Load a dataset of many graphs by its name or path.

    Examples
    --------
    >>> load_graphs("MUTAG").name
    'MUTAG'
    """
    data = load_any(dataset, categorical)
    if not isinstance(data, Dataset):
        raise ParameterError(
            f"{dataset} is one network with a class for each node; this command takes a dataset of "
            "many graphs. nask datasets list shows which sets those are."
        )
    return data


def load_any(dataset: str, categorical: str = "") -> Dataset | NodeDataset:
    """Load a dataset of many graphs, or a network whose nodes have classes.

    Examples
    --------
    >>> load_any("MUTAG").name
    'MUTAG'
    """
    names = [name.strip() for name in categorical.split(",") if name.strip()]
    return load_dataset(dataset, categorical=names)

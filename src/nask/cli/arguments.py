"""Arguments that several commands share, and the graphs they name."""

from __future__ import annotations

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

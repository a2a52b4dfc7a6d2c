"""An experiment as data: the cells of its table, and what is made of their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from nask.execution.progress import Progress

# Results by (row, column), of those that are there.
Results = Mapping[tuple[str, str], Any]


@dataclass(frozen=True)
class Place:
    """Where and how cells are run.

    Parameters
    ----------
    folder : Path
        Of all results; each cell has its records in a folder below it.
    n_jobs : int, optional
        Folds at a time, in processes, and threads of kernels.
    progress : bool or callable
        See ``nask.evaluate``.
    grams : Path, optional
        Keeps Gram matrices for cells on the same data; see ``nask.evaluate``.
    """

    folder: Path
    n_jobs: int | None = None
    progress: Progress = False
    grams: Path | None = None


class Cell(Protocol):
    """One figure of an experiment, or one panel: found in records, or run."""

    @property
    def row(self) -> str:
        """What varies: a method, or a variant."""

    @property
    def column(self) -> str:
        """On what: a set of graphs, mostly."""

    @property
    def folder(self) -> str:
        """Of its records, below that of all results."""

    def find(self, place: Place) -> Any | None:
        """Return the result if its records are complete, else None."""

    def run(self, place: Place) -> Any:
        """Return the result; what its records lack is run, and recorded."""


@dataclass(frozen=True)
class Report:
    """What an experiment found, for people.

    Parameters
    ----------
    text : str
        Markdown.
    pictures : mapping of str to Figure
        By the name of the file, without its ending.
    """

    text: str
    pictures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment:
    """One experiment of the paper.

    Parameters
    ----------
    name : str
        The ID on the command line.
    title : str
    cost : str
        What the full protocol takes on two cores, in words.
    cells : callable
        Returns the cells; of ``quick=True`` so few and small ones that they take a minute or two.
    report : callable
        Makes tables and pictures of the results, whichever are there.
    """

    name: str
    title: str
    cost: str
    cells: Callable[[bool], Sequence[Cell]]
    report: Callable[[Results], Report]


def found(experiment: Experiment, place: Place, quick: bool = False) -> dict[tuple[str, str], Any]:
    """Return the results whose records are there, and run nothing."""
    results = {}
    for cell in experiment.cells(quick):
        result = cell.find(place)
        if result is not None:
            results[cell.row, cell.column] = result
    return results

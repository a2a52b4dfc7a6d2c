"""What every engine answers: prepare a batch once, then compare it with others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from nask.arrays import Positions
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.stars.spec import StarSpec


@dataclass(frozen=True, eq=False)
class Prepared(ABC):
    """A batch with all that an engine needs of it alone.

    Parameters
    ----------
    batch : GraphBatch
    spec : StarSpec
    hop_self : ndarray of shape (n_hops, n_graphs)
        K_h(G, G) of each graph.
    """

    batch: GraphBatch
    spec: StarSpec
    hop_self: npt.NDArray[np.float64]

    @abstractmethod
    def take(self, graphs: Positions) -> Self:
        """Some of the graphs, in the order given, without computing anything again."""


PreparedT = TypeVar("PreparedT", bound=Prepared)


@dataclass(frozen=True)
class Window:
    """A part of a Gram matrix: a stretch of the row graphs against one of the column graphs.

    Parameters
    ----------
    rows, columns : slice
        Positions of graphs in the two batches, both ends given.

    Examples
    --------
    >>> window = Window(slice(0, 3), slice(2, 4))
    >>> window.shape, window.on_diagonal
    ((3, 2), False)
    """

    rows: slice
    columns: slice

    @classmethod
    def whole(cls, rows: Prepared, columns: Prepared) -> Window:
        """All graphs of two batches."""
        return cls(slice(0, rows.batch.n_graphs), slice(0, columns.batch.n_graphs))

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of row graphs and of column graphs."""
        rows, columns = self.rows, self.columns
        return int(rows.stop - rows.start), int(columns.stop - columns.start)

    @property
    def on_diagonal(self) -> bool:
        """Whether both stretches are the same; symmetric where both batches are."""
        return self.rows == self.columns

    def within(self, other: Window) -> tuple[slice, slice]:
        """Positions of this part in the matrix of a larger window.

        Examples
        --------
        >>> Window(slice(4, 6), slice(2, 4)).within(Window(slice(3, 9), slice(2, 9)))
        (slice(1, 3, None), slice(0, 2, None))
        """
        rows, columns = other.rows.start, other.columns.start
        return (
            slice(self.rows.start - rows, self.rows.stop - rows),
            slice(self.columns.start - columns, self.columns.stop - columns),
        )

    def tiles(self, n_rows: int, n_columns: int, symmetric: bool = False) -> list[Window]:
        """Cut into windows of at most so many graphs.

        Of a symmetric matrix, in squares, only those on and above the diagonal.

        Examples
        --------
        >>> whole = Window(slice(0, 5), slice(0, 5))
        >>> [tile.shape for tile in whole.tiles(3, 3, symmetric=True)]
        [(3, 3), (3, 2), (2, 2)]
        """
        return [
            Window(rows, columns)
            for rows in _stretches(self.rows, n_rows)
            for columns in _stretches(self.columns, n_columns)
            if not symmetric or rows.start <= columns.start
        ]


def _stretches(graphs: slice, n: int) -> list[slice]:
    stop = graphs.stop
    return [slice(first, min(first + n, stop)) for first in range(graphs.start, stop, n)]


class Engine(ABC, Generic[PreparedT]):
    """One way to compute the kernel."""

    name: str

    @abstractmethod
    def prepare(self, batch: GraphBatch, spec: StarSpec, execution: Execution) -> PreparedT:
        """Compute what depends on one batch alone, its self-terms included."""

    @abstractmethod
    def grams(
        self,
        rows: PreparedT,
        columns: PreparedT,
        combinations: npt.NDArray[np.float64],
        execution: Execution,
        window: Window,
    ) -> npt.NDArray[np.floating]:
        """Weighted sums of the hops' Gram matrices, or of a window of them, all from one pass.

        Parameters
        ----------
        rows, columns : Prepared
        combinations : ndarray of shape (n_combinations, n_hops)
            The weight of each hop in each result.
        execution : Execution
            Its ``memory_limit`` is for the result and the work on this window.
        window : Window
            The graphs to compare. Where both batches are the same object and the window is on the
            diagonal the result is symmetric, and half the work will do.

        Returns
        -------
        ndarray of shape (n_combinations, rows of the window, columns of the window)
        """

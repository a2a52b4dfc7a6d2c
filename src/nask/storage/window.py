"""A part of a matrix: some rows against some columns; how it is cut and put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nask.arrays import Floats
from nask.exceptions import MemoryLimitError


@dataclass(frozen=True)
class Window:
    """A part of a matrix: some rows against some columns.

    Parameters
    ----------
    rows, columns : slice
        Positions, both ends given.

    Examples
    --------
    >>> window = Window(slice(0, 3), slice(2, 4))
    >>> window.shape, window.on_diagonal
    ((3, 2), False)
    """

    rows: slice
    columns: slice

    @classmethod
    def whole(cls, n_rows: int, n_columns: int) -> Window:
        """All rows against all columns."""
        return cls(slice(0, n_rows), slice(0, n_columns))

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        rows, columns = self.rows, self.columns
        return int(rows.stop - rows.start), int(columns.stop - columns.start)

    @property
    def bounds(self) -> tuple[int, int, int, int]:
        """First row and the one after the last, and columns alike; to note, and to look up."""
        return self.rows.start, self.rows.stop, self.columns.start, self.columns.stop

    @property
    def on_diagonal(self) -> bool:
        """Whether rows and columns are the same; symmetric where the matrix is."""
        return self.rows == self.columns

    def within(self, other: Window) -> tuple[slice, slice]:
        """Positions of this window in the matrix of a larger one.

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
        """Cut into windows of at most so many rows and columns.

        Of a symmetric matrix, in squares, only those on and above the diagonal.

        Examples
        --------
        >>> whole = Window.whole(5, 5)
        >>> [tile.shape for tile in whole.tiles(3, 3, symmetric=True)]
        [(3, 3), (3, 2), (2, 2)]
        """
        return [
            Window(rows, columns)
            for rows in _cut(self.rows, n_rows)
            for columns in _cut(self.columns, n_columns)
            if not symmetric or rows.start <= columns.start
        ]


# A window, and its numbers.
Tile = tuple[Window, Floats]


def in_quarters(
    compute: Callable[[Window], Floats], window: Window, symmetric: bool
) -> Iterator[Tile]:
    """Compute a window; where memory is too short for it, its quarters, one after the other.

    Of a symmetric matrix, a window on the diagonal has three: those on and above.

    Examples
    --------
    >>> def compute(window):
    ...     if window.shape > (2, 2):
    ...         raise MemoryLimitError("too large")
    ...     return np.ones(window.shape)
    >>> [tile.shape for tile, _ in in_quarters(compute, Window.whole(3, 3), symmetric=True)]
    [(2, 2), (2, 1), (1, 1)]
    """
    n, m = window.shape
    try:
        values = compute(window)
    except MemoryLimitError:
        if n == m == 1:
            raise
    else:
        yield window, values
        return
    for quarter in window.tiles(-(-n // 2), -(-m // 2), symmetric and window.on_diagonal):
        yield from in_quarters(compute, quarter, symmetric)


def put(matrix: Any, window: Window, values: Floats, symmetric: bool) -> None:
    """Write a window of a matrix, in memory or stored; of a symmetric one, its mirror image too.

    The last two axes of the matrix are the rows and columns of the window.
    """
    matrix[..., window.rows, window.columns] = values
    if symmetric and not window.on_diagonal:
        matrix[..., window.columns, window.rows] = values.swapaxes(-1, -2)


def assembled(
    window: Window, tiles: Iterable[Tile], dtype: str, symmetric: bool, n_results: tuple[int, ...]
) -> Floats:
    """Put a window together from tiles; of a symmetric one, from those on and above the diagonal.

    Parameters
    ----------
    tiles : iterable of (Window, ndarray)
        They cover the window.
    symmetric : bool
        Whether the matrix is.
    n_results : tuple of int
        The axes before rows and columns: () of one matrix, (3,) of three.

    Examples
    --------
    >>> tiles = [(Window(slice(4, 6), slice(6, 8)), np.array([[1., 2.], [3., 4.]])),
    ...          (Window(slice(4, 6), slice(4, 6)), np.eye(2)),
    ...          (Window(slice(6, 8), slice(6, 8)), np.eye(2))]
    >>> assembled(Window(slice(4, 8), slice(4, 8)), tiles, "float64", True, ())
    array([[1., 0., 1., 2.],
           [0., 1., 3., 4.],
           [1., 3., 1., 0.],
           [2., 4., 0., 1.]])
    """
    result: Floats = np.empty((*n_results, *window.shape), dtype)
    for tile, values in tiles:
        put(result, Window(*tile.within(window)), values, symmetric and window.on_diagonal)
    return result


def window_of(matrix: Floats, window: Window) -> Floats:
    """Copy a window of a matrix, in memory or in a file, to work on.

    One in a file is mapped anew: pages read through a map count as memory in use while it lasts.
    """
    if isinstance(matrix, np.memmap):
        matrix = np.load(str(matrix.filename), mmap_mode="r")
    return np.array(matrix[..., window.rows, window.columns])


def _cut(positions: slice, n: int) -> list[slice]:
    stop = positions.stop
    return [slice(first, min(first + n, stop)) for first in range(positions.start, stop, n)]

"""A part of a matrix: some rows against some columns; how it is cut and put together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nask.arrays import Floats


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

"""Rows of a large matrix, centred and scaled while they are read, tile by tile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import delayed

from nask.arrays import Array, Float64, Positions
from nask.exceptions import ParameterError
from nask.execution.execution import Execution

# What is computed of one tile: the positions of its rows among the chosen ones and the rows
# themselves go in, terms of sums over all rows come out.
Terms = Callable[[slice, Array], tuple[Array, ...]]

# A tile of so many numbers stays in the cache between the two products it takes part in.
NUMBERS_PER_TILE = 2**19
# Tiles of one window, whose sums are added up by one thread.
TILES_PER_WINDOW = 16
# Numbers read in the time of comparing one pair of nodes: 2e9 per second against 1e8.
NUMBERS_PER_PAIR = 20


@dataclass(frozen=True, eq=False)
class CentredRows:
    """Chosen rows of a matrix as (x - mean) / scale, with a column of ones at the end.

    The scale is one number: the rows have unit mean squared length, as with
    :class:`~nask.learning.centring.Centring`. The matrix is never copied: only tiles are, one per
    thread. Sums over rows are taken tile by tile in the same order for any number of threads.

    Parameters
    ----------
    X : ndarray of shape (n_all, n_columns)
        May be a memory map.
    rows : ndarray of int or None
        Positions of the chosen rows; all where None.
    mean : ndarray of shape (n_columns,)
    scale : float
    execution : Execution

    Examples
    --------
    >>> data = CentredRows.fit(np.array([[5.0, 7.0], [5.0, 3.0], [9.0, 9.0]]), np.array([0, 1]))
    >>> data.mean, data.scale
    (array([5., 5.]), 2.0)
    >>> data.sums(lambda place, tile: (tile.sum(axis=0),))  # not scaled yet
    [array([0., 0., 2.])]
    """

    X: Array
    rows: Positions | None
    mean: Float64
    scale: float
    execution: Execution

    @classmethod
    def fit(
        cls, X: Array, rows: Positions | None = None, execution: Execution | None = None
    ) -> CentredRows:
        """Learn mean and scale in one pass."""
        execution = execution or Execution()
        raw = cls(X, rows, np.zeros(X.shape[1]), 1.0, execution)

        def terms(_: slice, tile: Array) -> tuple[Array, ...]:
            exact = tile[:, :-1].astype(np.float64)
            return exact.sum(axis=0), np.asarray(np.vdot(exact, exact))

        total, squares = raw.sums(terms)
        bad = np.flatnonzero(~np.isfinite(total))
        if len(bad):
            raise ParameterError(
                f"Column {bad[0]} of the features holds a value that is not a finite number."
            )
        mean, square = total / len(raw), float(squares) / len(raw)
        spread = square - float(mean @ mean)
        # Rows that are all alike leave rounding errors only: do not magnify them.
        alike = spread <= 1e3 * float(np.finfo(np.float64).eps) * square
        return cls(X, rows, mean, 1.0 if alike else float(np.sqrt(spread)), execution)

    def __len__(self) -> int:
        return len(self.X) if self.rows is None else len(self.rows)

    @property
    def n_columns(self) -> int:
        """Number of columns, without that of ones."""
        return int(self.X.shape[1])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of products within a tile; sums of tiles are float64."""
        return np.result_type(self.X.dtype, np.float32)

    @property
    def units(self) -> Float64:
        """Factors by which the columns of a tile are still to be multiplied."""
        return np.append(np.full(self.n_columns, 1 / self.scale), 1.0)

    def sample(self, n: int) -> Float64:
        """At most n of the rows, evenly spaced, centred and scaled, without the column of ones."""
        chosen = np.unique(np.linspace(0, len(self) - 1, min(n, len(self))).astype(np.intp))
        read = self.X[chosen if self.rows is None else self.rows[chosen]]
        return np.asarray((read - self.mean) / self.scale)

    def windows(self) -> list[slice]:
        """Positions among the chosen rows, cut into the work of single tasks."""
        n = self._rows_per_tile * TILES_PER_WINDOW
        return [slice(i, min(i + n, len(self))) for i in range(0, len(self), n)]

    def sums(self, terms: Terms) -> list[Float64]:
        """One pass: the sums over all tiles of the terms computed of each."""

        def task(window: slice) -> list[Float64]:
            return _added(terms(place, tile) for place, tile in self._tiles(window))

        tasks = [delayed(task)(window) for window in self.windows()]
        return _added(self.execution.run(tasks, len(self) * self.n_columns / NUMBERS_PER_PAIR))

    @property
    def _rows_per_tile(self) -> int:
        return max(1, NUMBERS_PER_TILE // (self.n_columns + 1))

    def _tiles(self, window: slice) -> Iterator[tuple[slice, Array]]:
        """Centred rows with a column of ones, each tile written over the one before."""
        space = np.ones((self._rows_per_tile, self.n_columns + 1), dtype=self.dtype)
        mean = self.mean.astype(self.dtype)
        for first in range(window.start, window.stop, self._rows_per_tile):
            place = slice(first, min(first + self._rows_per_tile, window.stop))
            tile = space[: place.stop - place.start]
            read = self.X[place] if self.rows is None else self.X[self.rows[place]]
            np.subtract(read, mean, out=tile[:, :-1])
            yield place, tile


def _added(terms: Iterable[Any]) -> list[Float64]:
    """Sums of the n-th terms, in float64."""
    sums: list[Float64] = []
    for some in terms:
        if sums:
            sums = [total + term for total, term in zip(sums, some, strict=True)]
        else:
            sums = [np.asarray(term, dtype=np.float64) for term in some]
    return sums

"""Rows of a large feature matrix, centred and scaled block by block while they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import delayed
from threadpoolctl import ThreadpoolController

from nask.exceptions import ParameterError
from nask.execution.execution import Execution

Floats = npt.NDArray[np.float64]
Array = npt.NDArray[Any]
Index = npt.NDArray[np.intp]
# What is computed of some rows: their positions among the chosen ones and themselves go in, terms
# of sums over all rows come out.
Part = Callable[[slice, Array], tuple[Array, ...]]

# A block of so many numbers stays in the cache between the two products it takes part in.
BLOCK = 2**19
# Blocks of one task, whose sums are added up by one thread.
BLOCKS_PER_TASK = 16
# Numbers read in the time of comparing one pair of nodes: 2e9 a second against 1e8.
NUMBERS_PER_PAIR = 20


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Chosen rows of a matrix as (x - mean) / scale, with a column of ones at the end.

    The scale is one number: the rows have unit mean squared length, as with
    :class:`~nask.learning.support.Centring`. The matrix is never copied: blocks of rows are, one
    at a time and thread. Sums over rows are taken block by block in the same order for any number
    of threads.

    Parameters
    ----------
    X : ndarray of shape (n_all, n_columns)
        May be a memory map.
    rows : ndarray of int or None
        The chosen ones; all where None.
    mean : ndarray of shape (n_columns,)
    scale : float
    execution : Execution

    Examples
    --------
    >>> data = FeatureRows.fit(np.array([[5.0, 7.0], [5.0, 3.0], [9.0, 9.0]]), np.array([0, 1]))
    >>> data.mean, data.scale
    (array([5., 5.]), 2.0)
    >>> data.sums(lambda stretch, block: (block.sum(axis=0),))  # not scaled yet
    [array([0., 0., 2.])]
    """

    X: Array
    rows: Index | None
    mean: Floats
    scale: float
    execution: Execution

    @classmethod
    def fit(
        cls, X: Array, rows: Index | None = None, execution: Execution | None = None
    ) -> FeatureRows:
        """Learn mean and scale in one pass."""
        execution = execution or Execution()
        raw = cls(X, rows, np.zeros(X.shape[1]), 1.0, execution)

        def part(_: slice, block: Array) -> tuple[Array, ...]:
            exact = block[:, :-1].astype(np.float64)
            return exact.sum(axis=0), np.asarray(np.vdot(exact, exact))

        total, squares = raw.sums(part)
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
        """Arithmetic of products within a block; sums of blocks are float64."""
        return np.result_type(self.X.dtype, np.float32)

    @property
    def units(self) -> Floats:
        """What the columns of a block are still to be multiplied by."""
        return np.append(np.full(self.n_columns, 1 / self.scale), 1.0)

    def every(self, n: int) -> FeatureRows:
        """At most n of the rows, evenly spaced, centred and scaled as all are."""
        chosen = np.unique(np.linspace(0, len(self) - 1, min(n, len(self))).astype(np.intp))
        rows = chosen if self.rows is None else self.rows[chosen]
        return FeatureRows(self.X, rows, self.mean, self.scale, self.execution)

    def stretches(self) -> list[slice]:
        """The rows cut into tasks."""
        n = self._block * BLOCKS_PER_TASK
        return [slice(i, min(i + n, len(self))) for i in range(0, len(self), n)]

    def sums(self, part: Part) -> list[Floats]:
        """One pass: the sums over all blocks of the terms computed of each."""

        def task(stretch: slice) -> list[Floats]:
            return _added(part(place, block) for place, block in self._blocks(stretch))

        tasks = [delayed(task)(stretch) for stretch in self.stretches()]
        work = len(self) * self.n_columns / NUMBERS_PER_PAIR
        # One thread a product: threads of BLAS would wait for each other, and their number would
        # decide the last digit.
        with _libraries().limit(limits=1, user_api="blas"):
            return _added(self.execution.run(tasks, work))

    @property
    def _block(self) -> int:
        return max(1, BLOCK // (self.n_columns + 1))

    def _blocks(self, stretch: slice) -> Iterator[tuple[slice, Array]]:
        """Centred rows with a column of ones, each block written over the one before."""
        space = np.ones((self._block, self.n_columns + 1), dtype=self.dtype)
        mean = self.mean.astype(self.dtype)
        for first in range(stretch.start, stretch.stop, self._block):
            place = slice(first, min(first + self._block, stretch.stop))
            block = space[: place.stop - place.start]
            read = self.X[place] if self.rows is None else self.X[self.rows[place]]
            np.subtract(read, mean, out=block[:, :-1])
            yield place, block


@cache
def _libraries() -> Any:
    """BLAS, to limit its threads; looking for it takes milliseconds."""
    return ThreadpoolController()


def _added(terms: Iterator[Any]) -> list[Floats]:
    """Sums of the n-th terms, in float64."""
    sums: list[Floats] = []
    for some in terms:
        if sums:
            sums = [total + term for total, term in zip(sums, some, strict=True)]
        else:
            sums = [np.asarray(term, dtype=np.float64) for term in some]
    return sums

"""Two batches compared: in memory where the result fits, else tile by tile in a file."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version

import numpy as np
import numpy.typing as npt

from nask.engines.contract import Execution, Prepared, Window
from nask.engines.selection import ENGINES
from nask.exceptions import MemoryLimitError
from nask.kernels.identity import content_hash
from nask.kernels.stored import StoredGram

Floats = npt.NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Weighted sums of the hops' Gram matrices between two batches.

    Parameters
    ----------
    engine : str
    rows, columns : Prepared
        The same object where graphs are compared with themselves.
    combinations : ndarray of shape (n_hops,) or (n_combinations, n_hops)
        The weight of each hop; several of them make several matrices.
    scales : tuple of two ndarrays, or None
        Factors of the rows and of the columns.
    dtype : str
        Of the result.
    """

    engine: str
    rows: Prepared
    columns: Prepared
    combinations: npt.NDArray[np.float64]
    scales: tuple[Floats, Floats] | None
    dtype: str

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the result: (n_combinations, if there are several,) rows, columns."""
        n, m = self.rows.batch.n_graphs, self.columns.batch.n_graphs
        return (*self.combinations.shape[:-1], n, m)

    @property
    def symmetric(self) -> bool:
        """Whether graphs are compared with themselves."""
        return self.rows is self.columns

    @cached_property
    def identity(self) -> str:
        """Hash of all that decides the numbers, up to their last digits."""
        return content_hash(
            version("nask"),
            self.engine,
            self.rows.spec,
            self.rows.batch,
            None if self.symmetric else self.columns.batch,
            self.combinations,
            self.scales,
            self.dtype,
        )

    def compute(self, folder: str | os.PathLike[str] | None, execution: Execution) -> Floats:
        """Compute the result; a read-only map of a file in the folder where memory is short."""
        n_numbers, size = int(np.prod(self.shape)), np.dtype(self.rows.spec.dtype).itemsize
        if self.dtype != self.rows.spec.dtype:
            size += np.dtype(self.dtype).itemsize
        with suppress(MemoryLimitError):
            execution.check_memory(n_numbers * size, "The result")
            return self.window(Window.whole(self.rows, self.columns), execution)
        quiet = replace(execution, progress=False)
        stored = StoredGram(
            self.identity,
            self.shape,
            self.dtype,
            self.symmetric,
            lambda window: self.window(window, quiet),
        )
        return stored.fill(folder, execution)

    def window(self, window: Window, execution: Execution) -> Floats:
        """Compute a part of the result in memory."""
        combinations = np.atleast_2d(self.combinations)
        sums: Floats = ENGINES[self.engine].grams(
            self.rows, self.columns, combinations, execution, window
        )
        if self.scales is not None:
            row_scale, column_scale = self.scales
            sums *= row_scale[window.rows, None]
            sums *= column_scale[None, window.columns]
        shape = (*self.combinations.shape[:-1], *window.shape)
        return sums.reshape(shape).astype(self.dtype, copy=False)

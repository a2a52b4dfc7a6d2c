"""Two batches compared: in memory where the result fits, else tile by tile in a file.

Where joblib is told to use Dask, the tiles are computed by the workers of its cluster.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt

from nask.engines.contract import Prepared
from nask.engines.selection import ENGINES
from nask.exceptions import MemoryLimitError
from nask.execution.execution import Execution
from nask.execution.remote import active_client, run, task_memory
from nask.kernels.stored import StoredGram
from nask.storage.hashes import content_hash
from nask.storage.window import Window

Floats = npt.NDArray[np.floating]
# A tile that is the task of a worker: pairs of nodes, some ten seconds of one thread, and graphs
# along its side.
TILE_PAIRS = 1e9
LARGEST_SIDE = 1024
# Tiles for each thread of a cluster, so that all are at work until near the end.
TILES_PER_THREAD = 4


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
            return self.window(Window.whole(*self.shape[-2:]), execution)
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
        """Compute a part of the result in memory, on the cluster of joblib where there is one."""
        client = active_client()
        if client is not None:
            return self._gathered(client, window, execution)
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

    @property
    def side(self) -> int:
        """Graphs along a square tile that is the task of a worker."""
        batches = (self.rows.batch, self.columns.batch)
        nodes = math.prod(batch.n_nodes / max(1, batch.n_graphs) for batch in batches)
        return int(min(LARGEST_SIDE, max(1.0, math.sqrt(TILE_PAIRS / max(1.0, nodes)))))

    def in_parts(self, window: Window, execution: Execution) -> Floats:
        """Compute a window, in quarters where memory is too short for the whole of it."""
        try:
            return self.window(window, execution)
        except MemoryLimitError:
            n, m = window.shape
            if n == m == 1:
                raise
        parts = window.tiles(-(-n // 2), -(-m // 2), self.symmetric and window.on_diagonal)
        return self._assembled(window, ((part, self.in_parts(part, execution)) for part in parts))

    def _gathered(self, client: Any, window: Window, execution: Execution) -> Floats:
        """Compute a window in tiles on a cluster."""
        n_tiles = TILES_PER_THREAD * max(1, sum(client.nthreads().values()))
        side = min(self.side, math.ceil(math.sqrt(math.prod(window.shape) / n_tiles)))
        tiles = window.tiles(max(1, side), max(1, side), self.symmetric and window.on_diagonal)
        done = run(client, WindowWork(self, execution.memory_limit), tiles)
        return self._assembled(window, execution.track(done, len(tiles)))

    def _assembled(self, window: Window, parts: Iterable[tuple[Window, Floats]]) -> Floats:
        """Put a window together; of a symmetric one, from parts on and above the diagonal."""
        result = np.empty((*self.combinations.shape[:-1], *window.shape), self.dtype)
        for part, values in parts:
            rows, columns = part.within(window)
            result[..., rows, columns] = values
            if self.symmetric and window.on_diagonal and not part.on_diagonal:
                result[..., columns, rows] = values.swapaxes(-1, -2)
        return result


@dataclass(frozen=True, eq=False)
class WindowWork:
    """Windows of a comparison, each the work of one thread of a worker."""

    comparison: Comparison
    memory_limit: int | None

    def __call__(self, window: Window) -> Floats:
        """Compute a window within the memory of the worker."""
        limit = self.memory_limit or task_memory()
        return self.comparison.in_parts(window, Execution(n_jobs=1, memory_limit=limit))

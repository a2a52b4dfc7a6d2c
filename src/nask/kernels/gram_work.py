"""Two batches compared: in memory where the result fits, else chunk by chunk in a file."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.metadata import version

import numpy as np

from nask.arrays import Float64, Floats
from nask.engines.contract import Prepared
from nask.engines.selection import ENGINES
from nask.exceptions import MemoryLimitError
from nask.execution.execution import Execution
from nask.kernels.stored import StoredGram
from nask.numeric import scale_pairs
from nask.storage.hashes import content_hash
from nask.storage.window import Tile, Window, assembled, in_quarters

# A tile that is the task of a worker: pairs of nodes, some ten seconds of one thread, and graphs
# along its side.
TILE_PAIRS = 1e9
LARGEST_SIDE = 1024
# Tiles for each thread of a cluster, so that all are at work until near the end.
TILES_PER_THREAD = 4


@dataclass(frozen=True, eq=False)
class GramWork:
    """Weighted sums of the hops' Gram matrices between two batches.

    Parameters
    ----------
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
    combinations: Float64
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
        """Compute a window of the result in memory, in tiles where a cluster is to do it."""
        n_remote = execution.n_remote
        if n_remote:
            return self._gathered(window, execution, TILES_PER_THREAD * n_remote)
        combinations = np.atleast_2d(self.combinations)
        sums: Floats = ENGINES[self.engine].grams(
            self.rows, self.columns, combinations, execution, window
        )
        if self.scales is not None:
            row_scale, column_scale = self.scales
            scale_pairs(sums, row_scale[window.rows], column_scale[window.columns])
        shape = (*self.combinations.shape[:-1], *window.shape)
        return sums.reshape(shape).astype(self.dtype, copy=False)

    @property
    def side(self) -> int:
        """Graphs along a square tile that is the task of a worker."""
        batches = (self.rows.batch, self.columns.batch)
        nodes = math.prod(batch.n_nodes / max(1, batch.n_graphs) for batch in batches)
        return int(min(LARGEST_SIDE, max(1.0, math.sqrt(TILE_PAIRS / max(1.0, nodes)))))

    def _gathered(self, window: Window, execution: Execution, n_tiles: int) -> Floats:
        """Compute a window in so many tiles at least, by whom execution sends them to."""
        side = min(self.side, math.ceil(math.sqrt(math.prod(window.shape) / n_tiles)))
        tiles = window.tiles(max(1, side), max(1, side), self.symmetric and window.on_diagonal)
        work = partial(self._task, execution=replace(execution, progress=False))
        done = execution.track(execution.map(work, tiles), len(tiles))
        return assembled(window, done, self.dtype, self.symmetric, self.shape[:-2])

    def _task(self, window: Window, execution: Execution) -> Floats:
        tiles = self.tiles(window, execution)
        return assembled(window, tiles, self.dtype, self.symmetric, self.shape[:-2])

    def tiles(self, window: Window, execution: Execution) -> Iterator[Tile]:
        """Compute a window as a task, in quarters where memory is too short for the whole of it."""
        execution = execution.in_task()
        return in_quarters(lambda tile: self.window(tile, execution), window, self.symmetric)

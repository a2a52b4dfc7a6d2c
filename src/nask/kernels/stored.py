"""Gram matrices larger than memory: an .npy file, filled chunk by chunk and then mapped."""

from __future__ import annotations

import math
import os
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nask.arrays import Floats
from nask.execution.execution import Execution
from nask.storage.contents import Contents
from nask.storage.hashes import content_hash
from nask.storage.npy_chunks import FORMAT, Map, open_npy
from nask.storage.scratch import make_scratch, remove_scratch
from nask.storage.window import Window
from nask.storage.write_errors import writing

# The share of memory_limit for the numbers of a chunk; the rest is for the work on them.
CHUNK_SHARE = 0.25
# What names the folder of stored Gram matrices, for advice.
PLACE = "gram_folder (or --out of nask gram)"


@dataclass(frozen=True, eq=False)
class StoredGram:
    """A Gram matrix, or several of the same graphs, to compute into a file.

    Parameters
    ----------
    identity : str
        Hash of all that decides the numbers; the name of the file is made of it.
    shape : tuple of int
        The last two are the numbers of row and column graphs.
    symmetric : bool
        Whether chunks on and above the diagonal are enough.
    compute : callable
        Numbers of a window. Where it raises MemoryLimitError, it is asked for smaller windows.
    description : str
        Of the progress bar.
    """

    identity: str
    shape: tuple[int, ...]
    dtype: str
    symmetric: bool
    compute: Callable[[Window], Floats]
    description: str = "Comparing graphs"

    def fill(self, folder: str | os.PathLike[str] | None, execution: Execution) -> Map:
        """Compute what is missing in the file, and map it for reading.

        Without a folder the file is a temporary one, which goes with the last array that maps it.
        """
        if folder is not None:
            return self._fill(_made(Path(folder)), execution)
        temporary = make_scratch()
        try:
            array = self._fill(temporary, execution)
        except BaseException:
            remove_scratch(temporary)
            raise
        weakref.finalize(array, remove_scratch, temporary)
        return array

    def _fill(self, folder: Path, execution: Execution) -> Map:
        # Named by the format too: what an earlier version left half done is not taken up.
        path = folder / f"gram-{content_hash(FORMAT, self.identity)[:16]}.npy"
        with open_npy(
            path,
            Contents("a Gram matrix", self.identity),
            self.shape,
            self.dtype,
            chunk=self._chunk(execution),
            symmetric=self.symmetric,
            place=PLACE,
        ) as chunks:
            chunks.fill(self.compute, execution.progress, self.description)
            return chunks.map()

    def _chunk(self, execution: Execution) -> tuple[int, int]:
        """Rows and columns of chunks that take their share of memory; squares where they can be."""
        limit = execution.memory_limit or math.inf
        n_numbers = math.prod(self.shape)
        n_results = n_numbers // (self.shape[-2] * self.shape[-1])
        n_numbers = max(1, int(min(n_numbers, CHUNK_SHARE * limit / 8) / n_results))
        side = math.isqrt(n_numbers)
        if self.symmetric:
            return side, side
        rows = min(side, self.shape[-2])
        columns = min(n_numbers // rows, self.shape[-1])
        return min(n_numbers // columns, self.shape[-2]), columns


def _made(folder: Path) -> Path:
    with writing(folder, PLACE):
        folder.mkdir(parents=True, exist_ok=True)
    return folder

"""Gram matrices larger than memory: an .npy file, filled tile by tile and then mapped.

Killed at any moment, a computation leaves the file with the tiles done so far and the record of
them. The next one with the same identity does the others.
"""

from __future__ import annotations

import errno
import math
import os
import shutil
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from nask.exceptions import FormatError, MemoryLimitError
from nask.execution.execution import Execution
from nask.execution.progress import track
from nask.execution.resources import free_disk, readable_bytes
from nask.kernels.tile_record import PLACE, TileRecord, open_record
from nask.storage.scratch import make_scratch
from nask.storage.window import Window
from nask.storage.write_errors import FULL, writing

# The share of memory_limit for the numbers of a tile; the rest is for the work on them.
TILE_SHARE = 0.25

Floats = npt.NDArray[np.floating]
Map = np.memmap[Any, np.dtype[np.floating]]


@dataclass(frozen=True, eq=False)
class StoredGram:
    """A Gram matrix, or several of the same graphs, to compute into a file.

    Parameters
    ----------
    identity : str
        Hash of all that decides the numbers; the name of the file is made of it.
    shape : tuple of int
        The last two are the numbers of row and column graphs.
    dtype : str
    symmetric : bool
        Whether tiles on and above the diagonal are enough.
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
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        weakref.finalize(array, shutil.rmtree, temporary, ignore_errors=True)
        return array

    def _fill(self, folder: Path, execution: Execution) -> Map:
        path = folder / f"gram-{self.identity[:16]}.npy"
        record_path = path.with_suffix(".jsonl")
        if path.exists() and not record_path.exists():
            raise FormatError(
                f"{path} has no record {record_path.name} beside it, which would say what it "
                "holds. Move it away, or choose another gram_folder."
            )
        header = {
            "computation": self.identity,
            "shape": list(self.shape),
            "dtype": self.dtype,
            "tile": self._tile_shape(execution),
        }
        with open_record(record_path, header) as record:
            if not path.exists():
                record.clear()
            if len(record):
                self._check(path)
            else:
                with writing(path, PLACE):
                    self._create(path)
            # The tiles of the process that began: what it noted then needs no second look.
            n_rows, n_columns = record.header["tile"]
            tiles = self._whole.tiles(n_rows, n_columns, self.symmetric)
            try:
                self._compute_missing(tiles, record, path, execution)
            except MemoryLimitError:
                if not len(record):
                    path.unlink()  # nothing to go on from
                raise
        return cast(Map, np.load(path, mmap_mode="r"))

    def _compute_missing(
        self, tiles: list[Window], record: TileRecord, path: Path, execution: Execution
    ) -> None:
        missing = [window for window in tiles if window not in record]
        n_done = len(tiles) - len(missing)
        for window in track(missing, len(tiles), execution.progress, self.description, n_done):
            self._compute(window, path)
            record.add(window)

    def _compute(self, window: Window, path: Path) -> None:
        try:
            values = self.compute(window)
        except MemoryLimitError:
            n, m = window.shape
            if n == m == 1:
                raise
            for part in window.tiles(-(-n // 2), -(-m // 2), self.symmetric):
                self._compute(part, path)
            return
        # Mapped anew for every tile, so that pages written before do not count as memory in use.
        array = np.lib.format.open_memmap(path, mode="r+")
        array[..., window.rows, window.columns] = values
        if self.symmetric and not window.on_diagonal:
            array[..., window.columns, window.rows] = values.swapaxes(-1, -2)
        array.flush()

    @property
    def _whole(self) -> Window:
        return Window(slice(0, self.shape[-2]), slice(0, self.shape[-1]))

    def _tile_shape(self, execution: Execution) -> list[int]:
        """Rows and columns of tiles that take their share of memory; squares where they can be."""
        limit = execution.memory_limit or math.inf
        n_numbers = math.prod(self.shape)
        n_results = n_numbers // (self.shape[-2] * self.shape[-1])
        n_numbers = max(1, int(min(n_numbers, TILE_SHARE * limit / 8) / n_results))
        side = math.isqrt(n_numbers)
        if self.symmetric:
            return [side, side]
        rows = min(side, self.shape[-2])
        columns = min(n_numbers // rows, self.shape[-1])
        return [min(n_numbers // columns, self.shape[-2]), columns]

    def _create(self, path: Path) -> None:
        needed = math.prod(self.shape) * np.dtype(self.dtype).itemsize
        with path.open("wb") as file:
            header = {"descr": np.dtype(self.dtype).str, "fortran_order": False}
            np.lib.format.write_array_header_1_0(file, {**header, "shape": self.shape})
            file.flush()
            _reserve(file, needed, path)

    def _check(self, path: Path) -> None:
        """Raise unless the file is whole and of this shape; then its tiles are as noted."""
        problem = ""
        try:
            # For reading: a map for writing would lengthen a file that is cut short.
            array = np.load(path, mmap_mode="r")
            if array.shape != self.shape or array.dtype != self.dtype:
                problem = f"it holds {array.shape} numbers of type {array.dtype}"
        except (OSError, ValueError, EOFError) as error:
            problem = str(error)
        if problem:
            raise FormatError(
                f"{path} is damaged or of something else: {problem}; expected {self.shape} numbers "
                f"of type {self.dtype}. Delete it and the .jsonl file of the same name to compute "
                "the Gram matrix again."
            )


def _made(folder: Path) -> Path:
    with writing(folder, PLACE):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _reserve(file: BinaryIO, n_bytes: int, path: Path) -> None:
    """Give the file its size, on disk too: running out later would kill the process."""
    start = file.tell()
    reserve: Any = getattr(os, "posix_fallocate", None)
    try:
        file.truncate(start + n_bytes)
        if reserve is not None:
            reserve(file.fileno(), start, n_bytes)
    except OSError as error:
        if error.errno not in (*FULL, errno.EFBIG):
            return  # a file system that cannot reserve
        path.unlink()
        free = free_disk(path.parent)
        raise MemoryLimitError(
            f"The Gram matrix takes {readable_bytes(n_bytes)} in {path.parent}, where "
            f"{readable_bytes(free)} are free. Give {PLACE} a place on another disk, use "
            "dtype='float32', or raise memory_limit."
        ) from None

"""One ``.npy`` file for a matrix: made with its size reserved, checked, and its checksums."""

from __future__ import annotations

import errno
import math
import os
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from nask.arrays import Array
from nask.exceptions import FormatError, MemoryLimitError
from nask.execution.resources import free_disk, readable_bytes
from nask.messages import shortened
from nask.storage.write_errors import FULL, writing

# Numbers that are read at a time for a checksum: 1 MB in float64.
CHECKED_NUMBERS = 125_000


def check_file(path: Path, shape: tuple[int, ...], dtype: str) -> None:
    """Raise unless the file is whole and of this shape; its chunks are checked one by one."""
    problem = ""
    try:
        # For reading: a map for writing would lengthen a file that is cut short.
        array = np.load(path, mmap_mode="r")
        if array.shape != shape or array.dtype != dtype:
            problem = f"it holds {array.shape} numbers of type {array.dtype}"
    except Exception as error:  # a damaged header raises anything, from TokenError to OSError
        problem = shortened(str(error)) or type(error).__name__
    if problem:
        raise FormatError(
            f"{path} is damaged or of something else: {problem}; expected {shape} numbers "
            f"of type {dtype}. Delete it and the .jsonl file of the same name to compute it again."
        )


def checksum_of(values: Array, place: str = "") -> int:
    """crc32 of a place in words and of the numbers there, row by row, a few rows at a time."""
    checksum, height = (
        zlib.crc32(place.encode()),
        max(1, CHECKED_NUMBERS // max(1, values.shape[-1])),
    )
    for result in np.ndindex(values.shape[:-2]):
        for first in range(0, values.shape[-2], height):
            rows = np.ascontiguousarray(values[result][first : first + height])
            checksum = zlib.crc32(rows.data, checksum)
    return checksum


def create_file(path: Path, shape: tuple[int, ...], dtype: str, place: str) -> None:
    """Make a file of zeros, with all of its bytes reserved on the disk.

    ``place`` is the parameter or option that named the folder, for errors: "out (--out)".
    """
    with writing(path, place), path.open("wb") as file:
        header = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        file.flush()
        _reserve(file, math.prod(shape) * np.dtype(dtype).itemsize, path, place)


def _reserve(file: BinaryIO, n_bytes: int, path: Path, place: str) -> None:
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
            f"The matrix takes {readable_bytes(n_bytes)} in {path.parent}, where "
            f"{readable_bytes(free)} are free. Give {place} a place on another disk, use "
            "dtype='float32', or raise memory_limit."
        ) from None

"""What the machine has left, memory and disk, and sizes as a reader would say them."""

from __future__ import annotations

import math
import os
import re
import shutil
from pathlib import Path

import psutil

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def readable_bytes(n_bytes: float) -> str:
    """A number of bytes in the unit a reader would use.

    Examples
    --------
    >>> readable_bytes(440), readable_bytes(2_500_000), readable_bytes(1_234_000_000)
    ('440 B', '2.5 MB', '1.23 GB')
    """
    for size, unit in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{int(n_bytes)} B"


def parsed_bytes(text: str) -> int | None:
    """A positive number of bytes that is written with or without a unit; None where it is none.

    Examples
    --------
    >>> parsed_bytes("4GB"), parsed_bytes("2 GiB"), parsed_bytes("1024"), parsed_bytes("much")
    (4000000000, 2147483648, 1024, None)
    """
    match = re.fullmatch(
        r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(i?)B?\s*", text[:100], re.IGNORECASE
    )
    if match is None or float(match[1]) == 0:
        return None
    unit = UNITS[match[2].upper()]
    if match[3]:
        unit = 1024 ** (int(math.log10(unit)) // 3)
    return int(float(match[1]) * unit)


def free_disk(path: str | os.PathLike[str]) -> int:
    """Bytes that are free on the disk of a path, which need not exist yet.

    Examples
    --------
    >>> free_disk("nowhere/to/be/found") == free_disk(".") > 0
    True
    """
    return shutil.disk_usage(nearest_folder(path)).free


def nearest_folder(path: str | os.PathLike[str]) -> Path:
    """The path itself where it is a folder, or the first above it."""
    place = Path(os.path.abspath(path))
    # Not Path.is_dir, which raises where a name is too long.
    return next(p for p in (place, *place.parents, Path(os.curdir)) if os.path.isdir(p))


def free_memory() -> int:
    """Bytes of memory that programs may still take without swapping."""
    return int(psutil.virtual_memory().available)


def total_memory() -> int:
    """Bytes of memory of this machine.

    Examples
    --------
    >>> 0 < free_memory() < total_memory()
    True
    """
    return int(psutil.virtual_memory().total)

"""A matrix that is stored chunk by chunk, each with a checksum.

Killed at any moment, a computation leaves the chunks done so far, and the next one does the others.
There are two kinds of store: one ``.npy`` file with a record beside it, which one process at a time
fills (:mod:`nask.storage.npy_chunks`), and a Zarr group with a file per chunk, which any number of
processes fill together (:mod:`nask.storage.zarr_chunks`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from nask.arrays import Floats
from nask.execution.progress import Progress, track
from nask.messages import quoted
from nask.storage.window import Tile, Window, in_quarters

# A store has fewer chunks; more would take long to list, and a damaged record may say any number.
MOST_CHUNKS = 100_000


def problem_of_chunks(shape: Sequence[Any], chunk: Sequence[Any], symmetric: Any) -> str:
    """What is wrong with chunks of some rows and columns; empty where they can cover a matrix.

    Examples
    --------
    >>> problem_of_chunks((9, 9), (3, 4), False), problem_of_chunks((9, 9), (3, 4), True)
    ('', 'has chunks of [3, 4] rows and columns')
    """
    whole = all(type(size) is int and size > 0 for size in (*shape, *chunk))
    # Of squares alone, those on and above the diagonal make up a symmetric matrix.
    if whole and len(chunk) == 2 <= len(shape) and not (symmetric and chunk[0] != chunk[1]):
        n_chunks = math.prod(-(-n // side) for n, side in zip(shape[-2:], chunk, strict=True))
        if n_chunks <= MOST_CHUNKS:
            return ""
    return f"has chunks of {quoted(list(chunk))} rows and columns"


class Chunks(ABC):
    """The chunks of a stored matrix.

    Attributes
    ----------
    symmetric : bool
        Whether a chunk above the diagonal is stored together with its mirror image.
    """

    symmetric: bool

    @property
    @abstractmethod
    def windows(self) -> list[Window]:
        """All chunks; of a symmetric matrix, those on and above the diagonal."""

    @abstractmethod
    def intact(self, window: Window) -> bool:
        """Tell whether a chunk is there, with its mirror image, and has its checksum."""

    @abstractmethod
    def write(self, window: Window, tiles: Iterable[Tile]) -> None:
        """Store a chunk, given in tiles that cover it, and its mirror image."""

    def ensure(self, window: Window, tiles: Iterable[Tile]) -> None:
        """Store a chunk unless it is there and intact; only then are tiles asked for."""
        if not self.intact(window):
            self.write(window, tiles)

    def fill(
        self, compute: Callable[[Window], Floats], progress: Progress, description: str
    ) -> None:
        """Compute all chunks that are missing or damaged, one after the other.

        Where ``compute`` raises MemoryLimitError, it is asked for smaller windows. Progress is
        shown as in :func:`nask.execution.progress.track`; chunks that are there count as steps.
        """
        windows = self.windows
        for window in track(windows, len(windows), progress, description):
            self.ensure(window, in_quarters(compute, window, self.symmetric))

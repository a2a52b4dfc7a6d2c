"""Matrices in a Zarr group: a file per chunk, which any number of processes write together.

The attributes of the group say what was computed. Every chunk ends with its crc32c: Zarr refuses to
read one that is damaged, and the next run computes it again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nask.arrays import Floats
from nask.exceptions import FormatError, ParameterError
from nask.optional import require
from nask.storage.chunks import Chunks
from nask.storage.contents import Contents
from nask.storage.scratch import scratch_folder
from nask.storage.window import Tile, Window, assembled, put
from nask.storage.write_errors import writing

EXTRA = "dask"
# What names a store, for messages.
PLACE = "path (--out)"
# What Zarr calls files that it has not written to their end, and seconds after which their writer
# must be gone: it takes seconds for one.
PARTIAL, ABANDONED = ".partial", 600.0


class ZarrStore:
    """A group on disk, made or found again.

    Parameters
    ----------
    path : str or path
        A folder, on a file system that all workers share.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "numbers.zarr"
    >>> store = ZarrStore(path, Contents("numbers", "abc", {"n": 3}))
    >>> chunks = store.chunks("x", (2, 5), chunk=(2, 2), dtype="float64")
    >>> first, second, _ = chunks.windows
    >>> chunks.ensure(first, [(first, np.eye(2))])
    >>> chunks.read(first), chunks.read(second)
    (array([[1., 0.],
           [0., 1.]]), None)
    >>> ZarrStore(path, Contents("numbers", "xyz", {"n": 4}))
    Traceback (most recent call last):
    nask.exceptions.FormatError: ...numbers.zarr was computed with n=3, not 4. Delete it to \
compute it anew, or give the path of another store.
    """

    def __init__(self, path: str | os.PathLike[str], contents: Contents) -> None:
        self.path = checked_place(path)
        zarr = require("zarr", EXTRA)
        _remove_partial(self.path)
        # A beginning that was cut short is none.
        if any(file.suffix != PARTIAL for file in self.path.glob("*")):
            self._group = _opened(self.path)
            difference = contents.difference(self._group.attrs)
            if difference:
                raise FormatError(
                    f"{self.path} {difference}. Delete it to compute it anew, or give the path of "
                    "another store."
                )
        else:
            attributes = {**contents.attributes(), "complete": False}
            with writing(self.path, PLACE):
                self._group = zarr.create_group(str(self.path), attributes=attributes)

    def chunks(
        self,
        name: str,
        shape: tuple[int, ...],
        chunk: tuple[int, int],
        dtype: str,
        symmetric: bool = False,
    ) -> ZarrChunks:
        """Give a matrix of the store, which keeps the chunks it was begun with."""
        zarr = require("zarr", EXTRA)
        if name not in self._group:
            with writing(self.path / name, PLACE):
                self._group.create_array(
                    name,
                    shape=shape,
                    chunks=chunk,
                    dtype=dtype,
                    # So that what is missing is seen as such by all who read it.
                    fill_value=np.nan,
                    compressors=[zarr.codecs.Crc32cCodec()],
                )
        found = self._group[name]
        if found.shape != shape or found.dtype != dtype:
            raise FormatError(
                f"{self.path / name} holds {found.shape} numbers of type {found.dtype}; expected "
                f"{shape} of type {dtype}. Delete the store to compute it anew."
            )
        return ZarrChunks(str(self.path / name), symmetric)

    def write_targets(self, y: npt.ArrayLike | None) -> None:
        """Keep the target beside the numbers: as it is, or text as codes and their classes."""
        if y is None:
            return
        values, attributes = np.asarray(y), {}
        if values.dtype.kind not in "biuf":
            classes, values = np.unique(values.astype(str), return_inverse=True)
            attributes["classes"] = classes.tolist()
        with writing(self.path / "y", PLACE):
            self._group.create_array("y", data=values, attributes=attributes, overwrite=True)

    def note(self, **attributes: Any) -> None:
        """Add to the attributes."""
        with writing(self.path, PLACE):
            self._group.attrs.update(attributes)

    def array(self, name: str) -> Any:
        """Open an array for reading, as Zarr gives it."""
        return require("zarr", EXTRA).open_array(str(self.path / name), mode="r")


class ZarrChunks(Chunks):
    """The chunks of one matrix, read and written one at a time, in any process.

    Parameters
    ----------
    path : str
        Of the array.
    """

    def __init__(self, path: str, symmetric: bool) -> None:
        self.path = path
        self.symmetric = symmetric

    def __reduce__(self) -> tuple[Any, ...]:
        return ZarrChunks, (self.path, self.symmetric)

    @cached_property
    def _array(self) -> Any:
        # A chunk that happens to equal the fill value is written as well.
        return require("zarr", EXTRA).open_array(
            self.path, mode="r+", config={"write_empty_chunks": True}
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of one chunk; at the ends of the matrix they may be fewer."""
        shape: tuple[int, int] = self._array.chunks
        return shape

    @property
    def windows(self) -> list[Window]:
        """All chunks; of a symmetric matrix, those on and above the diagonal."""
        return Window.whole(*self._array.shape).tiles(*self.shape, self.symmetric)

    def intact(self, window: Window) -> bool:
        """Tell whether a chunk and its mirror image are there; one that is damaged is removed."""
        image = Window(window.columns, window.rows)
        mirrored = self.symmetric and not window.on_diagonal
        return (not mirrored or self.read(image) is not None) and self.read(window) is not None

    def read(self, window: Window) -> Floats | None:
        """Numbers of a chunk, or None where it is missing, or damaged and so removed."""
        file = self.file(window)
        if not file.exists():
            return None
        try:
            values: Floats = self._array[window.rows, window.columns]
        except ValueError:  # the checksum, or the length, is wrong
            file.unlink(missing_ok=True)
            return None
        return values

    def write(self, window: Window, tiles: Iterable[Tile]) -> None:
        """Write a chunk and its mirror image, each whole."""
        values = assembled(window, tiles, self._array.dtype, self.symmetric, ())
        with writing(self.file(window), PLACE):
            put(self._array, window, values, self.symmetric)

    def file(self, window: Window) -> Path:
        """Where a chunk lies."""
        height, width = self.shape
        position = window.rows.start // height, window.columns.start // width
        return Path(self.path, self._array.metadata.encode_chunk_key(position))


def checked_place(path: str | os.PathLike[str]) -> Path:
    """Return the path as an absolute one; raise where there can be no store."""
    place = Path(path).resolve()
    with writing(path, PLACE):
        if not place.parent.is_dir():
            raise ParameterError(
                f"Cannot make {place}: there is no folder {place.parent}. Give a path in a folder "
                "that exists and that all workers can write to."
            )
        if place.exists() and not place.is_dir():
            raise ParameterError(f"Cannot make {place}: it is a file. Give the path of a store.")
        with scratch_folder(place if place.exists() else place.parent):
            pass
    return place


def _remove_partial(path: Path) -> None:
    """Remove what a writer that was killed left behind; others may be at work on theirs."""
    for file in path.rglob(f"*{PARTIAL}"):
        with suppress(OSError):
            # Either way: a clock that was set back may have left times to come.
            if abs(time.time() - file.stat().st_mtime) > ABANDONED:
                file.unlink()


def _opened(path: Path) -> Any:
    zarr = require("zarr", EXTRA)
    try:
        return zarr.open_group(str(path), mode="r+")
    except (ValueError, KeyError, OSError) as error:
        raise FormatError(
            f"{path} is there and cannot be read as a Zarr store: {error}. Give the path of a "
            "store, or of none."
        ) from None

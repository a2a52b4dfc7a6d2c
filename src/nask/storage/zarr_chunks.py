"""Matrices in a Zarr group: a file per chunk, which any number of processes write together.

The attributes of the group say what was computed. Every chunk ends with its crc32c: Zarr refuses to
read one that is damaged, and the next run computes it again. Beside each matrix lies an array
``NAME_checksums`` with a number for each chunk: the crc32 of the computation, of the place of the
chunk and of its values. So one that was copied from another store, or to another place, is computed
again.
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
from nask.messages import quoted, shortened
from nask.optional import require
from nask.storage.chunks import Chunks, problem_of_chunks
from nask.storage.contents import Contents
from nask.storage.npy_file import checksum_of
from nask.storage.scratch import scratch_folder
from nask.storage.window import Tile, Window, assembled, put
from nask.storage.write_errors import writing

EXTRA = "dask"
# What names a store, for messages.
PLACE = "path (--out)"
# Ending of the array of checksums; what it holds where a chunk was never written.
CHECKSUMS, NO_CHECKSUM = "_checksums", -1
CODECS = ["bytes", "crc32c"]
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
        self._computation = contents.identity
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
        # So that what is missing is seen as such by all who read it.
        found = self._array(name, shape, chunk, dtype, np.nan)
        if found.shape != shape or found.dtype != dtype:
            raise FormatError(
                f"{self.path / name} holds {found.shape} numbers of type {found.dtype}; expected "
                f"{shape} of type {dtype}. Delete the store to compute it anew."
            )
        problem = problem_of_chunks(shape, found.chunks, symmetric) or _problem(found)
        if problem:
            raise FormatError(f"{self.path / name} {problem}. Delete the store to compute it anew.")
        counts = tuple(-(-n // side) for n, side in zip(shape, found.chunks, strict=True))
        sums = self._array(f"{name}{CHECKSUMS}", counts, (1, 1), "int64", NO_CHECKSUM)
        if sums.shape != counts or sums.dtype != "int64" or sums.chunks != (1, 1) or _problem(sums):
            raise FormatError(
                f"{self.path / name}{CHECKSUMS} does not hold one number for each chunk. Delete it "
                "to compute the chunks anew."
            )
        computation = f"{self._computation} {name} {shape} {found.chunks} {dtype}"
        return ZarrChunks(str(self.path / name), symmetric, computation)

    def _array(
        self, name: str, shape: tuple[int, ...], chunk: tuple[int, int], dtype: str, fill: float
    ) -> Any:
        """Find an array, or make one whose chunks end with a checksum."""
        zarr = require("zarr", EXTRA)
        try:
            if name in self._group:
                return zarr.open_array(str(self.path / name), mode="r+")
        except Exception as error:
            raise _unreadable(self.path / name, error) from error
        with writing(self.path / name, PLACE):
            try:
                return self._group.create_array(
                    name,
                    shape=shape,
                    chunks=chunk,
                    dtype=dtype,
                    fill_value=fill,
                    compressors=[zarr.codecs.Crc32cCodec()],
                )
            except ValueError as error:  # something lies there that Zarr does not list
                raise _unreadable(self.path / name, error) from error

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
    computation : str
        What its numbers are of, and its layout: part of what every checksum is made of.
    """

    def __init__(self, path: str, symmetric: bool, computation: str) -> None:
        self.path = path
        self.symmetric = symmetric
        self.computation = computation

    def __reduce__(self) -> tuple[Any, ...]:
        return ZarrChunks, (self.path, self.symmetric, self.computation)

    @cached_property
    def _array(self) -> Any:
        # A chunk that happens to equal the fill value is written as well.
        return require("zarr", EXTRA).open_array(
            self.path, mode="r+", config={"write_empty_chunks": True}
        )

    @cached_property
    def _checksums(self) -> Any:
        return require("zarr", EXTRA).open_array(f"{self.path}{CHECKSUMS}", mode="r+")

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
            expected = int(self._checksums[self._position(window)])
        except ValueError:  # the checksum, or the length, of one of both files is wrong
            expected = NO_CHECKSUM
        if expected == NO_CHECKSUM or self._checksum(window, values) != expected:
            file.unlink(missing_ok=True)
            return None
        return values

    def write(self, window: Window, tiles: Iterable[Tile]) -> None:
        """Write a chunk and its mirror image, each whole."""
        values = assembled(window, tiles, self._array.dtype, self.symmetric, ())
        with writing(self.file(window), PLACE):
            put(self._array, window, values, self.symmetric)
            self._checksums[self._position(window)] = self._checksum(window, values)
            if self.symmetric and not window.on_diagonal:
                image = Window(window.columns, window.rows)
                self._checksums[self._position(image)] = self._checksum(image, values.T)

    def _checksum(self, window: Window, values: Floats) -> int:
        """Number of a chunk, from its values and from what they are of."""
        return checksum_of(values, f"{self.computation} {window.bounds}")

    def _position(self, window: Window) -> tuple[int, int]:
        """Row and column of a chunk among the chunks."""
        height, width = self.shape
        return window.rows.start // height, window.columns.start // width

    def file(self, window: Window) -> Path:
        """Where a chunk lies."""
        return Path(self.path, self._array.metadata.encode_chunk_key(self._position(window)))


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
    except Exception as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> FormatError:
    """The error of metadata that Zarr does not take: damaged, they make it raise anything."""
    return FormatError(
        f"{path} is there and cannot be read as a Zarr store: {shortened(str(error))}. Give the "
        "path of a store, or of none."
    )


def _problem(array: Any) -> str:
    """What is wrong with how an array is stored; empty where it is as this module makes them."""
    stored = array.metadata.to_dict()
    codecs = [codec.get("name") for codec in stored.get("codecs", ())]
    # Others would unpack a few bytes to gigabytes.
    if stored.get("zarr_format") != 3 or codecs != CODECS or stored.get("storage_transformers"):
        return f"has chunks packed by {quoted(codecs)}, expected {quoted(CODECS)}"
    return ""

"""A chunked Zarr store: what it holds is known, and every chunk has a checksum.

A store is a Zarr group. Its attributes say what was computed; its arrays are cut into chunks, a
file each, which any number of processes write at the same time. Killed at any moment, a computation
leaves the chunks done so far, and the next one does the others.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nask.exceptions import FormatError, ParameterError
from nask.kernels.parameters import is_integer
from nask.messages import quoted
from nask.optional import require
from nask.storage.scratch import scratch_folder
from nask.storage.write_errors import writing

EXTRA = "dask"
# What names a store, for messages.
PLACE = "path (--out)"


@dataclass(frozen=True)
class Contents:
    """What a store holds, kept in its attributes.

    Parameters
    ----------
    kind : str
        In words, such as "a Gram matrix".
    identity : str
        Hash of all that decides the numbers.
    parameters : dict
        For the reader, and for messages.
    """

    kind: str
    identity: str
    parameters: Mapping[str, Any]

    def attributes(self) -> dict[str, Any]:
        """As plain values for JSON."""
        return {
            "holds": self.kind,
            "computation": self.identity,
            "parameters": json.loads(json.dumps(self.parameters, default=_plain)),
            "nask_version": version("nask"),
        }

    def difference(self, attributes: Mapping[str, Any]) -> str:
        """In words, how the attributes of a store differ; empty where they are these."""
        mine = self.attributes()
        if attributes.get("computation") == self.identity:
            return ""
        if attributes.get("holds") != self.kind:
            return f"holds {attributes.get('holds', 'something else')}, not {self.kind}"
        if attributes.get("nask_version") != mine["nask_version"]:
            return f"was written by nask {attributes.get('nask_version')}"
        theirs = attributes.get("parameters", {})
        for name, value in mine["parameters"].items():
            if theirs.get(name) != value:
                return f"was computed with {name}={quoted(theirs.get(name))}, not {quoted(value)}"
        return "is of other graphs, or was fitted to others"


class Store:
    """A store on disk, made or found again.

    Parameters
    ----------
    path : str or path
        A folder, on a file system that all workers share.
    contents : Contents

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "numbers.zarr"
    >>> store = Store(path, Contents("numbers", "abc", {"n": 3}))
    >>> chunks = store.chunks("x", shape=(5,), chunks=(2,), dtype="float64")
    >>> chunks.write((slice(0, 2),), np.ones(2))
    >>> chunks.read((slice(0, 2),)), chunks.read((slice(2, 4),))
    (array([1., 1.]), None)
    >>> Store(path, Contents("numbers", "xyz", {"n": 4}))
    Traceback (most recent call last):
    nask.exceptions.FormatError: ...numbers.zarr was computed with n=3, not 4. Delete it to \
compute it anew, or give the path of another store.
    """

    def __init__(self, path: str | os.PathLike[str], contents: Contents) -> None:
        self.path = checked_place(path)
        zarr = require("zarr", EXTRA)
        if any(self.path.glob("*")):
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
        self, name: str, shape: tuple[int, ...], chunks: tuple[int, ...], dtype: str
    ) -> Chunks:
        """Give an array of the store, which keeps the chunks it was begun with."""
        zarr = require("zarr", EXTRA)
        if name not in self._group:
            with writing(self.path / name, PLACE):
                self._group.create_array(
                    name,
                    shape=shape,
                    chunks=chunks,
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
        return Chunks(str(self.path / name))

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


@dataclass(frozen=True)
class Chunks:
    """The chunks of an array, one read or written at a time, in any process.

    Parameters
    ----------
    path : str
        Of the array.
    """

    path: str

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}

    @cached_property
    def _array(self) -> Any:
        # A chunk that happens to equal the fill value is written as well.
        return require("zarr", EXTRA).open_array(
            self.path, mode="r+", config={"write_empty_chunks": True}
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one chunk; at the ends of the array they may hold less."""
        shape: tuple[int, ...] = self._array.chunks
        return shape

    def read(self, place: tuple[slice, ...]) -> npt.NDArray[Any] | None:
        """Numbers of a chunk, or None where it is missing, or damaged and so removed."""
        file = self.file(place)
        if not file.exists():
            return None
        try:
            values: npt.NDArray[Any] = self._array[place]
        except ValueError:  # the checksum, or the length, is wrong
            file.unlink(missing_ok=True)
            return None
        return values

    def write(self, place: tuple[slice, ...], values: npt.NDArray[Any]) -> None:
        """Write a whole chunk."""
        with writing(self.file(place), PLACE):
            self._array[place] = values

    def file(self, place: tuple[slice, ...]) -> Path:
        """Where a chunk lies."""
        position = tuple(
            part.start // size for part, size in zip(place, self._array.chunks, strict=True)
        )
        return Path(self.path, self._array.metadata.encode_chunk_key(position))


def check_chunk(chunk: int | None, owner: str) -> None:
    """Raise unless it is a number of graphs, or None."""
    if chunk is not None and not (is_integer(chunk) and chunk >= 1):
        expected = "None or an int in the range [1, inf)"
        raise ParameterError.expected("chunk", owner, expected, chunk)


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


def _opened(path: Path) -> Any:
    zarr = require("zarr", EXTRA)
    try:
        return zarr.open_group(str(path), mode="r+")
    except (ValueError, KeyError, OSError) as error:
        raise FormatError(
            f"{path} is there and cannot be read as a Zarr store: {error}. Give the path of a "
            "store, or of none."
        ) from None


def _plain(value: Any) -> Any:
    """A value of a parameter that JSON does not know, as one that it does."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    return repr(value)

"""The form of a model file: a zip of one JSON document and ``.npy`` arrays.

Nothing else is read, nothing is unpacked, and no array is read that is larger than its header says
or than memory holds.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nask.exceptions import ModelFileError
from nask.execution.resources import free_memory, readable_bytes
from nask.messages import quoted
from nask.storage.read_limit import array_of, check_demand, check_zip, read_member
from nask.storage.replacing import replacing

FORMAT = "nask model"
VERSION = 1
DOCUMENT = "model.json"
HEAD = ("format", "version")
# What is read is there twice for a moment, as bytes and as an array.
COPIES = 2
# Of the document: lists of JSON take some 30 bytes of memory per character, text takes one.
JSON_BYTES = 8

Arrays = dict[str, npt.NDArray[Any]]
Names = Sequence[str]


class FileArrays(dict[str, npt.NDArray[Any]]):
    """The arrays of a file by name, with its size.

    Parameters
    ----------
    n_bytes : int
        The size of the file, which says how much reading it may demand.
    """

    def __init__(self, arrays: Arrays, n_bytes: int) -> None:
        super().__init__(arrays)
        self.n_bytes = n_bytes


def write_file(
    path: str | os.PathLike[str],
    document: dict[str, Any],
    arrays: Arrays,
    option: str,
    plain: Names = (),
) -> None:
    """Write a model, whole or not at all.

    The document is all that JSON can hold; it refers to the arrays by their names. ``option`` is
    what named the path, for errors: "--out", "save". Arrays named in ``plain`` are not compressed.
    """
    # Before a file is begun, so that what JSON cannot hold is told as such.
    text = json.dumps({"format": FORMAT, "version": VERSION, **document}, indent=1, allow_nan=False)
    with (
        replacing(path, option) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        archive.writestr(DOCUMENT, text)
        for name, array in arrays.items():
            if name in plain:
                # Straight into the file: it may be as large as the rest of memory.
                with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as file:
                    np.save(file, array, allow_pickle=False)
                continue
            buffer = io.BytesIO()
            np.save(buffer, array, allow_pickle=False)
            archive.writestr(f"{name}.npy", buffer.getvalue())


def read_file(
    path: str | os.PathLike[str], arrays: Callable[[dict[str, Any]], tuple[Names, Names]]
) -> tuple[dict[str, Any], FileArrays]:
    """Read the document and the arrays of a model; an error where the form is another one.

    ``arrays`` tells the names of those that a model of this document has, and of those that it may
    have.
    """
    if Path(path).exists() and not Path(path).is_file():
        raise ModelFileError("It is a folder." if Path(path).is_dir() else "It is no plain file.")
    n_bytes = os.path.getsize(path)
    with zipfile.ZipFile(path) as archive:
        check_zip(archive, n_bytes, "The file", ModelFileError)
        size = _member(archive, DOCUMENT).file_size
        check_demand(JSON_BYTES * size, n_bytes, f"Its {DOCUMENT} is of", ModelFileError)
        document = json.loads(read_member(archive, DOCUMENT), parse_constant=_no_number)
        form = [document.get(key) if isinstance(document, dict) else None for key in HEAD]
        if form != [FORMAT, VERSION]:
            raise ModelFileError(
                f"It is a {quoted(form[0])} of version {quoted(form[1])}; this nask reads "
                f"{FORMAT!r} of version {VERSION}."
            )
        required, optional = arrays(document)
        _check_members(archive, [*required, *optional])
        names = [*required, *(n for n in optional if f"{n}.npy" in archive.namelist())]
        found = {name: _array(archive, f"{name}.npy") for name in names}
        return document, FileArrays(found, n_bytes)


def _check_members(archive: zipfile.ZipFile, arrays: Sequence[str]) -> None:
    """Raise unless the file holds what a model has, each once, and fits memory."""
    known = {DOCUMENT, *(f"{name}.npy" for name in arrays)}
    seen: set[str] = set()
    for member in archive.infolist():
        if member.filename not in known:
            raise ModelFileError(f"The file holds {quoted(member.filename)}, which no model has.")
        if member.filename in seen:
            raise ModelFileError(f"The file holds {quoted(member.filename)} twice.")
        seen.add(member.filename)
    needed, free = COPIES * sum(member.file_size for member in archive.infolist()), free_memory()
    if needed > free:
        raise ModelFileError(
            f"The model takes {readable_bytes(needed)} of memory, of which {readable_bytes(free)} "
            "are free. Load it where there is more."
        )


def _member(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    try:
        return archive.getinfo(name)
    except KeyError:
        raise ModelFileError(f"The file holds no {quoted(name)}, which every model has.") from None


def _array(archive: zipfile.ZipFile, name: str) -> npt.NDArray[Any]:
    _member(archive, name)
    try:
        return array_of(read_member(archive, name))
    except (ValueError, EOFError, OSError) as error:
        raise ModelFileError(f"The array {quoted(name)} cannot be read: {error}.") from error


def _no_number(constant: str) -> float:
    raise ModelFileError(f"The file has {constant} where a finite number should be.")

"""The form of a model file: a zip of one JSON document and ``.npy`` arrays.

Nothing else is read, nothing is unpacked, and no array is read that is larger than its header says
or than memory holds.
"""

from __future__ import annotations

import io
import json
import math
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
from nask.storage.replacing import replacing

FORMAT = "nask model"
VERSION = 1
DOCUMENT = "model.json"
HEAD = ("format", "version")
# What is read is there twice for a moment, as bytes and as an array.
COPIES = 2

Arrays = dict[str, npt.NDArray[Any]]
Names = Sequence[str]


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
) -> tuple[dict[str, Any], Arrays]:
    """Read the document and the arrays of a model; an error where the form is another one.

    ``arrays`` tells the names of those that a model of this document has, and of those that it may
    have.
    """
    if Path(path).exists() and not Path(path).is_file():
        raise ModelFileError("It is a folder." if Path(path).is_dir() else "It is no plain file.")
    with zipfile.ZipFile(path) as archive:
        document = json.loads(archive.read(_member(archive, DOCUMENT)), parse_constant=_no_number)
        form = [document.get(key) if isinstance(document, dict) else None for key in HEAD]
        if form != [FORMAT, VERSION]:
            raise ModelFileError(
                f"It is a {quoted(form[0])} of version {quoted(form[1])}; this nask reads "
                f"{FORMAT!r} of version {VERSION}."
            )
        required, optional = arrays(document)
        _check_members(archive, [*required, *optional])
        names = [*required, *(n for n in optional if f"{n}.npy" in archive.namelist())]
        return document, {name: _array(archive, f"{name}.npy") for name in names}


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
    content = io.BytesIO(archive.read(_member(archive, name)))
    try:
        np.lib.format.read_magic(content)
        shape, _, dtype = np.lib.format.read_array_header_1_0(content)
        expected = content.tell() + math.prod(shape) * dtype.itemsize
        # numpy would make room for all that a header promises.
        if not dtype.hasobject and expected != len(content.getvalue()):
            raise ValueError(f"its header promises {expected} bytes, and it has another number")
        content.seek(0)
        array: npt.NDArray[Any] = np.load(content, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise ModelFileError(f"The array {quoted(name)} cannot be read: {error}.") from error
    return array


def _no_number(constant: str) -> float:
    raise ModelFileError(f"The file has {constant} where a finite number should be.")

"""What a file may demand when it is read: checked before anything is made of it.

A small file may promise much: a zip of zeros, graph number 30,000,000. What it would take is
compared with its size first, so that a file from a stranger costs no more than one of its size may.
"""

from __future__ import annotations

import io
import os
import zipfile
from typing import IO

import numpy as np

from nask.arrays import Array
from nask.exceptions import FormatError, NaskError, ParameterError
from nask.execution.resources import free_memory, parsed_bytes, readable_bytes
from nask.messages import quoted, shortened

LIMIT_VARIABLE = "NASK_READ_LIMIT"
# A file may demand so many bytes whatever its size, or so many times its size. Of the sets of the
# TUDataset collection that were looked at, zips unpack to 3 to 11 times their size.
ROOM, RATIO = 32_000_000, 50
# Read at a time from a zip: what is unpacked from them is bounded, whatever the zip says.
PIECE = 1 << 20


def allowed_demand(n_bytes: int) -> int:
    """How many bytes a file of so many bytes may demand.

    Examples
    --------
    >>> from unittest.mock import patch
    >>> allowed_demand(100), allowed_demand(2_000_000)
    (32000000, 100000000)
    >>> with patch.dict("os.environ", NASK_READ_LIMIT="4GB"):
    ...     allowed_demand(100)
    4000000000
    """
    given = os.environ.get(LIMIT_VARIABLE, "").strip()
    if not given:
        return min(max(ROOM, RATIO * n_bytes), free_memory())
    limit = parsed_bytes(given)
    if limit is None:
        raise ParameterError(
            f"The environment variable {LIMIT_VARIABLE} is {quoted(given)}: expected a positive "
            "number of bytes, or text such as '4GB'."
        )
    return limit


def check_demand(
    needed: int, n_bytes: int, demand: str, error: type[NaskError] = FormatError
) -> None:
    """Raise where a file demands more than one of its size may.

    Parameters
    ----------
    needed : int
        Bytes that it would take.
    n_bytes : int
        The size of the file.
    demand : str
        What takes them, in words: the beginning of the message.

    Examples
    --------
    >>> check_demand(10**6, 100, "set.zip unpacks to")
    >>> check_demand(10**10, 100, "set.zip unpacks to")
    Traceback (most recent call last):
    nask.exceptions.FormatError: set.zip unpacks to 10 GB, more than the 32 MB that a file of 100 B
    may demand: it is damaged, or made to fill the memory. If you trust it, let the environment
    variable NASK_READ_LIMIT name more, such as '20GB'.
    """
    if needed > allowed_demand(n_bytes):
        raise error(f"{demand} {readable_bytes(needed)}, {_refusal(needed, n_bytes)}")


def _refusal(needed: int, n_bytes: int) -> str:
    return (
        f"more than the {readable_bytes(allowed_demand(n_bytes))} that a file of "
        f"{readable_bytes(n_bytes)} may demand: it is damaged, or made to fill the memory. If you "
        f"trust it, let the environment variable {LIMIT_VARIABLE} name more, such as "
        f"'{max(1, -(-2 * needed // 10**9))}GB'."
    )


def check_zip(
    opened: zipfile.ZipFile, n_bytes: int, where: str, error: type[NaskError] = FormatError
) -> None:
    """Raise where the files in a zip would be too large together, or are packed in rare ways."""
    for member in opened.infolist():
        # Others unpack a few bytes to gigabytes at once, and no set or model needs them.
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise error(
                f"{where} holds {quoted(member.filename)}, packed by method "
                f"{member.compress_type}: expected 0 (stored) or 8 (deflated). Pack it again."
            )
    total = sum(member.file_size for member in opened.infolist())
    check_demand(total, n_bytes, f"{where} unpacks to", error)


def read_member(opened: zipfile.ZipFile, name: str) -> bytes:
    """Return the bytes of a file in a zip: as many as the zip says, or an error.

    Read at once, a file would be unpacked whole before its size is compared with what is said.
    """
    with opened.open(name) as file:
        return b"".join(iter(lambda: file.read(PIECE), b""))


def array_of(content: bytes) -> Array:
    """Return the array in the bytes of an ``.npy`` file; raise ValueError where there is none.

    Examples
    --------
    >>> file = io.BytesIO()
    >>> np.save(file, np.arange(3))
    >>> array_of(file.getvalue())
    array([0, 1, 2])
    >>> array_of(file.getvalue()[:-1])
    Traceback (most recent call last):
    ValueError: its header promises 152 bytes, and it has 151
    """
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"it is of version {version} of the .npy format, expected (1, 0)")
    first = version == (1, 0)
    header = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
    try:
        shape, _, dtype = header(file)
    except Exception as error:  # a damaged one raises anything, such as TokenError
        raise ValueError(f"its header is damaged ({shortened(str(error))})") from error
    if dtype.kind not in "biufcSU":
        raise ValueError(f"it holds values of type {quoted(str(dtype))}, expected numbers or text")
    # numpy would make room for all that a header promises.
    expected = file.tell() + dtype.itemsize * int(np.prod([int(n) for n in shape], dtype=object))
    if expected != len(content):
        raise ValueError(f"its header promises {expected} bytes, and it has {len(content)}")
    file.seek(0)
    array: Array = np.load(file, allow_pickle=False)
    return array


class Unpacked(io.RawIOBase):
    """A stream of unpacked bytes that ends with an error where there are too many of them.

    Parameters
    ----------
    stream : binary stream
        Of unpacked bytes, such as a ``gzip.GzipFile``; closed with this one.
    n_bytes : int
        The size of the file that they come from.
    where : str
        Its name in the error.

    Examples
    --------
    >>> Unpacked(io.BytesIO(b"abc"), 3, "set.gz").read()
    b'abc'
    """

    def __init__(self, stream: IO[bytes], n_bytes: int, where: str) -> None:
        self._stream, self._n_bytes, self._where = stream, n_bytes, where
        self._allowed, self._read = allowed_demand(n_bytes), 0

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read some bytes; see ``io.RawIOBase``."""
        data = self._stream.read(min(len(buffer), PIECE))
        self._read += len(data)
        if self._read > self._allowed:
            refusal = _refusal(self._read, self._n_bytes)
            raise FormatError(f"{self._where} unpacks to {refusal}")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the stream, too."""
        self._stream.close()
        super().close()

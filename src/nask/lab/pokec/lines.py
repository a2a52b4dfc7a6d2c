"""Large text files, plain or gzipped, some whole lines at a time."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from typing import IO, cast

from nask.exceptions import FormatError
from nask.io.readers.archive import Archive
from nask.storage.read_limit import Unpacked

# Bytes read at once: large enough for numpy to work on, small beside what is kept.
READ_BYTES = 1 << 23
GZIP = b"\x1f\x8b"


def whole_lines(archive: Archive, name: str) -> Iterator[tuple[int, bytes]]:
    r"""Read a file of an archive, some lines at a time; a gzipped file is unpacked as it is read.

    Yields
    ------
    first : int
        The number of the first of the lines, counted from 1.
    lines : bytes
        Whole lines, each ended by one newline, the last line of the file too.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from nask.io.readers.archive import open_archive
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "pairs.txt").write_bytes(b"1\t2\r\n2\t3")
    ...     list(whole_lines(open_archive(folder), "pairs.txt"))
    [(1, b'1\t2\n'), (2, b'2\t3\n')]
    """
    first, rest = 1, b""
    with archive.open(name) as raw:
        # Told by the first bytes, not by the name: some servers send a .gz file unpacked.
        packed = _read(archive, name, raw, len(GZIP)) == GZIP
        raw.seek(0)
        stream = raw
        if packed:
            unpacked = cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
            limited = Unpacked(unpacked, archive.n_bytes([name]), archive.where(name))
            stream = cast("IO[bytes]", io.BufferedReader(limited, READ_BYTES))
        while data := _read(archive, name, stream, READ_BYTES):
            head, newline, tail = data.rpartition(b"\n")
            if not newline:
                if len(rest) + len(data) > READ_BYTES:
                    raise FormatError(
                        f"{archive.where(name)}, line {first} is longer than {READ_BYTES} bytes: "
                        "expected a text file of short lines."
                    )
                rest += data
                continue
            lines = rest + head + newline
            if b"\r" in lines:
                lines = lines.replace(b"\r\n", b"\n")
            yield first, lines
            first, rest = first + lines.count(b"\n"), tail
    if rest:
        yield first, rest + b"\n"


def _read(archive: Archive, name: str, stream: IO[bytes], size: int) -> bytes:
    try:
        return stream.read(size)
    except FormatError:
        raise
    except Exception as error:  # a cut or damaged gzip or zip: EOFError, zlib.error, BadZipFile
        raise archive.damaged(name, error) from error

"""Which tiles of a stored Gram matrix are done: one line of JSON each, beside its file.

The first line says what is computed. A line cut short by a kill is dropped. One process at a time
adds to a record; another waits for it to end.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from nask.engines.contract import Window
from nask.exceptions import FormatError

try:
    import fcntl
except ImportError:  # not on Windows, where nothing keeps two processes apart
    fcntl = None  # type: ignore[assignment]

FORMAT = "nask gram"
BEGINNING = json.dumps({"format": FORMAT})[:-1].encode()


class TileRecord:
    """The record of one computation; made by :func:`open_record`.

    Attributes
    ----------
    header : dict
        What is computed, and the size of tiles of the process that began.
    """

    def __init__(self, file: BinaryIO, path: Path, header: Mapping[str, Any]) -> None:
        self._file, self._path = file, path
        lines = self._complete_lines()
        self.header = self._checked(lines[0], header) if lines else {"format": FORMAT, **header}
        self._done = {tuple(line["tile"]) for line in lines[1:]}
        if not lines:
            self.clear()

    def __contains__(self, window: Window) -> bool:
        return _place(window) in self._done

    def __len__(self) -> int:
        return len(self._done)

    def add(self, window: Window) -> None:
        """Note that the numbers of a tile are on disk."""
        self._append({"tile": _place(window)})
        self._done.add(_place(window))

    def clear(self) -> None:
        """Begin again."""
        self._file.truncate(0)
        self._append(self.header)
        self._done = set()

    def _append(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _complete_lines(self) -> list[dict[str, Any]]:
        """The lines that end; the rest of the file is cut off."""
        self._file.seek(0)
        content = self._file.read()
        if content[: len(BEGINNING)] != BEGINNING[: len(content)]:
            raise FormatError(
                f"{self._path} is not the record of a Gram matrix. Move it away, or choose another "
                "gram_folder."
            )
        complete = content[: content.rfind(b"\n") + 1]
        lines = []
        for number, text in enumerate(complete.splitlines(), start=1):
            try:
                lines.append(json.loads(text))
                tuple(lines[-1]["tile"])
            except (ValueError, KeyError, TypeError) as error:
                raise FormatError(
                    f"Line {number} of {self._path} is damaged. Delete that line; the tile it "
                    "noted is computed again."
                ) from error
        if len(complete) < len(content):
            self._file.truncate(len(complete))
        return lines

    def _checked(self, found: dict[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
        for name, value in expected.items():
            if name != "tile" and found.get(name) != value:
                raise FormatError(
                    f"{self._path} belongs to another Gram matrix: its {name} is "
                    f"{found.get(name)!r}, expected {value!r}. Move it and the .npy file of the "
                    "same name away, or choose another gram_folder."
                )
        return found


@contextmanager
def open_record(path: Path, header: Mapping[str, Any]) -> Iterator[TileRecord]:
    """Read the record of a computation, or begin one; other processes wait until the block ends.

    Parameters
    ----------
    path : Path
    header : mapping
        What is computed, of values JSON gives back as they are. A record of something else is an
        error. "tile" alone may differ: that of the record holds.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "gram.jsonl"
    >>> window = Window(slice(0, 2), slice(0, 2))
    >>> with open_record(path, {"computation": "a1", "tile": [2, 2]}) as record:
    ...     record.add(window)
    >>> with open_record(path, {"computation": "a1", "tile": [9, 9]}) as record:
    ...     window in record, record.header["tile"]
    (True, [2, 2])
    >>> with open_record(path, {"computation": "b2", "tile": [2, 2]}):
    ...     pass
    Traceback (most recent call last):
    nask.exceptions.FormatError: ...gram.jsonl belongs to another Gram matrix: its computation is
    'a1', expected 'b2'. ...
    """
    # Appending creates the file, and never overwrites a line.
    with path.open("a+b") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield TileRecord(file, path, header)


def _place(window: Window) -> tuple[int, int, int, int]:
    rows, columns = window.rows, window.columns
    return rows.start, rows.stop, columns.start, columns.stop

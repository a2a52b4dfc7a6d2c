"""Which tiles of a stored Gram matrix are done: one line of JSON each, beside its file.

The first line says what is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nask.exceptions import FormatError
from nask.messages import quoted
from nask.storage.json_lines import JsonLines
from nask.storage.window import Window

FORMAT = "nask gram"
# What names the folder of stored Gram matrices, for advice.
PLACE = "gram_folder (or --out of nask gram)"


class TileRecord:
    """The record of one computation; made by :func:`open_record`.

    Attributes
    ----------
    header : dict
        What is computed, and the size of tiles of the process that began.
    """

    def __init__(self, file: JsonLines, header: Mapping[str, Any]) -> None:
        self._file = file
        self._done: set[tuple[int, ...]] = set()
        lines = file.read(trim=True)
        self.header = self._checked(lines[0], header) if lines else {"format": FORMAT, **header}
        if not lines:
            self.clear()
        for number, line in enumerate(lines[1:], start=2):
            try:
                self._done.add(tuple(line["tile"]))
            except (KeyError, TypeError) as error:
                raise file.damaged(number) from error

    def __contains__(self, window: Window) -> bool:
        return _place(window) in self._done

    def __len__(self) -> int:
        return len(self._done)

    def add(self, window: Window) -> None:
        """Note that the numbers of a tile are on disk."""
        self._file.append({"tile": _place(window)})
        self._done.add(_place(window))

    def clear(self) -> None:
        """Begin again."""
        self._file.clear()
        self._file.append(self.header)
        self._done = set()

    def _checked(self, found: dict[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
        for name, value in expected.items():
            if name != "tile" and found.get(name) != value:
                raise FormatError(
                    f"{self._file.path} belongs to another Gram matrix: its {name} is "
                    f"{quoted(found.get(name))}, expected {quoted(value)}. Move it and the .npy "
                    "file of the same name away, or choose another gram_folder."
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
    file = JsonLines(path, "format", "the record of a Gram matrix", "gram_folder", PLACE)
    with file.locked(wait=True):
        yield TileRecord(file, header)


def _place(window: Window) -> tuple[int, int, int, int]:
    rows, columns = window.rows, window.columns
    return rows.start, rows.stop, columns.start, columns.stop

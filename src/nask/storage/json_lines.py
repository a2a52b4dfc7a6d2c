"""A file of JSON lines that outlives a kill: each is on disk before the next is begun.

A line cut short by a kill is dropped. One process at a time adds to a file; any number may read it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path
from typing import Any

from nask.exceptions import FormatError
from nask.storage.write_errors import writing

try:
    import fcntl
except ImportError:  # not on Windows, where nothing keeps two processes apart
    fcntl = None  # type: ignore[assignment]


@dataclass(frozen=True)
class JsonLines:
    """A file to which lines are added.

    Parameters
    ----------
    first : str
        The first name in the first line, by which the file is known.
    content : str
        What the file is, in the words of an error: "a file of results".
    place : str
        What to choose another of where the file is something else: "folder for results".
    option : str
        The parameter that names that, for advice.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run.jsonl"
    >>> file = JsonLines(path, first="run", content="results", place="folder", option="out")
    >>> file.append({"run": 1})
    >>> _ = path.write_bytes(path.read_bytes() + b'{"cut sh')
    >>> file.read(), file.read(trim=True), path.read_text()
    ([{'run': 1}], [{'run': 1}], '{"run": 1}\\n')
    """

    path: Path
    first: str
    content: str
    place: str
    option: str

    def read(self, trim: bool = False) -> list[dict[str, Any]]:
        """The lines that end; ``trim`` cuts off the rest, so that others can be added."""
        # Not Path.exists, which raises where a name is too long; adding a line tells of that.
        content = self.path.read_bytes() if os.path.exists(self.path) else b""
        complete = content[: content.rfind(b"\n") + 1]
        beginning = self._beginning()
        if content[: len(beginning)] != beginning[: len(content)]:
            raise self.foreign()
        lines = []
        for number, line in enumerate(complete.splitlines(), start=1):
            try:
                found = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise self.damaged(number) from error
            if not isinstance(found, dict):
                raise self.damaged(number)
            lines.append(found)
        if trim and len(complete) < len(content):
            os.truncate(self.path, len(complete))
        return lines

    def is_begun(self) -> bool:
        """Whether the file has more than a beginning of its first line, or is something else."""
        with self.path.open("rb") as file:
            first = file.readline()
        beginning = self._beginning()
        return first.endswith(b"\n") or first[: len(beginning)] != beginning[: len(first)]

    def append(self, line: Mapping[str, Any]) -> None:
        """Add a line; on disk when this returns.

        Where the disk is full, the file is left as it was, so that another line can be added later.
        """
        content = json.dumps(line).encode() + b"\n"
        # Unbuffered: what is left in a buffer would be written once more when the file is closed.
        with writing(self.path, self.option), self.path.open("ab", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            try:
                _write_all(file, content)
                os.fsync(file.fileno())
            except OSError:
                with suppress(OSError):
                    file.truncate(size)
                raise

    def clear(self) -> None:
        """Remove all lines."""
        with writing(self.path, self.option):
            self.path.write_bytes(b"")

    @contextmanager
    def locked(self, wait: bool) -> Iterator[None]:
        """Keep other processes from adding to the file, which is made where it does not exist.

        Where one is at it already, wait, or raise BlockingIOError.
        """
        with writing(self.path, self.option):
            opened = self.path.open("ab")
        with opened as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            yield

    def _beginning(self) -> bytes:
        """What the first line begins with."""
        return json.dumps({self.first: 0})[:-2].encode()

    def foreign(self) -> FormatError:
        """The error of a file that is something else."""
        return FormatError(
            f"{self.path} is not {self.content}. Move it away, or choose another {self.place}."
        )

    def damaged(self, number: int, problem: str = "is damaged") -> FormatError:
        """The error of a line that cannot be right, counted from 1."""
        return FormatError(
            f"Line {number} of {self.path} {problem}. Restore it from a copy, or delete that line; "
            "what it recorded is computed again."
        )


def _write_all(file: RawIOBase, content: bytes) -> None:
    """Write all bytes: one call may write some of them, where the disk is nearly full."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) or 0 :]

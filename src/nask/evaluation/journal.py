"""A run's file of records: one line of JSON each, appended as soon as it is known.

The first line says what is run. A later process with the same arguments reads the file and goes on
where it ends. A line cut short by a kill is dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nask.evaluation.records import FoldRecord
from nask.exceptions import FormatError, ParameterError


class Journal:
    """The records of one method on one dataset.

    Parameters
    ----------
    path : Path
        The file; made with its folder where it does not exist.
    identity : mapping
        What decides the result: dataset, method, parameters, protocol.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run.jsonl"
    >>> Journal(path, {"folds": 10}).note_pass(0, 1.5)
    >>> Journal(path, {"folds": 10}).passes
    {0: 1.5}
    >>> Journal(path, {"folds": 5})
    Traceback (most recent call last):
    nask.exceptions.ParameterError: ...run.jsonl holds another run: folds was 10 and is 5 now. ...
    """

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        self.path = path
        self.passes: dict[int, float] = {}
        self.folds: dict[tuple[int, int], FoldRecord] = {}
        plain = json.loads(json.dumps(identity))
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = self._complete_lines()
        if not lines:
            self._append({"run": plain})
            return
        self._check(lines[0], plain)
        for line in lines[1:]:
            if "pass" in line:
                self.passes[line["pass"]] = line["seconds"]
            else:
                record = FoldRecord.from_json(line)
                self.folds[record.repeat, record.fold] = record

    def note_pass(self, number: int, seconds: float) -> None:
        """Record that a pass over all graphs is done and kept."""
        self.passes[number] = seconds
        self._append({"pass": number, "seconds": seconds})

    def note_fold(self, record: FoldRecord) -> None:
        """Record a finished fold."""
        self.folds[record.repeat, record.fold] = record
        self._append(record.to_json())

    def _append(self, line: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _complete_lines(self) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        content = self.path.read_bytes()
        complete = content[: content.rfind(b"\n") + 1]
        if len(complete) < len(content):
            os.truncate(self.path, len(complete))
        try:
            return [json.loads(line) for line in complete.splitlines()]
        except ValueError as error:
            raise FormatError(
                f"{self.path} is not a file of results ({error}). Move it away, or choose another "
                "folder for results."
            ) from error

    def _check(self, first: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
        recorded = first.get("run")
        if not isinstance(recorded, dict):
            raise FormatError(
                f"{self.path} is not a file of results. Move it away, or choose another folder."
            )
        for name in {**recorded, **identity}:
            if recorded.get(name) != identity.get(name):
                raise ParameterError(
                    f"{self.path} holds another run: {name} was {recorded.get(name)!r} and is "
                    f"{identity.get(name)!r} now. Choose another folder for results, or delete "
                    "the file to begin again."
                )

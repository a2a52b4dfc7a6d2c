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
    identity : mapping, optional
        What decides the result: dataset, method, parameters, protocol. A file that holds another
        run is an error. By default a file is read as it is.

    Attributes
    ----------
    run : dict
        The identity.
    passes : dict of int to float
        Seconds of each finished pass over all graphs.
    folds : dict of (repeat, fold) to FoldRecord
    environment : dict
        Of the last process that added to the file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run.jsonl"
    >>> Journal(path, {"folds": 10}).note_pass(0, 1.5)
    >>> Journal(path).run, Journal(path, {"folds": 10}).passes
    ({'folds': 10}, {0: 1.5})
    >>> Journal(path, {"folds": 5})
    Traceback (most recent call last):
    nask.exceptions.ParameterError: ...run.jsonl holds another run: folds was 10 and is 5 now. ...
    """

    def __init__(self, path: Path, identity: Mapping[str, Any] | None = None) -> None:
        self.path = path
        self.passes: dict[int, float] = {}
        self.folds: dict[tuple[int, int], FoldRecord] = {}
        self.environment: dict[str, Any] = {}
        lines = self._complete_lines()
        if not lines and identity is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = [{"run": json.loads(json.dumps(identity))}]
            self._append(lines[0])
        self.run = self._identity(lines)
        if identity is not None:
            self._check(json.loads(json.dumps(identity)))
        for line in lines[1:]:
            self._remember(line)

    def note_environment(self, environment: Mapping[str, Any]) -> None:
        """Record where the work that follows is done."""
        self._note({"environment": dict(environment)})

    def note_pass(self, number: int, seconds: float) -> None:
        """Record that a pass over all graphs is done and kept."""
        self._note({"pass": number, "seconds": seconds})

    def note_fold(self, record: FoldRecord) -> None:
        """Record a finished fold."""
        self._note(record.to_json())

    def _note(self, line: dict[str, Any]) -> None:
        self._append(line)
        self._remember(line)

    def _remember(self, line: dict[str, Any]) -> None:
        if "environment" in line:
            self.environment = line["environment"]
        elif "pass" in line:
            self.passes[line["pass"]] = line["seconds"]
        else:
            record = FoldRecord.from_json(line)
            self.folds[record.repeat, record.fold] = record

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
            raise self._not_a_journal() from error

    def _identity(self, lines: list[dict[str, Any]]) -> dict[str, Any]:
        if not lines or not isinstance(lines[0], dict) or "run" not in lines[0]:
            raise self._not_a_journal()
        run: dict[str, Any] = lines[0]["run"]
        return run

    def _not_a_journal(self) -> FormatError:
        return FormatError(
            f"{self.path} is not a file of results. Move it away, or choose another folder for "
            "results."
        )

    def _check(self, identity: Mapping[str, Any]) -> None:
        for name in {**self.run, **identity}:
            if self.run.get(name) != identity.get(name):
                raise ParameterError(
                    f"{self.path} holds another run: {name} was {self.run.get(name)!r} and is "
                    f"{identity.get(name)!r} now. Choose another folder for results, or delete "
                    "the file to begin again."
                )

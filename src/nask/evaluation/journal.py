"""A run's file of records: one line of JSON each, appended as soon as it is known.

The first line says what is run. A later process with the same arguments reads the file and goes on
where it ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from nask.evaluation.records import FoldRecord
from nask.exceptions import ParameterError
from nask.messages import quoted
from nask.storage.json_lines import JsonLines
from nask.storage.write_errors import writing

# What names the folder for results, for advice.
OUT = "out (--out)"


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
    timeout : float or None
        Seconds that were used up when a limit of time last ended the run.

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
        self.timeout: float | None = None
        self._file = JsonLines(path, "run", "a file of results", "folder for results", OUT)
        lines = self._file.read(trim=identity is not None)
        if not lines:
            if identity is None:
                raise self._file.foreign()
            with writing(path, OUT):
                path.parent.mkdir(parents=True, exist_ok=True)
            lines = [{"run": json.loads(json.dumps(identity))}]
            self._file.append(lines[0])
        self.run: dict[str, Any] = lines[0]["run"]
        for line in lines[1:]:
            self._remember(line)
        if identity is not None:
            self._check(json.loads(json.dumps(identity)))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes from adding to the file; an error if one is at it already."""
        with ExitStack() as lock:
            try:
                lock.enter_context(self._file.locked(wait=False))
            except BlockingIOError:
                raise ParameterError(
                    f"Another process is at work on {self.path}. Wait for it to end, or choose "
                    "another folder for results."
                ) from None
            yield

    def note_environment(self, environment: Mapping[str, Any]) -> None:
        """Record where the work that follows is done."""
        self._note({"environment": dict(environment)})

    def note_pass(self, number: int, seconds: float) -> None:
        """Record that a pass over all graphs is done and kept."""
        self._note({"pass": number, "seconds": seconds})

    def note_fold(self, record: FoldRecord) -> None:
        """Record a finished fold."""
        self._note(record.to_json())

    def note_timeout(self, seconds: float) -> None:
        """Record that the run was ended, its limit of time being used up."""
        self._note({"timeout": seconds})

    def _note(self, line: dict[str, Any]) -> None:
        self._file.append(line)
        self._remember(line)

    def _remember(self, line: dict[str, Any]) -> None:
        if "environment" in line:
            self.environment = line["environment"]
        elif "pass" in line:
            self.passes[line["pass"]] = line["seconds"]
        elif "timeout" in line:
            self.timeout = line["timeout"]
        else:
            record = FoldRecord.from_json(line)
            self.folds[record.repeat, record.fold] = record

    def _check(self, identity: Mapping[str, Any]) -> None:
        if self.run.get("content") != identity.get("content"):
            raise ParameterError(
                f"{self.path} holds a run on other graphs or classes of the same name. Choose "
                "another folder for results, or delete the file to begin again."
            )
        difference = _difference(self.run, identity)
        if difference:
            raise ParameterError(
                f"{self.path} holds another run: {difference}. Choose another folder for results, "
                "or delete the file to begin again."
            )


def _difference(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """In words, the first parameter that two runs do not share; nothing if they share all."""
    for name in {**then, **now}:
        before, after = then.get(name), now.get(name)
        if isinstance(before, dict) and isinstance(after, dict):
            inner = _difference(before, after)
            if inner:
                return inner
        elif before != after:
            return f"{name} was {quoted(before)} and is {quoted(after)} now"
    return ""

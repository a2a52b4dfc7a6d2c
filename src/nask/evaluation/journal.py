"""The file of records of one run: one line of JSON per record, written as soon as it is known.

The first line says what is run. A later process with the same arguments reads the file and goes on
where it ends. Every line is checked when it is read, and accuracies are counted again from the
predictions.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from nask.choices import LearningTask
from nask.evaluation.record_fields import (
    ENVIRONMENT,
    KEPT,
    NAMES,
    OF_SOME_RUNS,
    PASS,
    RUN,
    TIMEOUT,
    VERSIONS,
    check_fields,
)
from nask.evaluation.records import FoldRecord
from nask.evaluation.scoring import found_score
from nask.exceptions import FormatError, ParameterError
from nask.learning.scores import Score, score_names
from nask.messages import quoted
from nask.storage.json_lines import JsonLines
from nask.storage.read_limit import check_demand
from nask.storage.write_errors import writing

# Version of the records. Those of version 1 have no version number and no true classes. A run with
# accuracy alone is written in version 2, one with another score, or on numbers, in version 3.
ACCURACIES, VERSION = 2, 3
# The parameter and the option that name the folder for results, in errors.
OUT = "out (--out)"
# What a run on numbers has in place of classes.
OF_NUMBERS = ("task", "n_items", "scoring")
# Of a number in a confusion matrix.
COUNT_BYTES = 8
REMEDY = "Restore it from a copy, or delete the file to begin again."


class Journal:
    """The records of one method on one dataset.

    Parameters
    ----------
    path : Path
        The file; made with its folder where it does not exist.
    identity : mapping, optional
        What decides the result: dataset, method, parameters, protocol. A file that holds another
        run is an error. By default any run is read.

    Attributes
    ----------
    run : dict
        The identity.
    version : int
        Of the records.
    passes : dict of int to float
        Seconds of each finished pass over all graphs.
    kept : list of list of int
        Of a large set, the candidates that each split has kept, by their number in the grid; empty
        where no split has chosen yet.
    folds : dict of (repeat, fold) to FoldRecord
    environment : dict
        Of the last process that added to the file.
    timeout : float or None
        Seconds after which a time limit last ended the run.

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

    def __init__(self, path: Path, identity: Mapping[str, Any] | None = None) -> None:
        self.path = path
        self.passes: dict[int, float] = {}
        self.kept: list[list[int]] = []
        self.folds: dict[tuple[int, int], FoldRecord] = {}
        self.environment: dict[str, Any] = {}
        self.timeout: float | None = None
        self._tested: dict[int, set[int]] = {}
        self._file = _lines_of(path)
        lines = self._file.read(trim=identity is not None)
        if not lines:
            if identity is None:
                raise self._file.foreign()
            with writing(path, OUT):
                path.parent.mkdir(parents=True, exist_ok=True)
            version = VERSION if "scoring" in (identity or {}) else ACCURACIES
            lines = [{"run": json.loads(json.dumps(identity)), "version": version}]
            self._file.append(lines[0])
        self.version: int = lines[0].get("version", 1)
        self.run: dict[str, Any] = lines[0].get("run", {})
        self._check_first(lines[0], whole=identity is None)
        for number, line in enumerate(lines[1:], start=2):
            try:
                self._remember(line)
            except ValueError as error:
                raise self._file.damaged(number, str(error)) from error
        if identity is None:
            self._check_sizes()
        else:
            self._check(json.loads(json.dumps(identity)))

    @staticmethod
    def is_begun(path: Path) -> bool:
        """Whether the first line is there; a kill, or a full disk, may have come before."""
        return _lines_of(path).is_begun()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes from writing to the file; raise if one already does."""
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

    def note_kept(self, kept: list[list[int]]) -> None:
        """Record which candidates each split has kept after a look at a sample."""
        self._note({"kept": kept})

    def note_fold(self, record: FoldRecord) -> None:
        """Record a finished fold."""
        self._note(record.to_json())

    def note_timeout(self, seconds: float) -> None:
        """Record that a time limit ended the run after so many seconds."""
        self._note({"timeout": seconds})

    def _note(self, line: dict[str, Any]) -> None:
        self._remember(json.loads(json.dumps(line)))
        self._file.append(line)

    def _remember(self, line: dict[str, Any]) -> None:
        """Add what a line says; raise ValueError if it cannot be right."""
        if "environment" in line:
            check_fields(line, ENVIRONMENT)
            self.environment = line["environment"]
        elif "pass" in line:
            check_fields(line, PASS)
            self.passes[line["pass"]] = line["seconds"]
        elif "kept" in line:
            check_fields(line, KEPT)
            self.kept = line["kept"]
        elif "timeout" in line:
            check_fields(line, TIMEOUT)
            self.timeout = line["timeout"]
        else:
            self._remember_fold(FoldRecord.from_json(line, self.version))

    def _remember_fold(self, record: FoldRecord) -> None:
        place = f"fold {record.fold} of repeat {record.repeat}"
        if record.fold >= self.run["folds"]:
            raise ValueError(f"is of {place}, but the run has {self.run['folds']} folds")
        if (record.repeat, record.fold) in self.folds:
            raise ValueError(f"is of {place}, which another line has already")
        if record.truth is not None and "classes" in self.run:
            strange = [t for t in record.truth if str(t) not in self.run["classes"]]
            if strange:
                raise ValueError(f"has a class {quoted(strange[0])}, which the run has not")
        if record.scores:
            _check_scores(record, list(self.run.get("classes", {})))
        tested = self._tested.setdefault(record.repeat, set())
        if not tested.isdisjoint(record.test):
            raise ValueError(f"is of {place}, and tests what another fold of it has tested")
        tested.update(record.test)
        self.folds[record.repeat, record.fold] = record

    def _check_sizes(self) -> None:
        """Raise unless each finished repeat tested what the first line says."""
        for repeat, tested in self._tested.items():
            folds = [r for (own, _), r in self.folds.items() if own == repeat]
            if len(folds) < self.run["folds"]:
                continue
            expected = self.run.get("classes", {})
            # Records of version 1 may have no true classes.
            known = all(fold.truth is not None for fold in folds)
            found = Counter(str(label) for fold in folds for label in fold.truth or ())
            n_items = sum(expected.values()) if expected else self.run["n_items"]
            other_sizes = bool(expected) and known and found != Counter(expected)
            if len(tested) != n_items or other_sizes:
                raise FormatError(
                    f"Line 1 of {self.path} has {n_items} items of sizes {quoted(expected)}, and "
                    f"repeat {repeat} tested {len(tested)}, of sizes {quoted(dict(found))}. "
                    f"{REMEDY}"
                )

    def _check_first(self, first: Mapping[str, Any], whole: bool) -> None:
        """Raise unless the first line describes a run; if ``whole``, with all of its fields."""
        if type(self.version) is not int or not 1 <= self.version <= VERSION:
            raise FormatError(
                f"{self.path} holds records of version {quoted(self.version)}; this nask reads "
                f"versions 1 to {VERSION}. Read it with the nask that wrote it."
            )
        try:
            check_fields(first, {"run": NAMES, "version": VERSIONS}, optional=("version",))
            numbers = self.run.get("task") == "regress"
            of_numbers = ("classes",) if numbers else ()
            check_fields(
                self.run, RUN, optional=(*OF_SOME_RUNS, *of_numbers) if whole else tuple(RUN)
            )
            if whole and numbers:
                check_fields(
                    {k: v for k, v in self.run.items() if k in OF_NUMBERS},
                    {k: RUN[k] for k in OF_NUMBERS},
                )
            n_classes = len(self.run.get("classes", ()))
            size = self.path.stat().st_size
            demand = "has so many classes that a count of each predicted for each takes"
            check_demand(COUNT_BYTES * n_classes**2, size, demand)
            if "scoring" in self.run:
                _check_score(self.run["scoring"], "regress" if numbers else "classify")
        except ValueError as error:
            raise FormatError(f"Line 1 of {self.path} {error}. {REMEDY}") from error

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


def _lines_of(path: Path) -> JsonLines:
    return JsonLines(path, "run", "a file of results", "folder for results", OUT)


def _check_score(name: str, task: LearningTask) -> None:
    """Raise ValueError unless there is such a score for the task."""
    if name not in score_names(task):
        raise ValueError(f"has 'scoring': {quoted(name)}, which is no score that this nask knows")


def _check_scores(record: FoldRecord, classes: list[str]) -> None:
    """Raise ValueError unless the scores are those of what was predicted."""
    for name, given in record.scores.items():
        _check_score(name, "classify" if classes else "regress")
        try:
            with np.errstate(all="ignore"):  # what comes of it is compared
                found = found_score(record, Score(name), classes)
        except (ParameterError, ArithmeticError, IndexError, TypeError, ValueError) as error:
            raise ValueError(f"has {name} {given}, which cannot be found again: {error}") from error
        if not math.isclose(given, found, rel_tol=1e-9, abs_tol=1e-9):
            raise ValueError(f"has {name} {given}, but its predictions have {found}")


def _difference(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return, in words, the first parameter in which two runs differ; empty if there is none."""
    for name in {**then, **now}:
        before, after = then.get(name), now.get(name)
        if isinstance(before, dict) and isinstance(after, dict):
            inner = _difference(before, after)
            if inner:
                return inner
        elif before != after:
            return f"{name} was {quoted(before)} and is {quoted(after)} now"
    return ""

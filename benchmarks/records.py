"""Results as lines of JSON, each written as soon as its case is done."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cases import Case


@dataclass(frozen=True)
class Record:
    """The result of one case, and where it was measured."""

    case: Case
    result: dict[str, Any]
    environment: dict[str, Any]

    @property
    def failed(self) -> bool:
        """Whether the process ended by an error."""
        return "failed" in self.result

    @property
    def extrapolation(self) -> float:
        """Pairs of graphs in the whole set, relative to those that were compared."""
        n, whole = self.result["n_graphs"], self.result["n_graphs_of_set"]
        return float(whole * (whole - 1) / (n * (n - 1)))

    def seconds(self, name: str = "seconds") -> float | None:
        """Median over repeats, of all pairs of graphs; None if there was no end."""
        if name not in self.result:
            return None
        return float(statistics.median(self.result[name])) * self.extrapolation


class Records:
    """A file of records; the last one of a case counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._of: dict[str, Record] = {}
        content = path.read_text(encoding="utf-8") if path.exists() else ""
        # A line that was cut off by a kill has no end; its case is measured again.
        for line in content[: content.rfind("\n") + 1].splitlines():
            self._remember(_read(line))

    def __iter__(self) -> Iterator[Record]:
        return iter(self._of.values())

    def lacks(self, case: Case) -> bool:
        """Whether the case is still to be measured; a failed case is."""
        record = self._of.get(case.key)
        return record is None or record.failed

    def add(self, record: Record) -> None:
        """Append a record to the file."""
        self._remember(record)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(record)) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def keep(self, cases: Iterable[Case]) -> None:
        """Rewrite the file with a line for each of these cases that has a record, and no other."""
        kept = {case.key for case in cases}
        self._of = {key: record for key, record in self._of.items() if key in kept}
        lines = [json.dumps(asdict(record)) + "\n" for record in self]
        if self.path.exists():
            partial = self.path.with_suffix(".partial")
            partial.write_text("".join(lines), encoding="utf-8")
            partial.replace(self.path)

    def find(self, work: str, subject: str = "", method: str = "", **parameters: int) -> Any:
        """Return the record of that case, or None."""
        for record in self:
            case = record.case
            same = (case.work, case.subject, case.method) == (work, subject, method)
            of_case = case.options.get("parameters", {})
            if same and all(of_case.get(name) == value for name, value in parameters.items()):
                return record
        return None

    def _remember(self, record: Record) -> None:
        self._of[record.case.key] = record


def _read(line: str) -> Record:
    fields = json.loads(line)
    return Record(Case(**fields["case"]), fields["result"], fields["environment"])

"""The files of one set of the TUDataset collection, anywhere in a folder or a zip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from nask.exceptions import FormatError, did_you_mean
from nask.graph.attribute import Attribute
from nask.io.converters.columns import component_names
from nask.io.readers.archive import Archive
from nask.io.readers.tu_table import floats, labels
from nask.storage.read_limit import check_demand

T = TypeVar("T")

KINDS = (
    "A", "graph_indicator", "graph_labels", "graph_attributes",
    "node_labels", "node_attributes", "edge_labels", "edge_attributes",
)  # fmt: skip


# Of a column, whatever its length.
COLUMN_BYTES = 1000


@dataclass(frozen=True)
class TUFiles:
    """The files of one set in an archive, named by what they hold: "A", "node_labels", ..."""

    archive: Archive
    folder: str
    name: str

    def __contains__(self, kind: str) -> bool:
        return self.file(kind) in self.archive.names

    def file(self, kind: str) -> str:
        """Return the name of the file of that kind inside the archive."""
        return f"{self.folder}{self.name}_{kind}.txt"

    def where(self, kind: str) -> str:
        """Return the name of the file of that kind in errors."""
        return self.archive.where(self.file(kind))

    def read(self, kind: str, parse: Callable[..., T], *args: Any) -> T:
        """Parse the file of that kind, with ``parse(bytes, where, *args)``."""
        content = self.archive.read(self.file(kind))
        n_columns = content.partition(b"\n")[0].count(b",") + 1
        self.check_demand(kind, COLUMN_BYTES * n_columns, f"has {n_columns} columns, of")
        return parse(content, self.where(kind), *args)

    def check_demand(self, kind: str, needed: int, demand: str) -> None:
        """Raise where all files of the set together are too small for so many bytes."""
        names = [self.file(own) for own in KINDS if own in self]
        check_demand(needed, self.archive.n_bytes(names), f"{self.where(kind)} {demand}")

    def check_length(self, kind: str, n_lines: int, reference: str, expected: int) -> None:
        """Raise unless the file of a kind has as many lines as another file, the reference."""
        if n_lines != expected:
            raise FormatError(
                f"{self.where(kind)} has {n_lines} lines, but {self.where(reference)} has "
                f"{expected}: expected as many in both."
            )

    def columns(self, kind: str, reference: str, n_lines: int) -> dict[str, Attribute]:
        """Return the columns of a file of labels or attributes by name; none without the file."""
        if kind not in self:
            return {}
        if kind.endswith("labels"):
            columns = self.read(kind, labels)
        else:
            table = np.ascontiguousarray(self.read(kind, floats).T)
            columns = [Attribute("numerical", column) for column in table]
        self.check_length(kind, len(columns[0]) if columns else 0, reference, n_lines)
        names = component_names(kind.removesuffix("s"), len(columns))
        return dict(zip(names, columns, strict=True))

    def unread(self) -> list[str]:
        """Return notes on files with the name of the set that are not of the format."""
        known = {self.file(kind) for kind in KINDS}
        start = f"{self.folder}{self.name}_"
        return [
            f"{name.removeprefix(self.folder)} not read: no file of the TUDataset form."
            for name in self.archive.names
            if name.startswith(start) and name not in known
        ]


def find_set(archive: Archive, name: str | None) -> TUFiles:
    """Find the one set of an archive, or the one of that name."""
    suffix = "_A.txt"
    sets = [
        TUFiles(archive, folder + slash, file.removesuffix(suffix))
        for folder, slash, file in (path.rpartition("/") for path in archive.names)
        if file.endswith(suffix)
    ]
    if not sets:
        raise FormatError(
            f"{archive.path} holds no file *{suffix}: expected DS{suffix} and "
            "DS_graph_indicator.txt, where DS is the name of the set."
        )
    chosen = [files for files in sets if name in (None, files.name)]
    if not chosen:
        hint = did_you_mean(str(name), {files.name for files in sets})
        raise FormatError(f"{archive.path} holds no {name}{suffix}. {hint}")
    if len(chosen) > 1:
        listed = ", ".join(files.file("A") for files in chosen)
        raise FormatError(
            f"{archive.path} holds several sets: {listed}. Choose one with nask.io.read_tu(path, "
            "name=...), or give the path of its own folder."
        )
    if "graph_indicator" not in chosen[0]:
        raise FormatError(
            f"{chosen[0].where('graph_indicator')} does not exist: expected it beside "
            f"{chosen[0].name}{suffix}."
        )
    return chosen[0]

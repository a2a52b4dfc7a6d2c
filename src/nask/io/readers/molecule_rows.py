"""The rows of a file of molecules: of a CSV file with SMILES, or the records of an SD file."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple, cast

from nask.exceptions import FormatError, did_you_mean
from nask.io.readers.csv_table import MISSING
from nask.messages import listed, quoted
from nask.storage.read_limit import Unpacked, check_demand

TABLES, RECORDS = (".csv", ".tsv", ".smi"), (".sdf", ".sd")
GZIP = b"\x1f\x8b"
# As in RDKit, the first line of a record.
TITLE = "_Name"
END_OF_RECORD, END_OF_MOLECULE = "$$$$", "M  END"
PROPERTY = re.compile(r">.*?<(.+)>")
DELIMITERS = (",", ";", "\t")
# Of a list of SMILES with names.
LIST = " "
# Of a row that is read, at the least.
ROW_BYTES = 100
# Characters of the longest SMILES, and record, that are read from a file. RDKit takes 10 s for the
# stereochemistry of a chain of 20,000 atoms, and four times as long for one of twice the length.
LONGEST_SMILES, LONGEST_RECORD = 10_000, 1_000_000


class Row(NamedTuple):
    """One row: where it begins, what it says, and what is wrong with it as a row, if anything.

    A record has the text of its molecule; in a table the molecule is one of the cells.
    """

    line: int
    cells: Mapping[str, str | None]
    record: str | None = None
    problem: str = ""


@dataclass(frozen=True)
class MoleculeFile:
    """A file of molecules, whose names of columns, or of properties, are known.

    Parameters
    ----------
    path : Path
    columns : tuple of str
        Their names, in order.
    n_rows : int
    has_records : bool
        Whether it is an SD file; a table otherwise.
    delimiter : str
        Of a table.
    """

    path: Path
    columns: tuple[str, ...]
    n_rows: int
    has_records: bool
    delimiter: str = ","

    @property
    def name(self) -> str:
        """The name of the file without its endings, as that of the dataset.

        Examples
        --------
        >>> MoleculeFile(Path("data/mols.csv.gz"), (), 0, False).name
        'mols'
        """
        name = re.sub(r"\.gz$", "", self.path.name, flags=re.IGNORECASE)
        return Path(name).stem or name

    @property
    def has_columns_of_smiles(self) -> bool:
        """Whether a column has to be named: SD files, and lists of SMILES, have molecules alone."""
        return not self.has_records and self.delimiter != LIST

    @property
    def word(self) -> str:
        """What a column is called."""
        return "property" if self.has_records else "column"

    @classmethod
    def open(cls, path: Path) -> MoleculeFile:
        """Find out what a file holds; raise where it is no table and no SD file, or too much."""
        found = cls._found(path)
        demand = f"{path} has {found.n_rows} rows, which take at least"
        check_demand(ROW_BYTES * found.n_rows, path.stat().st_size, demand)
        return found

    @classmethod
    def _found(cls, path: Path) -> MoleculeFile:
        if path.is_dir():
            raise FormatError(f"{path} is a folder: expected a CSV or SD file of molecules.")
        if not path.exists():
            raise FormatError(f"There is no file {path}: expected a CSV or SD file of molecules.")
        kind = ending(path)
        with _readable(path), _opened(path) as stream:
            if kind in RECORDS:
                names, n_records = _surveyed(stream)
                return cls(path, names, n_records, True)
            if kind == ".smi":
                n_lines = sum(1 for line in stream if line.strip())
                return cls(path, ("smiles", "name"), n_lines, False, LIST)
            delimiter = _delimiter(next((line for line in stream if line.strip()), ""))
        with _readable(path):
            lines = cls(path, (), 0, False, delimiter)._lines()
            header = next(lines, None)
            if header is None:
                raise FormatError(
                    f"{path} is empty: expected a first line with the names of columns."
                )
            names = tuple(name.strip() for name in header[1])
            return cls(path, names, sum(1 for _ in lines), False, delimiter)

    def check(self, column: str, option: str) -> None:
        """Raise unless there is one such column, or property.

        Examples
        --------
        >>> MoleculeFile(Path("mols.csv"), ("SMILES", "pIC50"), 9, False).check("pic50", "target")
        Traceback (most recent call last):
        nask.exceptions.FormatError: mols.csv has no column 'pic50' (target). Did you mean 'pIC50'?
        It has: 'SMILES', 'pIC50'.
        """
        found = self.columns.count(column)
        if not found:
            raise FormatError(
                f"{self.path} has no {self.word} {quoted(column)} ({option}). "
                f"{self._hint(column)}It has: {self.listed()}."
            )
        if found > 1:
            raise FormatError(
                f"{self.path} has {found} columns {quoted(column)} ({option}). Rename one of them."
            )

    def listed(self) -> str:
        """The names of the columns, for errors."""
        return listed(name for name in self.columns if name and name != TITLE)

    def rows(self) -> Iterator[Row]:
        """Yield the rows; lines that are blank are none."""
        with _readable(self.path):
            if self.has_records:
                with _opened(self.path) as stream:
                    yield from _records(stream)
                return
            lines = self._lines()
            if self.delimiter == LIST:
                for line, cells in lines:
                    yield Row(line, dict(zip(self.columns, map(_value, cells), strict=False)))
                return
            next(lines)
            for line, cells in lines:
                yield self._row(line, cells)

    def _row(self, line: int, cells: list[str]) -> Row:
        values = dict(zip(self.columns, map(_value, cells), strict=False))
        more = cells[len(self.columns) :]
        if len(cells) < len(self.columns) or any(cell.strip() for cell in more):
            problem = (
                f"it has {len(cells)} values, and the header {len(self.columns)} columns (a value "
                "with a comma in it has to be in quotes)"
            )
            return Row(line, values, problem=problem)
        return Row(line, values)

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the cells of each line that is not blank, and where it begins."""
        with _opened(self.path) as stream:
            if self.delimiter == LIST:
                for number, text in enumerate(stream, start=1):
                    if text.strip():
                        yield number, text.split(maxsplit=1)
                return
            # Strict: a quote that is never closed would swallow all lines that follow.
            reader = csv.reader(
                stream, delimiter=self.delimiter, skipinitialspace=True, strict=True
            )
            begin = 1
            try:
                for cells in reader:
                    # A line of delimiters alone is blank as well: spreadsheets write such.
                    if any(cell.strip() for cell in cells):
                        yield begin, cells
                    begin = reader.line_num + 1
            except csv.Error as error:
                raise FormatError(
                    f"{self.path} is no CSV from line {begin} on: {error}. A quote in a value is "
                    "written twice, and one at its end closes it."
                ) from None

    def _hint(self, column: str) -> str:
        known = [name for name in self.columns if name]
        hint = did_you_mean(column, known) if known else ""
        return f"{hint} " if hint.startswith("Did") else ""


def ending(path: Path) -> str:
    """The ending of a path that tells its format, without one for compression.

    Examples
    --------
    >>> ending(Path("mols.SDF.gz")), ending(Path("mols.csv"))
    ('.sdf', '.csv')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def is_molecule_file(path: Path) -> bool:
    """Tell by its ending whether a path is that of a file of molecules.

    Examples
    --------
    >>> [is_molecule_file(Path(name)) for name in ("a.csv", "a.sdf.gz", "a.zip", "MUTAG")]
    [True, True, False, False]
    """
    return ending(path) in (*TABLES, *RECORDS) and not path.is_dir()


def _opened(path: Path) -> IO[str]:
    """Open a text file, compressed or not; Windows and old Mac line ends count as lines."""
    with path.open("rb") as file:
        compressed = file.read(2) == GZIP
    if compressed:
        stream = cast("IO[bytes]", gzip.GzipFile(path))
        unpacked = Unpacked(stream, path.stat().st_size, str(path))
        return io.TextIOWrapper(io.BufferedReader(unpacked), encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn errors of reading a file into one that names it."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not text in UTF-8: {error}. Save it as CSV UTF-8.") from None
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"{path} cannot be read: {error}.") from None


def _delimiter(header: str) -> str:
    """What separates the names of columns: a comma, unless there are more of the others.

    Examples
    --------
    >>> _delimiter("id;SMILES;note, if any"), _delimiter("smiles")
    (';', ',')
    """
    bare = re.sub(r'"[^"]*"', "", header)
    return max(DELIMITERS, key=bare.count)


def _surveyed(stream: IO[str]) -> tuple[tuple[str, ...], int]:
    """Names of the properties of all records, and how many records there are."""
    names: dict[str, None] = {TITLE: None}
    n_records, begun = 0, False
    for line in stream:
        text = line.rstrip()
        if text == END_OF_RECORD:
            n_records, begun = n_records + 1, False
        elif text:
            begun = True
            if text[0] == ">" and (found := PROPERTY.match(text)):
                names.setdefault(found[1])
    return tuple(names), n_records + begun


def _records(stream: IO[str]) -> Iterator[Row]:
    """Yield the records of an SD file."""
    lines: list[str] = []
    begin = 1
    for number, line in enumerate(stream, start=1):
        text = line.rstrip("\r\n")
        if text.rstrip() == END_OF_RECORD:
            yield _record(begin, lines)
            lines, begin = [], number + 1
        else:
            lines.append(text)
    # The last record may lack its end.
    if any(line.strip() for line in lines):
        yield _record(begin, lines)


def _record(begin: int, lines: list[str]) -> Row:
    cells: dict[str, str | None] = {TITLE: _value(lines[0]) if lines else None}
    end = next((k + 1 for k, line in enumerate(lines) if line.startswith(END_OF_MOLECULE)), None)
    stop = len(lines) if end is None else end
    name: str | None = None
    values: list[str] = []
    for line in [*lines[stop:], ""]:
        if line.strip():
            found = PROPERTY.match(line) if name is None else None
            if found:
                name, values = found[1], []
            else:
                values.append(line)
        elif name is not None:
            cells[name] = _value("\n".join(values))
            name = None
    problem = "" if end else f"its structure has no line {END_OF_MOLECULE!r}"
    structure = "\n".join([*lines[:stop], ""])
    if len(structure) > LONGEST_RECORD:
        problem = f"its structure has more than the {LONGEST_RECORD} characters that are read"
    return Row(begin, cells, structure, problem)


def _value(text: str) -> str | None:
    value = text.strip()
    return None if value in MISSING else value

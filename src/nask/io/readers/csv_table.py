"""One CSV file as columns, with errors that name its lines."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nask.arrays import Array
from nask.exceptions import FormatError, GraphError, did_you_mean
from nask.graph.dates import date_of, refuse_mixed_zones
from nask.messages import quoted
from nask.storage.read_limit import check_demand

# Ways to write a missing value, including an empty cell.
MISSING = frozenset(("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"))
# Integers with this many digits always fit 64 bits; longer ones are names of classes.
LONGEST_INTEGER = 18
# Python does not read integers of more than 4300 digits; codes longer than this stay text.
LONGEST_CODE = 1000
# Of a column, whatever its length: a dataframe takes a third of a millisecond for each.
COLUMN_BYTES = 1000
# Of a letter in an array of text, whose items are all as long as the longest.
LETTER_BYTES = 4
CODES_REMEDY = "Correct it, or, if its numbers are codes, name it in 'categorical'."
INTEGER = re.compile("0|-?[1-9][0-9]*")
DIGITS = re.compile("-?[0-9]+")


@dataclass(frozen=True)
class CsvTable:
    """A CSV file as columns of text, and the line on which each row ends.

    Parameters
    ----------
    file : str
        Its name, for messages.
    columns : dict of str to list
        Text, None where a cell is empty.
    lines : list of int
        Counted from 1, the header.

    Examples
    --------
    >>> table = CsvTable("nodes.csv", {"age": ["23", None], "atom": ["6", "8"]}, [2, 3])
    >>> table.values("age").tolist(), table.values("atom", codes=True).tolist()
    ([23.0, nan], [6, 8])
    >>> table.refuse_missing("age")
    Traceback (most recent call last):
    nask.exceptions.FormatError: Line 3 of nodes.csv has no value in column 'age'.
    """

    file: str
    columns: dict[str, list[str | None]]
    lines: list[int]

    @classmethod
    def read(cls, folder: Path, file: str, ids: Sequence[str]) -> CsvTable:
        """Read a file; the columns ``ids`` must be there, without missing values."""
        header, rows = _lines(folder, file)
        demand = f"{file} in {folder} has {len(header)} columns, of"
        check_demand(COLUMN_BYTES * len(header), (folder / file).stat().st_size, demand)
        for name, count in Counter(header).items():
            if not name or count > 1:
                raise FormatError(
                    f"{file} has two columns {quoted(name)}, or one without a name. Rename it."
                )
        for name in ids:
            if name not in header:
                hint = did_you_mean(name, header)
                if ";" in "".join(header):
                    hint += " Is it separated by semicolons? Use commas."
                raise FormatError(f"{file} has no column {quoted(name)}. {hint}")
        for line, row in rows:
            if len(row) != len(header):
                raise FormatError(
                    f"Line {line} of {file} has {len(row)} values, but the header names "
                    f"{len(header)} columns. Put a value with a comma in it into quotes."
                )
        lines = [line for line, _ in rows]
        cells = [[_value(row[k].strip()) for _, row in rows] for k in range(len(header))]
        table = cls(file, dict(zip(header, cells, strict=True)), lines)
        for name in ids:
            table.refuse_missing(name)
        return table

    def refuse_missing(self, name: str) -> None:
        """Raise where a column that must be complete has an empty cell."""
        for line, value in zip(self.lines, self.columns[name], strict=True):
            if value is None:
                raise FormatError(
                    f"Line {line} of {self.file} has no value in column {quoted(name)}."
                )

    def values(self, name: str, *, codes: bool = False, remedy: str = "") -> Array:
        """Return a column as numbers, dates or text; with ``codes``, as integers or as text.

        Dates are those of ISO 8601, such as 2020-02-29 or 2020-02-29T12:30Z, in all of the cells.
        A column that mixes numbers and text is an error, which ends with the ``remedy``.
        """
        column = self.columns[name]
        if codes:
            integers = all(
                value is None or (_is_integer(value) and len(value) <= LONGEST_CODE)
                for value in column
            )
            convert: Callable[[str], Any] = int if integers else str
            return _objects([None if value is None else convert(value) for value in column])
        numbers = [value is None or _is_number(value) for value in column]
        if all(numbers):
            return np.array([np.nan if value is None else float(value) for value in column])
        other = numbers.index(False)
        for line, value, number in zip(self.lines, column, numbers, strict=True):
            if number and value is not None:
                raise FormatError(
                    f"The column {quoted(name)} of {self.file} mixes numbers and text: "
                    f"{quoted(value)} in line {line}, {quoted(column[other])} in line "
                    f"{self.lines[other]}. {remedy or CODES_REMEDY}"
                )
        dates = [None if value is None else date_of(value) for value in column]
        if dates.count(None) > column.count(None):
            return _objects(column)
        try:
            refuse_mixed_zones(
                dates, f"column {quoted(name)} of {self.file}", lambda k: f"line {self.lines[k]}"
            )
        except GraphError as error:
            raise FormatError(str(error)) from None
        return _objects(dates)

    def classes(self, name: str) -> list[Any]:
        """Return a column of classes, None where a cell is empty: integers, numbers or text.

        Examples
        --------
        >>> CsvTable("nodes.csv", {"y": ["1", None, "0"]}, [2, 3, 4]).classes("y")
        [1, None, 0]
        """
        column = self.columns[name]
        present = [value for value in column if value is not None]
        self._check_text(name, present)
        convert: Callable[[str], Any] = str
        if all(_is_integer(value) and len(value) <= LONGEST_INTEGER for value in present):
            convert = int
        elif not all(map(DIGITS.fullmatch, present)):  # 01 is a name, as a long number is
            # Numbers beside text are an error, which names a line of each.
            numbers = [_is_number(value) for value in present]
            convert = _number_or_text if any(numbers) else str
        return [None if value is None else convert(value) for value in column]

    def target(self, name: str) -> Array:
        """Return a column without missing values as integers, real numbers or text."""
        self.refuse_missing(name)
        column = [value for value in self.columns[name] if value is not None]
        self._check_text(name, column)
        if all(map(_is_integer, column)):
            short = max(map(len, column), default=0) <= LONGEST_INTEGER
            return np.array(column, dtype=np.int64 if short else np.str_)
        values = self.values(name, remedy="Correct it: classes are all integers or all text.")
        return values if values.dtype.kind == "f" else np.array(column, dtype=np.str_)

    def _check_text(self, name: str, present: Sequence[str]) -> None:
        """Raise where one long text would make an array of all of them too large."""
        longest, total = max(map(len, present), default=0), sum(map(len, present))
        demand = (
            f"The column {quoted(name)} of {self.file} has {len(present)} classes, the longest of "
            f"{longest} characters: as an array they take"
        )
        check_demand(LETTER_BYTES * longest * len(present), total, demand)


def header_of(folder: Path, file: str) -> list[str]:
    """Return the names of the columns of a file."""
    return _lines(folder, file, rows=False)[0]


def _lines(
    folder: Path, file: str, rows: bool = True
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Read the header of a file and, unless it is enough, its rows with their line numbers."""
    try:
        with (folder / file).open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, skipinitialspace=True, strict=True)
            header = [name.strip() for name in next(reader, [])]
            return header, [(reader.line_num, row) for row in reader if row] if rows else []
    except FileNotFoundError:
        raise FormatError(
            f"There is no file {file} in {folder}. Expected nodes.csv, edges.csv and, for many "
            "graphs that have classes, graphs.csv."
        ) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FormatError(f"{file} in {folder} cannot be read as CSV in UTF-8: {error}.") from None


def _number_or_text(text: str) -> float | str:
    return float(text) if _is_number(text) else text


def _value(text: str) -> str | None:
    return None if text in MISSING else text


def _objects(values: Sequence[Any]) -> Array:
    return np.fromiter(values, dtype=object, count=len(values))


def _is_integer(text: str) -> bool:
    """Tell whether text is an integer written in the usual way; 01 is not, it may be a code."""
    return INTEGER.fullmatch(text) is not None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text

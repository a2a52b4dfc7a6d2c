"""Profiles of the Pokec network: lines of tab-separated columns, of which six are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64, Index, Positions
from nask.exceptions import FormatError
from nask.graph.attribute import Attribute
from nask.io.readers.archive import Archive
from nask.lab.pokec.lines import whole_lines
from nask.messages import quoted

# The first of the 59 columns; what follows is mostly free text.
COLUMNS = (
    "user_id", "public", "completion_percentage", "gender", "region", "last_login",
    "registration", "age",
)  # fmt: skip
MISSING = (b"null", b"")
EPOCH = date(1970, 1, 1).toordinal()
MAX_DIGITS = 18  # of a whole number: fewer than 2**63


class Column(dict[bytes, int]):
    """The distinct texts of a column, numbered in the order of their first appearance.

    A column of a million profiles has a few thousand distinct texts at most. Each of them is
    parsed once and then looked up.

    Parameters
    ----------
    parse : callable
        Returns the value of a text, or None if it stands for "missing"; raises ValueError if the
        text has no value.
    expected : str
        What ``parse`` accepts, in words, for errors.

    Examples
    --------
    >>> column = Column(int, "a whole number")
    >>> column.add([b"7", b"null", b"07", b"7"])
    >>> column.numbers().tolist()
    [7.0, nan, 7.0, 7.0]
    >>> column.attribute().values()
    [7, None, 7, 7]
    """

    def __init__(self, parse: Callable[[bytes], Any], expected: str) -> None:
        super().__init__()
        self.expected = expected
        self._parse = parse
        self._values: list[Any] = []
        self._codes: list[npt.NDArray[np.int32]] = []

    def __missing__(self, text: bytes) -> int:
        self._values.append(None if text in MISSING else self._parse(text))
        self[text] = len(self._values) - 1
        return self[text]

    def add(self, texts: Iterable[bytes]) -> None:
        """Append these texts; raise ValueError if one of them has no value."""
        self._codes.append(np.fromiter(map(self.__getitem__, texts), np.int32))

    def codes(self) -> npt.NDArray[np.int32]:
        """The number of each text that was added."""
        return np.concatenate(self._codes) if self._codes else np.empty(0, dtype=np.int32)

    def count(self, text: bytes) -> int:
        """How often a text was added."""
        return int(np.count_nonzero(self.codes() == self.get(text, -1)))

    def numbers(self) -> Float64:
        """The values as floats, NaN where missing."""
        values = [np.nan if value is None else value for value in self._values]
        return np.array(values, dtype=np.float64)[self.codes()]

    def attribute(self) -> Attribute:
        """The values as categories, in sorted order."""
        categories = sorted({value for value in self._values if value is not None})
        position = {value: k for k, value in enumerate(categories)}
        ranks = np.array([position.get(value, -1) for value in self._values], dtype=np.int32)
        return Attribute("categorical", ranks[self.codes()], tuple(categories))


@dataclass(frozen=True)
class Profiles:
    """People in the order of their ids.

    Parameters
    ----------
    ids : ndarray of int
        Sorted, distinct.
    gender : ndarray of int
        0 woman, 1 man, -1 missing.
    attributes : dict of str to Attribute
        age, region, registration, public and completion_percentage.
    n_ages_of_zero : int
        How many ages are missing because they are given as 0.
    """

    ids: Index
    gender: Index
    attributes: dict[str, Attribute]
    n_ages_of_zero: int


def read_profiles(archive: Archive, name: str) -> Profiles:
    """Read the file of the profiles; memory grows only with the columns that are kept."""
    columns = {
        "public": Column(_flag, "0 or 1"),
        "completion_percentage": Column(_whole, "a whole number"),
        "gender": Column(_flag, "0 or 1"),
        "region": Column(bytes.decode, "UTF-8 text"),
        "registration": Column(_days, "a date such as 2012-05-25"),
        "age": Column(lambda text: _whole(text) or None, "a whole number"),
    }
    parts: list[Index] = []
    where = archive.where(name)
    for first, block in whole_lines(archive, name):
        rows = [line.split(b"\t", len(COLUMNS)) for line in block.split(b"\n")]
        rows.pop()  # what follows the last newline
        if min(map(len, rows)) < len(COLUMNS):
            raise _short(rows, where, first)
        table = dict(zip(COLUMNS, zip(*rows, strict=False), strict=False))
        table["registration"] = tuple(text.partition(b" ")[0] for text in table["registration"])
        try:
            parts.append(np.fromiter(map(_whole, table["user_id"]), np.int64, len(rows)))
            for key, column in columns.items():
                column.add(table[key])
        except ValueError:
            raise _fault(table, columns, where, first) from None
    if not parts:
        raise FormatError(f"{where} is empty: expected one line per profile.")
    ids = np.concatenate(parts)
    order = np.argsort(ids, kind="stable")
    _check_distinct(ids, order, where)
    attributes = {
        "age": Attribute("numerical", columns["age"].numbers()[order]),
        "region": columns["region"].attribute().take(order),
        "registration": Attribute("numerical", columns["registration"].numbers()[order]),
        "public": columns["public"].attribute().take(order),
        "completion_percentage": Attribute(
            "numerical", columns["completion_percentage"].numbers()[order]
        ),
    }
    gender = np.nan_to_num(columns["gender"].numbers()[order], nan=-1).astype(np.int64)
    return Profiles(ids[order], gender, attributes, columns["age"].count(b"0"))


def _whole(text: bytes) -> int:
    if not text.isdigit() or len(text) > MAX_DIGITS:
        raise ValueError
    return int(text)


def _flag(text: bytes) -> int:
    if text not in (b"0", b"1"):
        raise ValueError
    return int(text)


def _days(text: bytes) -> int:
    return date.fromisoformat(text.decode("ascii")).toordinal() - EPOCH


def _short(rows: Sequence[Sequence[bytes]], where: str, first: int) -> FormatError:
    k = next(k for k, row in enumerate(rows) if len(row) < len(COLUMNS))
    return FormatError(
        f"{where}, line {first + k} has {len(rows[k])} of the columns {', '.join(COLUMNS)}, "
        "separated by tabs: expected all of them."
    )


def _fault(
    table: dict[str, tuple[bytes, ...]], columns: dict[str, Column], where: str, first: int
) -> FormatError:
    """Return the error of the first line that is not as expected."""
    for k, user in enumerate(table["user_id"]):
        line = f"{where}, line {first + k}"
        try:
            _whole(user)
        except ValueError:
            return FormatError(
                f"{line}: the user_id is {_shown(user)}; expected a whole number of at most "
                f"{MAX_DIGITS} digits."
            )
        for key, column in columns.items():
            try:
                column[table[key][k]]
            except ValueError:
                return FormatError(
                    f"{line}: the {key} is {_shown(table[key][k])}; expected {column.expected}, "
                    "or null for a missing value."
                )
    raise AssertionError("no line is at fault")


def _shown(text: bytes) -> str:
    return quoted(text.decode(errors="backslashreplace"))


def _check_distinct(ids: Index, order: Positions, where: str) -> None:
    repeats = np.flatnonzero(np.diff(ids[order]) == 0)
    if len(repeats):
        k = int(repeats[np.argmin(order[repeats + 1])])
        raise FormatError(
            f"{where}, line {order[k + 1] + 1}: user {ids[order[k]]} has a profile on line "
            f"{order[k] + 1} already; expected one profile per user."
        )

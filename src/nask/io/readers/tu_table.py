"""Text files of comma-separated numbers; when parsing fails, the bad line is found."""

from __future__ import annotations

import re

import numpy as np

from nask.arrays import Array, Float64, Index
from nask.exceptions import FormatError
from nask.graph.attribute import Attribute
from nask.messages import quoted

_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(
    r"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE
)
# Above 2**53 neighbouring integers share one float, so that two labels could become one.
_EXACT = 2.0**53


def split_lines(data: bytes) -> list[str]:
    """Decode a file into its lines, without the blank ones at its end.

    A byte that is not UTF-8 becomes an escape sequence, so that the parser names its line.

    Examples
    --------
    >>> split_lines(b"\\xef\\xbb\\xbf1, 2\\r\\n2, 1\\r\\n\\r\\n")
    ['1, 2', '2, 1']
    """
    text = data.decode("utf-8-sig", errors="backslashreplace")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def integers(data: bytes, where: str, n_columns: int) -> Index:
    """Parse a file of integers, such as node ids, with a known number of columns."""
    lines = split_lines(data)
    if not lines:
        return np.empty((0, n_columns), dtype=np.int64)
    table = _parse(lines, where, np.int64, n_columns)
    if table.shape[1] != n_columns:
        raise _first_fault(lines, where, np.int64, n_columns)
    return table


def floats(data: bytes, where: str) -> Float64:
    """Parse a file of finite numbers; "nan" is a missing value."""
    lines = split_lines(data)
    return _finite_floats(lines, where) if lines else np.empty((0, 0))


def labels(data: bytes, where: str) -> list[Attribute]:
    """Parse a file of categories: one attribute per column, its categories sorted.

    Examples
    --------
    >>> [column.values() for column in labels(b"3,1.0\\n1,0.5\\n3,nan\\n", "DS_node_labels.txt")]
    [[3, 1, 3], [1, 0.5, None]]
    """
    lines = split_lines(data)
    table: Array
    if not lines:
        return []
    if re.search(rb"[.eEnN]", data):
        table = _finite_floats(lines, where)
        rows = np.flatnonzero((np.abs(table) >= _EXACT).any(axis=1))
        if len(rows):
            raise FormatError(
                f"{where}, line {rows[0] + 1}: {quoted(lines[rows[0]].strip())} holds a label too "
                "large to be read exactly in a file with decimal points. Write all labels as "
                "integers."
            )
    else:
        table = _parse(lines, where, np.int64)
    return [_encode(column) for column in table.T]


def _encode(column: Array) -> Attribute:
    missing = column != column
    values, codes = np.unique(column[~missing], return_inverse=True)
    data = np.full(len(column), -1, dtype=np.int32)
    data[~missing] = codes
    categories = [int(value) if value == int(value) else value for value in values.tolist()]
    return Attribute("categorical", data, tuple(categories))


def _finite_floats(lines: list[str], where: str) -> Float64:
    table: Float64 = _parse(lines, where, np.float64)
    rows = np.flatnonzero(np.isinf(table).any(axis=1))
    if len(rows):
        raise FormatError(
            f"{where}, line {rows[0] + 1}: {quoted(lines[rows[0]].strip())} holds an infinite "
            "value; expected finite numbers, or nan for a missing value."
        )
    return table


def _parse(
    lines: list[str], where: str, dtype: type[np.int64 | np.float64], n_columns: int | None = None
) -> Array:
    try:
        # From a list of lines, loadtxt took 0.42 s for the 1.7 million of DD; from StringIO 0.78 s.
        table = np.loadtxt(lines, dtype=dtype, delimiter=",", comments=None, ndmin=2)
    except ValueError as error:
        raise _first_fault(lines, where, dtype, n_columns, str(error)) from None
    if len(table) != len(lines):  # loadtxt skips blank lines
        raise _first_fault(lines, where, dtype, n_columns)
    return table


def _is_beyond(integer: str) -> bool:
    # Python does not read thousands of digits; leading zeros do not count.
    digits = integer.lstrip("+-").lstrip("0")
    return len(digits) > 19 or not -(2**63) <= int(integer) < 2**63


def _first_fault(
    lines: list[str],
    where: str,
    dtype: type[np.int64 | np.float64],
    n_columns: int | None,
    reason: str = "the file cannot be parsed",
) -> FormatError:
    """Return the error for the first line that does not fit the format of the file."""
    number, kind = (_INTEGER, "an integer") if dtype is np.int64 else (_NUMBER, "a number")
    width = n_columns or lines[0].count(",") + 1
    promise = "" if n_columns else " as in line 1"
    for position, line in enumerate(lines, start=1):
        tokens = [token.strip() for token in line.split(",")]
        if tokens == [""]:
            return FormatError(f"{where}, line {position}: the line is blank; expected {kind}.")
        if len(tokens) != width:
            return FormatError(
                f"{where}, line {position}: {len(tokens)} columns in {quoted(line.strip())}; "
                f"expected {width}{promise}, separated by commas."
            )
        for token in tokens:
            if not number.fullmatch(token):
                return FormatError(f"{where}, line {position}: {quoted(token)} is not {kind}.")
            if dtype is np.int64 and _is_beyond(token):
                return FormatError(
                    f"{where}, line {position}: {quoted(token)} is beyond 64-bit integers."
                )
    return FormatError(f"{where}: {reason}.")

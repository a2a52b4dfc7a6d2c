"""What looks wrong in a column, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from nask.arrays import Float64
from nask.description.columns import Column, counted, numbers_of
from nask.graph.attribute import Attribute
from nask.graph.dates import date_of
from nask.messages import first_few, quoted

# Numbers that are often written for "missing"; those above 0 also at the upper end.
SENTINELS = (-1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0, 99.0, 999.0, 9999.0, 99999.0)
# Text that is often written for it.
PLACEHOLDERS = frozenset(("?", "-", "--", ".", "unknown", "missing", "none", "nil", "n.a.", "n/a"))
YES, NO = frozenset(("true", "yes", "y", "t", "1")), frozenset(("false", "no", "n", "f", "0"))
# Up to so many different whole numbers may be codes; from so many values on, all different ones
# are likely names.
MOST_CODES, FEWEST_IDS = 12, 10
OTHER_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(\D.*)?")
EMPTY = "leave these cells empty"


@dataclass(frozen=True)
class Suspicion:
    """One thing that looks wrong.

    Parameters
    ----------
    what : str
        A word for it, such as "sentinel".
    where : str
        The column, or the part of the dataset.
    text : str
        What was found.
    remedy : str
        What to do, or to type.
    """

    what: str
    where: str
    text: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.where}: {self.text}. {self.remedy[:1].upper()}{self.remedy[1:]}."

    def to_json(self) -> dict[str, str]:
        """Return it as JSON can hold it."""
        return asdict(self)


def suspicions_of(column: Column, parts: Sequence[Attribute]) -> list[Suspicion]:
    """Return what looks wrong in an attribute that is given graph by graph.

    Examples
    --------
    >>> ages = [Attribute.from_values([31, 23, -999, 54, 18, -999])]
    >>> [found] = suspicions_of(Column.of("node", "age", ages), ages)
    >>> print(found)
    node age: 2 values are -999, far from the others (18 to 54). If -999 means that a value is
    missing, leave these cells empty.
    """
    where = f"{column.element} {column.name}"
    remove = f"leave the column {column.name} out: it tells nothing apart"
    if column.kind == "missing":
        return [Suspicion("empty", where, "has no value at all", remove)] if column.size else []
    if column.distinct == 1 and column.size > 1:
        value = column.label(column.common[0][0])
        beside = f", or is missing ({column.missing} times)" if column.missing else " everywhere"
        return [Suspicion("constant", where, f"is {quoted(value)}{beside}", remove)]
    content: Any = counted(parts) if column.kind == "categorical" else numbers_of(parts)
    return [
        Suspicion(what, where, text, remedy)
        for check in CHECKS[column.kind]
        for what, text, remedy in check(column, content, parts)
    ]


def _sentinel(column: Column, values: Float64, _: Any) -> Iterator[tuple[str, str, str]]:
    for sentinel in SENTINELS:
        rest = values[values != sentinel]
        count = len(values) - len(rest)
        if not count or len(rest) < 2 or column.dates:
            continue
        low, high = float(rest.min()), float(rest.max())
        below = sentinel < 0 <= low and (sentinel < -1 or _apart_from_minus_one(rest))
        above = sentinel > 0 and sentinel - high > max(high - low, 9.0)
        if below or above:
            yield (
                "sentinel",
                f"{count} {_plural(count, 'value is', 'values are')} {sentinel:g}, far from the "
                f"others ({low:g} to {high:g})",
                f"if {sentinel:g} means that a value is missing, {EMPTY}",
            )


def _apart_from_minus_one(rest: Float64) -> bool:
    """Tell whether -1 is no step in a row of small whole numbers."""
    distinct = np.unique(rest)
    return len(distinct) > (2 if distinct[0] > 0 else MOST_CODES)


def _codes(column: Column, values: Float64, _: Any) -> Iterator[tuple[str, str, str]]:
    # Two numbers are told apart in the same way as numbers and as codes.
    few = 2 < column.distinct <= MOST_CODES and len(values) >= 3 * column.distinct
    if few and not column.dates and (values == np.floor(values)).all():
        yield (
            "codes",
            f"holds {column.distinct} different whole numbers ({column.minimum:g} to "
            f"{column.maximum:g})",
            f"if they are codes, and not amounts, say so: --categorical {column.name} for CSV "
            f"files, or categorical=[{column.name!r}]",
        )


def _numbering(
    column: Column, values: Float64, parts: Sequence[Attribute]
) -> Iterator[tuple[str, str, str]]:
    if len(values) < FEWEST_IDS or column.dates or (values != np.floor(values)).any():
        return
    several = [part.data[~part.missing] for part in parts]
    several = [own for own in several if len(own) > 1]
    consecutive = bool(several) and all(
        len(own) == own.max() - own.min() + 1 == len(np.unique(own)) for own in several
    )
    if consecutive and max(map(len, several)) >= FEWEST_IDS:
        each = "" if len(parts) == 1 else " in each graph"
        yield (
            "id",
            f"numbers the {column.element}s one after another{each}",
            f"if it is an id or a row number, leave the column {column.name} out",
        )


def _same_word(
    column: Column, tally: Mapping[Hashable, int], _: Any
) -> Iterator[tuple[str, str, str]]:
    words = _words(tally)
    spelt: dict[str, list[str]] = {}
    booleans = bool(words) and {word.strip().lower() for word in words} <= YES | NO
    for word in words:
        key = word.strip().lower()
        spelt.setdefault(("yes" if key in YES else "no") if booleans else key, []).append(word)
    same = [group for group in spelt.values() if len(group) > 1]
    if same:
        shown = first_few([" = ".join(map(quoted, sorted(group)[:4])) for group in same])
        yield (
            "spelling",
            f"spells the same word in several ways, which are different categories: {shown}",
            "write each in one way",
        )


def _placeholder(
    column: Column, tally: Mapping[Hashable, int], _: Any
) -> Iterator[tuple[str, str, str]]:
    for word in _words(tally):
        if word.strip().lower() in PLACEHOLDERS:
            yield (
                "placeholder",
                f"{tally[word]} {_plural(tally[word], 'value is', 'values are')} {quoted(word)}, a "
                "category like any other here",
                f"if it means that a value is missing, {EMPTY}",
            )


def _dates_as_text(
    column: Column, tally: Mapping[Hashable, int], _: Any
) -> Iterator[tuple[str, str, str]]:
    words = _words(tally)
    dates = [word for word in words if date_of(word.strip()) or OTHER_DATE.fullmatch(word.strip())]
    n_dates = sum(tally[word] for word in dates)
    if not dates or 2 * n_dates < sum(tally.values()):
        return
    others = [word for word in words if word not in set(dates) or not date_of(word.strip())]
    beside = f"; not read as dates are {first_few(list(map(quoted, others)))}" if others else ""
    yield (
        "dates",
        f"{n_dates} of {sum(tally.values())} values look like dates, such as {quoted(dates[0])}, "
        f"and are text{beside}",
        "write all as YYYY-MM-DD and leave the other cells empty; in pandas, use "
        "pandas.to_datetime",
    )


def _numbers_as_text(
    column: Column, tally: Mapping[Hashable, int], _: Any
) -> Iterator[tuple[str, str, str]]:
    words = _words(tally)
    numbers = [word for word in words if re.fullmatch(r"\s*[+-]?\d+([.,]\d+)?\s*\D{0,4}", word)]
    if len(numbers) >= MOST_CODES and 2 * len(numbers) > len(words):
        yield (
            "numbers",
            f"{len(numbers)} of {len(words)} categories look like numbers, such as "
            f"{quoted(numbers[0])}, and are text",
            "write numbers alone, with a point; in pandas, use pandas.to_numeric",
        )


def _names(
    column: Column, tally: Mapping[Hashable, int], parts: Sequence[Attribute]
) -> Iterator[tuple[str, str, str]]:
    n_values = sum(tally.values())
    if n_values >= FEWEST_IDS and len(tally) == n_values and _words(tally):
        yield (
            "id",
            f"all {n_values} values are different",
            f"if it is a name or an id, leave the column {column.name} out: no two resemble each "
            "other",
        )


# Each takes a column, its numbers or its categories with their counts, and its parts by graph.
CHECKS: Mapping[str, Sequence[Callable[..., Iterator[tuple[str, str, str]]]]] = {
    "numerical": (_sentinel, _codes, _numbering),
    "categorical": (_same_word, _placeholder, _dates_as_text, _numbers_as_text, _names),
}


def _words(tally: Mapping[Hashable, int]) -> list[str]:
    return [category for category in tally if isinstance(category, str)]


def _plural(count: int, one: str, several: str) -> str:
    return one if count == 1 else several

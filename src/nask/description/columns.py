"""One attribute of all nodes, edges or graphs of a dataset, in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nask.arrays import Float64
from nask.graph.attribute import Attribute
from nask.graph.dates import iso_text

Element = Literal["node", "edge", "graph"]
# Bins of a histogram of numbers, and how many of the most common values are told.
BINS, COMMON = 12, 5


@dataclass(frozen=True)
class Column:
    """One attribute, described.

    Parameters
    ----------
    element : {"node", "edge", "graph"}
        What has it.
    name : str
    kind : {"numerical", "categorical", "missing"}
        "missing": there is no value at all.
    why : str
        What made it of this kind, such as "text".
    size, missing, distinct : int
        Number of elements, of those without a value, and of different values.
    minimum, maximum, mean : float or None
        Of a numerical one.
    common : tuple of (value, int)
        The most common values, each with its count.
    counts : tuple of int
        The histogram: of numbers in bins of equal width from the minimum to the maximum; of
        categories the counts of the most common ones.
    dates : bool
        Whether the numbers are days since 1970-01-01.

    Examples
    --------
    >>> age = Column.of("node", "age", [Attribute.from_values([20, 30, None, 30])])
    >>> age.missing, age.distinct, age.minimum, age.common[0], age.counts[-1]
    (1, 2, 20.0, (30.0, 2), 2)
    >>> age.label(20.0), Column.of("node", "born", [Attribute.from_values([None])]).kind
    ('20', 'missing')
    """

    element: Element
    name: str
    kind: Literal["numerical", "categorical", "missing"]
    why: str
    size: int
    missing: int
    distinct: int
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    common: tuple[tuple[Any, int], ...] = ()
    counts: tuple[int, ...] = ()
    dates: bool = False

    @classmethod
    def of(cls, element: Element, name: str, parts: Sequence[Attribute], absent: int = 0) -> Column:
        """Describe an attribute given graph by graph; ``absent`` elements are of graphs without."""
        size = sum(map(len, parts)) + absent
        n_values = sum(int(np.count_nonzero(~part.missing)) for part in parts)
        if not n_values:
            return cls(element, name, "missing", "no values", size, size, 0)
        valued = [part for part in parts if not part.missing.all()]
        # Graphs of a set that was made by hand may disagree; then the first decides.
        valued = [part for part in valued if part.kind == valued[0].kind]
        if valued[0].kind == "categorical":
            tally = counted(valued)
            common = tuple(tally.most_common(COMMON))
            return cls(
                element, name, "categorical", _why(list(tally)), size, size - n_values, len(tally),
                common=common, counts=tuple(count for _, count in tally.most_common(BINS)),
            )  # fmt: skip
        values = numbers_of(valued)
        distinct, repeats = np.unique(values, return_counts=True)
        most = np.argsort(-repeats, kind="stable")[:COMMON]
        dates = any(part.dates for part in valued)
        # Scaled to halves, as a range may be larger than any float.
        low, high = float(distinct[0]), float(distinct[-1])
        bins = [len(values)]
        if high > low:
            bins = np.histogram(values / 2, BINS, (low / 2, high / 2))[0].tolist()
        return cls(
            element, name, "numerical", "dates" if dates else "numbers", size, size - n_values,
            len(distinct), low, high, float(np.mean(values / len(values)) * len(values)),
            tuple((float(distinct[k]), int(repeats[k])) for k in most),
            tuple(bins), dates,
        )  # fmt: skip

    @property
    def share_missing(self) -> float:
        """Share of the elements without a value; 0 where there are no elements."""
        return self.missing / self.size if self.size else 0.0

    def label(self, value: Any) -> str:
        """Return a value of the column as text: a date as such, a number in short form."""
        if self.dates:
            return iso_text(float(value))[:19]
        return f"{value:.6g}" if isinstance(value, float) else str(value)

    def to_json(self) -> dict[str, Any]:
        """Return the description as JSON can hold it; dates are text."""
        limits = {name: getattr(self, name) for name in ("minimum", "maximum", "mean")}
        return {
            "element": self.element,
            "name": self.name,
            "kind": self.kind,
            "why": self.why,
            "size": self.size,
            "missing": self.missing,
            "share_missing": self.share_missing,
            "distinct": self.distinct,
            **{k: self.label(v) if self.dates and v is not None else v for k, v in limits.items()},
            "common": [
                [self.label(v) if self.dates or not _is_plain(v) else v, n] for v, n in self.common
            ],
            "histogram": list(self.counts),
        }


def describe_columns(
    element: Element, collections: Sequence[Mapping[str, Attribute]], sizes: Sequence[int]
) -> tuple[Column, ...]:
    """Describe all attributes of the nodes, or edges, of some graphs."""
    return tuple(
        Column.of(element, name, *column_of(name, collections, sizes))
        for name in dict.fromkeys(name for own in collections for name in own)
    )


def column_of(
    name: str, collections: Sequence[Mapping[str, Attribute]], sizes: Sequence[int]
) -> tuple[list[Attribute], int]:
    """Return an attribute of the graphs that have it, and how many elements the others have."""
    parts = [own[name] for own in collections if name in own]
    absent = sum(n for own, n in zip(collections, sizes, strict=True) if name not in own)
    return parts, absent


def counted(parts: Sequence[Attribute]) -> Counter[Hashable]:
    """Count the categories of an attribute that is given graph by graph."""
    tally: Counter[Hashable] = Counter()
    # Many graphs share their categories: those of a set that was read at once.
    by_categories: dict[tuple[Hashable, ...], Any] = {}
    for part in parts:
        counts = np.bincount(part.data + 1, minlength=len(part.categories) + 1)
        known = by_categories.get(part.categories)
        by_categories[part.categories] = counts if known is None else known + counts
    for categories, counts in by_categories.items():
        for category, count in zip(categories, counts[1:].tolist(), strict=True):
            if count:
                tally[category] += count
    return tally


def numbers_of(parts: Sequence[Attribute]) -> Float64:
    """Return the numbers of an attribute that is given graph by graph, without missing ones."""
    numerical = [part.data for part in parts if part.kind == "numerical"]
    values = np.concatenate([np.empty(0), *numerical])
    known: Float64 = values[~np.isnan(values)]
    return known


def _why(categories: Sequence[Hashable]) -> str:
    kinds = {type(category) for category in categories}
    if kinds == {str}:
        return "text"
    if kinds == {bool}:
        return "true and false"
    if kinds <= {int, float}:
        return "codes"
    return "categories"


def _is_plain(value: Any) -> bool:
    return isinstance(value, (str, int, float, bool))

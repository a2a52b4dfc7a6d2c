"""One attribute of a graph's nodes or edges: its kind and its values."""

from __future__ import annotations

import numbers
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from nask.arrays import Array, Mask, Positions
from nask.exceptions import GraphError
from nask.graph.dates import days_of, is_date, iso_text
from nask.messages import quoted

Kind = Literal["numerical", "categorical"]

# Columns of pandas, polars and pyarrow are categorical if their dtype begins with one of these.
CATEGORICAL_DTYPES = frozenset(
    ("category", "categorical", "enum", "dictionary", "str", "string", "bool", "boolean")
)


def frozen(array: Array) -> Array:
    """Return the array itself, made read-only."""
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class Attribute:
    """The values of one attribute over all nodes, or all edges, of a graph.

    Parameters
    ----------
    kind : {"numerical", "categorical"}
        How two values are compared: by their distance, or by equality.
    data : ndarray
        Numerical: float64, NaN where missing. Categorical: int32 indices into
        ``categories``, -1 where missing. Read-only.
    categories : tuple of hashable
        The distinct values of a categorical attribute; empty for a numerical one.
    dates : bool
        Whether the numbers are days since 1970-01-01, made of dates. No comparison depends on it.

    Examples
    --------
    >>> region = Attribute.from_values(["Kosice", None, "Kosice"])
    >>> region.kind, region.categories, region.data.tolist()
    ('categorical', ('Kosice',), [0, -1, 0])
    >>> Attribute.from_values([23, 31, None]).values()
    [23.0, 31.0, None]
    >>> Attribute.from_values([6, 8, 6], kind="categorical").values()
    [6, 8, 6]
    """

    kind: Kind
    data: Array
    categories: tuple[Hashable, ...] = ()
    dates: bool = False

    def __post_init__(self) -> None:
        frozen(self.data)

    @classmethod
    def from_values(
        cls,
        values: Iterable[Any],
        *,
        kind: Kind | None = None,
        element: str = "element",
        name: str = "",
        called: Callable[[int], str] | None = None,
    ) -> Attribute:
        """Build an attribute from raw values, and infer its kind unless it is given.

        Floats and integers are numerical, and so are dates: days since 1970-01-01 in UTC. Text,
        booleans, pandas categories and other objects are categorical. ``None``, NaN and NaT mean
        that a value is missing.

        Parameters
        ----------
        values : iterable
            One value per element. Any sequence, array or pandas / polars series.
        kind : {"numerical", "categorical"}, optional
            Force the kind instead of inferring it.
        element, name : str
            What error messages call one element ("node", "edge") and this attribute.
        called : callable, optional
            What error messages call the element at a position, if it has a name.
        """
        called = called or (lambda position: f"{element} {position}")
        label = f"{element} attribute {quoted(name)}"
        raw = _one_dimensional(values, label)
        kind = kind or _declared_kind(values)
        if raw.dtype.kind == "O":
            kind = kind or _infer_kind(raw.tolist(), label, called)
        elif raw.dtype.kind not in "fiubUSM":
            raise GraphError(
                f"The {label} has dtype {raw.dtype}; expected numbers, dates, booleans or text. "
                "Convert it, for instance to float or to str."
            )
        kind = kind or ("numerical" if raw.dtype.kind in "fiuM" else "categorical")
        build = cls._numerical if kind == "numerical" else cls._categorical
        return build(raw, label, called)

    @classmethod
    def _numerical(cls, raw: Array, label: str, called: Callable[[int], str]) -> Attribute:
        if raw.dtype.kind == "O":
            plain = [None if is_missing(value) else value for value in raw]
            raw = np.fromiter(plain, dtype=object, count=len(plain))
        if raw.dtype.kind == "M" or _holds_dates(raw):
            return cls("numerical", days_of(raw, label, called), dates=True)
        try:
            data = raw.astype(np.float64)
        except OverflowError:
            raise GraphError(
                f"The {label} holds an integer beyond the range of float64. Rescale it, or name "
                "it in 'categorical'."
            ) from None
        except (TypeError, ValueError):
            position, value = next((i, v) for i, v in enumerate(raw.tolist()) if not _converts(v))
            raise GraphError(
                f"The {label} is declared numerical, but {called(position)} holds {quoted(value)}, "
                "which is not a number."
            ) from None
        infinite = np.isinf(data)
        if infinite.any():
            position = int(np.flatnonzero(infinite)[0])
            raise GraphError(
                f"The {label} is infinite at {called(position)} (got {data[position]}); expected "
                "a finite number, or None / NaN for a missing value."
            )
        return cls("numerical", data)

    @classmethod
    def _categorical(cls, raw: Array, label: str, called: Callable[[int], str]) -> Attribute:
        index: dict[Hashable, int] = {}
        codes = np.full(len(raw), -1, dtype=np.int32)
        for position, value in enumerate(raw if raw.dtype.kind == "M" else raw.tolist()):
            try:
                if not is_missing(value):
                    codes[position] = index.setdefault(_plain(value), len(index))
            except TypeError:
                raise GraphError(
                    f"The {label} is {quoted(value)} at {called(position)}, which is not hashable "
                    "and so cannot be a category. Give text, numbers or tuples; split a vector "
                    "into one attribute per component."
                ) from None
        return cls("categorical", codes, tuple(index))

    def __len__(self) -> int:
        return len(self.data)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Attribute):
            return NotImplemented
        return self.kind == other.kind and self.values() == other.values()

    __hash__ = None  # type: ignore[assignment]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        frozen(self.data)

    @property
    def missing(self) -> Mask:
        """True for the elements without a value."""
        return np.isnan(self.data) if self.kind == "numerical" else self.data < 0

    def values(self) -> list[Any]:
        """Return the values as Python objects, ``None`` where missing."""
        if self.kind == "numerical":
            return [None if value != value else value for value in self.data.tolist()]
        return [None if code < 0 else self.categories[code] for code in self.data.tolist()]

    def take(self, positions: Positions | slice) -> Attribute:
        """Return the attribute of the elements at these positions."""
        return Attribute(self.kind, self.data[positions].copy(), self.categories, self.dates)


def is_missing(value: Any) -> bool:
    """Tell whether a value is missing: None, NaN, pandas' NA or NaT, or masked by numpy.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), 0, "", False)]
    [True, True, False, False, False]
    """
    if value is None:
        return True
    if isinstance(value, (str, bool, int)):
        return False
    if isinstance(value, (float, np.floating, np.datetime64)):
        return bool(value != value)
    return type(value).__name__ in ("NAType", "NaTType", "MaskedConstant")


def _one_dimensional(values: Iterable[Any], label: str) -> Array:
    """Return the values as an array, without letting numpy merge their types."""
    unordered = (str, bytes, Mapping, Set)
    if isinstance(values, unordered) or not isinstance(values, Iterable):
        raise GraphError(
            f"The {label} must be a sequence with one value per element. Got {quoted(values)}."
        )
    if isinstance(values, np.ma.MaskedArray):
        # Masked values are missing.
        raw = np.ma.getdata(values).astype(object)
        raw[np.ma.getmaskarray(values)] = None
    elif isinstance(values, np.ndarray):
        raw = values
    elif hasattr(values, "__array__") and str(getattr(values, "dtype", "")) != "category":
        try:
            raw = np.asarray(values)
        except Exception:  # polars has integers of 128 bits, numpy does not
            raw = np.fromiter(values, dtype=object)
    else:
        # pandas categories too: in an array, integers beside a missing value become floats.
        raw = np.fromiter(values, dtype=object)
    if raw.ndim != 1:
        raise GraphError(
            f"The {label} must be one-dimensional. Got shape {raw.shape}: give each column a name "
            "of its own."
        )
    return raw


def _declared_kind(values: Iterable[Any]) -> Kind | None:
    """Return the kind that follows from a column's dtype, even if all of its values are missing."""
    word = re.match(r"\w*", str(getattr(values, "dtype", "")).lower())
    return "categorical" if word and word.group() in CATEGORICAL_DTYPES else None


def _converts(value: Any) -> bool:
    try:
        float(np.nan if value is None else value)
    except (TypeError, ValueError):
        return False
    return True


def _holds_dates(raw: Array) -> bool:
    """Tell whether all values that are not missing are dates."""
    if raw.dtype.kind != "O":
        return False
    present = [value for value in raw.tolist() if value is not None]
    return bool(present) and all(map(is_date, present))


def _is_real(value: Any) -> bool:
    return isinstance(value, (numbers.Real, Decimal)) and not isinstance(value, (bool, np.bool_))


def _plain(value: Any) -> Hashable:
    """Return a category as a plain Python value, so that equal categories have equal hashes.

    A date is text: a file of a model holds no dates.
    """
    if is_date(value):
        return iso_text(value)
    plain: Hashable = value.item() if isinstance(value, np.generic) else value
    return plain


def _infer_kind(values: Sequence[Any], label: str, called: Callable[[int], str]) -> Kind:
    """Infer the kind of an object column from its values that are not missing."""
    present = [position for position, value in enumerate(values) if not is_missing(value)]
    real = [_is_real(values[position]) for position in present]
    if all(real) or all(is_date(values[position]) for position in present):
        return "numerical"
    if any(real):
        number, other = present[real.index(True)], present[real.index(False)]
        raise GraphError(
            f"The {label} mixes numbers and other values ({quoted(values[number])} at "
            f"{called(number)} and {quoted(values[other])} at {called(other)}). Name it in "
            "'categorical' if its numbers are codes."
        )
    return "categorical"

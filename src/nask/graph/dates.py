"""Dates and times as numbers: days since 1970-01-01, with a fraction for the time of day.

The zone is UTC. A time without a zone is taken as it stands. Microseconds are what all sources
have, so the same moment is the same number from each of them.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nask.arrays import Array, Float64
from nask.exceptions import GraphError
from nask.messages import quoted

EPOCH = datetime.datetime(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)
MICROSECONDS_OF_DAY = 86_400_000_000
TIME = r"[T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?"
ISO = re.compile(rf"\d{{4}}-\d{{2}}-\d{{2}}({TIME})?", re.ASCII)
ONE_ZONE = "Give a time zone to all of them, or to none."


def is_date(value: Any) -> bool:
    """Tell whether a value is a date or a time on a date, of Python, numpy or pandas.

    Examples
    --------
    >>> is_date(datetime.date(2020, 2, 29)), is_date(np.datetime64("2020-02-29")), is_date("2020")
    (True, True, False)
    """
    return isinstance(value, (datetime.date, np.datetime64))


def date_of(text: str) -> datetime.date | None:
    """Return the date, or date and time, that text holds in the form of ISO 8601; else None.

    Examples
    --------
    >>> date_of("2020-02-29"), date_of("2020-02-29 12:30Z"), date_of("2021-02-29"), date_of("2020")
    (datetime.date(2020, 2, 29), datetime.datetime(2020, 2, 29, 12, 30, tzinfo=...utc), None, None)
    """
    if ISO.fullmatch(text) is None:
        return None
    kind = datetime.date if len(text) == len("2020-02-29") else datetime.datetime
    try:
        return kind.fromisoformat(text)
    except ValueError:  # such as the 30th of February
        return None


def days_of(values: Array, label: str, called: Callable[[int], str]) -> Float64:
    """Return dates as days since 1970-01-01, NaN where missing.

    Parameters
    ----------
    values : ndarray
        Of datetime64, or of objects that are dates or None.
    label : str
        What messages call the attribute.
    called : callable
        What messages call the element at a position.

    Examples
    --------
    >>> noon = datetime.datetime(1970, 1, 2, 12)
    >>> days_of(np.array([datetime.date(1970, 1, 3), noon, None]), "it", str).tolist()
    [2.0, 1.5, nan]
    >>> days_of(np.array(["1969-12-31", "NaT"], dtype="datetime64[ns]"), "it", str).tolist()
    [-1.0, nan]
    """
    if values.dtype.kind == "M":
        whole = values.astype("datetime64[us]")
        days = whole.astype(np.int64) / MICROSECONDS_OF_DAY
        days[np.isnat(whole)] = np.nan
        return days
    objects = values.tolist()
    refuse_mixed_zones(objects, label, called)
    return np.array([np.nan if value is None else _days(value) for value in objects])


def refuse_mixed_zones(values: Sequence[Any], label: str, called: Callable[[int], str]) -> None:
    """Raise where some times have a time zone and others have none."""
    zoned = {
        getattr(value, "tzinfo", None) is not None: position
        for position, value in reversed(list(enumerate(values)))
        if value is not None
    }
    if len(zoned) == 2:
        with_zone, without = zoned[True], zoned[False]
        raise GraphError(
            f"The {label} mixes times with and without a time zone: {str(values[with_zone])!r} at "
            f"{called(with_zone)}, {str(values[without])!r} at {called(without)}. {ONE_ZONE}"
        )


def iso_text(value: Any) -> str:
    """Return a date, or a number of days since 1970-01-01, as text; without a time at midnight.

    Examples
    --------
    >>> iso_text(datetime.datetime(2020, 1, 1)), iso_text(1.5)
    ('2020-01-01', '1970-01-02T12:00:00')
    """
    days = value if isinstance(value, float) else _days(value)
    try:
        moment = EPOCH + datetime.timedelta(days=days)
    except OverflowError:  # years before 1 or after 9999
        return quoted(days) + " days"
    text = moment.isoformat(timespec="auto")
    return text.removesuffix("T00:00:00")


def _days(value: Any) -> float:
    return _microseconds(value) / MICROSECONDS_OF_DAY


def _microseconds(value: Any) -> int:
    """Return the microseconds since the beginning of 1970, in UTC."""
    if isinstance(value, np.datetime64):
        return int(value.astype("datetime64[us]").astype(np.int64))
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return int((value - EPOCH) // MICROSECOND)

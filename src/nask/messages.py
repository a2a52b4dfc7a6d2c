"""The user's values as text for messages: in plain form, and short."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

# The most characters of a text, items of a collection, and characters of anything quoted.
LONGEST_TEXT, MOST_ITEMS, LONGEST = 100, 5, 200
# Lists in lists that are shown; a file may have a thousand.
MOST_LEVELS = 4
# The most characters of a list of names; a shorter list is shown whole.
LONGEST_LIST = 300


def quoted(value: object, level: int = 0) -> str:
    """Return a value as Python writes it, but short and on one line; numpy's numbers as plain ones.

    Examples
    --------
    >>> quoted("age"), quoted(np.int64(2)), quoted([0.5, None])
    ("'age'", '2', '[0.5, None]')
    >>> quoted("x" * 1000)
    "'xxx...xxx...' (1000 characters)"
    >>> quoted([[[[[[1]]]]]])
    '[[[[...]]]]'
    >>> quoted(range(1000)), quoted(list(range(1000)))
    ('range(0, 1000)', '[0, 1, 2, 3, 4, ... (1000 in all)]')
    """
    if isinstance(value, str):
        # numpy's text is a subclass of str with a repr of its own.
        if len(value) <= LONGEST_TEXT:
            return repr(str(value))
        return f"{str(value[:LONGEST_TEXT]) + '...'!r} ({len(value)} characters)"
    if isinstance(value, np.generic):
        return quoted(value.item(), level)
    if isinstance(value, np.ndarray):
        if value.ndim != 1 or len(value) > MOST_ITEMS:
            return f"an array of {value.dtype} of shape {value.shape}"
        return quoted(value.tolist(), level)
    return shortened(_written(value, level))


def listed(values: Iterable[object]) -> str:
    """Return values separated by commas: all of them, or as many as fit and how many there are.

    Examples
    --------
    >>> listed(["age", "region"]), listed([])
    ("'age', 'region'", 'none')
    >>> listed(range(1000))[-30:]
    ' 74, 75, 76, ... (1000 in all)'
    """
    every = list(values)
    shown: list[str] = []
    length = 0
    for value in every:
        text = quoted(value)
        length += len(text) + 2
        if shown and length > LONGEST_LIST:
            return f"{', '.join(shown)}, ... ({len(every)} in all)"
        shown.append(text)
    return ", ".join(shown) or "none"


def first_few(names: Sequence[str]) -> str:
    """Return up to five names, and how many more there are: graphs may have thirty attributes.

    Examples
    --------
    >>> first_few(["age", "region"]), first_few("abcdefg"), first_few([])
    ('age, region', 'a, b, c, d, e and 2 more', '')
    """
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"


def shortened(text: str) -> str:
    """Return the beginning of a text that is not quoted, such as another package's message.

    Examples
    --------
    >>> shortened("It is short."), len(shortened("x" * 1000))
    ('It is short.', 203)
    """
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _written(value: object, level: int) -> str:
    """Return a value as text, with the items of a mapping, list or tuple quoted one by one."""
    below = level + 1
    if level >= MOST_LEVELS and isinstance(value, (Mapping, list, tuple)):
        return "..."
    if isinstance(value, Mapping):
        pairs = [
            f"{quoted(k, below)}: {quoted(v, below)}" for k, v in islice(value.items(), MOST_ITEMS)
        ]
        return f"{{{_with_count(pairs, len(value))}}}"
    if type(value) in (list, tuple):
        collection: Any = value
        items = [quoted(item, below) for item in islice(collection, MOST_ITEMS)]
        listed = _with_count(items, len(collection))
        if isinstance(value, list):
            return f"[{listed}]"
        return f"({listed},)" if len(items) == 1 else f"({listed})"
    return represented(value)


def represented(value: object) -> str:
    """Return any value as Python writes it, in full; this never raises.

    Examples
    --------
    >>> represented("a"), represented(10**5000)
    ("'a'", 'an integer of more than 4300 digits')
    """
    try:
        return " ".join(repr(value).split())
    except Exception:  # whatever the repr of a user's object raises
        if isinstance(value, int):
            return f"an integer of more than {sys.get_int_max_str_digits()} digits"
        return f"an object of type {type(value).__name__}"


def _with_count(items: list[str], n: int) -> str:
    return ", ".join(items) + (f", ... ({n} in all)" if n > len(items) else "")

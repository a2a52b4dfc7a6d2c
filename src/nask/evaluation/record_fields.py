"""Which fields the lines of a file of results have, and of what kind their values are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nask.messages import quoted


def check_fields(
    line: Mapping[str, Any], kinds: Mapping[str, Kind], optional: Sequence[str] = ()
) -> None:
    """Raise ValueError unless a line has these fields and no others, each of its kind.

    Examples
    --------
    >>> check_fields({"pass": 0, "seconds": "long"}, PASS)
    Traceback (most recent call last):
    ValueError: has 'seconds': 'long', expected a number of 0 or more
    """
    for name in line:
        if name not in kinds:
            raise ValueError(f"has a field {quoted(name)}, which no such line has")
    for name, (expected, is_right) in kinds.items():
        if name not in line:
            if name not in optional:
                raise ValueError(f"has no field {name!r}")
        elif not is_right(line[name]):
            raise ValueError(f"has {name!r}: {quoted(line[name])}, expected {expected}")


# Beyond any position, number of seconds or label that this library writes; sums of such are floats.
LARGEST = 2**64
# Its square is a float, too, and so are sums of such.
LARGEST_NUMBER = 1e100


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < LARGEST


def _is_time(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < LARGEST


def _is_share(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1


def _is_number(value: Any) -> bool:
    if type(value) is int:
        return abs(value) < LARGEST
    return type(value) is float and abs(value) <= LARGEST_NUMBER


def _are_scores(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_number, value.values()))


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_number, value))


def _are_lists_of_counts(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(own, list) and bool(own) and all(map(_is_count, own)) for own in value
    )


def _are_tables(value: Any) -> bool:
    return isinstance(value, list) and all(map(_are_numbers, value))


def _are_mappings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(own, dict) for own in value)


def _are_outputs(value: Any) -> bool:
    return _are_numbers(value) or _are_tables(value)


def _are_classes(value: Any) -> bool:
    return isinstance(value, list) and all(
        type(v) in (str, bool) or (_is_number(v) and not isinstance(v, bool)) for v in value
    )


# What is expected, in words, and the test for it.
Kind = tuple[str, Callable[[Any], bool]]
COUNT: Kind = "an int of 0 or more", _is_count
TIME: Kind = "a number of 0 or more", _is_time
FLAG: Kind = "true or false", lambda value: isinstance(value, bool)
TEXT: Kind = "a text", lambda value: isinstance(value, str)
NAMES: Kind = "a mapping", lambda value: isinstance(value, dict)
CLASSES: Kind = "a list of classes", _are_classes
CLASS: Kind = "a class", lambda value: _are_classes([value])
SHARE: Kind = "a number from 0 to 1", _is_share
NUMBERS: Kind = "a list of numbers", _are_numbers
TABLES: Kind = "a list of lists of numbers", _are_tables
MAPPINGS: Kind = "a list of mappings", _are_mappings
FOLD: Mapping[str, Kind] = {
    "repeat": COUNT,
    "fold": COUNT,
    "accuracy": SHARE,
    "parameters": NAMES,
    "inner_accuracy": ("a number, or null", lambda v: v is None or _is_number(v)),
    "test": (
        "a list of positions",
        lambda value: isinstance(value, list) and bool(value) and all(map(_is_count, value)),
    ),
    "predicted": CLASSES,
    "seconds_kernel": TIME,
    "seconds_learning": TIME,
    "truth": CLASSES,
}
# Of a run with another score than accuracy, or on numbers.
SCORED_FOLD: Mapping[str, Kind] = {
    **{name: kind for name, kind in FOLD.items() if name != "inner_accuracy"},
    "inner_score": ("a number, or null", lambda v: v is None or _is_number(v)),
    "scores": ("a mapping of names to numbers", _are_scores),
    "outputs": ("a list of numbers, or of lists of them", _are_outputs),
}
VERSIONS: Kind = "a number of a version", lambda value: type(value) is int
PASS: Mapping[str, Kind] = {"pass": COUNT, "seconds": TIME}
KEPT: Mapping[str, Kind] = {"kept": ("a list of lists of positions", _are_lists_of_counts)}
ENVIRONMENT: Mapping[str, Kind] = {"environment": NAMES}
TIMEOUT: Mapping[str, Kind] = {"timeout": TIME}
# What decides a result: the fields of the first line of a run.
RUN: Mapping[str, Kind] = {
    "dataset": TEXT,
    "content": TEXT,
    "classes": (
        "a mapping of classes to their sizes",
        lambda value: (
            isinstance(value, dict)
            and all(map(_is_count, value.values()))
            and sum(value.values()) > 0
        ),
    ),
    "method": TEXT,
    "model": NAMES,
    "folds": ("an int of 1 or more", lambda value: _is_count(value) and value > 0),
    "inner": ("an int of 0 or more, or null", lambda value: value is None or _is_count(value)),
    "random_state": COUNT,
    "strict": FLAG,
    "nask": TEXT,
    "items": ("'graphs' or 'nodes'", lambda value: value in ("graphs", "nodes")),
    "split": TEXT,
    "scoring": TEXT,
    "task": ("'regress'", lambda value: value == "regress"),
    "n_items": ("an int of 1 or more", lambda value: _is_count(value) and value > 0),
}
# Fields that only some runs have: on nodes, with another score, on numbers.
OF_SOME_RUNS = ("items", "split", "scoring", "task", "n_items")

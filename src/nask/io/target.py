"""The target y as an array, and whether its values are classes or numbers on a scale."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from nask.arrays import Array, Mask
from nask.choices import LearningTask
from nask.exceptions import ParameterError
from nask.graph.attribute import is_missing
from nask.messages import first_few, quoted

# Whole numbers with a decimal point are classes where there are few: up to this many different
# ones, each at least twice on average. Two are always few.
MOST_CLASSES = 20


def as_target(y: Any) -> Array:
    """Return y as an array with the same values; a missing value among text is None.

    numpy alone would convert numbers, and NaN, among text to text.

    Examples
    --------
    >>> as_target(["a", float("nan")]), as_target([1, 2]), as_target([1.5, None])
    (array(['a', None], dtype=object), array([1, 2]), array([1.5, nan]))
    """
    array = np.asarray(y)
    if array.ndim != 1 or array.dtype.kind not in "OUS":
        return array
    # An array of text was text before; a list may have been anything.
    values = array.tolist() if hasattr(y, "dtype") else list(y)
    present = [value for value in values if not is_missing(value)]
    complete = len(present) == len(values)
    if all(isinstance(value, str) for value in present) and complete:
        return np.array(values, dtype=np.str_)
    if present and complete and all(isinstance(value, (bool, np.bool_)) for value in present):
        return np.array(values, dtype=np.bool_)
    if present and all(map(is_number, present)):
        whole = all(isinstance(value, numbers.Integral) for value in present)
        if complete or not whole:
            return np.array([np.nan if is_missing(value) else value for value in values])
    plain = [None if is_missing(value) else value for value in values]
    return np.fromiter(plain, dtype=object, count=len(plain))


def learning_task(y: Any) -> tuple[LearningTask, str]:
    """Tell whether y holds classes or numbers on a scale, and why.

    Text, integers and booleans are classes. Numbers with a decimal point are on a scale, unless
    all of them are whole and few (0.0 and 1.0, as pandas stores integers with missing values):
    then they are classes too. Few means two different ones, or up to 20, each at least twice on
    average.

    Examples
    --------
    >>> learning_task([0, 1, 1])
    ('classify', 'y holds integers')
    >>> learning_task([0.0, 1.0, 1.0])
    ('classify', 'y holds whole numbers, 2 different ones')
    >>> learning_task([0.5, 1.0, 1.0])
    ('regress', 'y holds numbers that are not whole, such as 0.5')
    """
    target = as_target(y).ravel()
    if target.dtype.kind == "O":
        present = np.array([value for value in target if value is not None])
        return learning_task(present) if present.dtype.kind in "biu" else _classes("text")
    if target.dtype.kind == "b":
        return _classes("True and False")
    if target.dtype.kind != "f":
        return _classes("integers" if target.dtype.kind in "iu" else "text")
    broken = not_whole(target)
    if len(broken):
        example = quoted(target[broken[0]])
        return "regress", f"y holds numbers that are not whole, such as {example}"
    known = target[~np.isnan(target)]
    n = len(np.unique(known))
    if n <= max(2, min(MOST_CLASSES, len(known) // 2)):
        return _classes(f"whole numbers, {n} different ones")
    return "regress", f"y holds whole numbers with a point, {n} different ones of {len(known)}"


def common_classes(labels: Sequence[Any], least: int, items: str) -> tuple[Mask, str | None]:
    """Tell which labels are of classes with ``least`` members or more, and which classes are not.

    Examples
    --------
    >>> common_classes(["a", "a", "b", None], 2, "nodes")
    (array([ True,  True, False, False]), "1 nodes of classes with fewer than 2 left out: 'b' (1).")
    """
    if not isinstance(least, numbers.Integral) or isinstance(least, bool) or least < 1:
        raise ParameterError(
            f"The least size of a class must be an int of at least 1. Got {quoted(least)}."
        )
    sizes = Counter(label for label in labels if not is_missing(label))
    rare = {label: size for label, size in sizes.items() if size < least}
    keep = np.array([not is_missing(own) and own not in rare for own in labels], dtype=bool)
    if not rare:
        return keep, None
    shown = first_few([f"{quoted(label)} ({size})" for label, size in rare.items()])
    count = sum(rare.values())
    return keep, f"{count} {items} of classes with fewer than {least} left out: {shown}."


def can_be_classes(y: Any) -> bool:
    """Tell whether no value of y is a number that is not whole.

    Examples
    --------
    >>> can_be_classes([0.0, 1.0]), can_be_classes(["a"]), can_be_classes([0.5])
    (True, True, False)
    """
    target = as_target(y)
    return target.dtype.kind != "f" or not len(not_whole(target))


def not_whole(target: Array) -> Array:
    """Return the positions of numbers that are not whole, including infinite ones.

    Examples
    --------
    >>> not_whole(np.array([1.0, 0.5, np.nan]))
    array([1])
    """
    return np.flatnonzero(~np.isnan(target) & ~(np.isfinite(target) & (target == np.floor(target))))


def _classes(what: str) -> tuple[LearningTask, str]:
    return "classify", f"y holds {what}"


def is_number(value: Any) -> bool:
    """Tell whether a value is a real number, which a boolean is not.

    Examples
    --------
    >>> is_number(np.int64(2)), is_number(True), is_number("2")
    (True, False, False)
    """
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))

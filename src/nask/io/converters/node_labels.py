"""What a table of nodes says beside attributes: the class of a node, and whether it is to train."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nask.arrays import Array, Mask
from nask.exceptions import GraphError
from nask.graph.attribute import is_missing
from nask.graph.dates import is_date, iso_text
from nask.io.node_dataset import NO_CLASS
from nask.io.target import as_target, not_whole
from nask.messages import quoted

# The columns of a public split, named as in PyTorch Geometric, and the part that each one is.
MASKS = {"train_mask": "train", "val_mask": "validation", "test_mask": "test"}
WORDS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}


def classes_of_nodes(
    values: Sequence[Any], column: str, called: Callable[[int], str]
) -> tuple[Array, str | None]:
    """Return the classes in a column, None or -1 where there is none, and what was changed.

    Parameters
    ----------
    values : sequence
        Text, integers, booleans, or whole numbers with a point.
    column : str
        Its name, for messages.
    called : callable
        What messages call a row.

    Returns
    -------
    y : ndarray
        As :class:`nask.NodeDataset` holds it: integers, or text as objects.
    note : str or None
        Integers below 0 are kept as text, since -1 would mean that there is no class.

    Examples
    --------
    >>> classes_of_nodes([1.0, None, 0.0], "y", "row {}".format)
    (array([ 1, -1,  0]), None)
    >>> y, note = classes_of_nodes([1, -1, None], "y", "row {}".format)
    >>> y.tolist(), note
    (['1', '-1', None], 'y holds integers below 0: classes are text, and -1 is a class like any...
    """
    plain = [_plain(value) for value in values]
    present = [k for k, value in enumerate(plain) if value is not None]
    target = as_target([plain[k] for k in present])
    if target.dtype.kind == "f":
        broken = not_whole(target)
        if len(broken):
            raise GraphError(
                f"The column {quoted(column)} holds {quoted(target[broken[0]])} at "
                f"{called(present[int(broken[0])])}. Nodes are classified: expected text or whole "
                "numbers. Name another column of classes (y=NAME, --target NAME), or put the "
                "numbers into classes."
            )
        target = target.astype(np.int64)
    if target.dtype.kind in "iu" and target.min(initial=0) >= 0:
        y = np.full(len(plain), NO_CLASS, dtype=np.int64)
        y[present] = target
        return y, None
    if target.dtype.kind == "O" and present:
        text = [isinstance(plain[k], str) for k in present]
        beside = ""
        if len({*text}) > 1:
            other = present[text.index(not text[0])]
            beside = f", {quoted(plain[other])} at {called(other)}"
        raise GraphError(
            f"The column {quoted(column)} holds {quoted(plain[present[0]])} at "
            f"{called(present[0])}{beside}. Correct it: classes are all text or all whole numbers."
        )
    named = np.full(len(plain), None, dtype=object)
    named[present] = [str(value) for value in target.tolist()]
    note = None
    if target.dtype.kind in "iu":
        note = (
            f"{column} holds integers below 0: classes are text, and -1 is a class like any other. "
            "An empty cell says that a class is not known."
        )
    return named, note


def _plain(value: Any) -> Any:
    """Return a class as text or a number, None where it is missing; a date is text."""
    if is_missing(value):
        return None
    return iso_text(value) if is_date(value) else value


def mask_of_nodes(values: Sequence[Any], column: str, called: Callable[[int], str]) -> Mask:
    """Return a column of true and false, or of 1 and 0, as a mask.

    Examples
    --------
    >>> mask_of_nodes(["true", "0", True, 0], "train_mask", "row {}".format).tolist()
    [True, False, True, False]
    >>> mask_of_nodes(["true", None], "train_mask", "row {}".format)
    Traceback (most recent call last):
    nask.exceptions.GraphError: The column 'train_mask' holds no value at row 1: expected true or
    false (1 or 0) for every node.
    """
    mask = [WORDS.get(str(value).strip().lower()) for value in values]
    for k, value in enumerate(mask):
        if value is None:
            got = "no value" if is_missing(values[k]) else quoted(values[k])
            raise GraphError(
                f"The column {quoted(column)} holds {got} at {called(k)}: expected true or false "
                "(1 or 0) for every node."
            )
    return np.array(mask, dtype=bool)

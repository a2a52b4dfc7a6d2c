"""Checks of y: what has no value, and what is no class or no number, by the names of graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from nask.arrays import Array, Float64, Positions
from nask.exceptions import ParameterError
from nask.graph.attribute import is_missing
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graphs
from nask.io.graph_list import GraphList
from nask.io.target import as_target, is_number, not_whole
from nask.messages import listed, quoted, shortened

# Of numbers to learn: sums of squares, and models as files, hold them.
LARGEST = 1e100
Ids = Sequence[Any] | Array | None


def one_column(y: Any, element: str = "graph") -> Array:
    """Put y into an array of one value per graph, or node.

    Examples
    --------
    >>> one_column(["a", "b"]).tolist()
    ['a', 'b']
    >>> one_column([[1, 2], [3, 4]])
    Traceback (most recent call last):
    nask.exceptions.ParameterError: y should be a 1d array, got an array of shape (2, 2) instead.
    Give one value per graph.
    """
    try:
        target: Array = as_target(column_or_1d(as_target(y), warn=True))
    except ValueError as error:
        problem = shortened(str(error).rstrip("."))
        raise ParameterError(f"{problem}. Give one value per {element}.") from None
    return target


def called(position: int, element: str = "graph", ids: Ids = None) -> str:
    """How messages call a graph or node: by its id where it has one, else by its position.

    Examples
    --------
    >>> called(0), called(0, ids=["anna"])
    ('graph 0', "graph 'anna'")
    """
    return f"{element} {position if ids is None else quoted(ids[position])}"


def refuse_missing(target: Array, element: str = "graph", ids: Ids = None) -> None:
    """Raise where y has no value.

    Examples
    --------
    >>> refuse_missing(as_target(["a", None, "b"]))
    Traceback (most recent call last):
    nask.exceptions.ParameterError: y has no value for 1 of 3 graphs (None or NaN): graph 1. ...
    """
    if target.dtype.kind not in "fO":
        return
    missing = [k for k, value in enumerate(target.tolist()) if is_missing(value)]
    if missing:
        names = listed(missing if ids is None else [ids[k] for k in missing])
        what = element if len(missing) == 1 else f"{element}s"
        raise ParameterError(
            f"y has no value for {len(missing)} of {len(target)} {element}s (None or NaN): {what} "
            f"{names}. Leave {'it' if len(missing) == 1 else 'them'} out, of y too, or give "
            "values to all."
        )


def class_codes(target: Array, element: str = "graph", ids: Ids = None) -> tuple[Array, Positions]:
    """Classes in order, and the number of each graph's, or node's, class among them.

    Classes are learned by their number: cross-validation would number them on its own, and
    weights by class would miss.

    Examples
    --------
    >>> classes, codes = class_codes(np.array(["toxic", "safe", "toxic"]))
    >>> classes.tolist(), codes.tolist()
    (['safe', 'toxic'], [1, 0, 1])
    >>> class_codes(np.array([1.0, 0.5]))
    Traceback (most recent call last):
    nask.exceptions.ParameterError: Unknown label type: continuous. The value 0.5 of graph 1 is no
    class: expected text or whole numbers. For numbers on a scale use NASKRegressor (nask fit
    --task regress).
    """
    target = as_target(target)
    if not len(target):
        raise ParameterError(f"There are no {element}s to learn from: expected two or more.")
    refuse_missing(target, element, ids)
    _refuse_other_values(target, element, ids)
    try:
        check_classification_targets(target)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{shortened(str(error))} Expected one class per {element}, text or whole numbers."
        ) from None
    classes = np.unique(target)
    if len(classes) < 2:
        raise ParameterError(
            f"A classifier needs {element}s of at least two classes. Got one class: "
            f"{quoted(classes[0])}."
        )
    return classes, np.searchsorted(classes, target)


def _refuse_other_values(target: Array, element: str, ids: Ids) -> None:
    """Raise on a number that is not whole, and on numbers beside text."""
    broken = not_whole(target) if target.dtype.kind == "f" else np.empty(0, dtype=np.intp)
    if len(broken):
        problem = (
            f"Unknown label type: continuous. The value {quoted(target[broken[0]])} of "
            f"{called(int(broken[0]), element, ids)} is no class: expected text or whole numbers."
        )
        if element == "graph":
            problem += " For numbers on a scale use NASKRegressor (nask fit --task regress)."
        raise ParameterError(problem)
    if target.dtype.kind == "O":
        texts = [isinstance(value, str) for value in target]
        if any(texts):
            text, other = texts.index(True), texts.index(False)
            raise ParameterError(
                f"y mixes text and other values: {quoted(target[text])} for "
                f"{called(text, element, ids)}, {quoted(target[other])} for "
                f"{called(other, element, ids)}. Give text, or integers, throughout."
            )


def as_numbers(y: Any, owner: str, ids: Ids = None) -> Float64:
    """Return y as numbers on a scale, or raise an error that names the graph without one.

    Examples
    --------
    >>> as_numbers([1, 2.5], "NASKRegressor")
    array([1. , 2.5])
    """
    target = as_target(y)
    refuse_missing(target, ids=ids)
    try:
        values = target.astype(np.float64)
    except (TypeError, ValueError):
        bad = next(k for k, value in enumerate(target.tolist()) if not is_number(value))
        raise ParameterError(
            f"{owner} expects one number per graph. Got {quoted(target.tolist()[bad])} for "
            f"{called(bad, ids=ids)}; for classes use NASKClassifier (nask fit --task classify)."
        ) from None
    huge = np.flatnonzero(np.abs(values) > LARGEST)
    if len(huge):
        raise ParameterError(
            f"The target of {called(int(huge[0]), ids=ids)} is {values[huge[0]]}: expected a "
            f"finite number of at most {LARGEST:g}, whose squares can be added up. Correct or "
            "rescale it, or leave the graph out."
        )
    return values


def training_data(X: Any, y: Any, owner: str) -> tuple[list[AttributedGraph], Array]:
    """Graphs and one value of the target each, or an error that names the estimator."""
    if y is None:
        raise ParameterError(
            f"{owner} requires y to be passed, but the target y is None: "
            "expected one value per graph."
        )
    if isinstance(X, GraphList):
        X.check_order(y)
    graphs = as_graphs(X)
    target = one_column(y)
    if len(target) != len(graphs):
        raise ParameterError(
            f"Got {len(graphs)} graphs but {len(target)} values of y: expected one per graph."
        )
    refuse_missing(target)
    return graphs, target

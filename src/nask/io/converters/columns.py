"""Values by node or edge as one column per attribute, vectors split into their components."""

from __future__ import annotations

import numbers
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from nask.exceptions import GraphError
from nask.graph.attribute import is_missing
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.dates import is_date
from nask.graph.given_values import listed_names
from nask.messages import quoted, shortened

Columns = dict[str, Any]


def component_names(name: str, n_components: int) -> list[str]:
    """Return the names of a vector's components; a single one keeps the name of the vector.

    Examples
    --------
    >>> component_names("pos", 2), component_names("pos", 1)
    (['pos_0', 'pos_1'], ['pos'])
    """
    return [name] if n_components == 1 else [f"{name}_{k}" for k in range(n_components)]


def holds_vectors(column: Iterable[Any]) -> bool:
    """Tell whether any value is a vector: a list, tuple or array of numbers.

    Examples
    --------
    >>> holds_vectors([None, (1, 2)]), holds_vectors([3, "a", ("a", "b")])
    (True, False)
    """
    return any(_is_vector(_plain(value)) for value in column)


def split_vectors(
    columns: Mapping[str, Sequence[Any]], labels: Sequence[str]
) -> tuple[Columns, dict[str, list[str]]]:
    """Split columns of vectors (lists, tuples, arrays of numbers) into one column per component.

    Parameters
    ----------
    columns : mapping of str to sequence
        One value per node or edge.
    labels : sequence of str
        Name of each node or edge in errors, such as "node 'a'".

    Returns
    -------
    columns : dict of str to list
    components : dict of str to list of str
        The names of the components of each column; its own name where it holds no vectors.

    Examples
    --------
    >>> split_vectors({"pos": [(0.5, 1), None], "age": [3, 4]}, ["node 0", "node 1"])
    ({'pos_0': [0.5, None], 'pos_1': [1, None], 'age': [3, 4]},
     {'pos': ['pos_0', 'pos_1'], 'age': ['age']})
    >>> split_vectors({"pos": [(0.5, 1), (2.5,)]}, ["node 0", "node 1"])
    Traceback (most recent call last):
    nask.exceptions.GraphError: The attribute 'pos' is a vector of length 2 at node 0, but \
[2.5] at node 1. Give every element a vector of the same length, or None.
    """
    result: Columns = {}
    components: dict[str, list[str]] = {}
    for name, column in columns.items():
        values = [_plain(value) for value in column]
        first = next((k for k, value in enumerate(values) if _is_vector(value)), None)
        if first is None:
            components[name] = [name]
            add_columns(result, {name: values})
            continue
        length = len(values[first])
        for k, value in enumerate(values):
            if not is_missing(value) and not (_is_vector(value) and len(value) == length):
                raise GraphError(
                    f"The attribute {quoted(name)} is a vector of length {length} at "
                    f"{shortened(labels[first])}, but {quoted(value)} at {shortened(labels[k])}. "
                    "Give every element a vector of the same length, or None."
                )
        components[name] = component_names(name, length)
        add_columns(
            result,
            {
                component: [None if is_missing(value) else value[k] for value in values]
                for k, component in enumerate(components[name])
            },
        )
    return result, components


def add_columns(columns: Columns, more: Mapping[str, Any]) -> None:
    """Add columns in place; raise where a component has the name of another attribute."""
    for name, column in more.items():
        if name in columns:
            raise GraphError(
                f"Two attributes come out with the name {quoted(name)}: one of them is a component "
                "of a vector. Rename the other."
            )
        columns[name] = column


def split_names(names: Collection[str], *components: Mapping[str, Sequence[str]]) -> list[str]:
    """Return names forced to a kind, that of a vector replaced by those of its components.

    Examples
    --------
    >>> split_names(["x", "age"], {"x": ["x_0", "x_1"]}, {"x": ["x"]})
    ['x_0', 'x_1', 'x', 'age']
    """
    result: dict[str, None] = {}
    for name in listed_names(names):
        found = [component for known in components for component in known.get(name, ())]
        # A name found nowhere is kept: the graph will raise an error about it.
        result |= dict.fromkeys(found or [name])
    return list(result)


def _plain(value: Any) -> Any:
    """Return arrays and their scalars, of numpy or torch, as plain lists and numbers."""
    if hasattr(value, "ndim") and hasattr(value, "tolist") and not is_date(value):
        return value.tolist()
    return list(value) if isinstance(value, tuple) and _is_vector(value) else value


def _is_vector(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(
        isinstance(component, numbers.Real) or is_missing(component) for component in value
    )


def refuse_features(graph: AttributedGraph, target: str) -> None:
    """Raise where a converter would lose the node features of a graph."""
    if graph.node_features is not None:
        raise GraphError(
            f"The graph has {graph.node_features.shape[1]} node_features, for which {target} has "
            "no place. Take them from graph.node_features, and convert a graph without."
        )

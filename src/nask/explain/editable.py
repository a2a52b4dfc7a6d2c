"""The attributes of a graph that may be edited, and the values to try for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from nask.exceptions import ParameterError, did_you_mean
from nask.explain.edits import Element, column_of
from nask.graph.attribute import Attribute, Kind, is_missing
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.schema import AttributeSpec, Schema
from nask.kernels.parameters import is_number
from nask.messages import quoted

OWNER = "counterfactual"
# Points of the training range that are tried for a number, in this order: where there is no time
# for all, the ends say most.
POINTS = (0.0, 1.0, 0.5, 0.25, 0.75)


@dataclass(frozen=True)
class Editable:
    """An attribute whose values may change, and what to try for it.

    Parameters
    ----------
    element : {"node", "edge"}
    name : str
    kind : {"numerical", "categorical"}
    range : float
        Spread of a numerical attribute in training.
    values : tuple
        What to try; None is missing.
    """

    element: Element
    name: str
    kind: Kind
    range: float
    values: tuple[Any, ...]

    def column(self, graph: AttributedGraph) -> Attribute:
        """Return the values that a graph has, all missing where it does not have the attribute."""
        if self.element == "node":
            return column_of(graph.node_attributes, self.name, self.kind, graph.n_nodes)
        return column_of(graph.edge_attributes, self.name, self.kind, graph.n_edges)

    def change(self, old: Any, new: Any) -> float:
        """Return 1 - s of Gower's similarity s of two different values.

        Examples
        --------
        >>> age = Editable("node", "age", "numerical", 40.0, (20.0, 60.0))
        >>> age.change(30.0, 20.0), age.change(20.0, 100.0), age.change(20.0, None)
        (0.25, 1.0, 1.0)
        """
        if self.kind == "categorical" or old is None or new is None or not self.range:
            return 1.0
        return float(min(1.0, abs(new - old) / self.range))

    def present(self) -> tuple[Any, ...]:
        """Return the values to try for a new edge: missing only where there is nothing else."""
        return tuple(value for value in self.values if value is not None) or (None,)

    def typical(self, graph: AttributedGraph) -> Any:
        """Return the value to try that is nearest to what a graph's own values are."""
        own = [value for value in self.column(graph).values() if value is not None]
        values = self.present()
        if self.kind == "categorical" or values == (None,):
            counts = Counter(own)
            return max(values, key=lambda value: counts[value])
        middle = float(np.median(own if own else values))
        return min(values, key=lambda value: abs(value - middle))


def editable_attributes(
    graph: AttributedGraph, schemas: Sequence[Schema], values: Mapping[str, Sequence[Any]] | None
) -> list[Editable]:
    """Return the attributes that the model looks at, each with the values to try.

    Parameters
    ----------
    schemas : sequence of Schema
        Of the training graphs, as each kernel of the model sees them; where there are none, what
        is known is the graph itself.
    values : mapping of str to sequence
        What to try instead, by name.

    Examples
    --------
    >>> graph = AttributedGraph(2, (), {"atom": ["C", "N"], "charge": [0.0, 2.0]})
    >>> for attribute in editable_attributes(graph, [], None):
    ...     print(attribute.name, attribute.values)
    atom ('C', 'N', None)
    charge (0.0, 2.0, 1.0, 0.5, 1.5, None)
    """
    found: dict[tuple[Element, str], AttributeSpec] = {}
    for schema in schemas or [Schema.fit([graph])]:
        # The degree follows from the edges.
        nodes = schema.nodes if schema.degree is None else schema.nodes[:-1]
        for spec in nodes:
            found.setdefault(("node", spec.name), spec)
        for spec in schema.edges:
            found.setdefault(("edge", spec.name), spec)
    # Without a training value, an attribute matches nothing, whatever its value.
    known = {place: spec for place, spec in found.items() if spec.kind != "missing"}
    given = _checked_values(values, list(known.values()))
    return [
        Editable(
            element, name, cast(Kind, spec.kind), spec.range, given.get(name) or _values_of(spec)
        )
        for (element, name), spec in known.items()
    ]


def names_of(graph: AttributedGraph, schemas: Sequence[Schema]) -> set[str]:
    """Return the names of all attributes of a graph and of the training graphs."""
    names = {*graph.node_attributes, *graph.edge_attributes}
    for schema in schemas:
        names |= {spec.name for spec in (*schema.nodes, *schema.edges)}
        names |= {*schema.hidden_nodes, *schema.hidden_edges}
    return names


def _values_of(spec: AttributeSpec) -> tuple[Any, ...]:
    """Return what is tried for an attribute: what training graphs had, and missing."""
    if spec.kind == "categorical":
        return (*spec.categories, None)
    if not spec.range:
        # To the kernel, all numbers are equal here.
        return (spec.minimum, None)
    return (*(spec.minimum + spec.range * point for point in POINTS), None)


def _checked_values(values: Any, specs: Sequence[AttributeSpec]) -> dict[str, tuple[Any, ...]]:
    """Return the values to try that a user gave, by name; raise where they are none."""
    if values is None:
        return {}
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        expected = "a dict of lists by attribute, such as {'atom': ['C', 'N']}"
        raise ParameterError.expected("values", OWNER, expected, values)
    known = {spec.name for spec in specs}
    found = {}
    for name, listed in values.items():
        if name not in known:
            raise ParameterError(
                f"values names {quoted(name)}, which is no attribute that the model looks at. "
                f"{did_you_mean(name, known)}"
            )
        single = isinstance(listed, str | bytes | Mapping) or not isinstance(listed, Collection)
        if single or not len(listed):
            expected = f"a list of one or more values for {quoted(name)}"
            raise ParameterError.expected("values", OWNER, expected, listed)
        numerical = any(spec.name == name and spec.kind == "numerical" for spec in specs)
        found[name] = tuple(_checked_value(value, name, numerical) for value in listed)
    return found


def _checked_value(value: Any, name: str, numerical: bool) -> Any:
    if is_missing(value):
        return None
    if numerical:
        if not is_number(value):
            expected = f"a list of finite numbers for {quoted(name)}, which is numerical"
            raise ParameterError.expected("values", OWNER, expected, value)
        return float(value)
    plain = value.item() if isinstance(value, np.generic) else value
    try:
        hash(plain)
    except TypeError:
        expected = f"a list of categories for {quoted(name)}, such as text or integers"
        raise ParameterError.expected("values", OWNER, expected, value) from None
    return plain

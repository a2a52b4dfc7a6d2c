"""Edits of a graph: a value changed, an edge removed, an edge added."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from nask.arrays import Index, Mask
from nask.graph.attribute import Attribute, Kind
from nask.graph.attributed_graph import AttributedGraph
from nask.messages import shortened

Element = Literal["node", "edge"]
Ends = tuple[int, int]


class Edit(ABC):
    """One edit of a graph; its text says in plain English what is edited."""

    change: float
    """How large it is: 1 - s of Gower's similarity s for a number, 1 for everything else."""

    @abstractmethod
    def apply(self, graph: AttributedGraph) -> AttributedGraph:
        """Return a new graph with this edit."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the edit as plain values."""

    @abstractmethod
    def excludes(self, other: Edit) -> bool:
        """Tell whether the two cannot be made together, since they edit the same thing."""


@dataclass(frozen=True)
class ValueChange(Edit):
    """Another value of one attribute of a node, or of an edge.

    Parameters
    ----------
    element : {"node", "edge"}
    place : int or (int, int)
        The node, or the two nodes of the edge, smaller one first.
    name : str
        Of the attribute.
    old, new : object
        Values; None is missing.
    kind : {"numerical", "categorical"}
        Of the attribute.
    change : float
        How large the edit is: |new - old| in units of the training range, at most 1, for numbers;
        1 for another category, and for a value that was or becomes missing.

    Examples
    --------
    >>> graph = AttributedGraph(2, [(0, 1)], {"atom": ["C", "C"]})
    >>> edit = ValueChange("node", 1, "atom", "C", "N", "categorical")
    >>> print(edit, edit.apply(graph).node_attributes["atom"].values())
    node 1: atom C -> N ['C', 'N']
    """

    element: Element
    place: int | Ends
    name: str
    old: Any
    new: Any
    kind: Kind = field(repr=False)
    change: float = 1.0

    def __str__(self) -> str:
        return f"{self._where()}: {self.name} {_written(self.old)} -> {_written(self.new)}"

    def _where(self) -> str:
        return f"node {self.place}" if isinstance(self.place, int) else f"edge {_dash(self.place)}"

    def apply(self, graph: AttributedGraph) -> AttributedGraph:
        """Return a new graph with this value."""
        if isinstance(self.place, int):
            columns = _changed(graph.node_attributes, graph.n_nodes, self.place, self)
            return _rebuilt(graph, node_attributes=columns)
        position = int(np.flatnonzero(_is_edge(graph, self.place))[0])
        columns = _changed(graph.edge_attributes, graph.n_edges, position, self)
        return _rebuilt(graph, edge_attributes=columns)

    def to_json(self) -> dict[str, Any]:
        """Return the edit as plain values."""
        place = self.place if isinstance(self.place, int) else list(self.place)
        values = {"from": _plain(self.old), "to": _plain(self.new)}
        return {"edit": "change", self.element: place, "attribute": self.name, **values}

    def excludes(self, other: Edit) -> bool:
        """Tell whether the other edit is of the same value, or of the edge as a whole."""
        if isinstance(other, ValueChange):
            return (self.element, self.place, self.name) == (other.element, other.place, other.name)
        return other.excludes(self)


@dataclass(frozen=True)
class EdgeRemoval(Edit):
    """An edge removed, with its attributes.

    Examples
    --------
    >>> edit = EdgeRemoval((0, 1))
    >>> print(edit, edit.apply(AttributedGraph(2, [(0, 1)])))
    edge 0-1 removed AttributedGraph(2 nodes, 0 edges)
    """

    ends: Ends
    change: float = field(default=1.0, init=False, repr=False)

    def __str__(self) -> str:
        return f"edge {_dash(self.ends)} removed"

    def apply(self, graph: AttributedGraph) -> AttributedGraph:
        """Return a new graph without this edge."""
        rest = np.flatnonzero(~_is_edge(graph, self.ends))
        columns = {name: column.take(rest) for name, column in graph.edge_attributes.items()}
        return _rebuilt(graph, edges=graph.edges[rest], edge_attributes=columns)

    def to_json(self) -> dict[str, Any]:
        """Return the edit as plain values."""
        return {"edit": "remove", "edge": list(self.ends)}

    def excludes(self, other: Edit) -> bool:
        """Tell whether the other edit is of the same edge."""
        return self.ends == (other.place if isinstance(other, ValueChange) else _ends(other))


@dataclass(frozen=True)
class EdgeAddition(Edit):
    """An edge added, with values of its attributes.

    Parameters
    ----------
    ends : (int, int)
        Its nodes, smaller one first.
    values : mapping of str to object
        By attribute; None is missing, and so is what is not named.
    kinds : mapping of str to {"numerical", "categorical"}
        Kind of each attribute.

    Examples
    --------
    >>> edit = EdgeAddition((0, 1), {"bond": "single"}, {"bond": "categorical"})
    >>> print(edit, edit.apply(AttributedGraph(2)))
    edge 0-1 added (bond single) AttributedGraph(2 nodes, 1 edges; edge: bond (categorical))
    """

    ends: Ends
    values: Mapping[str, Any] = field(default_factory=dict)
    kinds: Mapping[str, Kind] = field(default_factory=dict, repr=False)
    change: float = field(default=1.0, init=False, repr=False)

    def __str__(self) -> str:
        values = ", ".join(f"{name} {_written(value)}" for name, value in self.values.items())
        return f"edge {_dash(self.ends)} added" + (f" ({values})" if values else "")

    def apply(self, graph: AttributedGraph) -> AttributedGraph:
        """Return a new graph with this edge as its last."""
        edges = np.vstack([graph.edges, np.array([self.ends], dtype=np.int64)])
        columns = {
            name: Attribute(column.kind, np.append(column.data, _missing(column.kind)),
                            column.categories)
            for name, column in graph.edge_attributes.items()
        }  # fmt: skip
        for name, value in self.values.items():
            change = ValueChange("edge", self.ends, name, None, value, self.kinds[name])
            columns = _changed(columns, len(edges), graph.n_edges, change)
        return _rebuilt(graph, edges=edges, edge_attributes=columns)

    def to_json(self) -> dict[str, Any]:
        """Return the edit as plain values."""
        values = {name: _plain(value) for name, value in self.values.items()}
        return {"edit": "add", "edge": list(self.ends), "values": values}

    def excludes(self, other: Edit) -> bool:
        """Tell whether the other edit is of the same edge."""
        return self.ends == (other.place if isinstance(other, ValueChange) else _ends(other))


def edited(graph: AttributedGraph, edits: Iterable[Edit]) -> AttributedGraph:
    """Return a new graph with some edits, one after the other.

    Examples
    --------
    >>> path = AttributedGraph(3, [(0, 1), (1, 2)])
    >>> edited(path, [EdgeRemoval((0, 1)), EdgeAddition((0, 2))]).edges.tolist()
    [[1, 2], [0, 2]]
    """
    for edit in edits:
        graph = edit.apply(graph)
    return graph


def column_of(attributes: Mapping[str, Attribute], name: str, kind: Kind, size: int) -> Attribute:
    """Return an attribute of this kind; all values are missing where a graph does not have it.

    Examples
    --------
    >>> column_of({}, "atom", "categorical", 2).values()
    [None, None]
    """
    found = attributes.get(name)
    # A column without a value agrees with either kind.
    if found is None or (found.kind != kind and found.missing.all()):
        return Attribute(kind, np.full(size, _missing(kind)))
    return found


def _changed(
    attributes: Mapping[str, Attribute], size: int, position: int, change: ValueChange
) -> dict[str, Attribute]:
    """Return the attributes with one value changed."""
    column = column_of(attributes, change.name, change.kind, size)
    data, categories, value = column.data.copy(), column.categories, change.new
    if value is None:
        value = _missing(change.kind)
    elif change.kind == "categorical":
        categories = categories if value in categories else (*categories, value)
        value = categories.index(value)
    data[position] = value
    return {**attributes, change.name: Attribute(change.kind, data, categories)}


def _rebuilt(graph: AttributedGraph, **parts: Any) -> AttributedGraph:
    """Return the graph with other parts, which are valid."""
    kept = {
        name: getattr(graph, name)
        for name in ("n_nodes", "edges", "node_attributes", "edge_attributes", "node_features",
                     "n_self_loops_removed", "n_duplicate_edges_removed")
    }  # fmt: skip
    return AttributedGraph.from_valid(**kept | parts)


def _is_edge(graph: AttributedGraph, ends: Ends) -> Mask:
    edges: Index = graph.edges
    return np.asarray((edges == ends).all(axis=1))


def _missing(kind: Kind) -> Any:
    return np.nan if kind == "numerical" else np.int32(-1)


def _ends(edit: Edit) -> Ends | None:
    return edit.ends if isinstance(edit, EdgeRemoval | EdgeAddition) else None


def _dash(ends: Ends) -> str:
    return f"{ends[0]}-{ends[1]}"


def _written(value: Any) -> str:
    if value is None:
        return "missing"
    return f"{value:.6g}" if isinstance(value, float) else shortened(str(value))


def _plain(value: Any) -> Any:
    """Return a value that JSON has; other categories as text."""
    return value if value is None or isinstance(value, str | int | float) else str(value)

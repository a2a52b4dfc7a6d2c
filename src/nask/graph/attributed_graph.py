"""The data model: one undirected graph with named, typed node and edge attributes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from nask.exceptions import GraphError, did_you_mean
from nask.graph.attribute import Attribute, Kind, frozen
from nask.graph.edges import IntArray, as_edge_array, canonical_edges
from nask.messages import quoted

# A pair of nodes is found as one number of 64 bits.
MOST_NODES = 2**31 - 1


class AttributedGraph:
    """An undirected graph whose nodes and edges carry numerical and categorical attributes.

    Immutable. Self-loops and repeated edges are removed and counted on the object;
    a repeated edge with other attribute values is an error.

    Parameters
    ----------
    n_nodes : int
        Number of nodes; they are called 0, 1, ..., n_nodes - 1. Zero is legal.
    edges : iterable of (int, int)
        Undirected edges: (u, v) and (v, u) are the same edge.
    node_attributes, edge_attributes : mapping of str to sequence
        One value a node, or one an edge in the order of ``edges``. ``None`` and NaN are
        missing. Floats and integers are numerical; text, booleans, pandas categories
        and other objects are categorical.
    node_features : array or sparse matrix of shape (n_nodes, n_features), optional
        Many more numerical attributes of the nodes, without names, such as the words of a
        paper; a zero is a value like any other but takes no memory. Each column counts as much as
        a named attribute. A column of zeros and ones compares as a category does.
    categorical, numerical : collection of str
        Names of attributes whose kind is forced, such as integers that are codes.

    Attributes
    ----------
    edges : ndarray of shape (n_edges, 2)
        The distinct edges, smaller endpoint first, in the order given. Read-only.
    node_attributes, edge_attributes : mapping of str to Attribute
    node_features : csr_array of float64, or None
        Read-only.
    n_self_loops_removed, n_duplicate_edges_removed : int
        What construction took out.

    Examples
    --------
    >>> import nask
    >>> g = nask.AttributedGraph(
    ...     n_nodes=3,
    ...     edges=[(0, 1), (1, 2), (2, 1)],
    ...     node_attributes={"age": [23, 31, None], "region": ["Bratislava", "Kosice", None]},
    ...     edge_attributes={"weight": [0.5, 1.0, 1.0]},
    ... )
    >>> g
    AttributedGraph(3 nodes, 2 edges; node: age (numerical), region (categorical); \
edge: weight (numerical))
    >>> g.n_duplicate_edges_removed
    1
    >>> nask.AttributedGraph(n_nodes=2, edges=[(0, 2)])
    Traceback (most recent call last):
    nask.exceptions.GraphError: Edge 0 is (0, 2), but the graph has 2 nodes: ...
    """

    __slots__ = (
        "edge_attributes",
        "edges",
        "n_duplicate_edges_removed",
        "n_nodes",
        "n_self_loops_removed",
        "node_attributes",
        "node_features",
    )

    n_nodes: int
    edges: IntArray
    node_attributes: Mapping[str, Attribute]
    edge_attributes: Mapping[str, Attribute]
    node_features: Any
    n_self_loops_removed: int
    n_duplicate_edges_removed: int

    def __init__(
        self,
        n_nodes: int,
        edges: Iterable[Any] = (),
        node_attributes: Mapping[str, Iterable[Any]] | None = None,
        edge_attributes: Mapping[str, Iterable[Any]] | None = None,
        *,
        node_features: Any = None,
        categorical: Collection[str] = (),
        numerical: Collection[str] = (),
    ) -> None:
        whole = isinstance(n_nodes, (int, np.integer)) and not isinstance(n_nodes, bool)
        if not whole or not 0 <= n_nodes <= MOST_NODES:
            raise GraphError(
                f"n_nodes must be an integer of 0 to {MOST_NODES}. Got {quoted(n_nodes)}."
            )
        n_nodes = int(n_nodes)
        node_attributes = _named_columns(node_attributes, "node")
        edge_attributes = _named_columns(edge_attributes, "edge")
        kinds = forced_kinds(categorical, numerical, known={*node_attributes, *edge_attributes})
        listed = as_edge_array(edges, n_nodes)
        canonical = canonical_edges(listed)
        nodes = {
            name: _column("node", name, values, n_nodes, kinds)
            for name, values in node_attributes.items()
        }
        edge_columns = {
            name: canonical.merge(
                _column("edge", name, values, len(listed), kinds), f"edge attribute {quoted(name)}"
            )
            for name, values in edge_attributes.items()
        }
        features = None if node_features is None else _features(node_features, n_nodes)
        self._set(
            n_nodes, canonical.edges, nodes, edge_columns, features,
            canonical.n_self_loops, canonical.n_duplicates,
        )  # fmt: skip

    @classmethod
    def from_valid(
        cls,
        n_nodes: int,
        edges: IntArray,
        node_attributes: Mapping[str, Attribute],
        edge_attributes: Mapping[str, Attribute],
        *,
        node_features: Any = None,
        n_self_loops_removed: int = 0,
        n_duplicate_edges_removed: int = 0,
    ) -> AttributedGraph:
        """Wrap parts that are valid already, without checking them again.

        For readers that validate a whole collection at once: ``edges`` must be canonical
        (u < v, no repeats, in range), the attributes of the right length and the features, if
        any, a csr_array of finite float64 without explicit zeros, columns in order.
        """
        graph = cls.__new__(cls)
        graph._set(
            n_nodes, edges, node_attributes, edge_attributes, node_features,
            n_self_loops_removed, n_duplicate_edges_removed,
        )  # fmt: skip
        return graph

    def _set(
        self,
        n_nodes: int,
        edges: npt.NDArray[Any],
        node_attributes: Mapping[str, Attribute],
        edge_attributes: Mapping[str, Attribute],
        node_features: Any,
        n_self_loops_removed: int,
        n_duplicate_edges_removed: int,
    ) -> None:
        put = object.__setattr__
        put(self, "n_nodes", n_nodes)
        put(self, "edges", frozen(edges))
        put(self, "node_attributes", MappingProxyType(dict(node_attributes)))
        put(self, "edge_attributes", MappingProxyType(dict(edge_attributes)))
        if node_features is not None:
            for part in (node_features.data, node_features.indices, node_features.indptr):
                frozen(part)
        put(self, "node_features", node_features)
        put(self, "n_self_loops_removed", n_self_loops_removed)
        put(self, "n_duplicate_edges_removed", n_duplicate_edges_removed)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"AttributedGraph is immutable: cannot set {name!r}. Build a new one.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"AttributedGraph is immutable: cannot delete {name!r}.")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (
            self.n_nodes, self.edges, dict(self.node_attributes), dict(self.edge_attributes),
            self.node_features, self.n_self_loops_removed, self.n_duplicate_edges_removed,
        )  # fmt: skip

    @property
    def n_edges(self) -> int:
        """Number of distinct undirected edges."""
        return len(self.edges)

    def degrees(self) -> IntArray:
        """Number of neighbours of each node."""
        return np.bincount(self.edges.ravel(), minlength=self.n_nodes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AttributedGraph):
            return NotImplemented
        return (
            self.n_nodes == other.n_nodes
            and np.array_equal(self.edges, other.edges)
            and dict(self.node_attributes) == dict(other.node_attributes)
            and dict(self.edge_attributes) == dict(other.edge_attributes)
            and _same_features(self.node_features, other.node_features)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        parts = [f"{self.n_nodes} nodes, {self.n_edges} edges"]
        for element, attributes in (("node", self.node_attributes), ("edge", self.edge_attributes)):
            if attributes:
                listed = ", ".join(f"{name} ({a.kind})" for name, a in attributes.items())
                parts.append(f"{element}: {listed}")
        if self.node_features is not None:
            rows, columns = self.node_features.shape
            filled = f"{self.node_features.nnz} of {rows * columns} not zero"
            parts.insert(1, f"{columns} node features, {filled}")
        return f"AttributedGraph({'; '.join(parts)})"


def _restore(
    n_nodes: int,
    edges: IntArray,
    node_attributes: dict[str, Attribute],
    edge_attributes: dict[str, Attribute],
    node_features: Any,
    n_self_loops_removed: int,
    n_duplicate_edges_removed: int,
) -> AttributedGraph:
    return AttributedGraph.from_valid(
        n_nodes, edges, node_attributes, edge_attributes,
        node_features=node_features,
        n_self_loops_removed=n_self_loops_removed,
        n_duplicate_edges_removed=n_duplicate_edges_removed,
    )  # fmt: skip


def listed_names(names: Any) -> list[str]:
    """The names of attributes in a collection, or a single one; anything else is an error."""
    listed = [names] if isinstance(names, str) else names
    listed = list(listed) if isinstance(listed, Iterable) else [None]
    if not all(isinstance(name, str) for name in listed):
        raise GraphError(
            "'categorical' and 'numerical' must be collections of names of attributes, such as "
            f"['age']. Got {quoted(names)}."
        )
    return listed


def forced_kinds(
    categorical: Collection[str], numerical: Collection[str], known: Collection[str]
) -> dict[str, Kind]:
    """The kinds that the user forces, by name; an error for a name that is not known."""
    kinds: dict[str, Kind] = {}
    forced: tuple[tuple[Kind, Collection[str]], ...] = (
        ("categorical", categorical),
        ("numerical", numerical),
    )
    for kind, names in forced:
        for name in listed_names(names):
            if name not in known:
                raise GraphError(
                    f"{kind}={quoted(name)} names no attribute of this graph. "
                    f"{did_you_mean(name, known)}"
                )
            if kinds.get(name, kind) != kind:
                raise GraphError(
                    f"Attribute {quoted(name)} is declared both categorical and numerical."
                )
            kinds[name] = kind
    return kinds


def _named_columns(attributes: Any, element: str) -> Mapping[str, Iterable[Any]]:
    attributes = {} if attributes is None else attributes
    if not isinstance(attributes, Mapping) or not all(isinstance(name, str) for name in attributes):
        raise GraphError(
            f"{element}_attributes must map names to values, one a{'n' * (element == 'edge')} "
            f"{element}, such as {{'age': [23, 31]}}. Got {quoted(attributes)}."
        )
    return attributes


def _features(values: Any, n_nodes: int) -> Any:
    try:
        features = sparse.csr_array(values, dtype=np.float64, copy=True)
    except (TypeError, ValueError, OverflowError) as error:
        raise GraphError(
            f"node_features must be a matrix of numbers, one row a node: {error}. Text and "
            "missing values go into node_attributes."
        ) from None
    if features.ndim != 2 or features.shape[0] != n_nodes:
        raise GraphError(
            f"node_features has the shape {features.shape}, but the graph has {n_nodes} nodes: "
            "expected one row a node."
        )
    features.sum_duplicates()
    features.eliminate_zeros()
    bad = np.flatnonzero(~np.isfinite(features.data))
    if len(bad):
        node = int(np.searchsorted(features.indptr, bad[0], side="right")) - 1
        raise GraphError(
            f"node_features has {features.data[bad[0]]} at node {node}, column "
            f"{features.indices[bad[0]]}: expected finite numbers. Columns with missing values go "
            "into node_attributes."
        )
    return features


def _same_features(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    parts = ("indptr", "indices", "data")
    return a.shape == b.shape and all(
        np.array_equal(getattr(a, part), getattr(b, part)) for part in parts
    )


def _column(
    element: str, name: str, values: Iterable[Any], expected: int, kinds: Mapping[str, Kind]
) -> Attribute:
    forced = kinds.get(name)
    if isinstance(values, Attribute) and forced not in (None, values.kind):
        values = values.values()
    attribute: Attribute = (
        values
        if isinstance(values, Attribute)
        else Attribute.from_values(values, kind=forced, element=element, name=name)
    )
    if len(attribute) != expected:
        raise GraphError(
            f"The {element} attribute {quoted(name)} has {len(attribute)} values, but the graph "
            f"has {expected} {element}s: expected one value each."
        )
    return attribute

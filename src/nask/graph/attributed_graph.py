"""One undirected graph whose nodes and edges have named attributes of known kinds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from nask.arrays import Index
from nask.exceptions import GraphError
from nask.graph.attribute import Attribute, frozen
from nask.graph.edges import as_edge_array, canonical_edges
from nask.graph.given_values import (
    attribute_column,
    feature_matrix,
    forced_kinds,
    named_columns,
    same_features,
)
from nask.graph.repeated_edges import Repeated, rules_by_name
from nask.messages import quoted

# A pair of nodes is encoded as one integer of 64 bits.
MOST_NODES = 2**31 - 1


class AttributedGraph:
    """An undirected graph whose nodes and edges carry numerical and categorical attributes.

    Immutable. Self-loops and repeated edges are removed, and the object counts them. An edge that
    is repeated with other attribute values is an error, unless ``repeated_edges`` says otherwise.

    Parameters
    ----------
    n_nodes : int
        Number of nodes, which are numbered 0, 1, ..., n_nodes - 1. It may be 0.
    edges : iterable of (int, int)
        Undirected edges: (u, v) and (v, u) are the same edge.
    node_attributes, edge_attributes : mapping of str to sequence
        One value per node, or per edge in the order of ``edges``. ``None`` and NaN mean that a
        value is missing. Floats and integers are numerical; text, booleans, pandas categories
        and other objects are categorical. Dates are numbers: days since 1970-01-01, in UTC.
    node_features : array or sparse matrix of shape (n_nodes, n_features), optional
        Many more numerical attributes of the nodes, without names, such as the words of a
        paper. A zero is a value like any other, but takes no memory. Each column counts as much as
        a named attribute. A column of zeros and ones is compared as a category is.
    categorical, numerical : collection of str
        Names of attributes whose kind is forced, for instance where integers are codes.
    repeated_edges : {"error", "first", "mean", "max"}, or dict of these by attribute
        What to do where an edge is listed several times, in either direction, with different
        values of an attribute: raise an error, the default, or keep the first, the mean or the
        largest value. A missing value gives way to one that is there. Categories have a first
        value only. An attribute that a dictionary does not name must agree.

    Attributes
    ----------
    edges : ndarray of shape (n_edges, 2)
        The distinct edges, smaller endpoint first, in the order given. Read-only.
    node_attributes, edge_attributes : mapping of str to Attribute
    node_features : csr_array of float64, or None
        Read-only.
    n_self_loops_removed, n_duplicate_edges_removed : int
        How many were removed.

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
    edges: Index
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
        repeated_edges: Repeated = "error",
    ) -> None:
        whole = isinstance(n_nodes, (int, np.integer)) and not isinstance(n_nodes, bool)
        if not whole or not 0 <= n_nodes <= MOST_NODES:
            raise GraphError(
                f"n_nodes must be an integer from 0 to {MOST_NODES}. Got {quoted(n_nodes)}."
            )
        n_nodes = int(n_nodes)
        node_attributes = named_columns(node_attributes, "node")
        edge_attributes = named_columns(edge_attributes, "edge")
        kinds = forced_kinds(categorical, numerical, known={*node_attributes, *edge_attributes})
        listed = as_edge_array(edges, n_nodes)
        canonical = canonical_edges(listed)
        nodes = {
            name: attribute_column("node", name, values, n_nodes, kinds)
            for name, values in node_attributes.items()
        }
        rules = rules_by_name(repeated_edges, edge_attributes, "AttributedGraph")
        edge_columns = {
            name: canonical.merge(
                attribute_column("edge", name, values, len(listed), kinds),
                f"edge attribute {quoted(name)}",
                rule=rules[name],
            ).attribute
            for name, values in edge_attributes.items()
        }
        features = None if node_features is None else feature_matrix(node_features, n_nodes)
        _fill(
            self, n_nodes, canonical.edges, nodes, edge_columns, features,
            canonical.n_self_loops, canonical.n_duplicates,
        )  # fmt: skip

    @classmethod
    def from_valid(
        cls,
        n_nodes: int,
        edges: Index,
        node_attributes: Mapping[str, Attribute],
        edge_attributes: Mapping[str, Attribute],
        *,
        node_features: Any = None,
        n_self_loops_removed: int = 0,
        n_duplicate_edges_removed: int = 0,
    ) -> AttributedGraph:
        """Build a graph from valid values, without checking them again.

        For readers that check a whole collection at once.

        Parameters
        ----------
        n_nodes : int
        edges : ndarray of shape (n_edges, 2)
            In canonical form: u < v, in range, and no edge twice.
        node_attributes, edge_attributes : mapping of str to Attribute
            One value per node, or per edge.
        node_features : csr_array, optional
            Finite float64, without explicit zeros, and with columns in order.
        n_self_loops_removed, n_duplicate_edges_removed : int
            What the reader left out.
        """
        graph = cls.__new__(cls)
        _fill(
            graph, n_nodes, edges, node_attributes, edge_attributes, node_features,
            n_self_loops_removed, n_duplicate_edges_removed,
        )  # fmt: skip
        return graph

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"AttributedGraph is immutable: cannot set {name!r}. Build a new one.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"AttributedGraph is immutable: cannot delete {name!r}.")

    def __reduce__(self) -> tuple[Any, ...]:
        build = partial(
            AttributedGraph.from_valid,
            node_features=self.node_features,
            n_self_loops_removed=self.n_self_loops_removed,
            n_duplicate_edges_removed=self.n_duplicate_edges_removed,
        )
        attributes = dict(self.node_attributes), dict(self.edge_attributes)
        return build, (self.n_nodes, self.edges, *attributes)

    @property
    def n_edges(self) -> int:
        """Number of distinct undirected edges."""
        return len(self.edges)

    def degrees(self) -> Index:
        """Number of neighbours of each node."""
        return np.bincount(self.edges.ravel(), minlength=self.n_nodes)

    def induced(self, nodes: Any) -> AttributedGraph:
        """Return the graph of some nodes, in the order given, and the edges between them.

        Parameters
        ----------
        nodes : array of int
            Their positions, each once.

        Examples
        --------
        >>> path = AttributedGraph(4, [(0, 1), (1, 2), (2, 3)], {"x": [1, 2, 3, 4]})
        >>> part = path.induced([2, 1])
        >>> part.edges.tolist(), part.node_attributes["x"].data.tolist()
        ([[0, 1]], [3.0, 2.0])
        """
        chosen = np.asarray(nodes, dtype=np.int64)
        place = np.full(self.n_nodes, -1)
        place[chosen] = np.arange(len(chosen))
        ends = np.sort(place[self.edges], axis=1)
        kept = np.flatnonzero((ends >= 0).all(axis=1))
        return AttributedGraph.from_valid(
            len(chosen),
            ends[kept],
            {name: own.take(chosen) for name, own in self.node_attributes.items()},
            {name: own.take(kept) for name, own in self.edge_attributes.items()},
            node_features=None if self.node_features is None else self.node_features[chosen],
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AttributedGraph):
            return NotImplemented
        return (
            self.n_nodes == other.n_nodes
            and np.array_equal(self.edges, other.edges)
            and dict(self.node_attributes) == dict(other.node_attributes)
            and dict(self.edge_attributes) == dict(other.edge_attributes)
            and same_features(self.node_features, other.node_features)
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


def _fill(
    graph: AttributedGraph,
    n_nodes: int,
    edges: Index,
    node_attributes: Mapping[str, Attribute],
    edge_attributes: Mapping[str, Attribute],
    node_features: Any,
    n_self_loops_removed: int,
    n_duplicate_edges_removed: int,
) -> None:
    """Set what an immutable graph holds, once."""
    put = partial(object.__setattr__, graph)
    put("n_nodes", n_nodes)
    put("edges", frozen(edges))
    put("node_attributes", MappingProxyType(dict(node_attributes)))
    put("edge_attributes", MappingProxyType(dict(edge_attributes)))
    if node_features is not None:
        for array in (node_features.data, node_features.indices, node_features.indptr):
            frozen(array)
    put("node_features", node_features)
    put("n_self_loops_removed", n_self_loops_removed)
    put("n_duplicate_edges_removed", n_duplicate_edges_removed)

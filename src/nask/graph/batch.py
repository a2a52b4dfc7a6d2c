"""Many graphs in one set of arrays, encoded under a schema: what the engines compute on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from nask.exceptions import GraphError
from nask.graph.attribute import Attribute, frozen
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.edges import IntArray
from nask.graph.new_graphs import check_graphs, compare_attributes
from nask.graph.schema import DEGREE, AttributeSpec, Schema, degree_attribute
from nask.messages import quoted

FloatArray = npt.NDArray[np.float64]
# Of two such values the difference is finite.
LARGEST_SCALED = 1e300


@dataclass(frozen=True, eq=False)
class Elements:
    """The attributes of all nodes, or all edges, of a batch.

    Parameters
    ----------
    ptr : ndarray of shape (n_graphs + 1,)
        The elements of graph i are those from ``ptr[i]`` to ``ptr[i + 1]``.
    numerical : ndarray of shape (number of numerical attributes, n_elements)
        Values scaled so that the training range is [0, 1]; NaN where missing.
    categorical : ndarray of shape (number of categorical attributes, n_elements)
        Codes of the schema's categories; -1 where missing. A category the schema does not know
        has a code of its own above the known ones, so it matches only itself.
    """

    ptr: IntArray
    numerical: FloatArray
    categorical: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return int(self.ptr[-1])

    def take(self, positions: IntArray, ptr: IntArray | None = None) -> Elements:
        """Some of the elements, divided by ``ptr``; those of one graph by default."""
        return Elements(
            np.array([0, len(positions)]) if ptr is None else ptr,
            np.ascontiguousarray(self.numerical[:, positions]),
            np.ascontiguousarray(self.categorical[:, positions]),
        )


# Names of the arrays of a batch, in model files too.
BATCH_ARRAYS = (
    "endpoints",
    *(f"{element}_{part.name}" for element in ("nodes", "edges") for part in fields(Elements)),
)


@dataclass(frozen=True, eq=False)
class GraphBatch:
    """Graphs side by side, as read-only arrays.

    Parameters
    ----------
    nodes, edges : Elements
    endpoints : ndarray of shape (n_edges, 2)
        Endpoints of each edge, as node positions in the batch.
    features : csr_array of shape (n_nodes, n_features), or None
        Numerical attributes beside those in ``nodes``, mostly 0, in units of the training range.
    """

    nodes: Elements
    edges: Elements
    endpoints: IntArray
    features: Any = None

    def __post_init__(self) -> None:
        for array in self.arrays().values():
            frozen(array)

    @classmethod
    def encode(
        cls,
        graphs: Sequence[AttributedGraph],
        schema: Schema,
        *,
        compare: bool = True,
        first: int = 0,
    ) -> GraphBatch:
        """Encode graphs under a schema; raises where a graph contradicts it.

        Parameters
        ----------
        graphs : sequence of AttributedGraph
        schema : Schema
        compare : bool, default=True
            Warn of attributes that only the graphs or only the schema has, and raise if they
            share none. False for a part of the graphs at hand, whose others may have them.
        first : int, default=0
            What errors call the first graph.
        """
        check_graphs(graphs, schema, first)
        if compare:
            compare_attributes(graphs, schema, first)
        node_attributes: list[Mapping[str, Attribute]] = [g.node_attributes for g in graphs]
        if schema.degree is not None:
            node_attributes = [
                {**attributes, DEGREE: degree_attribute(graph, schema.degree)}
                for graph, attributes in zip(graphs, node_attributes, strict=True)
            ]
        nodes = _encode(node_attributes, [g.n_nodes for g in graphs], schema.nodes)
        edges = _encode(
            [g.edge_attributes for g in graphs], [g.n_edges for g in graphs], schema.edges
        )
        endpoints = np.concatenate(
            [np.empty((0, 2), np.int64)]
            + [g.edges + start for g, start in zip(graphs, nodes.ptr, strict=False)]
        )
        return cls(nodes, edges, endpoints, _scaled_features(graphs, schema.features))

    def with_dense_features(self) -> GraphBatch:
        """The same batch, its features as rows of ``nodes.numerical``, which engines compare."""
        if self.features is None:
            return self
        numerical = np.vstack([self.nodes.numerical, self.features.toarray().T])
        nodes = replace(self.nodes, numerical=np.ascontiguousarray(numerical))
        return GraphBatch(nodes, self.edges, self.endpoints)

    @property
    def n_graphs(self) -> int:
        """Number of graphs."""
        return len(self.nodes.ptr) - 1

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all graphs."""
        return len(self.nodes)

    def elements_of(self, graphs: npt.NDArray[np.intp]) -> tuple[IntArray, IntArray]:
        """Positions of the nodes and of the edges of some graphs, in the order given."""
        return _ranges(self.nodes.ptr, graphs)[0], _ranges(self.edges.ptr, graphs)[0]

    def take(self, graphs: npt.NDArray[np.intp]) -> GraphBatch:
        """The batch of some of the graphs, in the order given."""
        node_positions, node_ptr = _ranges(self.nodes.ptr, graphs)
        edge_positions, edge_ptr = _ranges(self.edges.ptr, graphs)
        shift = np.repeat(node_ptr[:-1] - self.nodes.ptr[graphs], np.diff(edge_ptr))
        return GraphBatch(
            self.nodes.take(node_positions, node_ptr),
            self.edges.take(edge_positions, edge_ptr),
            self.endpoints[edge_positions] + shift[:, None],
            None if self.features is None else self.features[node_positions],
        )

    def union(self, other: GraphBatch) -> GraphBatch:
        """The graphs of this batch and then those of another, encoded under the same schema."""

        def together(a: Elements, b: Elements) -> Elements:
            return Elements(
                np.concatenate([a.ptr, b.ptr[1:] + a.ptr[-1]]),
                np.hstack([a.numerical, b.numerical]),
                np.hstack([a.categorical, b.categorical]),
            )

        features = None
        if self.features is not None:
            features = sparse.vstack([self.features, other.features], format="csr")
        return GraphBatch(
            together(self.nodes, other.nodes),
            together(self.edges, other.edges),
            np.concatenate([self.endpoints, other.endpoints + self.n_nodes]),
            features,
        )

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays by name, enough to build the batch again."""
        named = {
            f"{element}_{part.name}": getattr(getattr(self, element), part.name)
            for element in ("nodes", "edges")
            for part in fields(Elements)
        }
        named["endpoints"] = self.endpoints
        if self.features is not None:
            for part in ("data", "indices", "indptr"):
                named[f"features_{part}"] = getattr(self.features, part)
        return named

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> GraphBatch:
        """Build a batch from what :meth:`arrays` gave, of one whose features are dense."""
        # Row by row, as compiled code expects them; a file may hold them column by column.
        rows = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        nodes, edges = (
            Elements(*(rows[f"{element}_{part.name}"] for part in fields(Elements)))
            for element in ("nodes", "edges")
        )
        return cls(nodes, edges, rows["endpoints"])

    def check(self, schema: Schema) -> None:
        """Raise unless the arrays are those of a batch under the schema.

        For batches from a file: compiled code trusts every position in them.
        """
        nodes, edges, ends = self.nodes, self.edges, self.endpoints
        for name, elements, specs in (
            ("nodes", nodes, schema.nodes),
            ("edges", edges, schema.edges),
        ):
            n_dense = len(schema.features) if name == "nodes" else 0
            _check_elements(name, elements, specs, n_dense, self.n_graphs)
        n_edges = len(edges)
        graph = np.repeat(np.arange(self.n_graphs), np.diff(edges.ptr))
        valid = ends.shape == (n_edges, 2) and ends.dtype == np.int64
        if valid and n_edges:
            low, high = nodes.ptr[graph][:, None], nodes.ptr[graph + 1][:, None]
            valid = bool(((ends >= low) & (ends < high)).all())
        if not valid:
            raise GraphError("An edge of the batch has an endpoint outside its graph.")
        if (ends[:, 0] >= ends[:, 1]).any() or len(np.unique(ends, axis=0)) < n_edges:
            raise GraphError("An edge of the batch is a self-loop, turned round or repeated.")

    def same_content(self, other: GraphBatch) -> bool:
        """Tell whether two batches hold the same graphs in the same order."""
        mine, theirs = self.arrays(), other.arrays()
        return mine.keys() == theirs.keys() and all(
            np.array_equal(mine[name], theirs[name], equal_nan=name.endswith("numerical"))
            for name in mine
        )


def _check_elements(
    name: str, elements: Elements, specs: Sequence[AttributeSpec], n_dense: int, n_graphs: int
) -> None:
    ptr = elements.ptr
    # Compared, not subtracted: a difference of two positions may overflow and look right.
    divided = ptr.dtype == np.int64 and ptr.shape == (n_graphs + 1,) and n_graphs >= 0
    if not divided or ptr[0] != 0 or (ptr[1:] < ptr[:-1]).any():
        raise GraphError(f"The {name} of the batch are not divided among its graphs.")
    for kind, dtype in (("numerical", np.float64), ("categorical", np.int32)):
        values = getattr(elements, kind)
        of_kind = [spec for spec in specs if spec.kind == kind]
        n_rows = len(of_kind) + (n_dense if kind == "numerical" else 0)
        expected = (n_rows, len(elements))
        if values.shape != expected or values.dtype != dtype:
            raise GraphError(
                f"The {kind} attributes of the {name} have shape {values.shape} and type "
                f"{values.dtype}; expected {expected} of type {np.dtype(dtype)}."
            )
    if (np.abs(elements.numerical) > LARGEST_SCALED).any():
        raise GraphError(f"A numerical attribute of the {name} is beyond {LARGEST_SCALED:g}.")
    categorical = [spec for spec in specs if spec.kind == "categorical"]
    for spec, codes in zip(categorical, elements.categorical, strict=True):
        if codes.max(initial=-1) >= len(spec.categories) or codes.min(initial=-1) < -1:
            raise GraphError(
                f"The attribute {quoted(spec.name)} of the {name} has an unknown category."
            )


def _ranges(ptr: IntArray, graphs: npt.NDArray[np.intp]) -> tuple[IntArray, IntArray]:
    """Positions of the elements of some graphs, and where each graph starts among them."""
    sizes = np.diff(ptr)[graphs]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    positions = np.arange(starts[-1]) + np.repeat(ptr[graphs] - starts[:-1], sizes)
    return positions, starts


def _encode(
    collections: Sequence[Mapping[str, Attribute]],
    sizes: Sequence[int],
    specs: Sequence[AttributeSpec],
) -> Elements:
    ptr = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    numerical, categorical = [], []
    for spec in specs:
        column = [attributes.get(spec.name) for attributes in collections]
        if spec.kind == "numerical":
            numerical.append(_scaled(column, sizes, spec))
        elif spec.kind == "categorical":
            categorical.append(_coded(column, sizes, spec))
    return Elements(
        ptr,
        np.array(numerical, dtype=np.float64).reshape(len(numerical), ptr[-1]),
        np.array(categorical, dtype=np.int32).reshape(len(categorical), ptr[-1]),
    )


def _scaled(
    column: Sequence[Attribute | None], sizes: Sequence[int], spec: AttributeSpec
) -> FloatArray:
    values = np.concatenate(
        [
            a.data if a is not None and a.kind == "numerical" else np.full(size, np.nan)
            for a, size in zip(column, sizes, strict=True)
        ]
    )
    if spec.range == 0.0:
        # One value in training: any two present values are alike.
        return np.where(np.isnan(values), np.nan, 0.0)
    # Halves keep differences of huge values finite, where the range can be halved.
    half = 0.5 if spec.range > 1e-300 else 1.0
    with np.errstate(over="ignore"):
        scaled = (values * half - spec.minimum * half) / (spec.range * half)
    return np.clip(scaled, -LARGEST_SCALED, LARGEST_SCALED)


def _scaled_features(graphs: Sequence[AttributedGraph], ranges: Sequence[float]) -> Any:
    if not ranges:
        return None
    features = sparse.vstack([graph.node_features for graph in graphs], format="csr")
    # A column of one value in training makes any two alike: as 0 everywhere.
    span = np.asarray(ranges)
    scale = np.divide(1.0, span, out=np.zeros(len(span)), where=span > 0)
    features.data *= scale[features.indices]
    features.eliminate_zeros()
    return features


def _extended_codes(column: Sequence[Attribute | None], spec: AttributeSpec) -> dict[Hashable, int]:
    """Codes of the categories of the schema, and after them those of unseen ones as they come."""
    codes = dict(spec.codes)
    groups = dict.fromkeys(a.categories for a in column if a is not None)
    for category in (category for group in groups for category in group):
        codes.setdefault(category, len(codes))
    return codes


def unseen_categories(
    collections: Sequence[Mapping[str, Attribute]], specs: Sequence[AttributeSpec]
) -> tuple[tuple[Hashable, ...], ...]:
    """Categories of some graphs that the schema does not know, in the order of their codes.

    One tuple for each categorical attribute.

    Examples
    --------
    >>> import nask
    >>> atoms = [nask.AttributedGraph(1, (), {"atom": [atom]}) for atom in "CNO"]
    >>> specs = Schema.fit(atoms[:1]).nodes
    >>> unseen_categories([graph.node_attributes for graph in atoms], specs)
    (('N', 'O'),)
    """
    categorical = [spec for spec in specs if spec.kind == "categorical"]
    columns = ([attributes.get(spec.name) for attributes in collections] for spec in categorical)
    return tuple(
        tuple(_extended_codes(column, spec))[len(spec.codes) :]
        for spec, column in zip(categorical, columns, strict=True)
    )


def _coded(
    column: Sequence[Attribute | None], sizes: Sequence[int], spec: AttributeSpec
) -> npt.NDArray[np.int32]:
    codes = _extended_codes(column, spec)
    translations: dict[tuple[Hashable, ...], npt.NDArray[np.int32]] = {}
    parts = []
    for attribute, size in zip(column, sizes, strict=True):
        if attribute is None or attribute.kind != "categorical":
            parts.append(np.full(size, -1, dtype=np.int32))
            continue
        if attribute.categories not in translations:
            # The extra last entry is where the code -1 of a missing value looks.
            coded = [codes[category] for category in attribute.categories]
            translations[attribute.categories] = np.array([*coded, -1], dtype=np.int32)
        parts.append(translations[attribute.categories][attribute.data])
    return np.concatenate(parts)

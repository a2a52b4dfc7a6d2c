"""Many graphs as one set of arrays, encoded under a schema: what the engines compute on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from scipy import sparse

from nask.arrays import Array, Index, Positions
from nask.exceptions import GraphError
from nask.graph.attribute import Attribute, frozen
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.bins import feature_bins
from nask.graph.elements import Elements, positions_of
from nask.graph.new_graphs import check_graphs, compare_attributes
from nask.graph.schema import DEGREE, Schema, degree_attribute

# The names of a batch's arrays, in model files too.
BATCH_ARRAYS = (
    "endpoints",
    *(f"{element}_{field.name}" for element in ("nodes", "edges") for field in fields(Elements)),
)


@dataclass(frozen=True, eq=False)
class GraphBatch:
    """Graphs side by side, as read-only arrays.

    Parameters
    ----------
    endpoints : ndarray of shape (n_edges, 2)
        Endpoints of each edge, as positions of nodes in the batch.
    features : csr_array of shape (n_nodes, n_features), or None
        The node features, in units of the training range, or their bins; most are 0.
    """

    nodes: Elements
    edges: Elements
    endpoints: Index
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
        check: bool = True,
        compare: bool = True,
        first: int = 0,
    ) -> GraphBatch:
        """Encode graphs under a schema; raises where a graph contradicts it.

        Parameters
        ----------
        check : bool, default=True
            Whether to look for contradictions; False if that was done.
        compare : bool, default=True
            Whether to warn of attributes that only the graphs have or only the schema, and to
            raise if they share none. False if more graphs follow, which may have them.
        first : int, default=0
            The number of the first graph in error messages.
        """
        if check:
            check_graphs(graphs, schema, first)
        if compare:
            compare_attributes(graphs, schema, first)
        node_attributes: list[Mapping[str, Attribute]] = [g.node_attributes for g in graphs]
        if schema.degree is not None:
            node_attributes = [
                {**attributes, DEGREE: degree_attribute(graph, schema.degree)}
                for graph, attributes in zip(graphs, node_attributes, strict=True)
            ]
        nodes = Elements.encode(node_attributes, [g.n_nodes for g in graphs], schema.nodes)
        edges = Elements.encode(
            [g.edge_attributes for g in graphs], [g.n_edges for g in graphs], schema.edges
        )
        endpoints = np.concatenate(
            [np.empty((0, 2), np.int64)]
            + [g.edges + start for g, start in zip(graphs, nodes.ptr, strict=False)]
        )
        return cls(nodes, edges, endpoints, _scaled_features(graphs, schema))

    def with_dense_features(self) -> GraphBatch:
        """Return the batch with its node features as the last rows of ``nodes.numerical``.

        The engines for graphs compare them there.
        """
        if self.features is None:
            return self
        return GraphBatch(self.dense_nodes(slice(None)), self.edges, self.endpoints)

    def dense_nodes(self, columns: Positions | slice) -> Elements:
        """Return the nodes with some of their features as the last rows of ``numerical``."""
        numerical = np.vstack([self.nodes.numerical, self.features[:, columns].toarray().T])
        return replace(self.nodes, numerical=np.ascontiguousarray(numerical))

    @property
    def n_graphs(self) -> int:
        """Number of graphs."""
        return len(self.nodes.ptr) - 1

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all graphs."""
        return len(self.nodes)

    def elements_of(self, graphs: Positions) -> tuple[Index, Index]:
        """Return positions of the nodes and of the edges of some graphs, in the order given."""
        return positions_of(self.nodes.ptr, graphs)[0], positions_of(self.edges.ptr, graphs)[0]

    def take(self, graphs: Positions) -> GraphBatch:
        """Return the batch of the graphs at these positions, in the order given."""
        node_positions, node_ptr = positions_of(self.nodes.ptr, graphs)
        edge_positions, edge_ptr = positions_of(self.edges.ptr, graphs)
        shift = np.repeat(node_ptr[:-1] - self.nodes.ptr[graphs], np.diff(edge_ptr))
        return GraphBatch(
            self.nodes.take(node_positions, node_ptr),
            self.edges.take(edge_positions, edge_ptr),
            self.endpoints[edge_positions] + shift[:, None],
            None if self.features is None else self.features[node_positions],
        )

    def induced(self, nodes: Positions) -> GraphBatch:
        """Return some nodes and the edges between them, as one graph.

        Examples
        --------
        >>> import nask
        >>> path = nask.AttributedGraph(4, edges=[(0, 1), (1, 2), (2, 3)])
        >>> batch = GraphBatch.encode([path], Schema.fit([path]))
        >>> batch.induced(np.array([1, 2])).endpoints.tolist()
        [[0, 1]]
        """
        place = np.full(self.n_nodes, -1)
        place[nodes] = np.arange(len(nodes))
        ends = place[self.endpoints]
        kept = np.flatnonzero((ends >= 0).all(axis=1))
        return GraphBatch(
            self.nodes.take(nodes),
            self.edges.take(kept),
            np.sort(ends[kept], axis=1),
            None if self.features is None else self.features[nodes],
        )

    def union(self, other: GraphBatch) -> GraphBatch:
        """Return the graphs of this batch and then those of another under the same schema."""
        features = None
        if self.features is not None:
            features = sparse.vstack([self.features, other.features], format="csr")
        return GraphBatch(
            self.nodes.union(other.nodes),
            self.edges.union(other.edges),
            np.concatenate([self.endpoints, other.endpoints + self.n_nodes]),
            features,
        )

    def arrays(self) -> dict[str, Array]:
        """Return the arrays by name: all that is needed to build the batch again."""
        named = {
            f"{element}_{field.name}": getattr(getattr(self, element), field.name)
            for element in ("nodes", "edges")
            for field in fields(Elements)
        }
        named["endpoints"] = self.endpoints
        if self.features is not None:
            for name in ("data", "indices", "indptr"):
                named[f"features_{name}"] = getattr(self.features, name)
        return named

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> GraphBatch:
        """Build a batch from the result of :meth:`arrays`, where node features are dense."""
        # Row by row, as compiled code expects them; a file may hold them column by column.
        rows = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        nodes, edges = (
            Elements(*(rows[f"{element}_{field.name}"] for field in fields(Elements)))
            for element in ("nodes", "edges")
        )
        return cls(nodes, edges, rows["endpoints"])

    def check(self, schema: Schema) -> None:
        """Raise unless the arrays are those of a batch under the schema.

        For batches from a file: compiled code trusts every position in them.
        """
        nodes, edges, ends = self.nodes, self.edges, self.endpoints
        nodes.check("nodes", schema.nodes, len(schema.features), self.n_graphs)
        edges.check("edges", schema.edges, 0, self.n_graphs)
        n_edges = len(edges)
        graph = np.repeat(np.arange(self.n_graphs), np.diff(edges.ptr))
        valid = ends.shape == (n_edges, 2) and ends.dtype == np.int64
        if valid and n_edges:
            low, high = nodes.ptr[graph][:, None], nodes.ptr[graph + 1][:, None]
            valid = bool(((ends >= low) & (ends < high)).all())
        if not valid:
            raise GraphError("An edge of the batch has an endpoint outside its graph.")
        if (ends[:, 0] >= ends[:, 1]).any() or len(np.unique(ends, axis=0)) < n_edges:
            raise GraphError(
                "An edge of the batch is a self-loop or repeated, or has its larger endpoint first."
            )

    def same_content(self, other: GraphBatch) -> bool:
        """Tell whether two batches hold the same graphs in the same order."""
        mine, theirs = self.arrays(), other.arrays()
        return mine.keys() == theirs.keys() and all(
            np.array_equal(mine[name], theirs[name], equal_nan=name.endswith("numerical"))
            for name in mine
        )


def _scaled_features(graphs: Sequence[AttributedGraph], schema: Schema) -> Any:
    """Return the node features of all graphs as they are compared, None without any."""
    if not schema.features:
        return None
    features = sparse.vstack([graph.node_features for graph in graphs], format="csr")
    # Where all training values of a column are equal, any two values count as equal: as 0.
    span = np.asarray(schema.features)
    scale = np.divide(1.0, span, out=np.zeros(len(span)), where=span > 0)
    features.data *= scale[features.indices]
    if schema.similarity == "one-hot":
        features.data = feature_bins(features.data)
    features.eliminate_zeros()
    return features

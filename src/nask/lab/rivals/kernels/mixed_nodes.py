"""Nodes as a label and a vector each, for kernels that separate the two kinds of attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nask.arrays import Float64, Index
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.elements import Elements
from nask.graph.schema import Schema
from nask.lab.rivals.encoding import NodeEncoder
from nask.stars.colours import attribute_colours


def has_numbers(schema: Schema) -> bool:
    """Tell whether nodes have numerical attributes.

    Examples
    --------
    >>> import nask
    >>> has_numbers(Schema.fit([nask.AttributedGraph(1, (), {"atom": ["C"]})]))
    False
    """
    return bool(schema.features) or any(spec.kind == "numerical" for spec in schema.nodes)


@dataclass(frozen=True, eq=False)
class MixedNodes:
    """The nodes of some graphs.

    Parameters
    ----------
    vectors : ndarray of shape (n_nodes, number of numerical attributes)
        Standardised; 0, the mean, where missing.
    """

    batch: GraphBatch
    vectors: Float64

    @property
    def ptr(self) -> Index:
        """The nodes of graph i are those from ``ptr[i]`` to ``ptr[i + 1]``."""
        return self.batch.nodes.ptr

    def labels(self) -> Index:
        """Return a number per node, equal where all categorical attributes are equal.

        Missing values are equal; unseen categories are equal if their values are.
        """
        nodes = self.batch.nodes
        return attribute_colours(Elements(nodes.ptr, np.empty((0, len(nodes))), nodes.categorical))

    def union(self, other: MixedNodes) -> MixedNodes:
        """Return the nodes of these graphs, then those of others from the same encoder."""
        vectors = np.concatenate([self.vectors, other.vectors])
        return MixedNodes(self.batch.union(other.batch), vectors)


class MixedEncoder:
    """Encoder of graphs as :class:`MixedNodes`, which learns categories, means and deviations.

    Examples
    --------
    >>> import nask
    >>> atoms = nask.AttributedGraph(3, [(0, 1)], {"atom": ["C", "N", "C"], "charge": [1, 3, 2]})
    >>> nodes = MixedEncoder([atoms]).encode([atoms])
    >>> nodes.labels().tolist(), nodes.vectors.round(2).T.tolist()
    ([0, 1, 0], [[-1.22, 1.22, 0.0]])
    """

    def __init__(self, graphs: Sequence[AttributedGraph]) -> None:
        self._encoder = NodeEncoder(categorical=False).fit(graphs)
        self.has_numbers = has_numbers(self._encoder.schema_)

    def encode(self, graphs: Sequence[AttributedGraph]) -> MixedNodes:
        """Encode graphs."""
        batch = GraphBatch.encode(graphs, self._encoder.schema_)
        if not self.has_numbers:
            return MixedNodes(batch, np.empty((batch.n_nodes, 0)))
        rows = self._encoder.encode(graphs, batch).toarray()
        return MixedNodes(batch, rows.astype(np.float64))

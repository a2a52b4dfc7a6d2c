"""The kernel between nodes with everything learned: the training graph, encoded once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nask.arrays import Array, Float64, Floats, Index
from nask.engines.nodes.gram import node_grams, working_bytes
from nask.execution.execution import Execution
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema
from nask.kernels.forms import Form, distance_unit, gaussian, to_squared_distances
from nask.kernels.parameters import StarKernelParameters
from nask.numeric import inverse_root
from nask.stars.spec import StarSpec

# The linear kernel between nodes, that of each row node and column node with itself, and whether
# rows and columns are the same nodes.
Linear = tuple[Floats, Array, Array, bool]


@dataclass(frozen=True, eq=False)
class FittedNodeKernel:
    """The kernel between the nodes of any graph and those of the training graph.

    Parameters
    ----------
    graph : AttributedGraph
        The training graph.
    schema : Schema
        Its attributes, ranges and categories.
    unit : float or None
        Mean squared distance between two different training nodes, once it is known; the
        Gaussian form needs it.
    """

    graph: AttributedGraph
    schema: Schema
    spec: StarSpec
    form: Form
    unit: float | None = None

    @classmethod
    def fit(cls, parameters: StarKernelParameters, graph: AttributedGraph) -> FittedNodeKernel:
        """Learn the schema of the training graph; the parameters were checked."""
        schema = Schema.fit([graph], parameters.degree, parameters.attributes)
        return cls(graph, schema, parameters.star_spec(schema), parameters.form())

    @cached_property
    def batch(self) -> GraphBatch:
        """The training graph, encoded."""
        return GraphBatch.encode([self.graph], self.schema)

    @property
    def n_nodes(self) -> int:
        """Number of nodes of the training graph."""
        return self.graph.n_nodes

    @property
    def _dtype(self) -> str:
        """Of the linear kernel: distances are differences of nearby numbers."""
        return self.form.dtype if self.form.gram == "linear" else "float64"

    def needed_bytes(self, n_rows: int, n_columns: int, execution: Execution) -> int:
        """Bytes that comparing so many nodes of the training graph takes."""
        working = working_bytes(self.batch, self.spec, execution)
        return n_rows * n_columns * np.dtype(self._dtype).itemsize + working

    def training_gram(
        self, nodes: Index | None, execution: Execution
    ) -> tuple[FittedNodeKernel, Floats]:
        """The kernel between some training nodes, and this object with their unit of distance.

        Nodes are given by their positions; None are all.
        """
        linear, measured = self._linear(self.batch, nodes, nodes, execution), self
        if self.form.gram == "rbf":
            measured = replace(self, unit=distance_unit(*linear[:2]))
        return measured, measured.formed(*linear)

    def gram(
        self,
        graph: AttributedGraph,
        nodes: Index | None,
        training_nodes: Index | None,
        execution: Execution,
    ) -> Floats:
        """The kernel between nodes of a graph and some of the training graph.

        The graph is the training graph or another one; no star reaches from one into the other.
        Nodes are given by their positions; None are all.
        """
        batch, rows = self._with_training(graph, nodes)
        if rows is not None and training_nodes is None:
            training_nodes = np.arange(self.n_nodes)
        return self.formed(*self._linear(batch, rows, training_nodes, execution))

    def hop_grams(
        self, graph: AttributedGraph | None, execution: Execution, nodes: Index | None = None
    ) -> Floats:
        """The kernel of each hop with the training nodes, (n_hops, m, n).

        Without a graph, that of the training nodes, or of some of them, with each other.
        """
        batch, rows, columns = self.batch, nodes, nodes
        if graph is not None:
            batch, rows = self._with_training(graph, None)
            columns = None if rows is None else np.arange(self.n_nodes)
        each, dtype = np.eye(self.spec.n_hops), self.form.dtype
        return node_grams(batch, self.spec, each, execution, dtype, rows, columns).values

    def grams_of_forms(
        self,
        graph: AttributedGraph,
        nodes: Index | None,
        training_nodes: Index,
        forms: Sequence[tuple[Form, float | None]],
        execution: Execution,
    ) -> Iterator[Floats]:
        """The kernel between nodes of a graph and training nodes in several forms, from one pass.

        Parameters
        ----------
        graph : AttributedGraph
        nodes : ndarray or None
            Their positions; None are all.
        training_nodes : ndarray
        forms : sequence of (Form, float or None)
            Each with a weight for every hop of this kernel, and its unit of distance.
        execution : Execution
        """
        batch, rows = self._with_training(graph, nodes)
        rows = np.arange(graph.n_nodes) if rows is None else rows
        each = np.eye(self.spec.n_hops)
        hops = node_grams(batch, self.spec, each, execution, "float64", rows, training_nodes)
        for form, unit in forms:
            gram = np.tensordot(form.hop_weights, hops.values, axes=1)
            own = replace(self, form=form, unit=unit)
            yield own.formed(*own.normalised(gram, hops.own, rows, training_nodes))

    def _with_training(
        self, graph: AttributedGraph, nodes: Index | None
    ) -> tuple[GraphBatch, Index | None]:
        """The training graph, with another one beside it, and where nodes of that are in both."""
        if graph is self.graph or graph == self.graph:
            return self.batch, nodes
        nodes = np.arange(graph.n_nodes) if nodes is None else nodes
        return self.batch.union(GraphBatch.encode([graph], self.schema)), nodes + self.n_nodes

    def _linear(
        self, batch: GraphBatch, rows: Index | None, columns: Index | None, execution: Execution
    ) -> Linear:
        weights = self.form.hop_weights[None]
        grams = node_grams(batch, self.spec, weights, execution, self._dtype, rows, columns)
        return self.normalised(grams.values[0], grams.own, rows, columns)

    def normalised(
        self, gram: Floats, hop_self: Float64, rows: Index | None, columns: Index | None
    ) -> Linear:
        """The linear kernel from a weighted sum of hops, which is overwritten."""
        form, raw = self.form, self.form.raw_self(hop_self)
        down = slice(None) if rows is None else rows
        across = slice(None) if columns is None else columns
        if form.normalize:
            scale = inverse_root(raw)
            gram *= scale[down, None]
            gram *= scale[None, across]
        own = form.own(hop_self)
        same = rows is columns or (rows is None and columns is None)
        return gram, own[down], own[across], same

    def formed(self, gram: Floats, row_own: Array, column_own: Array, same: bool) -> Floats:
        """The kernel in its form, from the linear one, which may be overwritten."""
        if self.form.gram == "linear":
            return gram
        if self.unit is None:
            raise RuntimeError("The unit of distance is learned from the training Gram matrix.")
        distances = to_squared_distances(gram, row_own, column_own, same)
        form = gaussian(distances, self.form.scale, self.unit)
        return form.astype(self.form.dtype, copy=False)

"""The kernel between nodes with everything learned: the training graph, encoded once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nask.arrays import Array, Float64, Floats, Index
from nask.engines.nodes.gram import NodeGrams, node_grams, working_bytes
from nask.execution.execution import Execution
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema
from nask.kernels.forms import (
    Form,
    distance_unit,
    gaussian,
    self_similarity,
    to_squared_distances,
)
from nask.kernels.parameters import NodeKernelParameters
from nask.numeric import inverse_root, scale_pairs
from nask.stars.spec import StarSpec
from nask.stars.walks import kernel_over_walks

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
    restart : float or None
        Of the random walks over whose ends the kernel is averaged, if any.
    """

    graph: AttributedGraph
    schema: Schema
    spec: StarSpec
    form: Form
    unit: float | None = None
    restart: float | None = None

    @classmethod
    def fit(cls, parameters: NodeKernelParameters, graph: AttributedGraph) -> FittedNodeKernel:
        """Learn the schema of the training graph; the parameters were checked."""
        schema = parameters.schema_of([graph])
        restart = None if parameters.restart is None else float(parameters.restart)
        spec, form = parameters.star_spec(schema), parameters.form()
        return cls(graph, schema, spec, form, restart=restart)

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
        # Of walks: the kernel between all nodes, and its transpose.
        n_numbers = n_rows * n_columns if self.restart is None else 2 * self.n_nodes**2
        return n_numbers * np.dtype(self._dtype).itemsize + working

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

    def hop_grams(self, graph: AttributedGraph | None, execution: Execution) -> Floats:
        """The kernel of each hop with the training nodes, (n_hops, m, n).

        Without a graph, that of the training nodes with each other.
        """
        batch, rows, columns = self.batch, None, None
        if graph is not None:
            batch, rows = self._with_training(graph, None)
            columns = None if rows is None else np.arange(self.n_nodes)
        each, dtype = np.eye(self.spec.n_hops), self.form.dtype
        return self._compared(batch, each, execution, dtype, rows, columns).values

    def hop_grams_of_walks(
        self, restarts: Sequence[float | None], nodes: Index | None, execution: Execution
    ) -> Iterator[Floats]:
        """The kernel of each hop between training nodes, for several walks, from one pass.

        Parameters
        ----------
        restarts : sequence of float or None
            Each as the parameter ``restart``, whatever that of this kernel is.
        nodes : ndarray or None
            Their positions; None are all.
        execution : Execution
        """
        each, dtype = np.eye(self.spec.n_hops), self.form.dtype
        alone = restarts == [None]
        rows = nodes if alone else None
        hops = node_grams(self.batch, self.spec, each, execution, dtype, rows, rows)
        for restart in restarts:
            if restart is not None:
                where = nodes, nodes, execution
                yield self._over_walks(self.batch, restart, hops, *where, keep=True).values
            else:
                whole = hops.values
                yield whole if alone or nodes is None else whole[:, nodes[:, None], nodes]

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
        hops = self._compared(batch, each, execution, "float64", rows, training_nodes)
        for form, unit in forms:
            gram = np.tensordot(form.hop_weights, hops.values, axes=1)
            own = replace(self, form=form, unit=unit)
            raw = form.raw_self(hops.own)
            yield own.formed(*own.normalised(gram, raw, rows, training_nodes))

    def compare_node(
        self, graph: AttributedGraph, node: int, training_nodes: Index, execution: Execution
    ) -> tuple[GraphBatch, int, NodeGrams]:
        """Compare one node with training nodes, hop by hop, in float64.

        Parameters
        ----------
        graph : AttributedGraph
            The training graph, or another one.
        node : int
        training_nodes : ndarray
        execution : Execution

        Returns
        -------
        batch : GraphBatch
            The training graph, and the other one beside it.
        node : int
            Where the node is in the batch.
        grams : NodeGrams
            kappa_h of shape (n_hops, 1, n_training_nodes), over the ends of walks if asked for.
        """
        exact = replace(self, spec=replace(self.spec, dtype="float64"))
        batch, rows = exact._with_training(graph, np.array([node]))
        assert rows is not None
        hops = np.eye(self.spec.n_hops)
        grams = exact._compared(batch, hops, execution, "float64", rows, training_nodes)
        return batch, int(rows[0]), grams

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
        grams = self._compared(batch, weights, execution, self._dtype, rows, columns)
        raw = self.form.raw_self(grams.own) if self.restart is None else grams.own[0]
        return self.normalised(grams.values[0], raw, rows, columns)

    def _compared(
        self,
        batch: GraphBatch,
        combinations: Float64,
        execution: Execution,
        dtype: str,
        rows: Index | None,
        columns: Index | None,
    ) -> NodeGrams:
        """Weighted sums of kappa_h between nodes of a batch, over the ends of walks if asked for.

        Then ``own`` is that of each sum, and of the chosen nodes only.
        """
        if self.restart is None:
            return node_grams(batch, self.spec, combinations, execution, dtype, rows, columns)
        whole = node_grams(batch, self.spec, combinations, execution, dtype)
        return self._over_walks(batch, self.restart, whole, rows, columns, execution)

    @staticmethod
    def _over_walks(
        batch: GraphBatch,
        restart: float,
        whole: NodeGrams,
        rows: Index | None,
        columns: Index | None,
        execution: Execution,
        keep: bool = False,
    ) -> NodeGrams:
        """Means of kernels between all nodes, which are overwritten unless they are to be kept."""
        every = np.arange(batch.n_nodes)
        down = every if rows is None else rows
        across = every if columns is None else columns
        chosen = np.union1d(down, across)
        own = np.zeros((len(whole.values), batch.n_nodes))
        values = np.empty((len(whole.values), len(down), len(across)), dtype=whole.values.dtype)
        place = np.searchsorted(chosen, down)[:, None], np.searchsorted(chosen, across)
        begin = chosen if len(chosen) < batch.n_nodes else None

        def means() -> Iterator[None]:
            for k, kernel in enumerate(whole.values):
                own_copy = kernel.copy() if keep else kernel
                mean = kernel_over_walks(batch, restart, own_copy, begin, execution)
                own[k, chosen], values[k] = mean.diagonal(), mean[place]
                yield

        for _ in execution.track(means(), len(whole.values)):
            pass
        return NodeGrams(values, own, whole.star_self)

    def normalised(
        self, gram: Floats, raw: Float64, rows: Index | None, columns: Index | None
    ) -> Linear:
        """The linear kernel from a weighted sum of hops, which is overwritten.

        Parameters
        ----------
        gram : ndarray
        raw : ndarray
            The same sum between each node of the batch and itself.
        rows, columns : ndarray or None
            The nodes that are compared; None are all.
        """
        form = self.form
        down = slice(None) if rows is None else rows
        across = slice(None) if columns is None else columns
        if form.normalize:
            scale = inverse_root(raw)
            scale_pairs(gram, scale[down], scale[across])
        own = self_similarity(raw, form.normalize)
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

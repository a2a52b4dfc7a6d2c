"""The kernel between the nodes of one graph as a scikit-learn transformer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import TransformerMixin

from nask.engines.nodes.gram import NodeGrams, node_grams, working_bytes
from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.chosen_nodes import node_positions
from nask.graph.schema import Schema
from nask.io.coerce import as_graph
from nask.kernels.forms import distance_unit, gaussian, self_similarity, to_squared_distances
from nask.kernels.parameters import StarKernelParameters
from nask.numeric import inverse_root

Floats = npt.NDArray[np.floating]
Index = npt.NDArray[np.int64]


@dataclass(kw_only=True, eq=False, repr=False)
class NodeNASK(TransformerMixin, StarKernelParameters):
    r"""The Neighborhood-Aware Star Kernel between the nodes of one graph.

    Two nodes compare by their stars at every hop,

    .. math:: \kappa(v, v') = \sum_{h=1}^H weight_h \, \kappa_h(v, v')

    where :math:`\kappa_h` is that of :class:`nask.NASK`, which sums it over all pairs of nodes of
    two graphs. P between all nodes and its successor are held in memory, so this is for graphs of
    up to some ten thousands of nodes; sparse ``node_features`` stay sparse.

    Parameters
    ----------
    **kernel parameters
        All those of :class:`nask.NASK`, with the same defaults. What is said there of graphs, such
        as ``normalize`` and ``gram``, holds for nodes here. There is one engine, and no file:
        ``engine`` must be "auto", and where ``memory_limit`` does not suffice an error is raised.

    Attributes
    ----------
    schema_ : Schema
        Attributes, ranges and categories of the training graph.
    n_nodes_ : int
        Number of nodes of the training graph.
    mean_squared_distance_ : float
        Between two different nodes of it; with ``gram="rbf"`` only.

    Examples
    --------
    >>> import nask
    >>> colours = {"colour": ["red", "blue", "red", "blue"]}
    >>> path = nask.AttributedGraph(4, [(0, 1), (1, 2), (2, 3)], colours)
    >>> kernel = nask.NodeNASK(n_hops=2)
    >>> kernel.fit_transform(path).shape
    (4, 4)
    >>> pair = nask.AttributedGraph(2, [(0, 1)], {"colour": ["red", "blue"]})
    >>> kernel.transform(pair, nodes=[0]).shape
    (1, 4)
    """

    def fit(self, graph: Any, y: Any = None) -> Self:
        """Learn the schema of the training graph.

        Parameters
        ----------
        graph : graph
            An :class:`AttributedGraph`, a networkx graph or PyG ``Data``.
        y : ignored
        """
        self._fit(graph)
        if self.gram == "rbf":
            self._set_distance_unit(*self._linear(self._training))
        return self

    def fit_transform(self, graph: Any, y: Any = None, **fit_params: Any) -> Floats:
        """Fit, and return the kernel between the nodes of the graph, (n, n)."""
        self._fit(graph)
        linear, own = self._linear(self._training)
        if self.gram == "rbf":
            self._set_distance_unit(linear, own)
        return self._form(linear, own, own, diagonal=True)

    def transform(self, graph: Any, nodes: Any = None) -> Floats:
        """Kernel between nodes of a graph and the n nodes of the training graph, (m, n).

        Parameters
        ----------
        graph : graph
            The training graph or another one, which is read with the training schema. No star
            reaches from one graph into the other.
        nodes : array of int, or of bool, default=None
            Which nodes of ``graph``, by their positions or by a mask; all by default.
        """
        return self._between(graph, nodes, None)

    def hop_grams(self, graph: Any = None) -> Floats:
        """Kernel of each hop between the m nodes of a graph and the training nodes, (n_hops, m, n).

        All come from one pass, before hop weights, normalisation and the form of the Gram. By
        default the graph is the training graph, as it is for an equal one.
        """
        self._check_fitted()
        batch, rows = self._training, None
        if graph is not None:
            batch, rows = self._with_training(as_graph(graph), None)
        columns = None if rows is None else np.arange(self.n_nodes_)
        return self._compare(batch, np.eye(self.n_hops), self.dtype, rows, columns).values

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, only in (("engine", "auto"), ("gram_folder", None)):
            if getattr(self, name) != only:
                raise ParameterError.expected(
                    name, type(self).__name__, repr(only), getattr(self, name)
                )

    def _fit(self, graph: Any) -> None:
        self._check_parameters()
        graph = as_graph(graph)
        schema = Schema.fit([graph], self.degree)
        self._spec(schema)
        self.schema_ = schema
        self.n_nodes_ = graph.n_nodes
        self._training = GraphBatch.encode([graph], schema)
        self._remember_parameters()

    def _needed_bytes(self, n_rows: int, n_columns: int) -> int:
        """Bytes that comparing so many nodes of the training graph takes."""
        working = working_bytes(self._training, self._spec(self.schema_), self._execution())
        return n_rows * n_columns * np.dtype(self._linear_dtype()).itemsize + working

    def _training_gram(self, nodes: Index) -> Floats:
        """Kernel between some nodes, with the mean squared distance between these."""
        linear, own = self._linear(self._training, nodes, nodes)
        if self.gram == "rbf":
            self._set_distance_unit(linear, own[nodes])
        return self._form(linear, own[nodes], own[nodes], diagonal=True)

    def is_training(self, graph: AttributedGraph) -> bool:
        """Tell whether a graph is the training graph, or equal to it."""
        batch = GraphBatch.encode([graph], self.schema_, compare=False)
        return batch.same_content(self._training)

    def _with_training(
        self, graph: AttributedGraph, nodes: Index | None
    ) -> tuple[GraphBatch, Index | None]:
        """The training graph, with another one beside it, and where nodes of that are in both."""
        batch = GraphBatch.encode([graph], self.schema_)
        if batch.same_content(self._training):
            return self._training, nodes
        nodes = np.arange(graph.n_nodes) if nodes is None else nodes
        return self._training.union(batch), nodes + self.n_nodes_

    def _between(self, graph: Any, nodes: Any, columns: Index | None) -> Floats:
        """Kernel between nodes of a graph and some of the training graph; all by default."""
        self._check_fitted()
        graph = as_graph(graph)
        chosen = None if nodes is None else node_positions(nodes, graph.n_nodes, "nodes")
        batch, rows = self._with_training(graph, chosen)
        if rows is not None and columns is None:
            columns = np.arange(self.n_nodes_)
        linear, own = self._linear(batch, rows, columns)
        diagonal = rows is None and columns is None
        row_own = own if rows is None else own[rows]
        return self._form(linear, row_own, own if columns is None else own[columns], diagonal)

    def _compare(
        self,
        batch: GraphBatch,
        combinations: npt.NDArray[np.float64],
        dtype: str,
        rows: Index | None = None,
        columns: Index | None = None,
    ) -> NodeGrams:
        spec, execution = self._spec(self.schema_), self._execution()
        return node_grams(batch, spec, combinations, execution, dtype, rows, columns)

    def _linear_dtype(self) -> str:
        # Distances are differences of nearby numbers.
        return self.dtype if self.gram == "linear" else "float64"

    def _linear(
        self, batch: GraphBatch, rows: Index | None = None, columns: Index | None = None
    ) -> tuple[Floats, npt.NDArray[np.float64]]:
        """The kernel before the form of the Gram, and that of each node with itself."""
        weights = self._hop_weights()
        grams = self._compare(batch, weights[None], self._linear_dtype(), rows, columns)
        linear, own = grams.values[0], weights @ grams.own
        if self.normalize:
            scale = inverse_root(own)
            linear *= scale[rows if rows is not None else slice(None), None]
            linear *= scale[None, columns if columns is not None else slice(None)]
        return linear, self_similarity(own, self.normalize)

    def _set_distance_unit(self, linear: Floats, own: npt.NDArray[np.float64]) -> None:
        self.mean_squared_distance_ = distance_unit(linear, own)

    def _form(self, linear: Floats, row_own: Floats, column_own: Floats, diagonal: bool) -> Floats:
        if self.gram == "linear":
            return linear
        distances = to_squared_distances(linear, row_own, column_own, diagonal)
        form = gaussian(distances, float(self.gram_scale), self.mean_squared_distance_)
        return form.astype(self.dtype, copy=False)

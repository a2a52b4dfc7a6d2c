"""A node compared with training nodes, and what a kernel has in the decision about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nask.arrays import Float64, Index, Positions
from nask.engines.nodes.gram import NodeGrams
from nask.engines.nodes.similarity import filled_columns
from nask.engines.pairwise.flow_shares import Flow
from nask.engines.pairwise.prepared import PairwisePrepared
from nask.engines.pairwise.shares import ComparedStars
from nask.execution.execution import Execution
from nask.explain.attribute_shares import AttributeShares
from nask.explain.deciding import Term
from nask.explain.gram_row import GramRow
from nask.explain.parts import added_up
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.kernels.fitted_nodes import FittedNodeKernel
from nask.kernels.forms import Form
from nask.numeric import inverse_root
from nask.stars.alike import Names, star_names
from nask.stars.members import Members, star_matrices, star_pattern
from nask.stars.walks import walk_ends


@dataclass(frozen=True, eq=False)
class ComparedNode:
    """One node compared with training nodes.

    Parameters
    ----------
    graph : AttributedGraph
        The graph of the node.
    kernel : FittedNodeKernel
    training : ndarray
        The training nodes, as positions in the training graph.
    batch : GraphBatch
        The training graph, and the other one beside it.
    node : int
        Where the node is in the batch.
    grams : NodeGrams
        kappa_h with each training node, over the ends of walks if asked for.
    """

    graph: AttributedGraph
    kernel: FittedNodeKernel
    training: Index
    batch: GraphBatch
    node: int
    grams: NodeGrams

    @classmethod
    def of(
        cls,
        graph: AttributedGraph,
        node: int,
        kernel: FittedNodeKernel,
        training: Index,
        execution: Execution,
    ) -> ComparedNode:
        """Compare a node with training nodes at every hop."""
        found = kernel.compare_node(graph, node, training, execution)
        return cls(graph, kernel, training, *found)

    def row(self, form: Form, unit: float | None) -> GramRow:
        """The kernel with every training node, in a form."""
        own = self.grams.own
        sums = np.asarray(self.grams.values[:, 0], dtype=np.float64)
        return GramRow.of(form, unit, sums, own[:, [self.node]], own[:, self.training])

    def flow(self, weights: Float64, execution: Execution) -> tuple[Index, Flow]:
        """Share out a weighted sum of kappa_h with the training nodes.

        Parameters
        ----------
        weights : ndarray of shape (n_hops, n_training)

        Returns
        -------
        nodes : ndarray
            The nodes that have a share, as positions in the batch.
        shares : Flow
            Of these nodes, and of the edges between them.
        """
        kernel, n = self.kernel, self.batch.n_nodes
        down, across = np.zeros(n), np.zeros((len(weights), n))
        down[self.node], across[:, self.training] = 1.0, weights
        if kernel.restart is not None:
            both = np.vstack([down, across])
            down, *hops = walk_ends(self.batch, kernel.restart, both, execution)
            across = np.array(hops)
        nodes = self._around(np.flatnonzero(down))
        training = self._around(np.flatnonzero(across.any(axis=0)))
        stars = ComparedStars.of(self._stars(nodes), self._stars(training))
        return nodes, stars.flow(down[nodes], across[:, training], execution)

    @cached_property
    def columns(self) -> tuple[Positions, Positions]:
        """The columns of node features that are compared in vectors, and by nonzeros."""
        return filled_columns(self.batch, self.kernel.spec.nodes)

    @cached_property
    def _names(self) -> Names:
        """Names of all stars, equal where stars are alike."""
        return star_names(self.batch, self.kernel.spec)

    def _around(self, nodes: Index) -> Index:
        """The nodes within as many steps of some nodes as there are hops, in ascending order."""
        star = star_pattern(self.batch)
        reached = np.zeros(self.batch.n_nodes, dtype=bool)
        reached[nodes] = True
        for _ in range(self.kernel.spec.n_hops):
            reached = np.asarray(star @ reached, dtype=bool)
        return np.flatnonzero(reached)

    def _stars(self, nodes: Index) -> PairwisePrepared:
        """The stars of some nodes, as they are in the whole graph.

        The stars at the rim lack members. That makes no difference: shares flow from the middle
        outwards, and what arrives there goes to attributes.
        """
        spec, filled = self.kernel.spec, self.columns[0]
        similarity = spec.nodes.with_dense_features(len(filled))
        spec = replace(spec, dtype="float64", nodes=similarity)
        batch = self.batch.induced(nodes)
        if batch.features is not None:
            sparse = batch.features[:, self.columns[1]]
            batch = replace(batch, nodes=batch.dense_nodes(filled), features=sparse)
        node_levels, edge_levels = star_matrices(batch, spec)
        names = np.empty((spec.n_hops, 0), dtype="S1")
        if spec.guarded:
            names = self._names[:, nodes]
        return PairwisePrepared(
            batch,
            spec,
            np.zeros((spec.n_hops, 1)),
            Members.from_matrices(node_levels),
            Members.from_matrices(edge_levels),
            inverse_root(self.grams.star_self[:, nodes]),
            names,
        )


@dataclass(frozen=True, eq=False)
class NodePart:
    """What one kernel has in a decision about a node, as sums over stars.

    Parameters
    ----------
    compared : ComparedNode
    weights : ndarray of shape (n_hops, n_training)
        What a unit of kappa_h with a training node is worth.
    rest : float
        What no star has: of a Gaussian form, the decision about a node unlike everything.
    by_item : ndarray of shape (n_training,)
        The share of each training node.
    """

    compared: ComparedNode
    weights: Float64
    rest: float
    by_item: Float64
    execution: Execution

    @classmethod
    def of(cls, compared: ComparedNode, terms: Sequence[Term], execution: Execution) -> NodePart:
        """Add up the terms of a kernel."""
        shape = compared.kernel.spec.n_hops, len(compared.training)
        return cls(compared, *added_up(compared, terms, shape), execution)

    @cached_property
    def _shares(self) -> tuple[Index, Flow]:
        """The nodes of the judged graph that have a share, and the shares."""
        compared = self.compared
        nodes, shares = compared.flow(self.weights, self.execution)
        return nodes - (compared.batch.n_nodes - compared.graph.n_nodes), shares

    @property
    def hops(self) -> Float64:
        """The share of the star of each node at each hop, (n_hops, n_nodes)."""
        compared = self.compared
        hops = np.zeros((len(self.weights), compared.graph.n_nodes))
        if compared.kernel.restart is None:
            node = compared.node - (compared.batch.n_nodes - compared.graph.n_nodes)
            hops[:, node] = (self.weights * compared.grams.values[:, 0]).sum(axis=1)
        else:
            nodes, shares = self._shares
            hops[:, nodes] = shares.stars
        return hops

    def flow(self, execution: Execution) -> tuple[AttributeShares, Float64]:
        """The shares of attributes, and of edges, (n_edges,)."""
        compared, graph = self.compared, self.compared.graph
        nodes, shares = self._shares
        schema, sparse = compared.kernel.schema, compared.columns[1]
        edges = np.zeros(graph.n_edges)
        within = np.zeros(graph.n_nodes, dtype=bool)
        within[nodes] = True
        edges[within[graph.edges].all(axis=1)] = shares.edges
        return AttributeShares.of(shares, schema, nodes, sparse), edges

"""From a model of nodes and a node to an explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from nask.arrays import Float64, Index
from nask.engines.nodes.gram import NodeGrams
from nask.engines.pairwise.prepared import PairwisePrepared
from nask.engines.pairwise.shares import ComparedStars, Flow
from nask.exceptions import ParameterError
from nask.execution.execution import Execution
from nask.explain.deciding import Asked, Decider, Neighbour, Term
from nask.explain.explanation import Explanation
from nask.explain.gram_row import GramRow
from nask.explain.parts import added_up, by_name
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.io.coerce import as_graph
from nask.kernels.fitted_nodes import FittedNodeKernel
from nask.kernels.forms import Form
from nask.kernels.parameters import is_integer
from nask.numeric import inverse_root
from nask.optional import named
from nask.stars.alike import star_names
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
        rows = self._stars(nodes)
        columns = self._stars(np.arange(kernel.n_nodes))
        stars, training = ComparedStars.of(rows, columns), across[:, : kernel.n_nodes]
        return nodes, stars.flow(down[nodes], training, execution)

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
        spec = self.kernel.spec
        spec = replace(spec, dtype="float64", nodes=spec.nodes.with_dense_features())
        batch = self.batch.induced(nodes).with_dense_features()
        node_levels, edge_levels = star_matrices(batch, spec.n_hops, spec.expansion)
        names = np.empty((spec.n_hops, 0), dtype="S1")
        if spec.guarded:
            names = star_names(self.batch, self.kernel.spec)[:, nodes]
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

    def flow(self, execution: Execution) -> tuple[dict[str, Float64], Float64]:
        """The shares of attributes, each (n_nodes,) by name, and of edges, (n_edges,)."""
        graph = self.compared.graph
        nodes, shares = self._shares
        attributes = {}
        for name, own in by_name(shares, self.compared.kernel.schema).items():
            attributes[name] = np.zeros(graph.n_nodes)
            attributes[name][nodes] = own
        edges, within = np.zeros(graph.n_edges), np.isin(graph.edges, nodes).all(axis=1)
        edges[within] = shares.edges
        return attributes, edges


@dataclass(frozen=True, eq=False, repr=False)
class NodeExplanation(Explanation):
    """Why a model decides as it does about a node of a graph.

    ``hops`` has the shares of stars: that of the node itself, and with ``restart`` those of the
    stars where its walks end. ``nodes`` has what these stars are made of: all nodes around.
    """

    node: int
    parts: Sequence[NodePart]

    def __repr__(self) -> str:
        return (
            f"NodeExplanation(node {self.node}, {self.quantity}: {self.decision:.4g} = "
            f"{self.intercept:.4g} + shares of nodes around)"
        )

    @property
    def nodes(self) -> Float64:
        """The share of each node as a member of the stars that decide, (n_nodes,).

        With the intercept they add up to the decision.
        """
        return self.members

    @property
    def item(self) -> str:
        """What training is made of: graphs, or nodes."""
        return "node"

    @property
    def leaning(self) -> Float64:
        """The shares with equal parts of the intercept, of the node and all that have a share.

        They add up to the decision.
        """
        nodes = self.nodes
        reached = nodes != 0
        reached[self.node] = True
        return np.asarray(nodes + reached * (self.intercept / int(reached.sum())))

    @property
    def background(self) -> Float64:
        """The size of the share of each node: most nodes of a network have none."""
        return np.abs(self.nodes)

    def plot(self, most: int = 40, **options: Any) -> Any:
        """Draw the nodes around with their shares, and bars beside them.

        Parameters
        ----------
        most : int, default=40
            At most so many nodes, those with the largest shares.
        **options
            Those of ``nask.plots.explanation``.
        """
        if not is_integer(most) or most < 1:
            raise ParameterError.expected("most", "plot", "an int in the range [1, inf)", most)
        sizes = np.abs(self.nodes)
        sizes[self.node] = np.inf
        nodes = np.sort(np.argsort(-sizes, kind="stable")[: min(most, np.count_nonzero(sizes))])
        within = np.isin(self.graph.edges, nodes).all(axis=1)
        shown = Shown(
            self.graph.induced(nodes),
            f"node {self.node}, {self.quantity}",
            self.decision,
            self.intercept,
            self.nodes[nodes],
            self.leaning[nodes],
            self.hops[:, nodes],
            self.attributes[nodes],
            self.attribute_names,
            self.edges[within],
            self.neighbours,
            self.item,
        )
        marked = [f"[{node}]" if node == self.node else str(node) for node in nodes]
        return named("nask.plots:explanation")(shown, **{"labels": marked, **options})


class Shown(NamedTuple):
    """What a picture has of an explanation: the shares of some nodes."""

    graph: AttributedGraph
    quantity: str
    decision: float
    intercept: float
    nodes: Float64
    leaning: Float64
    hops: Float64
    attributes: Float64
    attribute_names: tuple[str, ...]
    edges: Float64
    neighbours: tuple[Neighbour, ...]
    item: str


def check_node(node: Any, graph: AttributedGraph) -> None:
    """Raise unless it is the position of a node."""
    if not is_integer(node) or not 0 <= node < graph.n_nodes:
        raise ParameterError(
            f"The 'node' of explain must be the position of a node, an int from 0 to "
            f"{graph.n_nodes - 1}. Got {node!r} instead."
        )


def explain_node(
    graph: Any,
    node: Any,
    kernels: Sequence[FittedNodeKernel],
    decider: Decider,
    asked: Asked,
    execution: Execution,
) -> NodeExplanation:
    """Share out what a model decides about a node.

    Parameters
    ----------
    graph : graph
        The training graph, or another one.
    node : int
    kernels : sequence of FittedNodeKernel
        All on the same training graph.
    decider : Decider
        With functions on each of the kernels.
    asked : Asked
    execution : Execution
    """
    own = as_graph(graph)
    check_node(node, own)
    quiet, training = replace(execution, progress=False), np.asarray(decider.training)
    compared = [ComparedNode.of(own, int(node), one, training, quiet) for one in kernels]
    answer = decider.answer(compared, asked)
    parts = [NodePart.of(*each, quiet) for each in zip(compared, answer.terms, strict=True)]
    intercept = answer.constant + sum(part.rest for part in parts)
    by_node = np.sum([part.by_item for part in parts], axis=0)
    return NodeExplanation(
        graph=own,
        node=int(node),
        **answer.words,
        decision=intercept + float(by_node.sum()),
        intercept=intercept,
        neighbours=decider.neighbours(by_node),
        parts=tuple(parts),
        execution=quiet,
    )

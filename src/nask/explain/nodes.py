"""From a model of nodes and a node to an explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from nask.arrays import Float64
from nask.exceptions import ParameterError
from nask.execution.execution import Execution
from nask.explain.deciding import Asked, Decider, Neighbour
from nask.explain.explanation import Explanation
from nask.explain.node_parts import ComparedNode, NodePart
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graph
from nask.kernels.fitted_nodes import FittedNodeKernel
from nask.kernels.parameters import is_integer
from nask.optional import named


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

"""The explanation of one decision: exact shares that add up to it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from nask.arrays import Float64
from nask.exceptions import ParameterError, did_you_mean
from nask.execution.execution import Execution
from nask.explain.attribute_shares import AttributeShares
from nask.explain.background import above_background
from nask.explain.deciding import Neighbour
from nask.explain.judge import batch_size
from nask.explain.parts import GraphPart
from nask.graph.attributed_graph import AttributedGraph
from nask.messages import quoted
from nask.optional import named, require


class Part(Protocol):
    """What one kernel has in a decision."""

    @property
    def hops(self) -> Float64:
        """The share of the star of each node at each hop, (n_hops, n_nodes)."""

    def flow(self, execution: Execution) -> tuple[AttributeShares, Float64]:
        """The shares of attributes, and of edges, (n_edges,)."""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Why a model decides as it does: shares that add up to the decision.

    Made by ``model.explain``. A decision is a sum over all pairs of stars, one of the graph and one
    of training, so that every star has an exact share in it; no sampling, no surrogate. A star of
    several hops is made of other nodes, too: its share flows down to their attributes and to edges
    (``attributes``, ``edges``, ``members``), which takes a second pass when it is first asked for.

    Parameters
    ----------
    graph : AttributedGraph
    quantity : str
        What is explained, in words.
    target, against : class or None
        The class in question, and the one it is compared with.
    prediction : class or float
        What the model predicts.
    decision : float
        The quantity that the shares add up to.
    intercept : float
        What no node has: the decision about something that is unlike all of training.
    neighbours : tuple of Neighbour
        The training graphs, or nodes, with their shares, the loudest first; a negative share speaks
        against. They speak by how much more like them this one is than like others.
    parts : tuple
        What the shares are made of, one part per kernel.
    execution : Execution
        How later passes are run.
    """

    graph: AttributedGraph
    quantity: str
    target: Any
    against: Any
    prediction: Any
    decision: float
    intercept: float
    neighbours: tuple[Neighbour, ...]
    parts: Sequence[Part]
    execution: Execution

    def __repr__(self) -> str:
        return (
            f"Explanation({self.quantity}: {self.decision:.4g} = {self.intercept:.4g} + "
            f"{self.graph.n_nodes} nodes)"
        )

    @property
    def item(self) -> str:
        """What training is made of: graphs, or nodes."""
        return "graph"

    @property
    def baseline(self) -> str:
        """What the intercept is the decision about: shares tell what is different from it."""
        return f"a {self.item} unlike every training {self.item}"

    @property
    def hops(self) -> Float64:
        """The share of the star around each node at each hop, (n_hops, n_nodes)."""
        # A copy: what a user does to it is not to change what else is read from it.
        return self._hops.copy()

    @cached_property
    def _hops(self) -> Float64:
        found = [part.hops for part in self.parts]
        total = np.zeros((max(map(len, found)), self.graph.n_nodes))
        for own in found:
            total[: len(own)] += own
        return total

    @property
    def nodes(self) -> Float64:
        """The share of the star around each node, (n_nodes,).

        With the intercept they add up to the decision.
        """
        return np.asarray(self._hops.sum(axis=0))

    @property
    def leaning(self) -> Float64:
        """The share of each node with an equal part of the intercept, (n_nodes,).

        These add up to the decision itself, so that their signs tell for and against: the shares
        of all nodes may be negative where the intercept is large.
        """
        return self.nodes + self.intercept / max(1, self.graph.n_nodes)

    @property
    def background(self) -> Float64:
        """How loud the stars around each node are, whatever their sign, (n_nodes,).

        It says where to look: what stands out of the background of its graph. See
        :func:`~nask.explain.background.above_background`.
        """
        return above_background(self.graph, self.nodes)

    @cached_property
    def _flow(self) -> tuple[AttributeShares, Float64]:
        attributes, edges = zip(*(part.flow(self.execution) for part in self.parts), strict=True)
        return AttributeShares.added_up(attributes), np.sum(edges, axis=0)

    @property
    def attribute_names(self) -> tuple[str, ...]:
        """The attributes of nodes, by column of ``attributes``."""
        return self._flow[0].names

    @property
    def attributes(self) -> Float64:
        """The share of each attribute of each node, (n_nodes, n_attributes).

        With those of edges and the intercept they add up to the decision. A node has a share as a
        member of stars, its own and those of others. With ``similarity="euclidean"``, which makes
        P of all attributes at once, these have one share together.
        """
        return self._flow[0].table(self.graph.n_nodes)

    @property
    def edges(self) -> Float64:
        """The share of each edge, (n_edges,), in the order of ``graph.edges``."""
        return self._flow[1].copy()

    @property
    def members(self) -> Float64:
        """The share of each node as a member of all stars it is in, (n_nodes,).

        Its attributes, and half of each of its edges. With the intercept these add up to the
        decision, too.
        """
        total = self._flow[0].by_node(self.graph.n_nodes)
        for end in self.graph.edges.T:
            np.add.at(total, end, 0.5 * self._flow[1])
        return total

    def to_json(self) -> dict[str, Any]:
        """Return all shares as numbers, texts and lists."""
        return {
            "quantity": self.quantity,
            "target": self.target,
            "against": self.against,
            "prediction": self.prediction,
            "decision": self.decision,
            "intercept": self.intercept,
            "baseline": self.baseline,
            "nodes": self.nodes.tolist(),
            "hops": self.hops.tolist(),
            "background": self.background.tolist(),
            "attribute_names": list(self.attribute_names),
            "attributes": self.attributes.tolist(),
            "edges": [
                {"ends": ends, "share": share}
                for ends, share in zip(self.graph.edges.tolist(), self.edges.tolist(), strict=True)
            ],
            "neighbours": [own._asdict() for own in self.neighbours],
        }

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row per node: its share, hop by hop, and attributes."""
        pandas = require("pandas", "frames")
        names = [f"share of {name}" for name in self.attribute_names]
        columns: dict[str, Any] = {
            "node": np.arange(self.graph.n_nodes),
            "share": self.nodes,
            "background": self.background,
            **{f"hop {h + 1}": own for h, own in enumerate(self.hops)},
            "member": self.members,
            **dict(zip(names, self.attributes.T, strict=True)),
        }
        return pandas.DataFrame(columns)

    def plot(self, **options: Any) -> Any:
        """Draw the graph with its shares; the options are those of ``nask.plots.explanation``."""
        return named("nask.plots:explanation")(self, **options)


@dataclass(frozen=True, eq=False, repr=False)
class GraphExplanation(Explanation):
    """Why a model decides as it does about a graph."""

    parts: Sequence[GraphPart]

    def if_missing(self, attributes: Any = None) -> Float64:
        """By how much the decision would change if a value were missing, (n_nodes, n_attributes).

        The model judges the graph anew without each of its values. Unlike shares, such changes do
        not add up.

        Parameters
        ----------
        attributes : str or sequence of str, default=None
            One or some of ``attribute_names``; all by default.
        """
        chosen = self.attribute_names if attributes is None else _names(attributes)
        for name in chosen:
            if name not in self.attribute_names:
                hint = did_you_mean(name, self.attribute_names)
                raise ParameterError(f"The explanation has no attribute {quoted(name)}. {hint}")
        n, size = self.graph.n_nodes, batch_size(self.graph)
        changes = np.zeros((n, len(chosen)))
        for column, name in enumerate(chosen):
            for first in range(0, n, size):
                nodes = np.arange(first, min(first + size, n))
                without = sum(part.without(name, nodes, self.execution) for part in self.parts)
                changes[nodes, column] = without
        return changes - sum(part.as_it_is(self.execution) for part in self.parts)


def _names(given: Any) -> tuple[str, ...]:
    """The names of attributes that a user gives, one or several."""
    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, Collection) or not all(isinstance(name, str) for name in names):
        expected = "a name of attribute_names, or a list of them"
        raise ParameterError.expected("attributes", "if_missing", expected, given)
    return tuple(names)

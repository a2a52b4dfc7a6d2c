"""What is drawn of an explanation: its parts, its headline, and its shares as bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from nask.arrays import Float64
from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.plots.share_bars import loudest, short
from nask.plots.signed_scale import as_amounts, signed

MOST_NEIGHBOURS = 5

# Names, shares and a title.
Bars = tuple[list[str], Float64, str]


class Explained(Protocol):
    """What is drawn of an explanation; shares and the intercept add up to the decision."""

    @property
    def graph(self) -> AttributedGraph:
        """The graph that was judged."""

    @property
    def decision(self) -> float:
        """The number that is explained."""

    @property
    def intercept(self) -> float:
        """What no node accounts for."""

    @property
    def nodes(self) -> Float64:
        """Share of the star around each node."""

    @property
    def hops(self) -> Float64:
        """The same by hops, of shape (n_hops, n_nodes)."""

    @property
    def attributes(self) -> Float64:
        """Shares of the attributes of each node, of shape (n_nodes, n_attributes)."""

    @property
    def attribute_names(self) -> Sequence[str]:
        """Names of the attributes."""

    @property
    def edges(self) -> Float64:
        """Share of each edge."""

    @property
    def neighbours(self) -> Iterable[tuple[int, float]]:
        """Training graphs that spoke loudest: position and share."""


def headline(why: Explained) -> str:
    """Return what was decided, and what it adds up from.

    An explanation of a class has it as ``target``, and the class that it is compared with, if there
    is one, as ``against``.
    """
    # An explanation of a number has neither.
    target, against = getattr(why, "target", None), getattr(why, "against", None)
    stars = float(np.sum(why.nodes))
    decision = (
        f"decision {signed(why.decision)} = intercept {signed(why.intercept)} and stars "
        f"{signed(stars)}"
    )
    if target is None:
        return decision.capitalize()
    rival = "" if against is None else f" against {short(str(against))}"
    return f"Class {short(str(target))}{rival}: {decision}"


def by_hop(why: Explained) -> Bars:
    """Sum of the shares of each hop."""
    rows = np.asarray(why.hops)
    shares = [as_amounts(row, why.graph.n_nodes, "hops", "node").sum() for row in rows]
    return [f"hop {hop}" for hop in range(1, len(rows) + 1)], np.array(shares), "Stars, by hop"


def by_attribute(why: Explained) -> Bars:
    """Sum of the shares of each attribute, and that of all edges; ten bars at most."""
    columns = np.asarray(why.attributes).T
    names = list(why.attribute_names)
    if len(names) != len(columns):
        raise ParameterError(
            f"attributes must have one name per column. Got {len(names)} names for "
            f"{len(columns)} columns."
        )
    shares = [as_amounts(own, why.graph.n_nodes, "attributes", "node").sum() for own in columns]
    if why.graph.n_edges:
        names, shares = [*names, "edges"], [*shares, np.sum(why.edges)]
    return *loudest(names, np.array(shares)), "Attributes of nodes, and edges"


def by_neighbour(why: Explained) -> Bars:
    """Up to five training graphs on either side: the loudest for first, that against last."""
    pairs = sorted(((float(share), int(at)) for at, share in why.neighbours), reverse=True)
    for_it = [pair for pair in pairs if pair[0] > 0][:MOST_NEIGHBOURS]
    against = [pair for pair in pairs if pair[0] < 0][-MOST_NEIGHBOURS:]
    names = [f"graph {at}" for _, at in for_it + against]
    shares = np.array([share for share, _ in for_it + against])
    return names, shares, "Training graphs that spoke loudest"

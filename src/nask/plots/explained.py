"""What is drawn of an explanation: its parts, its headline, and its shares as bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from nask.arrays import Float64
from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.plots.share_bars import loudest
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
    def quantity(self) -> str:
        """What is explained, in words."""

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
    def leaning(self) -> Float64:
        """The same with parts of the intercept: these add up to the decision."""

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
    """Return what was decided, and what it adds up from."""
    what = why.quantity[:1].upper() + why.quantity[1:]
    stars = float(np.sum(why.nodes))
    return (
        f"{what}: {signed(why.decision)} = intercept {signed(why.intercept)} and stars "
        f"{signed(stars)}"
    )


def deviation(shares: Float64) -> Float64:
    """How far shares are from their mean.

    All stars are alike to some degree, and what they have in common cancels in a decision: large
    shares of hops, attributes and edges stand against each other. What differs from node to node,
    or from edge to edge, tells.
    """
    return shares - shares.mean() if len(shares) else shares


def by_hop(why: Explained) -> Bars:
    """How much the shares of nodes differ at each hop: the sum of their deviations."""
    rows = [as_amounts(row, why.graph.n_nodes, "hops", "node") for row in np.asarray(why.hops)]
    shares = [np.abs(deviation(row)).sum() for row in rows]
    names = [f"hop {hop}" for hop in range(1, len(rows) + 1)]
    return names, np.array(shares), "What tells nodes apart, by hop"


def by_attribute(why: Explained) -> Bars:
    """The same of each attribute, and of all edges; ten bars at most."""
    columns = np.asarray(why.attributes).T
    names = list(why.attribute_names)
    if len(names) != len(columns):
        raise ParameterError(
            f"attributes must have one name per column. Got {len(names)} names for "
            f"{len(columns)} columns."
        )
    own = [as_amounts(column, why.graph.n_nodes, "attributes", "node") for column in columns]
    if why.graph.n_edges:
        names, own = [*names, "edges"], [*own, why.edges]
    shares = np.array([np.abs(deviation(column)).sum() for column in own])
    return *loudest(names, shares), "By attribute of nodes, and by edges"


def by_neighbour(why: Explained) -> Bars:
    """Up to five training graphs on either side: the loudest for first, that against last."""
    pairs = sorted(((float(share), int(at)) for at, share in why.neighbours), reverse=True)
    for_it = [pair for pair in pairs if pair[0] > 0][:MOST_NEIGHBOURS]
    against = [pair for pair in pairs if pair[0] < 0][-MOST_NEIGHBOURS:]
    # What training is made of, of an explanation that says so.
    item = getattr(why, "item", "graph")
    names = [f"{item} {at}" for _, at in for_it + against]
    shares = np.array([share for share, _ in for_it + against])
    return names, shares, f"Training {item}s that spoke loudest"

"""Colours of nodes: after h rounds, two nodes have the same colour if their stars are equal.

These are the colours of Weisfeiler and Leman, starting from the encoded attributes. They are found
by sorting, not by hashing, so two colours are equal exactly where the stars are. A walk is told by
the same colours, which also tell apart some walks that are equal: those whose cores are equal, but
not as stars.

With ``max_leaves`` it is the kept leaves, and the kept edges, that make a star. Colours of all
leaves and all edges would not do: a star may keep any of its edges, by where they lead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from nask.arrays import Index
from nask.graph.batch import GraphBatch
from nask.graph.elements import Elements
from nask.graph.numbering import number_multisets, number_pairs
from nask.stars.members import kept_leaves
from nask.stars.spec import StarSpec


@dataclass(frozen=True, eq=False)
class StarColours:
    """Colours of the nodes and edges of a batch, counted from 0.

    Parameters
    ----------
    edges : ndarray of shape (n_edges,)
        Equal where edges have equal attributes.
    bundles : ndarray of shape (n_nodes,)
        Equal where the edges of two nodes have equal colours, each as often.
    levels : list of ndarray of shape (n_nodes,)
        One array per number of hops, from 0 on: equal where nodes have equal stars.
    """

    edges: Index
    bundles: Index
    levels: list[Index]

    @classmethod
    def of(cls, batch: GraphBatch, spec: StarSpec) -> StarColours:
        """Return the colours of a batch for 0 to ``spec.n_hops`` hops.

        Examples
        --------
        >>> import nask
        >>> path = nask.AttributedGraph(4, edges=[(0, 1), (1, 2), (2, 3)])
        >>> training = nask.NASK(n_hops=1).fit([path]).fitted_.graphs
        >>> [level.tolist() for level in StarColours.of(training.batch, training.spec).levels]
        [[0, 0, 0, 0], [0, 1, 1, 0]]
        """
        edges, bundles, levels = star_colours(batch, spec)
        return cls(edges, bundles, list(islice(levels, spec.n_hops + 1)))

    def take(self, nodes: Index, edges: Index) -> StarColours:
        """Return the colours of some nodes and edges."""
        levels = [level[nodes] for level in self.levels]
        return StarColours(self.edges[edges], self.bundles[nodes], levels)


def star_colours(batch: GraphBatch, spec: StarSpec) -> tuple[Index, Index, Iterator[Index]]:
    """Return colours of the edges, bundles, and the colours of nodes for 0, 1, 2, ... hops.

    Bundles are colours of the nodes by the edges of their stars. Where edges do not count, all of
    them are equal, and all bundles too.
    """
    core, leaf, edge = kept_leaves(batch, spec)
    edges, bundles = (np.zeros(n, dtype=np.int64) for n in (len(batch.edges), batch.n_nodes))
    if spec.use_edges:
        edges = attribute_colours(batch.edges)
        bundles = number_multisets(bundles, core, edges[edge])
    return edges, bundles, _refined(attribute_colours(batch.nodes), core, leaf, bundles)


def node_colours(batch: GraphBatch) -> Iterator[Index]:
    """Yield the colours of the nodes for 0, 1, 2, ... hops, without end, by nodes alone.

    A star of h hops is determined by its core and its leaves, which are stars of h - 1 hops. From
    one hop on, a node with more leaves has a larger colour.
    """
    return refined_colours(attribute_colours(batch.nodes), batch.endpoints)


def refined_colours(colours: Index, endpoints: Index) -> Iterator[Index]:
    """Yield the colours of nodes after 0, 1, 2, ... rounds of Weisfeiler and Leman, without end.

    After a round two nodes have the same colour if they had before, and if the multisets of their
    neighbours' colours are equal.

    Examples
    --------
    >>> path, alike = np.array([[0, 1], [1, 2], [2, 3], [3, 4]]), np.zeros(5, dtype=np.int64)
    >>> [colours.tolist() for colours in islice(refined_colours(alike, path), 3)]
    [[0, 0, 0, 0, 0], [0, 1, 1, 1, 0], [0, 1, 2, 1, 0]]
    """
    nodes, leaves = endpoints.T.ravel(), endpoints[:, ::-1].T.ravel()
    return _refined(colours, nodes, leaves, None)


def _refined(colours: Index, nodes: Index, leaves: Index, bundles: Index | None) -> Iterator[Index]:
    """Yield colours after each round, where ``leaves[k]`` is a leaf of ``nodes[k]``."""
    while True:
        yield colours
        cores = colours if bundles is None else number_pairs(colours, bundles)
        colours = number_multisets(cores, nodes, colours[leaves])


def attribute_colours(elements: Elements) -> Index:
    """Return colours of nodes, or edges, by their attributes; all missing values are equal."""
    colours = np.zeros(len(elements), dtype=np.int64)
    for values in (*elements.numerical, *np.maximum(elements.categorical, -1)):
        colours = number_pairs(colours, np.unique(values, return_inverse=True)[1])
    return colours


def least_colours(elements: Elements) -> int:
    """Return a lower bound of the number of colours by attributes.

    It counts the distinct values of one sum of all attributes with irrational weights. This takes
    one sort, where the colours take one per attribute.

    Examples
    --------
    >>> ptr, codes = np.array([0, 3]), np.empty((0, 3), np.int32)
    >>> least_colours(Elements(ptr, np.array([[0.5, 0.5, 1.0], [1.0, np.nan, 1.0]]), codes))
    3
    """
    total = np.zeros(len(elements))
    # Row by row: a matrix product may round equal columns in different ways.
    values = (*elements.numerical, *np.maximum(elements.categorical, -1))
    for d, row in enumerate(values, start=2):
        total += np.sqrt(d + 0.5) * np.where(np.isnan(row), -np.pi, row)
    ordered = np.sort(total)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + min(1, len(ordered))

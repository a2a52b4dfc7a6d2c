"""Colours of nodes: after h rounds, two nodes have the same colour if their stars are equal.

These are the colours of Weisfeiler and Leman, starting from the encoded attributes. They are found
by sorting, not by hashing, so two colours are equal exactly where the stars are.
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
    def of(cls, batch: GraphBatch, n_hops: int, use_edges: bool) -> StarColours:
        """Return the colours of a batch for 0 to ``n_hops`` hops.

        Examples
        --------
        >>> import nask
        >>> from nask.graph.schema import Schema
        >>> path = nask.AttributedGraph(4, edges=[(0, 1), (1, 2), (2, 3)])
        >>> batch = GraphBatch.encode([path], Schema.fit([path]))
        >>> [level.tolist() for level in StarColours.of(batch, 1, use_edges=True).levels]
        [[0, 0, 0, 0], [0, 1, 1, 0]]
        """
        edges, bundles = edge_colours(batch, use_edges)
        levels = list(islice(node_colours(batch, bundles), n_hops + 1))
        return cls(edges, bundles, levels)

    def take(self, nodes: Index, edges: Index) -> StarColours:
        """Return the colours of some nodes and edges."""
        levels = [level[nodes] for level in self.levels]
        return StarColours(self.edges[edges], self.bundles[nodes], levels)


def edge_colours(batch: GraphBatch, use_edges: bool) -> tuple[Index, Index]:
    """Return colours of the edges, and bundles: colours of the nodes by their edges.

    All are equal if ``use_edges`` is false.
    """
    n = batch.n_nodes
    if not use_edges:
        return np.zeros(len(batch.edges), dtype=np.int64), np.zeros(n, dtype=np.int64)
    colours = attribute_colours(batch.edges)
    nodes = batch.endpoints.T.ravel()
    bundles = number_multisets(np.zeros(n, dtype=np.int64), nodes, np.tile(colours, 2))
    return colours, bundles


def node_colours(batch: GraphBatch, bundles: Index) -> Iterator[Index]:
    """Yield the colours of the nodes for 0, 1, 2, ... hops, without end.

    A star of h hops is determined by its core and its leaves, which are stars of h - 1 hops, and
    by its edges. From one hop on, a node with more leaves has a larger colour.
    """
    return refined_colours(attribute_colours(batch.nodes), batch.endpoints, bundles)


def refined_colours(
    colours: Index, endpoints: Index, bundles: Index | None = None
) -> Iterator[Index]:
    """Yield the colours of nodes after 0, 1, 2, ... rounds of Weisfeiler and Leman, without end.

    After a round two nodes have the same colour if they had before, if the multisets of their
    neighbours' colours are equal, and if their ``bundles`` are, where given.

    Examples
    --------
    >>> path, alike = np.array([[0, 1], [1, 2], [2, 3], [3, 4]]), np.zeros(5, dtype=np.int64)
    >>> [colours.tolist() for colours in islice(refined_colours(alike, path), 3)]
    [[0, 0, 0, 0, 0], [0, 1, 1, 1, 0], [0, 1, 2, 1, 0]]
    """
    nodes, leaves = endpoints.T.ravel(), endpoints[:, ::-1].T.ravel()
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

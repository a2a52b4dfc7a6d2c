"""What a search finds: graphs, how similar they are, and which of their stars match."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, overload

import numpy as np

from nask.arrays import Float64, Positions
from nask.explain.alignment import Alignment, Match, align_known
from nask.graph.attributed_graph import AttributedGraph
from nask.kernels.nask import NASK
from nask.numeric import inverse_root
from nask.optional import named
from nask.search.ranking import as_similarities

# The most hits that the text of a result lists.
MOST_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Hit:
    """A graph of an index that is similar to a query.

    Parameters
    ----------
    position : int
        Of the graph in the index.
    id : hashable
        The id of the graph, or its position where graphs have none.
    similarity : float
        The normalised kernel between query and graph, from 0 to 1.
    graph, query : AttributedGraph
    kernel : NASK
        The kernel of the index.
    """

    position: int
    id: Hashable
    similarity: float
    graph: AttributedGraph = field(repr=False)
    query: AttributedGraph = field(repr=False)
    kernel: NASK = field(repr=False)

    def align(self) -> Alignment:
        """The share of each pair of stars, of the query and of the graph, in their similarity."""
        return align_known(self.kernel, self.query, self.graph)

    @cached_property
    def stars(self) -> list[Match]:
        """Pairs of a node of the query and one of the graph whose stars match, the best first.

        Each node is in one pair at most. They are found when they are first asked for.
        """
        return self.align().matches()

    @cached_property
    def likeness(self) -> Float64:
        """How alike each star of the query and each of the graph are, 0 to 1, (n_nodes, n_nodes).

        The kernel between the two stars, normalised, over all hops: 1 for stars that are alike.
        """
        return _likeness(self.kernel, self.query, self.graph)


@dataclass(frozen=True, eq=False, repr=False)
class Hits(Sequence[Hit]):
    """The graphs of an index that are most similar to a query, the most similar first.

    Parameters
    ----------
    query : AttributedGraph
    positions : ndarray of shape (n_hits,)
        Of the graphs in the index.
    similarities : ndarray of shape (n_hits,)
    graphs : sequence of AttributedGraph
        All graphs of the index.
    ids : sequence of hashable
        All ids.
    kernel : NASK

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs
    >>> hits = nask.Index(graphs).query(graphs[3], k=2)
    >>> hits
    2 of 188 graphs:
      id similarity
      3  1.0000
      79 0.9999
    >>> hits[1].position, hits.similarities.round(3).tolist()
    (79, [1.0, 1.0])
    """

    query: AttributedGraph
    positions: Positions
    similarities: Float64
    graphs: Sequence[AttributedGraph]
    ids: Sequence[Hashable]
    kernel: NASK

    def __len__(self) -> int:
        return len(self.positions)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        if isinstance(index, slice):
            return list(self._hits[index])
        return self._hits[index]

    @cached_property
    def likeness(self) -> Float64:
        """How alike the stars of the query are with each other, as :attr:`Hit.likeness`."""
        return _likeness(self.kernel, self.query, self.query)

    @cached_property
    def _hits(self) -> tuple[Hit, ...]:
        found = zip(self.positions.tolist(), self.similarities.tolist(), strict=True)
        return tuple(
            Hit(place, self.ids[place], value, self.graphs[place], self.query, self.kernel)
            for place, value in found
        )

    def __repr__(self) -> str:
        names = ["id", *(str(hit.id) for hit in self._hits[:MOST_SHOWN])]
        values = ["similarity", *(f"{hit.similarity:.4f}" for hit in self._hits[:MOST_SHOWN])]
        width = max(map(len, names))
        lines = [f"  {own:<{width}} {value}" for own, value in zip(names, values, strict=True)]
        more = ["  ..."] if len(self) > MOST_SHOWN else []
        return "\n".join([f"{len(self)} of {len(self.graphs)} graphs:", *lines, *more])

    def plot(self, **options: Any) -> Any:
        """Draw query and hits, stars that match in one colour; see ``nask.plots.hits``."""
        return named("nask.plots:hits")(self, **options)


def _likeness(kernel: NASK, graph: AttributedGraph, other: AttributedGraph) -> Float64:
    roots = [
        inverse_root(np.diagonal(align_known(kernel, own, own).matrix)) for own in (graph, other)
    ]
    return as_similarities(align_known(kernel, graph, other).matrix * np.outer(*roots))

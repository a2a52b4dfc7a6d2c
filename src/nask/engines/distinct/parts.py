"""Stretches of graphs as the distinct stars in them, so few graphs at a time that P fits memory."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import sparse

from nask.arrays import Positions
from nask.engines.compiled.vectors import LANES
from nask.engines.contract import Prepared
from nask.engines.distinct.rows import DistinctStars
from nask.engines.pairwise.engine import PairwisePrepared
from nask.execution.execution import Execution
from nask.graph.elements import Elements
from nask.stars.alike import Labels
from nask.stars.colours import StarColours
from nask.stars.members import lists_of
from nask.storage.window import Window

# Bytes of P to store where no limit is given.
STORED_BYTES = 2_000_000_000

Index = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DistinctPrepared(Prepared):
    """A batch with the colours of its stars; their members and norms are those by node."""

    colours: StarColours
    by_node: PairwisePrepared

    def take(self, graphs: Positions) -> DistinctPrepared:
        """Some of the graphs; their stars keep their colours."""
        by_node = self.by_node.take(graphs)
        colours = self.colours.take(*self.batch.elements_of(graphs))
        return DistinctPrepared(by_node.batch, self.spec, by_node.hop_self, colours, by_node)


@dataclass(frozen=True, eq=False)
class Part:
    """The distinct nodes, edges and stars of a stretch of graphs.

    Parameters
    ----------
    graphs : slice
    nodes, edges : Elements
        One of each colour.
    bundles : sparse array of shape (distinct bundles, distinct edges)
        How many edges of each colour a bundle has.
    hops : list of DistinctStars
        From hop 1 on.
    """

    graphs: slice
    nodes: Elements
    edges: Elements
    bundles: sparse.csr_array
    hops: list[DistinctStars]

    @property
    def n_graphs(self) -> int:
        """Number of graphs."""
        return int(self.graphs.stop - self.graphs.start)

    def within(self, stretch: slice) -> slice:
        """Positions of the graphs, counted from the first of a longer stretch."""
        return slice(self.graphs.start - stretch.start, self.graphs.stop - stretch.start)

    @classmethod
    def of(cls, prepared: DistinctPrepared, first: int, last: int, labels: Labels) -> Part:
        """Take graphs first..last of a batch, with labels of its stars by hop and node."""
        batch, colours, by_node = prepared.batch, prepared.colours, prepared.by_node
        ptr = batch.nodes.ptr
        v0, v1 = int(ptr[first]), int(ptr[last])
        e0, e1 = (int(batch.edges.ptr[i]) for i in (first, last))
        edges, edge_colour = _distinct(colours.edges, e0, e1)
        bundles, bundle = _distinct(colours.bundles, v0, v1)
        incident_ptr, incident = lists_of(by_node.incident.ptr[0], by_node.incident.index, bundles)
        held = (np.ones(len(incident)), edge_colour[incident - e0], incident_ptr)
        nodes, colour = _distinct(colours.levels[0], v0, v1)
        graph = np.repeat(np.arange(last - first), np.diff(ptr[first : last + 1]))
        distinct_nodes = batch.nodes.take(nodes)
        hops = []
        for h, (level, norm) in enumerate(zip(colours.levels[1:], by_node.norm, strict=True)):
            before = colour
            nodes, colour = _distinct(level, v0, v1)
            member_ptr, member = lists_of(by_node.members.ptr[0], by_node.members.index, nodes)
            ones = np.ones(v1 - v0)
            counts = sparse.csr_array((ones, (colour, graph)), shape=(len(nodes), last - first))
            hops.append(
                DistinctStars(
                    core=before[nodes - v0],
                    member_ptr=member_ptr,
                    member=before[member - v0],
                    bundle=bundle[nodes - v0],
                    norm=norm[nodes],
                    alike=labels[h, nodes] if labels.size else labels[h],
                    graph_ptr=counts.indptr.astype(np.int64),
                    graph=counts.indices.astype(np.int64),
                    times=counts.data,
                )
            )
        return cls(
            slice(first, last),
            distinct_nodes,
            batch.edges.take(edges),
            sparse.csr_array(held, shape=(len(bundles), len(edges))),
            hops,
        )


def divide(
    rows: DistinctPrepared,
    columns: DistinctPrepared,
    n_combinations: int,
    n_block: int,
    execution: Execution,
    window: Window,
) -> tuple[list[Part], list[Part]]:
    """Cut the graphs of both sides of a window into the fewest parts for which memory suffices.

    Raises where it does not suffice even for one graph at a time. The parts of both sides are the
    same objects where the window is symmetric.
    """
    row_labels, labels = rows.by_node.labels(columns.by_node, window)
    sides = [(rows, window.rows)]
    if columns is not rows or not window.on_diagonal:
        sides.append((columns, window.columns))
    n, m = window.shape
    size = np.dtype(rows.spec.dtype).itemsize
    workers = execution.n_threads
    n_parts = 1
    while True:
        cuts = [_cuts(graphs, n_parts) for _, graphs in sides]
        sizes = [Sizes.of(side, cut) for (side, _), cut in zip(sides, cuts, strict=True)]
        a, b = sizes[0], sizes[-1]
        stored = a.n_stored(b) * size
        # The sums of a part, and one of them with its transpose added.
        sums = (n_combinations + 1) * a.graphs * b.graphs
        working = workers * b.n_working(n_block) + sums
        needed = n_combinations * n * m * size + stored + 8 * working
        fits = (
            stored <= STORED_BYTES
            if execution.memory_limit is None
            else needed <= execution.memory_limit
        )
        if fits or n_parts >= max(n, m):
            break
        n_parts *= 2
    what = f"Comparing the distinct stars of these graphs, in {workers} threads,"
    execution.check_memory(needed, what)
    parts = [
        [Part.of(side, first, last, alike) for first, last in own]
        for (side, _), own, alike in zip(sides, cuts, (row_labels, labels), strict=False)
    ]
    return parts[0], parts[-1]


@dataclass(frozen=True)
class Sizes:
    """The largest numbers of distinct things in any part of a batch."""

    graphs: int
    edges: int
    bundles: int
    levels: list[int]

    @classmethod
    def of(cls, prepared: DistinctPrepared, cuts: list[tuple[int, int]]) -> Sizes:
        """Count in these parts."""
        batch, colours = prepared.batch, prepared.colours

        def most(colour: Index, ptr: Index) -> int:
            return max((len(np.unique(colour[ptr[i] : ptr[j]])) for i, j in cuts), default=0)

        return cls(
            max((j - i for i, j in cuts), default=0),
            most(colours.edges, batch.edges.ptr),
            most(colours.bundles, batch.nodes.ptr),
            [most(level, batch.nodes.ptr) for level in colours.levels],
        )

    def n_stored(self, other: Sizes) -> int:
        """The most numbers of P stored at a time: of two hops, except at the last, and of edges."""
        levels = [n * m for n, m in zip(self.levels, other.levels, strict=True)]
        levels[-1] = 0
        hops = max(before + after for before, after in pairwise(levels))
        edges = (self.edges + self.bundles) * other.edges
        return self.bundles * other.bundles + max(hops, edges)

    def n_working(self, n_block: int) -> int:
        """Numbers of working memory of one thread, with this as the columns."""
        before = max(self.levels[:-1])
        return LANES * (3 * before + 2 * self.bundles + self.graphs) + n_block * self.graphs


def _cuts(graphs: slice, n_parts: int) -> list[tuple[int, int]]:
    """Stretches of about equally many graphs, one at least.

    Examples
    --------
    >>> _cuts(slice(0, 5), 2), _cuts(slice(7, 9), 4)
    ([(0, 2), (2, 5)], [(7, 8), (8, 9)])
    """
    bounds = np.linspace(graphs.start, graphs.stop, n_parts + 1).astype(int)
    return list(pairwise(np.unique(bounds).tolist()))


def _distinct(colours: Index, first: int, last: int) -> tuple[Index, Index]:
    """One position for each colour in a stretch, and which of these every element is like."""
    _, position, like = np.unique(colours[first:last], return_index=True, return_inverse=True)
    return position + first, like.astype(np.int64)

"""Groups of graphs as the distinct stars in them, so few graphs per group that P fits memory."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import sparse

from nask.arrays import Index, Positions
from nask.compiled.vectors import LANES
from nask.engines.contract import Prepared
from nask.engines.distinct.rows import DistinctStars
from nask.engines.pairwise.prepared import PairwisePrepared
from nask.execution.execution import Execution
from nask.graph.elements import Elements
from nask.stars.alike import Labels
from nask.stars.colours import StarColours
from nask.stars.members import lists_of
from nask.storage.window import Window

# The most bytes of P to store if there is no memory limit.
STORED_BYTES = 2_000_000_000


@dataclass(frozen=True, eq=False)
class DistinctPrepared(Prepared):
    """A batch with the colours of its stars; ``by_node`` has their members and norms."""

    colours: StarColours
    by_node: PairwisePrepared

    def take(self, graphs: Positions) -> DistinctPrepared:
        """Return the prepared batch of some graphs; their stars keep their colours."""
        by_node = self.by_node.take(graphs)
        colours = self.colours.take(*self.batch.elements_of(graphs))
        return DistinctPrepared(by_node.batch, self.spec, by_node.hop_self, colours, by_node)


@dataclass(frozen=True, eq=False)
class DistinctGroup:
    """The distinct nodes, edges and stars of some consecutive graphs.

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

    def within(self, graphs: slice) -> slice:
        """Return the positions of the group's graphs among ``graphs``."""
        return slice(self.graphs.start - graphs.start, self.graphs.stop - graphs.start)

    @classmethod
    def of(cls, prepared: DistinctPrepared, first: int, last: int, labels: Labels) -> DistinctGroup:
        """Return the group of graphs ``first`` to ``last - 1``.

        ``labels``, by hop and node, are equal where stars are alike; without nodes unless the spec
        is guarded.
        """
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
        hops, walk, node_colour = [], prepared.spec.expansion == "walk", colour
        for h, (level, norm) in enumerate(zip(colours.levels[1:], by_node.norm, strict=True)):
            before = colour
            nodes, colour = _distinct(level, v0, v1)
            member_ptr, member = lists_of(by_node.members.ptr[0], by_node.members.index, nodes)
            ones = np.ones(v1 - v0)
            counts = sparse.csr_array((ones, (colour, graph)), shape=(len(nodes), last - first))
            hops.append(
                DistinctStars(
                    core=(node_colour if walk else before)[nodes - v0],
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


def cut_into_groups(
    rows: DistinctPrepared,
    columns: DistinctPrepared,
    n_combinations: int,
    task_stars: int,
    execution: Execution,
    window: Window,
) -> tuple[list[DistinctGroup], list[DistinctGroup]]:
    """Return the row graphs and the column graphs of a window in as few groups as memory allows.

    Raises if memory is too small even for groups of one graph. Rows and columns are the same
    objects where the window is symmetric.

    Parameters
    ----------
    n_combinations : int
        Number of results.
    task_stars : int
        Rows of a task.
    """
    row_labels, labels = rows.by_node.labels(columns.by_node, window)
    sides = [(rows, window.rows)]
    if columns is not rows or not window.on_diagonal:
        sides.append((columns, window.columns))
    n, m = window.shape
    size = np.dtype(rows.spec.dtype).itemsize
    workers = execution.n_threads
    n_groups = 1
    while True:
        cuts = [_cuts(graphs, n_groups) for _, graphs in sides]
        sizes = [GroupSizes.of(side, cut) for (side, _), cut in zip(sides, cuts, strict=True)]
        a, b = sizes[0], sizes[-1]
        stored = a.n_stored(b, rows.spec.expansion == "walk") * size
        # The sums of a pair of groups, and one of them with its transpose added.
        sums = (n_combinations + 1) * a.graphs * b.graphs
        working = workers * b.n_working(task_stars) + sums
        needed = n_combinations * n * m * size + stored + 8 * working
        fits = (
            stored <= STORED_BYTES
            if execution.memory_limit is None
            else needed <= execution.memory_limit
        )
        if fits or n_groups >= max(n, m):
            break
        n_groups *= 2
    what = f"Comparing the distinct stars of these graphs, in {workers} threads,"
    execution.check_memory(needed, what)
    groups = [
        [DistinctGroup.of(side, first, last, alike) for first, last in own]
        for (side, _), own, alike in zip(sides, cuts, (row_labels, labels), strict=False)
    ]
    return groups[0], groups[-1]


@dataclass(frozen=True)
class GroupSizes:
    """The largest numbers of graphs, and of distinct edges, bundles and stars, in any group."""

    graphs: int
    edges: int
    bundles: int
    levels: list[int]

    @classmethod
    def of(cls, prepared: DistinctPrepared, cuts: list[tuple[int, int]]) -> GroupSizes:
        """Count in the groups of graphs from one end of each cut to the other."""
        batch, colours = prepared.batch, prepared.colours

        def most(colour: Index, ptr: Index) -> int:
            return max((len(np.unique(colour[ptr[i] : ptr[j]])) for i, j in cuts), default=0)

        return cls(
            max((j - i for i, j in cuts), default=0),
            most(colours.edges, batch.edges.ptr),
            most(colours.bundles, batch.nodes.ptr),
            [most(level, batch.nodes.ptr) for level in colours.levels],
        )

    def n_stored(self, other: GroupSizes, walk: bool) -> int:
        """Return the most numbers of P stored at once, of nodes and of edges.

        P_{h-1} and P_h of a hop are stored, but not P_h of the last hop; of walks P_0 as well.
        """
        levels = [n * m for n, m in zip(self.levels, other.levels, strict=True)]
        levels[-1] = 0
        hops = max(before + after for before, after in pairwise(levels))
        edges = (self.edges + self.bundles) * other.edges
        nodes = self.levels[0] * other.levels[0] if walk else 0
        return nodes + self.bundles * other.bundles + max(hops, edges)

    def n_working(self, task_stars: int) -> int:
        """Return the numbers in one thread's working memory, with this group as the columns."""
        before = max(self.levels[:-1])
        return LANES * (3 * before + 2 * self.bundles + self.graphs) + task_stars * self.graphs


def _cuts(graphs: slice, n_groups: int) -> list[tuple[int, int]]:
    """Return where to cut graphs into groups of about equal size, of at least one graph.

    Examples
    --------
    >>> _cuts(slice(0, 5), 2), _cuts(slice(7, 9), 4)
    ([(0, 2), (2, 5)], [(7, 8), (8, 9)])
    """
    bounds = np.linspace(graphs.start, graphs.stop, n_groups + 1).astype(int)
    return list(pairwise(np.unique(bounds).tolist()))


def _distinct(colours: Index, first: int, last: int) -> tuple[Index, Index]:
    """Return one position per colour among some elements, and the number of each one's colour."""
    _, position, like = np.unique(colours[first:last], return_index=True, return_inverse=True)
    return position + first, like.astype(np.int64)

"""The tiles of a window: graphs in groups, who is compared with whom, and memory for it."""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nask.arrays import Float64, Index
from nask.attributes.factors import Factors
from nask.compiled.places import Places
from nask.engines.pairwise import tile
from nask.engines.pairwise.layout import cut, lists, octets
from nask.engines.pairwise.prepared import PairwisePrepared
from nask.exceptions import MemoryLimitError
from nask.stars.alike import Labels
from nask.stars.hop_rules import star_floor
from nask.stars.spec import StarSpec
from nask.storage.window import Window

# Pairs of nodes in a task, about 10 ms of work, so that handing it out costs nothing.
TASK_PAIRS = 1_000_000


@dataclass(frozen=True, eq=False)
class Tiling:
    """The graphs of a window in groups, and the rules for comparing them.

    Where the window is symmetric, only tiles on and above the diagonal are computed.

    Parameters
    ----------
    a, b : Side
        The rows and the columns; the same object where the window is symmetric.
    dtype : str
        Precision in which P is stored.
    a_places, b_places : Places
        The places of the nodes of ``a`` and ``b``.
    a_edge_places : Places
        The places of the edges of ``a``.
    factors : Factors
        How the attributes of nodes are compared.
    """

    a: tile.Side
    b: tile.Side
    rules: tile.TileRules
    symmetric: bool
    dtype: str
    a_places: Places
    b_places: Places
    a_edge_places: Places
    factors: Factors
    memory: ThreadMemory

    @classmethod
    def of(
        cls, rows: PairwisePrepared, columns: PairwisePrepared, window: Window, tile_nodes: int
    ) -> Tiling:
        """Lay out the graphs of a window.

        A group has at most ``tile_nodes`` nodes, or one graph.
        """
        spec = rows.spec
        exact = spec.prune_cores
        nodes = Factors.of(spec.nodes, exact, rows.batch.nodes, columns.batch.nodes)
        edges = Factors.of(spec.edges, exact, rows.batch.edges, columns.batch.edges)
        symmetric = columns is rows and window.on_diagonal
        row_labels, labels = rows.labels(columns, window)
        a, places, edge_places = _side(rows, window.rows, nodes, edges, tile_nodes, row_labels)
        b, b_places = a, places
        if not symmetric:
            b, b_places, _ = _side(columns, window.columns, nodes, edges, tile_nodes, labels)
        return cls(
            a,
            b,
            _rules(spec, nodes, edges),
            symmetric,
            spec.dtype,
            places,
            b_places,
            edge_places,
            nodes,
            ThreadMemory(),
        )

    def tasks(self) -> list[tuple[int, int, int]]:
        """Return tasks (i, j0, j1), the largest first, so that threads end together.

        A task compares the row group i with the column groups j0 to j1 - 1.
        """
        a_sizes, b_sizes = np.diff(self.a.node_ptr), np.diff(self.b.node_ptr)
        tasks = []
        for i, n in enumerate(a_sizes):
            first = i if self.symmetric else 0
            ranges = cut_work(n * b_sizes[first:], TASK_PAIRS)
            tasks += [(i, first + j0, first + j1) for j0, j1 in ranges]
        ptr = self.b.node_ptr
        tasks.sort(key=lambda task: -a_sizes[task[0]] * (ptr[task[2]] - ptr[task[1]]))
        return tasks

    def hops(self, i: int, j0: int, j1: int) -> tuple[Float64, float]:
        """Compare the row group i with the column groups j0 to j1 - 1.

        Returns
        -------
        sums : ndarray of shape (n_hops, row graphs, column graphs)
        nearest : float
            The largest similarity of stars that are not alike, at the hops that are watched.
        """
        n_hops = len(self.a.norm)
        out, no_norms = np.zeros((n_hops, *self._n_graphs(i, j0, j1))), np.empty((n_hops, 0))
        space = self.memory.space(self.sizes, self.dtype)
        tile.compare(self.a, i, self.b, j0, j1, self.rules, False, space, out, no_norms)
        return out, float(space.nearest.max())

    def own(self, j0: int, j1: int) -> tuple[Float64, Float64]:
        """Compare the groups j0 to j1 - 1, of one graph each, with themselves.

        Returns
        -------
        sums : ndarray of shape (n_hops, graphs)
        norms : ndarray of shape (n_hops, places)
        """
        n_hops, n_nodes = len(self.a.norm), int(self.a.node_ptr[j1] - self.a.node_ptr[j0])
        out = np.zeros((n_hops, 1, self._n_graphs(j0, j0, j1)[1]))
        norms = np.zeros((n_hops, n_nodes))
        space = self.memory.space(self.sizes, self.dtype)
        tile.compare(self.a, j0, self.b, j0, j1, self.rules, True, space, out, norms)
        return out[:, 0], norms

    @cached_property
    def sizes(self) -> tile.TileSizes:
        """The sizes of the largest tile."""

        def largest(ptr: Index) -> int:
            return int(np.diff(ptr).max(initial=0))

        return tile.TileSizes(
            largest(self.a.node_ptr),
            largest(self.b.node_ptr),
            largest(self.b.graph_ptr),
            largest(self.a.edge_ptr),
            largest(self.b.edge_ptr),
            self.rules.edge_attributes,
            3 if self.rules.walk else 2,
        )

    def _n_graphs(self, i: int, j0: int, j1: int) -> tuple[int, int]:
        a_ptr, b_ptr = self.a.graph_ptr, self.b.graph_ptr
        return int(a_ptr[i + 1] - a_ptr[i]), int(b_ptr[j1] - b_ptr[j0])


class ThreadMemory(threading.local):
    """The working memory of each thread, kept from task to task as long as the tiling lives.

    If every task took memory of its own, the system would hand it out and take it back some hundred
    times per second, and the threads of a process would wait for each other.
    """

    kept: tile.TileWorkspace | None = None

    def space(self, sizes: tile.TileSizes, dtype: str) -> tile.TileWorkspace:
        """Return the memory of this thread."""
        if self.kept is None:
            try:
                self.kept = tile.TileWorkspace.of(sizes, dtype)
            except MemoryError as error:
                raise MemoryLimitError(
                    f"Graphs of {sizes.rows} and {sizes.columns} nodes cannot be compared node by "
                    "node: there is not enough memory for all pairs. NASKFeatures takes time and "
                    "memory that grow with the nodes alone, and so does engine='explicit' with "
                    "expansion='ball'."
                ) from error
        return self.kept

    def __reduce__(self) -> tuple[type[ThreadMemory], tuple[()]]:
        # Another process has memory of its own.
        return ThreadMemory, ()


def cut_work(work: Index, each: int) -> list[tuple[int, int]]:
    """Return ranges of a list of work, cut where its running sum passes a multiple of ``each``.

    Examples
    --------
    >>> cut_work(np.array([3, 3, 3, 8, 1]), 5)
    [(0, 1), (1, 3), (3, 5)]
    """
    ends = np.flatnonzero(np.diff(np.cumsum(work) // each, append=-1)) + 1
    return list(itertools.pairwise([0, *ends.tolist()]))


def _rules(spec: StarSpec, nodes: Factors, edges: Factors) -> tile.TileRules:
    alike = spec.edges.is_constant
    floors = np.zeros(spec.n_hops)
    if spec.prune_cores:
        floors[:] = nodes.floor()
        if spec.nested:
            floors[1:] = star_floor(spec.gamma_star)
    return tile.TileRules(
        nodes=nodes.similarity(),
        edges=edges.similarity(),
        edge_attributes=spec.use_edges and not alike,
        edge_count_weight=spec.edges.base if spec.use_edges and alike else 0.0,
        deepens=spec.deepens,
        walk=spec.expansion == "walk",
        star_norm=spec.star_norm,
        gamma_star=spec.gamma_star,
        core_floor=floors,
        core_scale=1 / spec.core_spreads() if spec.prune_cores else np.ones(spec.n_hops),
        guarded=spec.guarded,
        watched=np.array([spec.watched(h) for h in range(spec.n_hops)]),
    )


def _side(
    prepared: PairwisePrepared,
    graphs: slice,
    nodes: Factors,
    edges: Factors,
    tile_nodes: int,
    labels: Labels,
) -> tuple[tile.Side, Places, Places]:
    """Lay out graphs as the rows or the columns of tiles; return the places of nodes and edges.

    Within a group, nodes are sorted by their number of members, so that the lengths of the compiled
    loops over members change rarely and the processor predicts them.
    """
    batch, members, incident = prepared.batch, prepared.members, prepared.incident
    cuts = cut(batch.nodes.ptr, graphs, tile_nodes)
    node_places = Places.of(batch.nodes.ptr, cuts, members.counts()[0])
    edge_places = Places.of(batch.edges.ptr, cuts, np.zeros(len(batch.edges)))
    graph = np.repeat(np.arange(batch.n_graphs), np.diff(batch.nodes.ptr)) - graphs.start
    # A node that only fills a vector has kappa 0; it counts to the first graph of its group.
    group = np.repeat(np.arange(len(cuts) - 1), np.diff(node_places.ptr))
    graph_at = np.maximum(node_places.take(graph, -1), (cuts - graphs.start)[group])
    member_ptr, member = lists(members, node_places, node_places.positions(batch.n_nodes))
    incident_ptr, incident_at = lists(
        incident, node_places, edge_places.positions(len(batch.edges))
    )
    member_rows = octets(member_ptr, member, node_places, node_places)
    held = member_ptr, member, member_rows
    if not prepared.mutual:
        holders = members.transposed(batch.n_nodes)
        places = lists(holders, node_places, node_places.positions(batch.n_nodes))
        held = *places, octets(*places, node_places, node_places)
    side = tile.Side(
        node_ptr=node_places.ptr,
        edge_ptr=edge_places.ptr,
        graph_ptr=cuts - graphs.start,
        graph=graph_at,
        nodes=nodes.operand(batch.nodes, node_places),
        edges=edges.operand(batch.edges, edge_places),
        member_ptr=member_ptr,
        member=member,
        incident_ptr=incident_ptr,
        incident=incident_at,
        member_rows=member_rows,
        incident_rows=octets(incident_ptr, incident_at, node_places, edge_places),
        holder_ptr=held[0],
        holder=held[1],
        holder_rows=held[2],
        n_incident=node_places.take(incident.counts().astype(np.float64), 0.0),
        norm=node_places.take(prepared.norm, 0.0),
        alike=node_places.take(labels, -1) if prepared.spec.guarded else labels,
    )
    return side, node_places, edge_places

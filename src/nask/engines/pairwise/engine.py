"""The fast exact engine for any attributes: compiled tiles, driven by threads."""

from __future__ import annotations

import itertools
import math
import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import delayed

from nask.arrays import Positions
from nask.engines.compiled.factors import Factors
from nask.engines.compiled.hop_rules import star_floor
from nask.engines.compiled.places import Places
from nask.engines.compiled.vectors import LANES
from nask.engines.conditioning import warn_of_near_stars
from nask.engines.contract import Engine, Prepared
from nask.engines.pairwise import tile
from nask.engines.pairwise.layout import cut, lists, octets
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.stars.alike import Labels, Names, common_labels, star_names
from nask.stars.members import Members, star_matrices
from nask.stars.spec import StarSpec
from nask.storage.window import Window

# Nodes of a block of graphs: a tile and its successor then take half of a 2 MB L2.
BLOCK_NODES = 256
# Of a memory limit, tiles may take one part in so many.
TILE_SHARE = 4
# Pairs of nodes in a task, about 10 ms of work, so that handing it out costs nothing.
TASK_PAIRS = 1_000_000
# The same of graphs with themselves, which are few: enough tasks for all threads.
OWN_TASK_PAIRS = 200_000
# Nodes of a block that has one graph, whatever its size.
ONE_GRAPH = 0


@dataclass(frozen=True, eq=False)
class PairwisePrepared(Prepared):
    """A batch with the members of its stars and their norms 1 / sqrt(k_h(v, v))."""

    members: Members
    incident: Members
    norm: npt.NDArray[np.float64]
    names: Names
    """Of stars, by hop and node, where the spec is guarded, else of no nodes."""

    def take(self, graphs: Positions) -> PairwisePrepared:
        """Some of the graphs; their stars are the same, at other positions."""
        nodes, edges = self.batch.elements_of(graphs)
        return PairwisePrepared(
            self.batch.take(graphs),
            self.spec,
            self.hop_self.take(graphs, axis=1),
            self.members.take(nodes, nodes),
            self.incident.take(nodes, edges),
            self.norm.take(nodes, axis=1),
            self.names.take(nodes, axis=1) if self.spec.guarded else self.names,
        )

    def labels(self, other: PairwisePrepared, window: Window) -> tuple[Labels, Labels]:
        """Labels of the stars of a window, rows and columns, equal for stars that are alike.

        By hop and node of the batch, -1 outside of the window; of no nodes unless guarded.
        """
        if not self.spec.guarded:
            none = np.empty((self.spec.n_hops, 0), dtype=np.int32)
            return none, none
        sides = []
        for prepared, graphs in ((self, window.rows), (other, window.columns)):
            ptr = prepared.batch.nodes.ptr
            sides.append((prepared.names, slice(ptr[graphs.start], ptr[graphs.stop])))
        found = common_labels(*(names[:, nodes] for names, nodes in sides))
        labels = [np.full(names.shape, -1, dtype=np.int32) for names, _ in sides]
        for whole, part, (_, nodes) in zip(labels, found, sides, strict=True):
            whole[:, nodes] = part
        return labels[0], labels[1]


class PairwiseEngine(Engine[PairwisePrepared]):
    """Blocks of graphs against blocks of graphs."""

    name = "pairwise"

    def prepare(self, batch: GraphBatch, spec: StarSpec, execution: Execution) -> PairwisePrepared:
        """Find the self-similarity of every star and graph."""
        nodes, edges = star_matrices(batch, spec.n_hops, spec.expansion)
        prepared = PairwisePrepared(
            batch,
            spec,
            np.zeros((spec.n_hops, batch.n_graphs)),
            Members.from_matrices(nodes),
            Members.from_matrices(edges),
            np.zeros((spec.n_hops, batch.n_nodes)),
            star_names(batch, spec) if spec.guarded else np.empty((spec.n_hops, 0), dtype="S1"),
        )
        whole = Window.whole(prepared.batch.n_graphs, prepared.batch.n_graphs)
        tiling = Tiling.of(prepared, prepared, whole, ONE_GRAPH)
        _check_tiles(execution, tiling, 0)
        pairs = np.diff(tiling.a.node_ptr) ** 2
        stretches = _stretches(pairs, OWN_TASK_PAIRS)
        tasks = (delayed(tiling.own)(j0, j1) for j0, j1 in stretches)
        done = execution.run(tasks, float(pairs.sum()))
        for (j0, j1), (own, norm) in zip(stretches, done, strict=True):
            prepared.hop_self[:, tiling.a.graph_ptr[j0] : tiling.a.graph_ptr[j1]] = own
            source = tiling.a_places.source[tiling.a.node_ptr[j0] : tiling.a.node_ptr[j1]]
            prepared.norm[:, source[source >= 0]] = norm[:, source >= 0]
        return prepared

    def grams(
        self,
        rows: PairwisePrepared,
        columns: PairwisePrepared,
        combinations: npt.NDArray[np.float64],
        execution: Execution,
        window: Window,
    ) -> npt.NDArray[np.floating]:
        """Compare blocks of row graphs with blocks of column graphs, in threads."""
        tiling = Tiling.of(rows, columns, window, _block_nodes(execution))
        result = np.zeros((len(combinations), *window.shape), dtype=rows.spec.dtype)
        _check_tiles(execution, tiling, result.nbytes)
        places = tiling.tasks()

        def task(i: int, j0: int, j1: int) -> tuple[Any, ...]:
            hops, nearest = tiling.hops(i, j0, j1)
            return i, j0, j1, np.tensordot(combinations, hops, axes=1), nearest

        a_ptr, b_ptr = tiling.a.graph_ptr, tiling.b.graph_ptr
        tasks = (delayed(task)(*place) for place in places)
        n_pairs = tiling.a.node_ptr[-1] * float(tiling.b.node_ptr[-1])
        done = execution.run(tasks, n_pairs)
        nearest = -1.0
        for i, j0, j1, values, near in execution.track(done, len(places)):
            result[:, a_ptr[i] : a_ptr[i + 1], b_ptr[j0] : b_ptr[j1]] = values
            nearest = max(nearest, near)
        warn_of_near_stars(nearest, rows.spec)
        if tiling.symmetric:
            for gram in result:
                for i in range(1, len(gram)):
                    gram[i, :i] = gram[:i, i]
        return result


@dataclass(frozen=True, eq=False)
class Tiling:
    """Two stretches of graphs laid out in blocks, and the rules for comparing them.

    Where both are one, only pairs of blocks on and above the diagonal are compared.
    """

    a: tile.Side
    b: tile.Side
    rules: tile.TileRules
    symmetric: bool
    dtype: str
    a_places: Places
    memory: Memory

    @classmethod
    def of(
        cls, rows: PairwisePrepared, columns: PairwisePrepared, window: Window, block_nodes: int
    ) -> Tiling:
        """Lay out the graphs of a window in blocks of so many nodes."""
        spec = rows.spec
        exact = spec.prune_cores
        nodes = Factors.of(spec.nodes, exact, rows.batch.nodes, columns.batch.nodes)
        edges = Factors.of(spec.edges, exact, rows.batch.edges, columns.batch.edges)
        symmetric = columns is rows and window.on_diagonal
        row_labels, labels = rows.labels(columns, window)
        a, places = _side(rows, window.rows, nodes, edges, block_nodes, row_labels)
        b = a
        if not symmetric:
            b = _side(columns, window.columns, nodes, edges, block_nodes, labels)[0]
        return cls(a, b, _rules(spec, nodes, edges), symmetric, spec.dtype, places, Memory())

    def tasks(self) -> list[tuple[int, int, int]]:
        """Blocks of rows and stretches of blocks of columns; the largest first, for balance."""
        a_sizes, b_sizes = np.diff(self.a.node_ptr), np.diff(self.b.node_ptr)
        tasks = []
        for i, n in enumerate(a_sizes):
            first = i if self.symmetric else 0
            stretches = _stretches(n * b_sizes[first:], TASK_PAIRS)
            tasks += [(i, first + j0, first + j1) for j0, j1 in stretches]
        ptr = self.b.node_ptr
        tasks.sort(key=lambda task: -a_sizes[task[0]] * (ptr[task[2]] - ptr[task[1]]))
        return tasks

    def hops(self, i: int, j0: int, j1: int) -> tuple[npt.NDArray[np.float64], float]:
        """Compare a block of rows with some of columns: hops x rows x columns.

        And the largest similarity of stars that are not alike, where that is watched.
        """
        n_hops = len(self.a.norm)
        out, no_norms = np.zeros((n_hops, *self._n_graphs(i, j0, j1))), np.empty((n_hops, 0))
        space = self.memory.space(self.sizes, self.dtype)
        tile.compare(self.a, i, self.b, j0, j1, self.rules, False, space, out, no_norms)
        return out, float(space.nearest.max())

    def own(self, j0: int, j1: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Compare blocks of a graph each with themselves: hops x graphs, norms by hop and place."""
        n_hops, n_nodes = len(self.a.norm), int(self.a.node_ptr[j1] - self.a.node_ptr[j0])
        out = np.zeros((n_hops, 1, self._n_graphs(j0, j0, j1)[1]))
        norms = np.zeros((n_hops, n_nodes))
        space = self.memory.space(self.sizes, self.dtype)
        tile.compare(self.a, j0, self.b, j0, j1, self.rules, True, space, out, norms)
        return out[:, 0], norms

    @cached_property
    def sizes(self) -> tile.TileSizes:
        """What the largest tile has."""

        def largest(ptr: npt.NDArray[np.int64]) -> int:
            return int(np.diff(ptr).max(initial=0))

        return tile.TileSizes(
            largest(self.a.node_ptr),
            largest(self.b.node_ptr),
            largest(self.b.graph_ptr),
            largest(self.a.edge_ptr),
            largest(self.b.edge_ptr),
            self.rules.edge_attributes,
        )

    def _n_graphs(self, i: int, j0: int, j1: int) -> tuple[int, int]:
        a_ptr, b_ptr = self.a.graph_ptr, self.b.graph_ptr
        return int(a_ptr[i + 1] - a_ptr[i]), int(b_ptr[j1] - b_ptr[j0])


class Memory(threading.local):
    """Working memory of each thread, kept from task to task, and gone with the tiling.

    Memory of its own for each task would be taken from the system and returned to it some hundred
    times a second, for which the threads of a process wait for each other.
    """

    kept: tile.TileWorkspace | None = None

    def space(self, sizes: tile.TileSizes, dtype: str) -> tile.TileWorkspace:
        """Memory of this thread."""
        if self.kept is None:
            self.kept = tile.TileWorkspace.of(sizes, dtype)
        return self.kept

    def __reduce__(self) -> tuple[type[Memory], tuple[()]]:
        # Another process has memory of its own.
        return Memory, ()


def _stretches(work: npt.NDArray[np.int64], each: int) -> list[tuple[int, int]]:
    """Cut a list of work: a stretch ends before what takes the sum past a multiple of ``each``.

    Examples
    --------
    >>> _stretches(np.array([3, 3, 3, 8, 1]), 5)
    [(0, 1), (1, 3), (3, 5)]
    """
    ends = np.flatnonzero(np.diff(np.cumsum(work) // each, append=-1)) + 1
    return list(itertools.pairwise([0, *ends.tolist()]))


def _block_nodes(execution: Execution) -> int:
    """Nodes of a block: fewer where memory is short."""
    if execution.memory_limit is None:
        return BLOCK_NODES
    n_bytes = execution.memory_limit / TILE_SHARE / execution.n_threads
    # A tile, its successor and as much again for edges.
    return min(BLOCK_NODES, max(LANES, math.isqrt(int(n_bytes / 8 / 4))))


def _check_tiles(execution: Execution, tiling: Tiling, n_bytes: int) -> None:
    workers = execution.n_threads
    execution.check_memory(
        n_bytes + workers * tiling.sizes.n_bytes(tiling.dtype),
        f"Comparing these graphs, with a tile for each of {workers} threads,",
    )


def _rules(spec: StarSpec, nodes: Factors, edges: Factors) -> tile.TileRules:
    alike = spec.edges.is_constant
    floors = np.zeros(spec.n_hops)
    if spec.prune_cores:
        floors[:] = nodes.floor()
        if spec.expansion == "nested":
            floors[1:] = star_floor(spec.gamma_star)
    return tile.TileRules(
        nodes=nodes.similarity(),
        edges=edges.similarity(),
        edge_attributes=spec.use_edges and not alike,
        edge_count_weight=spec.edges.base if spec.use_edges and alike else 0.0,
        nested=spec.expansion == "nested",
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
    block_nodes: int,
    labels: Labels,
) -> tuple[tile.Side, Places]:
    """Lay out a stretch of graphs.

    The nodes of a block come by the number of their members, so that the compiled loops over these
    rarely meet a length they did not expect.
    """
    batch, members, incident = prepared.batch, prepared.members, prepared.incident
    cuts = cut(batch.nodes.ptr, graphs, block_nodes)
    node_places = Places.of(batch.nodes.ptr, cuts, members.counts()[0])
    edge_places = Places.of(batch.edges.ptr, cuts, np.zeros(len(batch.edges)))
    graph = np.repeat(np.arange(batch.n_graphs), np.diff(batch.nodes.ptr)) - graphs.start
    # A node that only fills a vector has no kappa; its graph is the first of its block.
    block = np.repeat(np.arange(len(cuts) - 1), np.diff(node_places.ptr))
    graph_at = np.maximum(node_places.take(graph, -1), (cuts - graphs.start)[block])
    member_ptr, member = lists(members, node_places, node_places.positions(batch.n_nodes))
    incident_ptr, incident_at = lists(
        incident, node_places, edge_places.positions(len(batch.edges))
    )
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
        member_rows=octets(member_ptr, member, node_places, node_places),
        incident_rows=octets(incident_ptr, incident_at, node_places, edge_places),
        n_incident=node_places.take(incident.counts().astype(np.float64), 0.0),
        norm=node_places.take(prepared.norm, 0.0),
        alike=node_places.take(labels, -1) if prepared.spec.guarded else labels,
    )
    return side, node_places

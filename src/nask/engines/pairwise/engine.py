"""The fast exact engine for any attributes: compiled tiles, computed by threads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from joblib import delayed

from nask.arrays import Float64, Floats
from nask.compiled.vectors import LANES
from nask.engines.conditioning import warn_of_near_stars
from nask.engines.contract import Engine
from nask.engines.pairwise.prepared import PairwisePrepared
from nask.engines.pairwise.tiling import Tiling, cut_work
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.stars.alike import star_names
from nask.stars.members import Members, star_matrices
from nask.stars.spec import StarSpec
from nask.storage.window import Window

# The most nodes of a group: P_{h-1} and P_h of a tile then take half of a 2 MB L2 cache.
TILE_NODES = 256
# Tiles may take this share of a memory limit: one in so many.
TILE_SHARE = 4
# Pairs of nodes in a task that compares graphs with themselves. These pairs are few, so the tasks
# are small, to have enough of them for all threads.
OWN_TASK_PAIRS = 200_000
# The most nodes of a group, if each group has one graph.
ONE_GRAPH = 0


class PairwiseEngine(Engine[PairwisePrepared]):
    """Groups of row graphs against groups of column graphs, node by node."""

    name = "pairwise"

    def prepare(self, batch: GraphBatch, spec: StarSpec, execution: Execution) -> PairwisePrepared:
        """Find the members of all stars, and the self-similarity of every star and graph."""
        nodes, edges = star_matrices(batch, spec)
        prepared = PairwisePrepared(
            batch,
            spec,
            np.zeros((spec.n_hops, batch.n_graphs)),
            Members.from_matrices(nodes),
            Members.from_matrices(edges),
            np.zeros((spec.n_hops, batch.n_nodes)),
            star_names(batch, spec) if spec.guarded else np.empty((spec.n_hops, 0), dtype="S1"),
        )
        whole = Window.whole(batch.n_graphs, batch.n_graphs)
        tiling = Tiling.of(prepared, prepared, whole, ONE_GRAPH)
        _check_tiles(execution, tiling, 0)
        pairs = np.diff(tiling.a.node_ptr) ** 2
        ranges = cut_work(pairs, OWN_TASK_PAIRS)
        tasks = (delayed(tiling.own)(j0, j1) for j0, j1 in ranges)
        done = execution.run(tasks, float(pairs.sum()))
        for (j0, j1), (own, norm) in zip(ranges, done, strict=True):
            prepared.hop_self[:, tiling.a.graph_ptr[j0] : tiling.a.graph_ptr[j1]] = own
            source = tiling.a_places.source[tiling.a.node_ptr[j0] : tiling.a.node_ptr[j1]]
            prepared.norm[:, source[source >= 0]] = norm[:, source >= 0]
        return prepared

    def grams(
        self,
        rows: PairwisePrepared,
        columns: PairwisePrepared,
        combinations: Float64,
        execution: Execution,
        window: Window,
    ) -> Floats:
        """Compare groups of row graphs with groups of column graphs, in threads."""
        tiling = Tiling.of(rows, columns, window, _tile_nodes(execution))
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


def _tile_nodes(execution: Execution) -> int:
    """Return the most nodes of a group: fewer where memory is short."""
    if execution.memory_limit is None:
        return TILE_NODES
    n_bytes = execution.memory_limit / TILE_SHARE / execution.n_threads
    # P_{h-1}, P_h and as much again for edges.
    return min(TILE_NODES, max(LANES, math.isqrt(int(n_bytes / 8 / 4))))


def _check_tiles(execution: Execution, tiling: Tiling, n_bytes: int) -> None:
    workers = execution.n_threads
    execution.check_memory(
        n_bytes + workers * tiling.sizes.n_bytes(tiling.dtype),
        f"Comparing these graphs, with a tile for each of {workers} threads,",
    )

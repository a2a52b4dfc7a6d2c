"""From graphs to rows of random features, in this process or another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from nask.arrays import Array, Float64, Floats
from nask.attributes.random_map import are_binary
from nask.engines.sketch.random_stars import HopPass, RandomStars
from nask.engines.sketch.star_sketch import add_by_graph, normalise
from nask.exceptions import SchemaError
from nask.execution.execution import Execution
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.elements import unseen_categories
from nask.graph.schema import Schema
from nask.stars.walks import mean_over_walks

Level = Literal["graph", "node"]
FeatureType = Literal["float32", "float16"]
# Where the rows of some graphs begin, and the graphs.
Placed = tuple[int, Sequence[AttributedGraph]]

# Bytes of the vectors of a batch of graphs, small enough for the cache of a processor.
BATCH_BYTES = 16_000_000
# Rows of float16 that are scaled at a time.
ROWS = 4096


@dataclass(eq=False)
class FeatureWork:
    """What turns graphs into rows of features, in this process or another."""

    drawn: RandomStars
    schema: Schema
    level: Level
    normalize: bool
    hop_weights: Float64
    restart: float | None = None
    dtype: FeatureType = "float32"

    @property
    def n_components(self) -> int:
        """Number of columns."""
        return sum(self.drawn.widths)

    def learn(self, batch: GraphBatch, execution: Execution, keep: bool) -> Floats | None:
        """Learn directions from training graphs; return their features if asked."""
        new = tuple(tuple(() for _ in own.names) for own in (self.drawn.nodes, self.drawn.edges))
        n_rows = batch.n_graphs if self.level == "graph" else batch.n_nodes
        needed = self.n_working(batch.n_nodes) + keep * self.item_bytes * n_rows * self.n_components
        execution.check_memory(needed, f"{n_rows} rows of features", "use a smaller n_components")
        walk = HopPass(self.drawn, batch, new, execution, self.dtype)
        rows = self._collected(walk, batch, execution) if keep else None
        if not keep:
            for blocks in walk.hops():
                for _ in blocks:
                    pass
        self.drawn = walk.learned()
        return rows

    def rows(self, graphs: Sequence[AttributedGraph], execution: Execution) -> Floats:
        """Features of some graphs, all at work at once, which were held against the schema."""
        batch = GraphBatch.encode(graphs, self.schema, check=False, compare=False)
        if self.drawn.nodes.columns.binary and not are_binary(batch.features):
            raise SchemaError(
                "The node_features of these graphs are not zeros and ones, as those of the "
                "training graphs were. Fit on graphs with such numbers."
            )
        new = (
            unseen_categories([g.node_attributes for g in graphs], self.schema.nodes),
            unseen_categories([g.edge_attributes for g in graphs], self.schema.edges),
        )
        walk = HopPass(self.drawn, batch, new, execution, self.dtype)
        return self._collected(walk, batch, execution)

    def star_rows(self, graph: AttributedGraph, execution: Execution) -> Floats:
        """Features of the star of each node of a graph, before they are added up or scaled."""
        by_node = replace(self, level="node", normalize=False, restart=None)
        return by_node.rows([graph], execution)

    def __call__(self, placed: Placed) -> Floats:
        """Features of some graphs, the work of one thread."""
        return self.rows(placed[1], Execution(n_jobs=1))

    def batches(self, sizes: Array) -> list[slice]:
        """Cut graphs into batches whose vectors are small together, of one graph at least."""
        most = max(1, BATCH_BYTES // (4 * self.drawn.width))
        ends, total = [0], 0
        for position, size in enumerate(sizes.tolist()):
            if total and total + size > most:
                ends.append(position)
                total = 0
            total += size
        return [slice(a, b) for a, b in zip(ends, [*ends[1:], len(sizes)], strict=True)]

    def n_working(self, n_nodes: int) -> int:
        """Bytes of the vectors of so many nodes, of two hops."""
        return 2 * self.item_bytes * n_nodes * self.drawn.width

    @property
    def item_bytes(self) -> int:
        """Bytes of one number."""
        return np.dtype(self.dtype).itemsize

    def _collected(self, walk: HopPass, batch: GraphBatch, execution: Execution) -> Floats:
        graph = np.repeat(np.arange(batch.n_graphs), np.diff(batch.nodes.ptr))
        by_graph = self.level == "graph"
        n_rows = batch.n_graphs if by_graph else batch.n_nodes
        result = np.empty((n_rows, self.n_components), dtype=self.dtype)
        starts, roots = np.cumsum([0, *self.drawn.widths]), np.sqrt(self.hop_weights)

        def blocks() -> Iterator[None]:
            for h, rows_of_hop in enumerate(walk.hops()):
                columns = result[:, starts[h] : starts[h + 1]]
                sums = np.zeros(columns.shape) if by_graph else None
                for first, last, rows in rows_of_hop:
                    if sums is not None:
                        add_by_graph(sums, rows, graph, first)
                    else:
                        columns[first:last] = rows
                    yield
                if sums is not None:
                    columns[:] = sums
                if roots[h] != 1.0:
                    columns *= np.float32(roots[h])

        for _ in execution.track(blocks(), walk.n_tasks):
            pass
        if self.restart is not None and not by_graph:
            mean_over_walks(batch, self.restart, result, execution)
        if self.normalize:
            self._normalise(result)
        return result

    def _normalise(self, rows: Floats) -> None:
        """Scale rows to length 1, in float32."""
        if rows.dtype == np.float32:
            normalise(rows)
            return
        for first in range(0, len(rows), ROWS):
            own = rows[first : first + ROWS].astype(np.float32)
            normalise(own)
            rows[first : first + ROWS] = own

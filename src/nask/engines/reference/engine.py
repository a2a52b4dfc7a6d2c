"""The reference engine: all pairs of graphs by the equations. Slow, and the tests' oracle."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from nask.arrays import Float64, Floats, Positions
from nask.engines.conditioning import warn_of_near_stars
from nask.engines.contract import Engine, Prepared
from nask.engines.reference.alike import alike, same, star_labels
from nask.engines.reference.equations import graph_kernels, nearest_stars, star_kernels
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.stars.spec import StarSpec
from nask.storage.window import Window


@dataclass(frozen=True, eq=False)
class ReferencePrepared(Prepared):
    """The batch itself, with the self-similarities of its stars and graphs."""

    star_self: list[list[list[float]]]
    """k_h(v, v) by graph, hop and node."""

    def take(self, graphs: Positions) -> ReferencePrepared:
        """Return the prepared batch of some graphs."""
        return ReferencePrepared(
            self.batch.take(graphs),
            self.spec,
            self.hop_self.take(graphs, axis=1),
            [self.star_self[i] for i in graphs],
        )


class ReferenceEngine(Engine[ReferencePrepared]):
    """The definition as nested loops."""

    name = "reference"

    def prepare(self, batch: GraphBatch, spec: StarSpec, execution: Execution) -> ReferencePrepared:
        """Compute k_h(v, v) of every star and K_h(G, G) of every graph."""
        star_self, hop_self = [], np.zeros((spec.n_hops, batch.n_graphs))
        for i in range(batch.n_graphs):
            like = alike(batch, i, batch, i, spec)
            kernels = star_kernels(batch, i, batch, i, spec, None, None, like)
            own = [[k[v][v] for v in range(len(k))] for k in kernels]
            star_self.append(own)
            hop_self[:, i] = graph_kernels(kernels, own, own, spec, like)
        return ReferencePrepared(batch, spec, hop_self, star_self)

    def grams(
        self,
        rows: ReferencePrepared,
        columns: ReferencePrepared,
        combinations: Float64,
        execution: Execution,
        window: Window,
    ) -> Floats:
        """Compare every pair of graphs."""
        spec, (n, m) = rows.spec, window.shape
        n_numbers = (spec.n_hops + len(combinations)) * n * m
        execution.check_memory(8 * n_numbers, f"A Gram matrix of {n} x {m} graphs with its hops")
        hops, nearest = np.zeros((spec.n_hops, n, m)), -1.0
        row_graphs = range(window.rows.start, window.rows.stop)
        column_graphs = range(window.columns.start, window.columns.stop)
        labels: dict[Hashable, int] = {}
        row_labels = [star_labels(rows.batch, i, spec, labels) for i in row_graphs]
        column_labels = [star_labels(columns.batch, j, spec, labels) for j in column_graphs]
        for x, i in execution.track(enumerate(row_graphs), len(row_graphs)):
            for y, j in enumerate(column_graphs):
                pair = [(i, row_labels[x]), (j, column_labels[y])]
                if rows is columns and j < i:
                    pair.reverse()  # the same sums for both: symmetric to the last bit
                (a, a_labels), (b, b_labels) = pair
                own, other = rows.star_self[a], columns.star_self[b]
                like = same(a_labels, b_labels, spec)
                kernels = star_kernels(rows.batch, a, columns.batch, b, spec, own, other, like)
                hops[:, x, y] = graph_kernels(kernels, own, other, spec, like)
                nearest = max(nearest, nearest_stars(kernels, own, other, spec, like))
        warn_of_near_stars(nearest, spec)
        return np.tensordot(combinations, hops, axes=1)

"""What single nodes, attributes and edges of a graph contribute to sums over pairs of stars."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import delayed
from scipy import sparse

from nask.arrays import Float64
from nask.attributes.compiled_features import NodeFeatures
from nask.compiled.places import Places
from nask.engines.pairwise import tile
from nask.engines.pairwise.flow import FlowWorkspace, Shares, flow_down
from nask.engines.pairwise.flow_shares import Flow, no_shares, share_shapes
from nask.engines.pairwise.prepared import PairwisePrepared
from nask.engines.pairwise.tiling import TASK_PAIRS, Tiling, cut_work
from nask.execution.execution import Execution
from nask.storage.window import Window

# The most nodes of a column group: all that a tile takes then fits a 2 MB L2 cache for a graph of
# 30 nodes and 3 hops.
FLOW_NODES = 256


@dataclass(frozen=True, eq=False)
class ComparedStars:
    """The stars of some graphs laid out for comparison with those of others, one by one.

    Parameters
    ----------
    rows, columns : PairwisePrepared
        Sparse node features, if batches have any, take part in ``flow`` only.
    tiling : Tiling
        Both as they lie in tiles. Laying them out may take longer than to compare them.
    """

    rows: PairwisePrepared
    columns: PairwisePrepared
    tiling: Tiling

    @classmethod
    def of(cls, rows: PairwisePrepared, columns: PairwisePrepared) -> ComparedStars:
        """Lay out the stars."""
        window = Window.whole(rows.batch.n_graphs, columns.batch.n_graphs)
        # A batch with itself would be compared in one half only.
        other = replace(columns) if columns is rows else columns
        return cls(rows, columns, Tiling.of(rows, other, window, FLOW_NODES))

    def sums(self, execution: Execution) -> Float64:
        """Sums of kappa_h between the star of each node and all stars of each column graph.

        Their sum over the nodes of a graph is its kernel with the column graph, at each hop. It
        takes as long as that.

        Returns
        -------
        ndarray of shape (n_hops, nodes of all row graphs, column graphs)
        """
        tiling = replace(self.tiling, a=_by_place(self.tiling.a))
        return self._sums(tiling, self.columns.batch.n_graphs, execution)

    def pairs(self, execution: Execution) -> Float64:
        """kappa_h between every two stars, (n_hops, nodes of rows, nodes of columns)."""
        tiling = self.tiling
        places = replace(tiling, a=_by_place(tiling.a), b=_by_place(tiling.b))
        found = self._sums(places, len(tiling.b.graph), execution)
        return found[:, :, tiling.b_places.positions(self.columns.batch.n_nodes)]

    def _sums(self, tiling: Tiling, n: int, execution: Execution) -> Float64:
        if self.rows.batch.features is not None:
            raise RuntimeError("Only shares are computed of sparse node features.")
        shape = self.rows.spec.n_hops, self.rows.batch.n_nodes, n
        what = f"Comparing the {shape[1]} stars of a graph one by one"
        execution.check_memory(8 * math.prod(shape), what, "take a smaller graph")
        result = np.zeros(shape)
        a, b, tasks = tiling.a, tiling.b, tiling.tasks()
        n_pairs = float(a.node_ptr[-1]) * float(b.node_ptr[-1])
        done = execution.run((delayed(tiling.hops)(*task) for task in tasks), n_pairs)
        for (i, j0, j1), (sums, _) in zip(tasks, done, strict=True):
            source = tiling.a_places.source[a.node_ptr[i] : a.node_ptr[i + 1]]
            there = source >= 0
            result[:, source[there], b.graph_ptr[j0] : b.graph_ptr[j1]] = sums[:, there]
        return result

    def flow(self, row_weight: Float64, column_weight: Float64, execution: Execution) -> Flow:
        """Share out a weighted sum of kappa_h between the stars of one graph and those of others.

        Parameters
        ----------
        row_weight : ndarray of shape (n_nodes,)
            Of the nodes of the row graph; there is one.
        column_weight : ndarray of shape (n_hops, nodes of all column graphs)
        execution : Execution
        """
        tiling, spec = self.tiling, self.rows.spec
        if spec.nodes.joint and spec.nodes.n_features:
            raise RuntimeError("Node features of a joint P are compared as dense ones only.")
        a, b = tiling.a, tiling.b
        down = tiling.a_places.take(row_weight, 0.0)
        across = tiling.b_places.take(column_weight, 0.0)
        shapes = FlowWorkspace.shapes(tiling.sizes, spec.n_hops)
        shapes += share_shapes(tiling, spec.nodes.n_features)
        n_bytes = 8 * sum(int(np.prod(shape)) for shape in shapes)
        execution.check_memory(
            execution.n_threads * n_bytes, f"Explaining a graph of {self.rows.batch.n_nodes} nodes"
        )
        features, n_features = self._features(), spec.nodes.n_features

        def task(j0: int, j1: int) -> Shares:
            shares = no_shares(tiling, n_features)
            space = FlowWorkspace.of(tiling.sizes, spec.n_hops)
            flow_down(a, b, j0, j1, tiling.rules, features, down, across, space, shares)
            return shares

        work = np.diff(b.node_ptr) * int(a.node_ptr[-1])
        tasks = (delayed(task)(*own) for own in cut_work(work, TASK_PAIRS))
        total = no_shares(tiling, n_features)
        # In order, so that rounding does not depend on the number of threads.
        for shares in execution.run(tasks, float(work.sum())):
            for of_all, own in zip(total, shares, strict=True):
                np.add(of_all, own, out=of_all)
        return Flow.by_node(total, tiling, self.rows)

    def _features(self) -> NodeFeatures:
        """Sparse node features by place: those of columns by node, those of the rows by column."""
        tiling, sides = self.tiling, (self.columns.batch.features, self.rows.batch.features)
        places = tiling.b_places, tiling.a_places
        columns, rows = (_features_at(*each) for each in zip(sides, places, strict=True))
        return NodeFeatures.of(columns, rows, self.rows.spec.nodes)


def _by_place(side: tile.Side) -> tile.Side:
    """Make every place a graph of its own: what a tile adds up by graph comes out by node."""
    return side._replace(graph=np.arange(len(side.graph)), graph_ptr=side.node_ptr)


def _features_at(features: Any, places: Places) -> Any:
    """Return sparse node features by place, from those by node."""
    if features is None:
        return None
    # The last row, -1, is for places that only fill vectors.
    ptr = np.append(features.indptr, features.indptr[-1])
    shape = len(ptr) - 1, features.shape[1]
    return sparse.csr_array((features.data, features.indices, ptr), shape)[places.source]

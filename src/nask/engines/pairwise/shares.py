"""What single nodes, attributes and edges of a graph contribute to sums over pairs of stars."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from joblib import delayed

from nask.arrays import Float64
from nask.compiled.vectors import aligned
from nask.engines.pairwise import tile
from nask.engines.pairwise.flow import FlowWorkspace, Shares, flow_down
from nask.engines.pairwise.prepared import PairwisePrepared
from nask.engines.pairwise.tiling import TASK_PAIRS, Tiling, cut_work
from nask.execution.execution import Execution
from nask.storage.window import Window

# The most nodes of a column group: all that a tile takes then fits a 2 MB L2 cache for a graph of
# 30 nodes and 3 hops.
FLOW_NODES = 256


@dataclass(frozen=True, eq=False)
class Flow:
    """Shares of the nodes' attributes and of the edges of one graph; they add up.

    Parameters
    ----------
    numerical, categorical : ndarray of shape (number of attributes, n_nodes)
        In the order of :class:`~nask.graph.elements.Elements`.
    constant : ndarray of shape (n_nodes,)
        What attributes without any training value have, or the fact that there is a node at all.
    edges : ndarray of shape (n_edges,)
    stars : ndarray of shape (n_hops, n_nodes)
        The shares of stars, before they flow down to their members.
    """

    numerical: Float64
    categorical: Float64
    constant: Float64
    edges: Float64
    stars: Float64


@dataclass(frozen=True, eq=False)
class ComparedStars:
    """The stars of some graphs laid out for comparison with those of others, one by one.

    Parameters
    ----------
    rows, columns : PairwisePrepared
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
        a, b = tiling.a, tiling.b
        down = tiling.a_places.take(row_weight, 0.0)
        across = tiling.b_places.take(column_weight, 0.0)
        shapes = FlowWorkspace.shapes(tiling.sizes, spec.n_hops)
        n_bytes = 8 * sum(int(np.prod(shape)) for shape in shapes)
        execution.check_memory(
            execution.n_threads * n_bytes, f"Explaining a graph of {self.rows.batch.n_nodes} nodes"
        )

        def task(j0: int, j1: int) -> Shares:
            shares, space = _no_shares(tiling), FlowWorkspace.of(tiling.sizes, spec.n_hops)
            flow_down(a, 0, b, j0, j1, tiling.rules, down, across, space, shares)
            return shares

        work = np.diff(b.node_ptr) * int(a.node_ptr[-1])
        tasks = (delayed(task)(*own) for own in cut_work(work, TASK_PAIRS))
        total = _no_shares(tiling)
        # In order, so that rounding does not depend on the number of threads.
        for shares in execution.run(tasks, float(work.sum())):
            for of_all, own in zip(total, shares, strict=True):
                np.add(of_all, own, out=of_all)
        return _by_node(total, tiling, self.rows)


def _by_place(side: tile.Side) -> tile.Side:
    """Make every place a graph of its own: what a tile adds up by graph comes out by node."""
    return side._replace(graph=np.arange(len(side.graph)), graph_ptr=side.node_ptr)


def _no_shares(tiling: Tiling) -> Shares:
    terms, n_nodes = tiling.rules.nodes, int(tiling.a.node_ptr[-1])
    n_terms = len(terms.least) + len(terms.wide_gamma) + len(terms.gain)
    n_edges = int(tiling.a.edge_ptr[-1])
    by_node, stars = [(n_nodes,)] * 3, (len(tiling.a.norm), n_nodes)
    shapes: list[tuple[int, ...]] = [(n_terms, n_nodes), *by_node, (n_edges,), stars]
    shares = Shares(*(aligned(shape) for shape in shapes))
    for array in shares:
        array[...] = 0.0
    return shares


def _by_node(shares: Shares, tiling: Tiling, rows: PairwisePrepared) -> Flow:
    """Return shares by attribute and node, from those by place."""
    P, factors, n_nodes = rows.spec.nodes, tiling.factors, rows.batch.n_nodes
    place = tiling.a_places.positions(n_nodes)
    of_members, of_cores, lost = (
        each[place] for each in (shares.of_members, shares.of_cores, shares.lost)
    )
    terms = shares.terms[:, place]
    n_narrow, n_numerical = len(factors.narrow), len(P.numerical_gamma)
    numerical, categorical = np.empty((n_numerical, n_nodes)), terms[n_numerical:]
    least = P.numerical_weight * np.exp(-P.numerical_gamma)
    # Terms with factors are whole, others lack what any two values have.
    numerical[factors.narrow] = terms[:n_narrow] - np.outer(least[factors.narrow], of_cores)
    numerical[factors.wide] = terms[n_narrow:n_numerical]
    numerical[factors.wide] += np.outer(least[factors.wide], of_members)
    least = P.categorical_weight * np.exp(-P.categorical_gamma)
    categorical = categorical + np.outer(least, of_members)
    # Where P is 0, every attribute has its weight.
    numerical += np.outer(P.numerical_weight, lost)
    categorical += np.outer(P.categorical_weight, lost)
    named = float(P.numerical_weight.sum() + P.categorical_weight.sum())
    constant = P.constant * of_members + (1 - named) * lost
    edge_place = tiling.a_edge_places.positions(len(rows.batch.edges))
    edges, stars = shares.edges[edge_place], shares.stars[:, place]
    return Flow(numerical, categorical, constant, edges, stars)

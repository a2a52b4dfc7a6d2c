"""The gradient of a weighted sum of Gram entries by the parameters of the star kernel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import delayed

from nask.arrays import Float64
from nask.attributes.similarity import AttributeSimilarity
from nask.attributes.similarity_gradient import SimilarityGradient
from nask.compiled.places import Places
from nask.compiled.vectors import LANES, aligned
from nask.engines.pairwise.adjoint import (
    AdjointSide,
    AdjointWorkspace,
    Derivatives,
    Holders,
    Sums,
    Values,
    pull_back,
)
from nask.engines.pairwise.layout import lists, octets
from nask.engines.pairwise.prepared import PairwisePrepared
from nask.engines.pairwise.tiling import TASK_PAIRS, Tiling, cut_work
from nask.execution.execution import Execution
from nask.graph.elements import Elements
from nask.storage.window import Window

# The most nodes of a group: what a tile takes, some 12 numbers per pair of nodes, then fits a L2
# cache of 2 MB.
GROUP_NODES = 128
# The most nodes of a group, if each group has one graph.
ONE_GRAPH = 0


@dataclass(frozen=True, eq=False)
class StarGradient:
    """The gradient of sum over hops and pairs of graphs of hop weight * weight * K_h.

    Parameters
    ----------
    nodes, edges : SimilarityGradient
        By the parameters of P of nodes and of edges.
    gamma_star : float
    """

    nodes: SimilarityGradient
    edges: SimilarityGradient
    gamma_star: float


def star_gradient(
    graphs: PairwisePrepared, weights: Float64, hop_weights: Float64, execution: Execution
) -> StarGradient:
    """Return the gradient of sum_h sum_ij hop_weights[h] weights[i, j] K_h(G_i, G_j).

    K_h is the sum of kappa_h over pairs of stars. With ``max_leaves``, the leaves that stars keep
    count as given, though they depend on P.

    Parameters
    ----------
    graphs : PairwisePrepared
        In float64, and without sparse node features. Of a joint P, which is no sum over attributes,
        the gradient by ``gamma_star`` alone is found.
    weights : ndarray of shape (n_graphs, n_graphs)
        Symmetric.
    hop_weights : ndarray of shape (n_hops,)
    execution : Execution

    Examples
    --------
    >>> import nask
    >>> kernel = nask.NASK(n_hops=2, engine="pairwise").fit(nask.load_dataset("MUTAG").graphs[:9])
    >>> graphs, one = kernel.fitted_.graphs, np.ones(2)
    >>> star_gradient(graphs, np.ones((9, 9)), one, Execution()).gamma_star < 0
    True
    """
    spec = graphs.spec
    if graphs.batch.features is not None or spec.dtype != "float64":
        raise RuntimeError("The gradient is that of dense node features, in float64.")
    whole = Window.whole(graphs.batch.n_graphs, graphs.batch.n_graphs)
    slopes = np.zeros((spec.n_hops, graphs.batch.n_nodes))
    between = _Pass(graphs, Tiling.of(graphs, graphs, whole, GROUP_NODES), weights, hop_weights)
    parts = list(between.run(slopes, False, execution))
    within = _Pass(graphs, Tiling.of(graphs, graphs, whole, ONE_GRAPH), weights, hop_weights)
    parts += within.run(slopes, True, execution)
    total = _Total(*(np.sum(own, axis=0) for own in zip(*parts, strict=True)))
    return total.gradient(graphs)


@dataclass(frozen=True, eq=False)
class _Total:
    """Derivatives of all tasks, added up."""

    nodes: Float64
    edges: Float64
    gamma_star: float
    floor: Float64

    @classmethod
    def parts(cls, d: Derivatives) -> tuple[Any, ...]:
        """What a task has, without its slopes."""
        return _joined(d.nodes), _joined(d.edges), d.gamma_star.sum(), d.floor.sum(axis=1)

    def gradient(self, graphs: PairwisePrepared) -> StarGradient:
        """Return the gradient, with what the floors of pruning have of it."""
        spec, gamma_star = graphs.spec, float(self.gamma_star)
        nodes, edges = _similarity(self.nodes, spec.nodes), _similarity(self.edges, spec.edges)
        if not spec.prune_cores:
            return StarGradient(nodes, edges, gamma_star)
        deeper = slice(1, None) if spec.nested else slice(0, 0)
        gamma_star -= float(np.exp(-spec.gamma_star) * self.floor[deeper].sum())
        if spec.nodes.floor > 0:
            # A floor is the least value of P, which every pair has.
            of_nodes = float(self.floor[:1].sum() if spec.nested else self.floor.sum())
            nodes = SimilarityGradient(nodes.total + of_nodes, nodes.near, nodes.steep, nodes.same)
        return StarGradient(nodes, edges, gamma_star)


@dataclass(frozen=True, eq=False)
class _Pass:
    """One comparison of all graphs with each other, or of each with itself."""

    graphs: PairwisePrepared
    tiling: Tiling
    weights: Float64
    hop_weights: Float64

    def run(self, slopes: Float64, own: bool, execution: Execution) -> Iterable[tuple[Any, ...]]:
        """Yield what each task adds up; slopes by node are read, or added to, on the way."""
        tiling, spec = self.tiling, self.graphs.spec
        shapes = AdjointWorkspace.shapes(tiling.sizes, spec.n_hops)
        n_bytes = 8 * sum(int(np.prod(shape)) for shape in shapes)
        execution.check_memory(
            execution.n_threads * n_bytes, "The gradient of the kernel", "use fewer threads"
        )
        side, source = self._side(), tiling.a_places.source
        by_place = tiling.a_places.take(slopes, 0.0)
        node_gamma, edge_gamma = _gamma(spec.nodes)[0], _gamma(spec.edges)[0]
        parameters = node_gamma, np.exp(-node_gamma), edge_gamma, np.exp(-edge_gamma)
        weights, hop_weights = map(np.ascontiguousarray, (self.weights, self.hop_weights))
        ptr = tiling.a.node_ptr

        def task(i: int, j0: int, j1: int) -> tuple[int, int, int, Derivatives]:
            d = self._derivatives(int(ptr[i + 1] - ptr[i]), int(ptr[j1] - ptr[j0]))
            space = AdjointWorkspace.of(tiling.sizes, spec.n_hops)
            pull_back(
                tiling.a, side, i, tiling.b, side, j0, j1, tiling.rules, own, weights, hop_weights,
                *parameters, space, by_place, d,
            )  # fmt: skip
            return i, j0, j1, d

        places = tiling.tasks()
        if own:
            places = [(j0, j0, j1) for j0, j1 in cut_work(np.diff(ptr) ** 2, TASK_PAIRS)]
        n_pairs = float(ptr[-1]) * float(ptr[-1]) * (0.0 if own else 1.0)
        # In order, so that rounding does not depend on the number of threads.
        for i, j0, j1, d in execution.run((delayed(task)(*place) for place in places), n_pairs):
            if not own:
                of_columns = d.column_slope.reshape(spec.n_hops, int(ptr[j1] - ptr[j0]), LANES).sum(
                    axis=2
                )
                for first, last, found in ((i, i + 1, d.row_slope), (j0, j1, of_columns)):
                    at = source[ptr[first] : ptr[last]]
                    slopes[:, at[at >= 0]] += found[:, at >= 0]
            yield _Total.parts(d)

    def _side(self) -> AdjointSide:
        tiling, graphs = self.tiling, self.graphs
        batch, places = graphs.batch, (tiling.a_places, tiling.a_edge_places)
        stars = graphs.incident.transposed(len(batch.edges))
        ptr, star = lists(stars, places[1], places[0].positions(batch.n_nodes))
        holders = Holders(ptr, star, octets(ptr, star, places[1], places[0]))
        nodes, edges = map(_values, (batch.nodes, batch.edges), places)
        return AdjointSide(nodes, edges, holders)

    def _derivatives(self, n: int, m: int) -> Derivatives:
        spec = self.graphs.spec
        row_slope, column_slope = _zeros(spec.n_hops, n), _zeros(spec.n_hops, m * LANES)
        nodes, edges = _sums(spec.nodes), _sums(spec.edges)
        floor = _zeros(spec.n_hops, LANES)
        return Derivatives(nodes, edges, _zeros(LANES), floor, row_slope, column_slope)


def _values(elements: Elements, places: Places) -> Values:
    numbers = places.take(elements.numerical, np.nan)
    codes = places.take(elements.categorical, -1)
    return Values(len(places.source), numbers.ravel(), codes.ravel())


def _gamma(P: AttributeSimilarity) -> tuple[Float64, Float64]:
    """Gamma of the numerical and of the categorical attributes; none of a joint P."""
    if P.joint:
        return np.empty(0), np.empty(0)
    return P.numerical_gamma, P.categorical_gamma


def _sums(P: AttributeSimilarity) -> Sums:
    n, k = (len(gamma) * LANES for gamma in _gamma(P))
    return Sums(_zeros(LANES), _zeros(n), _zeros(n), _zeros(k))


def _zeros(*shape: int) -> Float64:
    values: Float64 = aligned(shape)
    values[...] = 0.0
    return values


def _joined(sums: Sums) -> Float64:
    """All sums one after the other, lanes added up."""
    return np.concatenate([own.reshape(-1, LANES).sum(axis=1) for own in sums])


def _similarity(sums: Float64, P: AttributeSimilarity) -> SimilarityGradient:
    cuts = np.cumsum([1, *[len(_gamma(P)[0])] * 2])
    total, near, steep, same = np.split(sums, cuts)
    return SimilarityGradient(float(total[0]), near, steep, same)

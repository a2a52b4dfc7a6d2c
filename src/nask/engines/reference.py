"""The equations, literally: loops over stars, nodes and edges. Slow, and the oracle of the tests.

Nothing here is clever and nothing should be. Sections and symbols are those of ``docs/design.md``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nask.arrays import Positions
from nask.attributes.gower import (
    categorical_similarity,
    exponential_transform,
    numerical_similarity,
)
from nask.attributes.similarity import AttributeSimilarity
from nask.engines.conditioning import warn_of_near_stars
from nask.engines.contract import Engine, Prepared
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.graph.elements import Elements
from nask.numeric import TINY
from nask.stars.spec import StarSpec
from nask.storage.window import Window

Matrix = list[list[float]]
Likeness = list[list[bool]]


@dataclass(frozen=True, eq=False)
class ReferencePrepared(Prepared):
    """The batch itself, with the self-similarities of its stars and graphs."""

    star_self: list[list[list[float]]]
    """k_h(v, v) by graph, hop and node."""

    def take(self, graphs: Positions) -> ReferencePrepared:
        """Some of the graphs."""
        return ReferencePrepared(
            self.batch.take(graphs),
            self.spec,
            self.hop_self.take(graphs, axis=1),
            [self.star_self[i] for i in graphs],
        )


class ReferenceEngine(Engine[ReferencePrepared]):
    """Sections 1 to 4 of the definition as nested loops."""

    name = "reference"

    def prepare(self, batch: GraphBatch, spec: StarSpec, execution: Execution) -> ReferencePrepared:
        """Compute k_h(v, v) of every star and K_h(G, G) of every graph."""
        star_self, hop_self = [], np.zeros((spec.n_hops, batch.n_graphs))
        for i in range(batch.n_graphs):
            kernels = star_kernels(batch, i, batch, i, spec, None, None)
            own = [[k[v][v] for v in range(len(k))] for k in kernels]
            star_self.append(own)
            like = alike(batch, i, batch, i, spec)
            hop_self[:, i] = graph_kernels(kernels, own, own, spec, like)
        return ReferencePrepared(batch, spec, hop_self, star_self)

    def grams(
        self,
        rows: ReferencePrepared,
        columns: ReferencePrepared,
        combinations: npt.NDArray[np.float64],
        execution: Execution,
        window: Window,
    ) -> npt.NDArray[np.floating]:
        """Compare every pair of graphs."""
        spec, (n, m) = rows.spec, window.shape
        n_numbers = (spec.n_hops + len(combinations)) * n * m
        execution.check_memory(8 * n_numbers, f"A Gram matrix of {n} x {m} graphs with its hops")
        hops, nearest = np.zeros((spec.n_hops, n, m)), -1.0
        row_graphs = range(window.rows.start, window.rows.stop)
        column_graphs = range(window.columns.start, window.columns.stop)
        for x, i in execution.track(enumerate(row_graphs), len(row_graphs)):
            for y, j in enumerate(column_graphs):
                own, other = rows.star_self[i], columns.star_self[j]
                kernels = star_kernels(rows.batch, i, columns.batch, j, spec, own, other)
                like = alike(rows.batch, i, columns.batch, j, spec)
                hops[:, x, y] = graph_kernels(kernels, own, other, spec, like)
                nearest = max(nearest, nearest_stars(kernels, own, other, spec, like))
        warn_of_near_stars(nearest, spec)
        return np.tensordot(combinations, hops, axes=1)


def attribute_similarity(
    a: Elements, x: int, b: Elements, y: int, similarity: AttributeSimilarity
) -> float:
    """P(x, y) = sum over attributes d of w_d exp(-gamma_d (1 - s_d)).

    Summed as the base, which is P of dissimilar elements, plus what exceeds it: the core factor of
    two entirely dissimilar cores is then exactly 0 when pruning, not a rounding error.
    """
    excess = 0.0
    for d, (gamma, weight) in enumerate(
        zip(similarity.numerical_gamma, similarity.numerical_weight, strict=True)
    ):
        s = numerical_similarity(a.numerical[d, x], b.numerical[d, y])
        excess += weight * (exponential_transform(s, gamma) - exponential_transform(0.0, gamma))
    for d, (gamma, weight) in enumerate(
        zip(similarity.categorical_gamma, similarity.categorical_weight, strict=True)
    ):
        s = categorical_similarity(a.categorical[d, x], b.categorical[d, y])
        excess += weight * (exponential_transform(s, gamma) - exponential_transform(0.0, gamma))
    return float(similarity.base + excess)


def star_kernels(
    a: GraphBatch,
    i: int,
    b: GraphBatch,
    j: int,
    spec: StarSpec,
    self_a: list[list[float]] | None,
    self_b: list[list[float]] | None,
) -> list[Matrix]:
    """k_h(v, v') for h = 1..H and all nodes v of graph i of ``a`` and v' of graph j of ``b``.

    ``self_a[h][v]`` is k_h(v, v). ``None`` where i and j are the same graph, whose own
    diagonal then serves.
    """
    P0 = _pairs(a.nodes, i, b.nodes, j, spec.nodes)
    PE = _pairs(a.edges, i, b.edges, j, spec.edges)
    n, m = len(range(*_bounds(a.nodes, i))), len(range(*_bounds(b.nodes, j)))
    P, kernels = P0, []
    like = alike(a, i, b, j, spec)
    for hop in range(1, spec.n_hops + 1):
        width = hop if spec.expansion == "ball" else 1
        nodes_a, edges_a = star(a, i, width)
        nodes_b, edges_b = star(b, j, width)
        floor, spread = spec.core_floor(hop), spec.core_spreads()[hop - 1]
        k = [[0.0] * m for _ in range(n)]
        for v in range(n):
            for w in range(m):
                members = sum(P[u][x] for u in nodes_a[v] for x in nodes_b[w])
                if spec.use_edges:
                    members += sum(PE[e][f] for e in edges_a[v] for f in edges_b[w])
                core = (P[v][w] - floor) / spread if spec.prune_cores else P[v][w]
                k[v][w] = core * members
        kernels.append(k)
        if spec.expansion == "nested":
            own = self_a[hop - 1] if self_a is not None else [k[v][v] for v in range(n)]
            other = self_b[hop - 1] if self_b is not None else [k[w][w] for w in range(m)]
            normalised = normalise(k, own, other, like[hop - 1])
            P = [[math.exp(-spec.gamma_star * (1 - x)) for x in row] for row in normalised]
    return kernels


def normalise(
    k: Matrix, own: list[float], other: list[float], like: Likeness | None = None
) -> Matrix:
    """k(v, v') / sqrt(k(v, v) k(v', v')), and 0 where that is 0 / 0.

    That is 1 for stars that are alike and less than 1 for others, where ``like`` tells.
    """

    def similarity(v: int, w: int) -> float:
        if own[v] < TINY or other[w] < TINY:
            return 0.0
        if like is not None and like[v][w]:
            return 1.0
        normalised = k[v][w] / math.sqrt(own[v]) / math.sqrt(other[w])
        return normalised if like is None else min(normalised, math.nextafter(1.0, 0.0))

    return [[similarity(v, w) for w in range(len(other))] for v in range(len(own))]


def graph_kernels(
    kernels: list[Matrix],
    own: list[list[float]],
    other: list[list[float]],
    spec: StarSpec,
    like: list[Likeness] | list[None],
) -> list[float]:
    """Sum over all pairs of stars of kappa_h, for h = 1..H."""
    kappas = (
        [normalise(*each) for each in zip(kernels, own, other, like, strict=True)]
        if spec.star_norm
        else kernels
    )
    return [sum(sum(row) for row in kappa) for kappa in kappas]


def nearest_stars(
    kernels: list[Matrix],
    own: list[list[float]],
    other: list[list[float]],
    spec: StarSpec,
    like: list[Likeness] | list[None],
) -> float:
    """The largest similarity of two stars that are not alike, at hops where it matters."""
    nearest = -1.0
    for h, each in enumerate(zip(kernels, own, other, like, strict=True)):
        if spec.watched(h):
            similar, alike = normalise(*each), each[-1] or []
            pairs = zip(similar, alike, strict=True)
            unlike = (x for row, same in pairs for x, y in zip(row, same, strict=True) if not y)
            nearest = max([nearest, *unlike])
    return nearest


def alike(
    a: GraphBatch, i: int, b: GraphBatch, j: int, spec: StarSpec
) -> list[Likeness] | list[None]:
    """Which stars of graph i of ``a`` and of graph j of ``b`` are alike, hop by hop.

    Those whose cores are, and which hold everything in equal shares: at hop 1 every value of every
    attribute, since P is a sum over attributes; later the stars of the hop before; edges as at hop
    1 always. None for balls, of which no star is made of stars.
    """
    if spec.expansion == "ball":
        return [None] * spec.n_hops
    labels: dict[Hashable, int] = {}
    rows, columns = (_star_labels(batch, g, spec, labels) for batch, g in ((a, i), (b, j)))
    return [
        [[v == w for w in right] for v in left] for left, right in zip(rows, columns, strict=True)
    ]


def _star_labels(
    batch: GraphBatch, i: int, spec: StarSpec, labels: dict[Hashable, int]
) -> list[list[int]]:
    """A number for each star of a graph, hop by hop; equal ones for stars that are alike."""
    nodes, edges = star(batch, i, 1)
    n = len(nodes)

    def label(*key: Hashable) -> int:
        return labels.setdefault(key, len(labels))

    of_edges: list[Counter[Hashable]] = [Counter() for _ in range(n)]
    if spec.use_edges:
        of_edges = [_values(batch.edges, i, e, spec.edges, "edge") for e in edges]
    of_nodes = [_values(batch.nodes, i, star_nodes, spec.nodes, "node") for star_nodes in nodes]
    before = [
        label("node", _shares(_values(batch.nodes, i, [v], spec.nodes, "node"))) for v in range(n)
    ]
    hops = []
    for hop in range(1, spec.n_hops + 1):
        if hop > 1:
            of_nodes = [Counter(("star", before[u]) for u in star_nodes) for star_nodes in nodes]
        before = [label(hop, before[v], _shares(of_nodes[v] + of_edges[v])) for v in range(n)]
        hops.append(before)
    return hops


def _values(
    elements: Elements, i: int, members: Iterable[int], similarity: AttributeSimilarity, kind: str
) -> Counter[Hashable]:
    """How many of the members have each value of each attribute, and how many there are."""
    first = int(elements.ptr[i])
    counts: Counter[Hashable] = Counter()
    for u in members:
        for d, weight in enumerate(similarity.numerical_weight):
            if weight > 0 and not math.isnan(elements.numerical[d, first + u]):
                counts[kind, "number", d, float(elements.numerical[d, first + u])] += 1
        for d, weight in enumerate(similarity.categorical_weight):
            if weight > 0 and elements.categorical[d, first + u] >= 0:
                counts[kind, "category", d, int(elements.categorical[d, first + u])] += 1
        if similarity.base > 0:
            counts[kind] += 1
    return counts


def _shares(counts: Counter[Hashable]) -> Hashable:
    """Counts in lowest terms."""
    divisor = math.gcd(*counts.values())
    return frozenset((thing, count // divisor) for thing, count in counts.items())


def star(batch: GraphBatch, i: int, width: int) -> tuple[list[set[int]], list[set[int]]]:
    """Nodes and edges of the star of each node of graph i, ``width`` hops wide.

    Its nodes are those within ``width`` hops; its edges those with an endpoint within
    ``width - 1`` hops. Both are counted from the first of the graph.
    """
    first, last = _bounds(batch.nodes, i)
    first_edge, last_edge = _bounds(batch.edges, i)
    ends = (batch.endpoints[first_edge:last_edge] - first).tolist()
    stars, incident = [], []
    for v in range(last - first):
        nodes: set[int] = {v}
        edges: set[int] = set()
        for _ in range(width):
            edges |= {e for e, (x, y) in enumerate(ends) if x in nodes or y in nodes}
            nodes |= {end for e in edges for end in ends[e]}
        stars.append(nodes)
        incident.append(edges)
    return stars, incident


def _bounds(elements: Elements, i: int) -> tuple[int, int]:
    return int(elements.ptr[i]), int(elements.ptr[i + 1])


def _pairs(a: Elements, i: int, b: Elements, j: int, similarity: AttributeSimilarity) -> Matrix:
    return [
        [attribute_similarity(a, x, b, y, similarity) for y in range(*_bounds(b, j))]
        for x in range(*_bounds(a, i))
    ]

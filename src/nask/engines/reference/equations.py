"""The equations, literally: loops over stars, nodes and edges.

Nothing here is clever, and nothing should be. The symbols are those of ``docs/design.md``.
"""

from __future__ import annotations

import math

from nask.attributes.similarity import AttributeSimilarity
from nask.engines.reference.alike import Likeness, alike
from nask.engines.reference.similarity import element_similarity, values_of
from nask.engines.reference.stars import bounds, members_of
from nask.graph.batch import GraphBatch
from nask.graph.elements import Elements
from nask.numeric import TINY
from nask.stars.spec import StarSpec

Matrix = list[list[float]]


def star_kernels(
    a: GraphBatch,
    i: int,
    b: GraphBatch,
    j: int,
    spec: StarSpec,
    self_a: list[list[float]] | None,
    self_b: list[list[float]] | None,
    like: list[Likeness] | list[None] | None = None,
) -> list[Matrix]:
    """Return k_h(v, v') for h = 1..H and all nodes v and v' of two graphs.

    Parameters
    ----------
    i, j : int
        v is in graph i of ``a``, v' in graph j of ``b``.
    self_a, self_b : list of list of float, or None
        k_h(v, v) by hop and node. None where both graphs are the same: it is then found here.
    like : list, optional
        Which stars are alike, by hop; found here by default.
    """
    P0 = _pairs(a.nodes, i, b.nodes, j, spec.nodes)
    PE = _pairs(a.edges, i, b.edges, j, spec.edges) if spec.use_edges else []
    n, m = len(range(*bounds(a.nodes, i))), len(range(*bounds(b.nodes, j)))
    P, kernels = P0, []
    like = like or alike(a, i, b, j, spec)
    for hop in range(1, spec.n_hops + 1):
        if hop == 1 or spec.expansion == "ball":
            nodes_a, edges_a = members_of(a, i, hop, spec)
            nodes_b, edges_b = members_of(b, j, hop, spec)
        floor, spread = spec.core_floor(hop), spec.core_spreads()[hop - 1]
        k = [[0.0] * m for _ in range(n)]
        for v in range(n):
            for w in range(m):
                members = sum(P[u][x] for u in nodes_a[v] for x in nodes_b[w])
                if spec.use_edges:
                    members += sum(PE[e][f] for e in edges_a[v] for f in edges_b[w])
                core = P0[v][w] if spec.expansion == "walk" else P[v][w]
                if spec.prune_cores:
                    core = (core - floor) / spread
                k[v][w] = core * members
        kernels.append(k)
        if spec.deepens:
            own = self_a[hop - 1] if self_a is not None else [k[v][v] for v in range(n)]
            other = self_b[hop - 1] if self_b is not None else [k[w][w] for w in range(m)]
            normalised = normalise(k, own, other, like[hop - 1])
            P = normalised
            if spec.nested:
                P = [[math.exp(-spec.gamma_star * (1 - x)) for x in row] for row in normalised]
    return kernels


def normalise(
    k: Matrix, own: list[float], other: list[float], like: Likeness | None = None
) -> Matrix:
    """Return k(v, v') / sqrt(k(v, v) k(v', v')), and 0 where that is 0 / 0.

    ``own`` and ``other`` are k(v, v) and k(v', v'). Where it is told which stars are alike, the
    result is 1 for these, and less than 1 for others.
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
    """Return the sums of kappa_h over all pairs of stars, for h = 1..H.

    All lists are by hop: k_h(v, v'), k_h(v, v), k_h(v', v'), and which stars are alike.
    """
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
    """Return the largest similarity of two stars that are not alike, at hops that are watched.

    The parameters are those of :func:`graph_kernels`.
    """
    nearest = -1.0
    for h, each in enumerate(zip(kernels, own, other, like, strict=True)):
        if spec.watched(h):
            similar, same_stars = normalise(*each), each[-1] or []
            pairs = zip(similar, same_stars, strict=True)
            unlike = (x for row, same in pairs for x, y in zip(row, same, strict=True) if not y)
            nearest = max([nearest, *unlike])
    return nearest


def _pairs(a: Elements, i: int, b: Elements, j: int, similarity: AttributeSimilarity) -> Matrix:
    rows = [values_of(a, x) for x in range(*bounds(a, i))]
    columns = [values_of(b, y) for y in range(*bounds(b, j))]
    return [[element_similarity(x, y, similarity) for y in columns] for x in rows]

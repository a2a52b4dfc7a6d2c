"""Distinct stars against distinct stars, compiled: one hop, some rows side by side.

Members, cores and graphs of columns are looked up at random places. With 16 rows side by side a
look-up brings 16 numbers that one instruction or two add, which was 4 times as fast as row by row.
As in ``tile``, P is held in the arithmetic's type, and sums, norms and products are float64.
Nothing here checks its input: the driver in ``distinct`` has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from nask.engines.exponential import exp
from nask.engines.tile import compiled

Array = npt.NDArray[Any]

# Inlined before it is compiled, a function is compiled once, not twice: in 2 s instead of 3.6 s.
inlined = njit(inline="always")
# Rows computed side by side: the inner loops run over them, and 16 make two lines of the cache.
LANES = 16
# Columns at a time, so that k_h stays in the nearest cache until it is added up.
CHUNK = 64


class Stars(NamedTuple):
    """The distinct stars of one hop in some graphs."""

    core: Array  # position among the stars of the hop before
    member_ptr: Array
    member: Array  # core and leaves, as positions among the stars of the hop before
    bundle: Array  # position among the distinct sets of edges
    norm: Array  # 1 / sqrt(k_h(v, v)), and 0 where that is 1 / 0
    graph_ptr: Array
    graph: Array  # the graphs a star occurs in
    times: Array  # and how often, in float64


class HopRules(NamedTuple):
    """What to compute at one hop."""

    gamma_star: float
    star_norm: bool
    core_floor: float  # 0 unless cores are pruned
    core_scale: float  # 1 unless cores are pruned


class Space(NamedTuple):
    """Working memory of LANES rows side by side."""

    lines: Array  # the sums, row by row
    sums: Array  # of P over their members, by star of the hop before
    cores: Array  # their core factor, by star of the hop before
    edges: Array  # their edge term, by bundle
    norms: Array
    kappa: Array  # by star, for CHUNK of them
    below: Array  # P_h of the same
    by_graph: Array  # sums of kappa, by graph

    @classmethod
    def of(cls, n_before: int, n_bundles: int, n_graphs: int) -> Space:
        """Take memory for columns of so many things."""
        sizes = (n_before, n_before, n_bundles, 1, CHUNK, CHUNK, n_graphs)
        sums, cores, edges, norms, kappa, below, by_graph = (np.empty((n, LANES)) for n in sizes)
        return cls(
            np.empty((LANES, n_before)), sums, cores, edges, norms[0], kappa, below, by_graph
        )


@inlined
def load_rows(
    space: Space, P: Array, edge_term: Array, a: Stars, first: int, last: int, rules: HopRules
) -> None:
    """Lay LANES stars of ``a`` from ``first`` on side by side, the last again where they end."""
    n_lanes = len(space.lines)
    for lane in range(n_lanes):
        v, line = min(first + lane, last - 1), space.lines[lane]
        space.norms[lane] = a.norm[v]
        edges, core = edge_term[a.bundle[v]], P[a.core[v]]
        for bundle in range(len(edges)):
            space.edges[bundle, lane] = edges[bundle]
        for u in range(len(line)):
            line[u] = 0.0
        for i in range(a.member_ptr[v], a.member_ptr[v + 1]):
            member = P[a.member[i]]
            for u in range(len(line)):
                line[u] += member[u]
        for u in range(len(line)):
            space.cores[u, lane] = (core[u] - rules.core_floor) * rules.core_scale
    for u in range(len(space.sums)):
        for lane in range(n_lanes):
            space.sums[u, lane] = space.lines[lane, u]


@inlined
def fill_kappa(space: Space, b: Stars, c0: int, c1: int) -> None:
    """k_h of the rows with stars c0..c1 of ``b``."""
    for c in range(c0, c1):
        k, edges = space.kappa[c - c0], space.edges[b.bundle[c]]
        for lane in range(LANES):
            k[lane] = edges[lane]
        for i in range(b.member_ptr[c], b.member_ptr[c + 1]):
            member = space.sums[b.member[i]]
            for lane in range(LANES):
                k[lane] += member[lane]
        core = space.cores[b.core[c]]
        for lane in range(LANES):
            k[lane] *= core[lane]


@inlined
def fill_deeper(
    deeper: Array, n_rows: int, space: Space, b: Stars, c0: int, c1: int, gamma_star: float
) -> None:
    """P_h of the rows with stars c0..c1 of ``b``, from their k_h."""
    for c in range(c0, c1):
        k, below, norm = space.kappa[c - c0], space.below[c - c0], b.norm[c]
        for lane in range(LANES):
            normalised = (k[lane] * space.norms[lane]) * norm
            below[lane] = exp(gamma_star * (normalised - 1.0))
    for lane in range(n_rows):
        row = deeper[lane]
        for c in range(c0, c1):
            row[c] = space.below[c - c0, lane]


@inlined
def add_by_graph(space: Space, b: Stars, c0: int, c1: int, n_half: int, star_norm: bool) -> None:
    """Add kappa_h of stars c0..c1, without the norms of the rows, to the graphs they are in."""
    for c in range(c0, c1):
        k, share = space.kappa[c - c0], 0.5 if c < n_half else 1.0
        if star_norm:
            share *= b.norm[c]
        for i in range(b.graph_ptr[c], b.graph_ptr[c + 1]):
            graph, weight = space.by_graph[b.graph[i]], share * b.times[i]
            for lane in range(LANES):
                graph[lane] += weight * k[lane]


@compiled
def compare_stars(
    P: Array, edge_term: Array, a: Stars, first: int, last: int, b: Stars, start: int,
    n_half: int, rules: HopRules, deeper: Array, space: Space, out: Array,
) -> None:  # fmt: skip
    """Write kappa_h of stars first..last of ``a``, summed over the graphs of ``b``, to ``out``.

    Parameters
    ----------
    P : ndarray
        P_{h-1} between the stars of the hop before.
    edge_term : ndarray
        Sums of P between edges, by the bundles of two stars.
    start : int
        The first star of ``b`` to compare with.
    n_half : int
        Stars of ``b`` before this one count half.
    deeper : ndarray of shape (last - first, stars of b), or without columns
        Takes P_h, unless this is the last hop.
    out : ndarray of shape (last - first, graphs of b)
    """
    for v in range(first, last, LANES):
        n_rows, row = min(LANES, last - v), v - first
        load_rows(space, P, edge_term, a, v, last, rules)
        space.by_graph.fill(0.0)
        for c0 in range(start, len(b.core), CHUNK):
            c1 = min(c0 + CHUNK, len(b.core))
            fill_kappa(space, b, c0, c1)
            if deeper.shape[1]:
                fill_deeper(deeper[row:], n_rows, space, b, c0, c1, rules.gamma_star)
            add_by_graph(space, b, c0, c1, n_half, rules.star_norm)
        for lane in range(n_rows):
            norm = space.norms[lane] if rules.star_norm else 1.0
            for graph in range(out.shape[1]):
                out[row + lane, graph] = space.by_graph[graph, lane] * norm


@compiled
def add_rows(gram: Array, rows: Array, a: Stars, first: int, weight: float) -> None:
    """Add the rows of stars from ``first`` on to the graphs they occur in."""
    for r in range(len(rows)):
        row = rows[r]
        for k in range(a.graph_ptr[first + r], a.graph_ptr[first + r + 1]):
            target, scale = gram[a.graph[k]], weight * a.times[k]
            for j in range(len(row)):
                target[j] += scale * row[j]

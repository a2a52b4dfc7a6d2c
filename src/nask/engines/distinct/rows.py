"""Sums of kappa_h between distinct stars, compiled: one hop, eight rows side by side.

The members, cores and graphs of columns lie at random places. With eight rows side by side, each
access reads a vector of eight (see ``compiled/vectors``). As in ``pairwise/tile``, P is stored in
float64 or float32 and all arithmetic is float64. Nothing here checks its input; ``engine`` does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nask.arrays import Array
from nask.compiled.compiling import compiled, inner
from nask.compiled.exponential import exp
from nask.compiled.lines import sum_lines, transpose_lines
from nask.compiled.vectors import (
    LANES,
    aligned,
    at,
    load,
    load_square,
    store,
    store_square,
    transposed,
)
from nask.stars.guard import guard, watch
from nask.stars.hop_rules import HopRules


class DistinctStars(NamedTuple):
    """The distinct stars of some graphs at one hop."""

    core: Array  # position among the stars of the hop before; of a walk, among the nodes
    member_ptr: Array
    member: Array  # core and leaves, as positions among the stars of the hop before
    bundle: Array  # position among the distinct sets of edges
    norm: Array  # 1 / sqrt(k_h(v, v)), or 0 where k_h(v, v) is 0
    alike: Array  # labels, equal where stars are alike; empty unless guarded
    graph_ptr: Array
    graph: Array  # the graphs in which a star occurs
    times: Array  # how often it occurs there, in float64


class DistinctWorkspace(NamedTuple):
    """Working memory for eight rows side by side."""

    lines: Array
    sums: Array  # P summed over the members of a row, by star of the hop before
    cores: Array  # P of the core of a row, by the core of a column
    edges: Array  # the edge term of a row, by bundle
    norms: Array  # the norms of the rows
    below: Array  # P_h of the rows with eight stars
    by_graph: Array  # sums of kappa, by graph
    nearest: Array  # the largest similarity to a star that is not alike, in each lane
    alike: Array  # labels of the rows

    @classmethod
    def of(cls, n_before: int, n_cores: int, n_bundles: int, n_graphs: int) -> DistinctWorkspace:
        """Return memory for columns with so many stars of the hop before, cores, and so on."""
        sizes = (max(n_before, n_bundles), n_before, n_cores, n_bundles, 1, LANES, n_graphs, 1)
        arrays = [aligned(LANES * size) for size in sizes]
        space = cls(*arrays, *[aligned(LANES, np.int32)])
        space.nearest[:] = -1.0
        return space


@inner
def similarity(space: DistinctWorkspace, b: DistinctStars, c: int, rules: HopRules) -> Any:
    """Return k_h between the rows in ``space`` and star c of ``b``."""
    k = load(space.edges, at(b.bundle, c) * LANES)
    for i in range(at(b.member_ptr, c), at(b.member_ptr, c + 1)):
        k = k + load(space.sums, at(b.member, i) * LANES)
    core = (load(space.cores, at(b.core, c) * LANES) - rules.core_floor) * rules.core_scale
    return k * core


@inner
def add_by_graph(
    space: DistinctWorkspace, b: DistinctStars, c: int, n_half: int, kappa: Any
) -> None:
    """Add kappa_h of star c to the sums of the graphs in which it occurs.

    DistinctStars before ``n_half`` count half.
    """
    share = 0.5 if c < n_half else 1.0
    for i in range(at(b.graph_ptr, c), at(b.graph_ptr, c + 1)):
        graph = at(b.graph, i) * LANES
        total = load(space.by_graph, graph) + kappa * (share * at(b.times, i))
        store(space.by_graph, graph, total)


@inner
def compare_columns(
    space: DistinctWorkspace,
    b: DistinctStars,
    start: int,
    n_half: int,
    rules: HopRules,
    deeper: Array,
    row: int,
) -> None:
    """Compare the rows in ``space`` with the stars of ``b`` from ``start`` on.

    The parameters are those of :func:`compare_stars`; ``row`` is the first row.
    """
    norms, n = load(space.norms, 0), deeper.shape[1]
    for c0 in range(start, len(b.core), LANES):
        for c in range(c0, min(c0 + LANES, len(b.core))):
            k = similarity(space, b, c, rules)
            scaled = k * at(b.norm, c)
            if n:
                below = exp((scaled * norms - 1.0) * rules.gamma_star)
                store(space.below, (c - c0) * LANES, below)
            # The norms of the rows are multiplied in at the end, once per graph.
            add_by_graph(space, b, c, n_half, scaled if rules.star_norm else k)
        if n:
            store_square(deeper, row * n + c0, n, transposed(load_square(space.below, 0, LANES)))


@inner
def compare_normalised(
    space: DistinctWorkspace,
    b: DistinctStars,
    start: int,
    n_half: int,
    rules: HopRules,
    deeper: Array,
    row: int,
) -> None:
    """Do the same as :func:`compare_columns` for guarded stars and for walks.

    The similarity of alike stars is set to 1, where rules are guarded; what goes on to the next hop
    of walks is the similarity itself. The norms of the rows are multiplied in at once. This is a
    function of its own: as a branch of the other, it changed how that one rounds.
    """
    norms, n = load(space.norms, 0), deeper.shape[1]
    for c0 in range(start, len(b.core), LANES):
        for c in range(c0, min(c0 + LANES, len(b.core))):
            k = similarity(space, b, c, rules)
            normalised = k * at(b.norm, c) * norms
            if rules.watched:
                watch(space.nearest, normalised, space.alike, 0, at(b.alike, c))
            if rules.guarded:
                normalised = guard(normalised, space.alike, 0, at(b.alike, c))
            if n and rules.walk:
                store(space.below, (c - c0) * LANES, normalised)
            elif n:
                below = exp((normalised - 1.0) * rules.gamma_star)
                store(space.below, (c - c0) * LANES, below)
            add_by_graph(space, b, c, n_half, normalised if rules.star_norm else k)
        if n:
            store_square(deeper, row * n + c0, n, transposed(load_square(space.below, 0, LANES)))


@compiled
def compare_stars(
    P: Array, cores: Array, edge_term: Array, a: DistinctStars, first: int, last: int,
    b: DistinctStars, start: int, n_half: int, rules: HopRules, deeper: Array,
    space: DistinctWorkspace, out: Array,
) -> None:  # fmt: skip
    """Write the sums of kappa_h between stars of ``a`` and each graph of ``b`` to ``out``.

    Parameters
    ----------
    P : ndarray
        P_{h-1} between the stars of the hop before, with whole vectors of columns.
    cores : ndarray
        The same, or P_0 of walks, by which cores are compared.
    edge_term : ndarray
        Sums of P between edges, by the bundles of two stars, with whole vectors of columns.
    first, last : int
        The stars of ``a`` to compare, from ``first`` to ``last - 1``.
    start : int
        The first star of ``b`` to compare with.
    n_half : int
        DistinctStars of ``b`` before this one count half.
    deeper : ndarray with whole vectors of rows and of columns, or without columns
        Takes P_h from row ``first`` on, unless this is the last hop.
    out : ndarray of shape (last - first, graphs of b)
    """
    for v in range(first, last, LANES):
        sum_lines(space.lines, space.sums, P, P.shape[1], a.member_ptr, a.member, v, last - 1, 0)
        transpose_lines(space.cores, cores, a.core, v, last - 1)
        transpose_lines(space.edges, edge_term, a.bundle, v, last - 1)
        for lane in range(LANES):
            row = min(v + lane, last - 1)
            space.norms[lane] = a.norm[row]
            if rules.guarded:
                space.alike[lane] = a.alike[row]
        space.by_graph[:] = 0.0
        at_once = rules.guarded or rules.walk
        if at_once:
            compare_normalised(space, b, start, n_half, rules, deeper, v)
        else:
            compare_columns(space, b, start, n_half, rules, deeper, v)
        for lane in range(min(LANES, last - v)):
            norm = space.norms[lane] if rules.star_norm and not at_once else 1.0
            for graph in range(out.shape[1]):
                out[v - first + lane, graph] = space.by_graph[graph * LANES + lane] * norm


@compiled
def add_rows(gram: Array, rows: Array, a: DistinctStars, first: int, weight: float) -> None:
    """Add the rows of some stars, from star ``first`` on, to the graphs in which the stars occur.

    ``gram`` is graphs of a x graphs of b, ``rows`` stars x graphs of b.
    """
    for r in range(len(rows)):
        row = rows[r]
        for k in range(a.graph_ptr[first + r], a.graph_ptr[first + r + 1]):
            target, scale = gram[a.graph[k]], weight * a.times[k]
            for j in range(len(row)):
                target[j] += scale * row[j]

"""kappa_h between the stars of one graph, compiled: one hop, eight rows side by side.

This is done as in ``distinct/rows``, but every node has its own star, and every pair of nodes an
entry in the result. Where rows and columns are the same stars, each pair is compared once and
written twice. P is stored in float64 or float32 and all arithmetic is float64. Nothing here checks
its input; ``gram`` does.
"""

from __future__ import annotations

from typing import NamedTuple

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


class NodeStars(NamedTuple):
    """The stars of some nodes at one hop."""

    core: Array  # the node
    member_ptr: Array
    member: Array  # core and leaves
    n_edges: Array  # in float64
    line_ptr: Array
    line: Array  # lines of the edge term that belong to the star, where edges have attributes
    norm: Array  # 1 / sqrt(k_h(v, v)), or 0 where k_h(v, v) is 0
    alike: Array  # labels, equal where stars are alike; empty unless guarded


class NodeWorkspace(NamedTuple):
    """Working memory for eight rows side by side."""

    lines: Array
    sums: Array  # P summed over the members of a row, by node
    cores: Array  # P of the core of a row, by node
    edges: Array  # the edge term of a row, by node
    rows: Array  # the norms of the rows and their numbers of edges
    below: Array  # P_h in eight columns
    kappa: Array  # kappa_h in eight columns
    share: Array  # kappa_h times the weight of a result
    transpose: Array  # the same, transposed
    nearest: Array  # the largest similarity to a star that is not alike, in each lane
    alike: Array  # labels of the rows

    @classmethod
    def of(cls, n_columns: int, with_edges: bool) -> NodeWorkspace:
        """Return memory for lines of so many columns."""
        edges = n_columns if with_edges else 0
        sizes = [n_columns, n_columns, n_columns, edges, 2, *[LANES] * 4, 1]
        arrays = [aligned(LANES * size) for size in sizes]
        space = cls(*arrays, *[aligned(LANES, np.int32)])
        space.nearest[:] = -1.0
        return space


@inner
def add_square(
    out: Array, start: int, weight: float, space: NodeWorkspace, v: int, n: int, c0: int, m: int,
    triangle: bool,
) -> None:  # fmt: skip
    """Add kappa_h of eight rows from v on and eight columns from c0 on to a result.

    Parameters
    ----------
    out : ndarray
        All results as one flat array.
    start : int
        Where the result begins, which is n x m.
    triangle : bool
        Whether to add the mirror image too.
    """
    for k in range(LANES):
        store(space.share, LANES * k, load(space.kappa, LANES * k) * weight)
    if v + LANES <= n and c0 + LANES <= m and not (triangle and v == c0):
        store_square(space.transpose, 0, LANES, transposed(load_square(space.share, 0, LANES)))
        for k in range(LANES):
            place = start + (v + k) * m + c0
            store(out, place, load(out, place) + load(space.transpose, LANES * k))
        if triangle:
            for k in range(LANES):
                place = start + (c0 + k) * m + v
                store(out, place, load(out, place) + load(space.share, LANES * k))
        return
    # At the edge of the result, or on its diagonal, which is its own mirror image.
    for k in range(min(LANES, m - c0)):
        for lane in range(min(LANES, n - v)):
            if not triangle or v + lane <= c0 + k:
                out[start + (v + lane) * m + c0 + k] += space.share[LANES * k + lane]
            if triangle and v + lane < c0 + k:
                out[start + (c0 + k) * m + v + lane] += space.share[LANES * k + lane]


@inner
def set_square(deeper: Array, n: int, space: NodeWorkspace, v: int, c0: int) -> None:
    """Write P_h of eight rows from v on and eight columns from c0 on, and its mirror image.

    ``deeper`` is P_h as a flat array, with lines of n numbers.
    """
    square = load_square(space.below, 0, LANES)
    store_square(deeper, c0 * n + v, n, square)
    store_square(deeper, v * n + c0, n, transposed(square))


@inner
def compare_column(
    space: NodeWorkspace, b: NodeStars, c: int, k: int, edge_lines: bool, edge_weight: float,
    rules: HopRules, go_on: bool,
) -> None:  # fmt: skip
    """Compare the rows in ``space`` with star c of ``b``.

    Parameters
    ----------
    c, k : int
        The star, which is the k-th of eight.
    edge_lines : bool
        Whether ``space`` has an edge term.
    edge_weight : float
        As in :func:`compare_nodes`.
    go_on : bool
        Whether to compute P_h too.
    """
    core = at(b.core, c)
    members = load(space.rows, LANES) * (edge_weight * at(b.n_edges, c))
    for i in range(at(b.member_ptr, c), at(b.member_ptr, c + 1)):
        members = members + load(space.sums, at(b.member, i) * LANES)
    if edge_lines:
        members = members + load(space.edges, core * LANES)
    similarity = members * ((load(space.cores, core * LANES) - rules.core_floor) * rules.core_scale)
    normalised = similarity * at(b.norm, c) * load(space.rows, 0)
    if rules.guarded:
        if rules.watched:
            watch(space.nearest, normalised, space.alike, 0, at(b.alike, c))
        normalised = guard(normalised, space.alike, 0, at(b.alike, c))
    if go_on and rules.walk:
        store(space.below, k * LANES, normalised)
    elif go_on:
        store(space.below, k * LANES, exp((normalised - 1.0) * rules.gamma_star))
    if rules.star_norm:
        similarity = normalised
    store(space.kappa, k * LANES, similarity)


@compiled
def compare_nodes(
    P: Array, cores: Array, edge_term: Array, edge_weight: float, a: NodeStars, first: int,
    last: int, b: NodeStars, triangle: bool, rules: HopRules, deeper: Array, weights: Array,
    out: Array, space: NodeWorkspace,
) -> None:  # fmt: skip
    """Add kappa_h between stars of ``a`` and of ``b``, times weights, to results.

    Parameters
    ----------
    P : ndarray
        P_{h-1} between all nodes, with whole vectors of rows and of columns.
    cores : ndarray as P
        The same, or P_0 of walks, by which cores are compared.
    edge_term : ndarray
        Sums of P between edges, as lines over all nodes, with whole vectors of columns. It has no
        lines where all edges are alike or do not count.
    edge_weight : float
        P of any two edges where all edges are alike, else 0.
    first, last : int
        The stars of ``a`` to compare, from ``first``, a multiple of eight, to ``last - 1``.
    triangle : bool
        Whether ``b`` is ``a``: then only columns from the row on are compared, and mirrored.
    deeper : ndarray as P, or empty
        Takes P_h, if a triangle of all nodes is compared.
    weights : ndarray of shape (n_results,)
    out : ndarray of shape (n_results, stars of a, stars of b)
    """
    width, n, m = P.shape[1], len(a.core), len(b.core)
    go_on, with_edges = deeper.shape[0] > 0, edge_term.shape[0] > 0
    below, results = deeper.reshape(deeper.size), out.reshape(out.size)
    for v in range(first, last, LANES):
        sum_lines(space.lines, space.sums, P, width, a.member_ptr, a.member, v, last - 1, 0)
        transpose_lines(space.cores, cores, a.core, v, last - 1)
        if with_edges:
            sum_lines(
                space.lines, space.edges, edge_term, width, a.line_ptr, a.line, v, last - 1, 0
            )
        for lane in range(LANES):
            row = min(v + lane, last - 1)
            space.rows[lane], space.rows[LANES + lane] = a.norm[row], a.n_edges[row]
            if rules.guarded:
                space.alike[lane] = a.alike[row]
        for c0 in range(v if triangle else 0, m, LANES):
            for k in range(min(LANES, m - c0)):
                compare_column(space, b, c0 + k, k, with_edges, edge_weight, rules, go_on)
            if go_on:
                set_square(below, width, space, v, c0)
            for r in range(len(weights)):
                if weights[r] != 0.0:
                    add_square(results, r * n * m, weights[r], space, v, n, c0, m, triangle)


@compiled
def self_terms(
    P: Array, cores: Array, edge_term: Array, edge_weight: float, a: NodeStars, rules: HopRules,
    out: Array,
) -> None:  # fmt: skip
    """Write k_h(v, v) of stars to ``out``; the parameters are those of :func:`compare_nodes`."""
    for v in range(len(a.core)):
        core = a.core[v]
        members = edge_weight * a.n_edges[v] * a.n_edges[v]
        for i in range(a.line_ptr[v], a.line_ptr[v + 1]):
            members += np.float64(edge_term[a.line[i], core])
        for i in range(a.member_ptr[v], a.member_ptr[v + 1]):
            line = P[a.member[i]]
            for j in range(a.member_ptr[v], a.member_ptr[v + 1]):
                members += np.float64(line[a.member[j]])
        out[v] = members * (cores[core, core] - rules.core_floor) * rules.core_scale

"""Shares that flow down from pairs of stars to nodes, attributes and edges, compiled.

A decision is a sum over pairs of stars. Let R_h(v, v') be what the pair of stars of hop h carries,
and inner(v, v') the bracket of k_h = core * inner. Going down from h to h - 1,

    core       R_{h-1}  +=  1/2 R_h                              half of a product's share each
    members    R_{h-1}  +=  P_{h-1} o (A Y A'^T),  Y = 1/2 R_h / inner
    edges      what the edge term has of the bracket stays with the edges
    hop h - 1  R_{h-1}  +=  weight * kappa_{h-1}                 the share of that hop itself

and at the bottom R_0 is split over attributes by their terms of P. (A sums over the members of a
star; its transpose is A itself where being a member is mutual, else it adds up what those stars
carry that have a node as a member.) Stars of balls are made of nodes at once: all their shares go
down to R_0 in one step. The core of a walk is compared by P_0: its half goes down to R_0, and the
other half to hop h - 1. Nothing is lost where a factor is 0, or
nearly: the half of an empty bracket stays with the core.

Tiles are laid out as in ``tile``: lines of the row graph's nodes, one per column node.

Sparse node features are compared by their nonzeros. With Q = R_0 / P, the share of column d of node
v is the sum over v' of Q(v, v') times its term of P, and that is, up to a factor and a constant,

    (1 - f(x)) sum Q  -  sum Q f(x')  +  sum Q (f(x) + f(x') - 1 + s(x, x'))

The second sum is over nonzeros x', the third over pairs of nonzeros; see ``compiled_features``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nask.arrays import Array
from nask.attributes.compiled_features import NodeFeatures, add_features, shared_terms
from nask.attributes.compiled_similarity import Operand, Similarity, factor, fill_similarity
from nask.compiled.compiling import compiled, inner
from nask.compiled.exponential import exp
from nask.compiled.vectors import (
    LANES,
    aligned,
    at,
    load,
    maximum,
    quotient,
    spread,
    store,
    where_below,
    where_equal,
    where_positive,
)
from nask.engines.pairwise.tile import Side, TileRules, TileSizes, sum_members
from nask.stars.guard import guard

# What shares are divided by counts as 0 below this: the quotient would overflow. Brackets and P
# are as small as that between nodes that have nothing in common, if gamma is in the hundreds.
LEAST_DIVISOR = 1e-200
# Of P, what a pruned core exceeds the floor by: a smaller part is a rounding error, and a share
# that is divided by it would be one, too.
LEAST_EXCESS = 1e-7
# The same of P with sparse node features, whose terms are differences of numbers of the size of 1.
LEAST_SPARSE = 1e-7
# Rows whose shares of sparse features are added up at once: of 1500 columns, they fit a L2 cache.
FEATURE_ROWS = 128


class FlowWorkspace(NamedTuple):
    """Working memory of one thread, for tiles up to some size."""

    P: Array  # hops x pairs of nodes: P_0, P_1, ...
    inner: Array  # hops x pairs: the bracket of k_h
    own: Array  # hops x pairs: what each pair has of hop h itself
    carried: Array  # pairs: R
    cores: Array  # pairs: what R_0 has from cores
    split: Array  # pairs: Y, and at the bottom R_0 / P
    sums: Array  # pairs: A Y A'^T
    edge_term: Array  # pairs: of k_h, where edges have attributes
    edges: Array  # pairs of edges: P_E
    edge_line: Array  # sums of P_E over the edges of one column
    lines: Array
    transpose: Array
    shared: Array  # nodes: what sparse features of one column add to P
    square: Array

    @classmethod
    def of(cls, sizes: TileSizes, n_hops: int) -> FlowWorkspace:
        """Return memory for tiles up to these sizes."""
        return cls(*map(aligned, cls.shapes(sizes, n_hops)))

    @classmethod
    def shapes(cls, sizes: TileSizes, n_hops: int) -> list[tuple[int, ...]]:
        """Return the shape of each array."""
        pairs = sizes.rows * sizes.columns
        edges = sizes.row_edges * sizes.column_edges if sizes.edge_attributes else 0
        line = LANES * max(sizes.rows, sizes.row_edges)
        term = pairs if sizes.edge_attributes else 0
        by_hop, by_pair = [(n_hops, pairs)] * 3, [(pairs,)] * 4
        rest = [(term,), (edges,), (sizes.row_edges,), (line,), (line + LANES,)]
        return [*by_hop, *by_pair, *rest, (sizes.rows,), (LANES,)]


class Shares(NamedTuple):
    """What flows down to the nodes and edges of the row graph, by place."""

    terms: Array  # attributes x nodes: R_0 / P * term of P; only what exceeds the least, of
    # attributes that have no factors
    features: Array  # sparse features x nodes: R_0 / P * what a column has but for (1 - f(x))
    of_members: Array  # nodes: sum of R_0 / P
    of_cores: Array  # nodes: the same of pruned cores, whose terms are less their least
    lost: Array  # nodes: R_0 where P is 0, or nearly, or no sum over attributes
    edges: Array
    stars: Array  # hops x nodes: the share of each hop itself


@inner
def go_up(
    space: FlowWorkspace, rules: TileRules, h: int, a: Side, a0: int, n: int, b: Side, b0: int,
    m: int, row_weight: Array, column_weight: Array, stars: Array,
) -> None:  # fmt: skip
    """Write the bracket of k_h, the share of hop h itself, and P_h where it is needed."""
    level = 0 if rules.deepens else h
    P, bracket, own = space.P[h if rules.deepens else 0], space.inner[h], space.own[h]
    core = space.P[0] if rules.walk else P
    sum_members(
        space.lines, space.transpose, P, n, b.member_ptr[level], b.member, b0, a.member_rows,
        level, a0, n, b0, m, space.sums,
    )  # fmt: skip
    a_count, b_count = a.n_incident[level], b.n_incident[level]
    a_norm, b_norm, a_alike, b_alike = a.norm[h], b.norm[h], a.alike[h], b.alike[h]
    floor, scale = rules.core_floor[h], rules.core_scale[h]
    deeper = space.P[h + 1] if rules.deepens and h + 1 < len(space.P) else space.P[0]
    for c in range(m):
        weight = column_weight[h, b0 + c]
        for v in range(0, n, LANES):
            place = c * n + v
            count = load(a_count, a0 + v) * rules.edge_count_weight
            x = load(space.sums, place) + count * at(b_count, b0 + c)
            if rules.edge_attributes:
                x = x + load(space.edge_term, place)
            store(bracket, place, x)
            kappa = x * ((load(core, place) - floor) * scale)
            normalised = kappa * load(a_norm, a0 + v) * at(b_norm, b0 + c)
            if rules.guarded:
                normalised = guard(normalised, a_alike, a0 + v, at(b_alike, b0 + c))
            if rules.walk and h + 1 < len(space.P):
                store(deeper, place, normalised)
            elif rules.deepens and h + 1 < len(space.P):
                store(deeper, place, exp((normalised - 1.0) * rules.gamma_star))
            if rules.star_norm:
                kappa = normalised
            share = kappa * load(row_weight, a0 + v) * weight
            store(own, place, share)
            add(stars, a0 + v, share)


@inner
def add_edges(
    space: FlowWorkspace, rules: TileRules, level: int, a: Side, a0: int, n: int, e0: int,
    n_edges: int, b: Side, b0: int, m: int, f0: int, edges: Array,
) -> None:  # fmt: skip
    """Add what the edge term has of the brackets to the edges of the row graph."""
    a_ptr, b_ptr = a.incident_ptr[level], b.incident_ptr[level]
    if not rules.edge_attributes:
        # All edges are alike: what they have is the same for all edges of a star.
        b_count, weight = b.n_incident[level], rules.edge_count_weight
        for v in range(0, n, LANES):
            total = spread(0.0)
            for c in range(m):
                total = total + load(space.split, c * n + v) * (at(b_count, b0 + c) * weight)
            store(space.sums, v, total)
        for v in range(n):
            for i in range(a_ptr[a0 + v], a_ptr[a0 + v + 1]):
                edges[a.incident[i]] += space.sums[v]
        return
    for c in range(m):
        line = space.edge_line
        line[:n_edges] = 0.0
        for i in range(b_ptr[b0 + c], b_ptr[b0 + c + 1]):
            start = (b.incident[i] - f0) * n_edges
            for e in range(n_edges):
                line[e] += space.edges[start + e]
        for v in range(n):
            y = space.split[c * n + v]
            if y != 0.0:
                for i in range(a_ptr[a0 + v], a_ptr[a0 + v + 1]):
                    edges[a.incident[i]] += y * line[a.incident[i] - e0]


@inner
def go_down(
    space: FlowWorkspace, rules: TileRules, h: int, a: Side, a0: int, n: int, e0: int,
    n_edges: int, b: Side, b0: int, m: int, f0: int, edges: Array,
) -> None:  # fmt: skip
    """Pass on what pairs of stars of hop h carry, to pairs of hop h - 1 and to edges."""
    level = 0 if rules.deepens else h
    P, bracket, own = space.P[h if rules.deepens else 0], space.inner[h], space.own[h]
    carried, cores, split = space.carried, space.cores, space.split
    for place in range(0, n * m, LANES):
        share, x = load(own, place), load(bracket, place)
        if rules.deepens:
            share = share + load(carried, place)
        half, divisor = share * 0.5, where_positive(x - LEAST_DIVISOR, x)
        store(split, place, quotient(half, divisor))
        core = share - where_positive(divisor, half)
        if rules.walk or not rules.deepens:
            core = core + load(cores, place)
        store(cores, place, core)
    if rules.edge_attributes or rules.edge_count_weight > 0.0:
        add_edges(space, rules, level, a, a0, n, e0, n_edges, b, b0, m, f0, edges)
    sum_members(
        space.lines, space.transpose, split, n, b.holder_ptr[level], b.holder, b0, a.holder_rows,
        level, a0, n, b0, m, space.sums,
    )  # fmt: skip
    for place in range(0, n * m, LANES):
        share = load(P, place) * load(space.sums, place)
        if not rules.deepens:
            share = share + load(carried, place)
        elif h > 0 and not rules.walk:
            share = share + load(cores, place)
        store(carried, place, share)


@inner
def divide(
    space: FlowWorkspace, floor: float, zero: float, n: int, m: int, a0: int, shares: Shares
) -> None:
    """Write R_0 / P, by which attributes are weighted, and its sums over columns.

    A pruned core is (P - floor), made of what attributes add to their least terms. A floor of 0
    prunes nothing; and the core of a pair that is at the floor has what deeper hops pass on to it
    by the whole of P. What is less than ``zero`` is no divisor.
    """
    P = space.P[0]
    for c in range(m):
        for v in range(0, n, LANES):
            place, row = c * n + v, a0 + v
            p, core = load(P, place), load(space.cores, place)
            rest, by_core = load(space.carried, place) + core, spread(0.0)
            if floor > 0.0:
                excess, least = p - floor, maximum(p * LEAST_EXCESS, spread(zero))
                excess = where_positive(excess - least, excess)
                by_core = quotient(core, excess)
                rest = rest - where_positive(excess, core)
            divisor = where_positive(p - zero, p)
            by_member = quotient(rest, divisor)
            store(space.split, place, by_member + by_core)
            add(shares.of_members, row, by_member)
            add(shares.of_cores, row, by_core)
            add(shares.lost, row, rest - where_positive(divisor, rest))


@inner
def add(values: Array, place: int, more: Any) -> None:
    """Add a vector to eight numbers."""
    store(values, place, load(values, place) + more)


@inner
def add_terms(
    split: Array, n: int, m: int, a: Operand, a0: int, b: Operand, b0: int, s: Similarity,
    terms: Array,
) -> None:  # fmt: skip
    """Add R_0 / P times each term of P, summed over columns, by attribute and row."""
    n_factors, n_wide = len(s.least), len(s.wide_gamma)
    for v in range(a0, a0 + n, LANES):
        for c in range(b0, b0 + m):
            weight = load(split, (c - b0) * n + v - a0)
            i, j = v * n_factors, (c - c % LANES) * n_factors + c % LANES
            for d in range(n_factors):
                term = maximum(factor(a, i, b, j), spread(s.least[d]))
                add(terms[d], v, weight * term)
                i, j = i + LANES, j + LANES
            for d in range(n_wide):
                distance = load(a.wide, d * a.n + v) - spread(b.wide[d * b.n + c])
                distance = maximum(distance, 0.0 - distance)
                near = exp(distance * -s.wide_gamma[d]) * s.wide_weight[d] - s.wide_least[d]
                near = weight * where_below(distance, 1.0, near)
                add(terms[n_factors + d], v, near)
            for d in range(len(s.gain)):
                code = b.codes[d * b.n + c]
                code = code if code >= 0 else -2
                same = weight * where_equal(a.codes, d * a.n + v, code, s.gain[d])
                add(terms[n_factors + n_wide + d], v, same)


@inner
def add_feature_terms(
    split: Array, n: int, m: int, b0: int, f: NodeFeatures, square: Array, terms: Array
) -> None:
    """Add R_0 / P times what sparse features have, summed over columns, by feature and row.

    Only what nonzeros of the columns change: the rest needs no more than sums of R_0 / P.
    """
    for v0 in range(0, n, FEATURE_ROWS):
        v1 = min(n, v0 + FEATURE_ROWS)
        for c in range(m):
            for i in range(f.row_ptr[b0 + c], f.row_ptr[b0 + c + 1]):
                line, lack = terms[f.row_column[i]], at(f.row_lack, i)
                for v in range(v0, v1, LANES):
                    add(line, v, load(split, c * n + v) * (0.0 - lack))
    for c in range(m):
        for i in range(f.row_ptr[b0 + c], f.row_ptr[b0 + c + 1]):
            column, value, lack = f.row_column[i], at(f.row_value, i), at(f.row_lack, i)
            line, last = terms[column], f.column_ptr[column + 1]
            for k in range(f.column_ptr[column], last, LANES):
                store(square, 0, shared_terms(f, k, value, lack))
                for j in range(min(LANES, last - k)):
                    v = f.column_node[k + j]
                    line[v] += split[c * n + v] * square[j]


@compiled
def flow_down(
    a: Side, b: Side, j0: int, j1: int, rules: TileRules, features: NodeFeatures,
    row_weight: Array, column_weight: Array, space: FlowWorkspace, shares: Shares,
) -> None:  # fmt: skip
    """Add the shares of the graph of the first row group in its comparison with column groups.

    What is shared out is the sum over hops, and over pairs of nodes, of row weight * column weight
    * kappa_h.

    Parameters
    ----------
    j0, j1 : int
        The column groups are those from j0 to j1 - 1.
    features : NodeFeatures
        Sparse ones: of the places of b by node, and of the places of a by column.
    row_weight : ndarray by place
    column_weight : ndarray, hops x places
    """
    n_hops = len(column_weight)
    a0, e0 = 0, 0
    n, n_edges = a.node_ptr[1], a.edge_ptr[1]
    sparse = features.scale > 0.0
    for j in range(j0, j1):
        b0, f0 = b.node_ptr[j], b.edge_ptr[j]
        m, m_edges = b.node_ptr[j + 1] - b0, b.edge_ptr[j + 1] - f0
        if m == 0:
            # Graphs without nodes, for whose pairs there is no memory.
            continue
        fill_similarity(space.P[0], n, m, a.nodes, a0, b.nodes, b0, rules.nodes)
        if sparse:
            for c in range(m):
                add_features(
                    space.P[0], c * n, n, features, b0 + c, space.shared, space.square
                )  # fmt: skip
        if rules.edge_attributes:
            fill_similarity(space.edges, n_edges, m_edges, a.edges, e0, b.edges, f0, rules.edges)
        for h in range(n_hops):
            if rules.edge_attributes and (h == 0 or not rules.deepens):
                level = 0 if rules.deepens else h
                sum_members(
                    space.lines, space.transpose, space.edges, n_edges, b.incident_ptr[level],
                    b.incident, f0, a.incident_rows, level, a0, n, b0, m, space.edge_term,
                )  # fmt: skip
            go_up(space, rules, h, a, a0, n, b, b0, m, row_weight, column_weight, shares.stars[h])
        space.carried[: n * m] = 0.0
        space.cores[: n * m] = 0.0
        for h in range(n_hops - 1, -1, -1):
            go_down(space, rules, h, a, a0, n, e0, n_edges, b, b0, m, f0, shares.edges)
        zero = LEAST_SPARSE if sparse else LEAST_DIVISOR
        if rules.nodes.joint:
            # No term of P belongs to an attribute: R_0 is left as it is.
            zero = np.inf
        divide(space, rules.core_floor[0], zero, n, m, a0, shares)
        add_terms(space.split, n, m, a.nodes, a0, b.nodes, b0, rules.nodes, shares.terms)
        if sparse:
            add_feature_terms(
                space.split, n, m, b0, features, space.square, shares.features
            )  # fmt: skip

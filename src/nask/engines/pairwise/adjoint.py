"""The derivatives of a weighted sum of kernel entries by the kernel's parameters, compiled.

Let L be a sum over pairs of graphs of weight * K, and let a bar over a number mean the derivative
of L by it. One pass up the hops keeps P_h and inner_h, the bracket of k_h = core * inner; one pass
down gives the bars of all of them (reverse accumulation):

    k^_h     bar =  weight_h * weight of the graphs  +  gamma_star P_h bar(P_h)
    k_h      bar =  bar(k^_h) norm(v) norm(v')
    members  bar(P_{h-1})  +=  A^T (bar(k_h) core) A'        A^T: who has a node as a member
    core     bar(P_{h-1})  +=  bar(k_h) inner                of walks and balls bar(P_0)
    edges    bar(T)        +=  bar(k_h) core,   bar(P_E) = B^T bar(T) B'

A norm is 1 / sqrt(k_h(v, v)), so bar(k_h(v, v)) = -1/2 norm(v)^2 S_h(v), where S_h(v), the slope
of a star, is the sum of bar(k^_h) k^_h over all pairs that v takes part in. So graphs are compared
with each other first, which gives slopes, and then each with itself, where the slope of hop h is
complete once hop h + 1 has been passed on. Where two stars are alike, k^_h is 1 whatever the
parameters are, and its bar is 0.

Tiles are laid out as in ``tile``: lines of the row group's nodes, one per column node.
"""

from __future__ import annotations

from typing import NamedTuple

from nask.arrays import Array
from nask.attributes.compiled_similarity import fill_similarity
from nask.compiled.compiling import compiled, inner
from nask.compiled.exponential import exp
from nask.compiled.vectors import (
    LANES,
    aligned,
    at,
    load,
    maximum,
    spread,
    store,
    where_below,
    where_equal,
)
from nask.engines.pairwise.flow import add
from nask.engines.pairwise.tile import Octets, Side, TileRules, TileSizes, sum_members
from nask.stars.guard import guard


class Values(NamedTuple):
    """The attributes of nodes, or edges, by place: flat arrays, attributes x places."""

    n: int
    numbers: Array  # in units of the training range, NaN where missing
    codes: Array  # negative where missing


class Holders(NamedTuple):
    """The stars that have each edge, by place."""

    ptr: Array  # levels x (edges + 1)
    star: Array
    rows: Octets


class AdjointSide(NamedTuple):
    """What the derivatives need of the rows, or the columns, beside their :class:`Side`."""

    nodes: Values
    edges: Values
    holders: Holders


class AdjointWorkspace(NamedTuple):
    """Working memory of one thread, for tiles up to some size."""

    P: Array  # hops x pairs of nodes: P_0, P_1, ...
    inner: Array  # hops x pairs: the bracket of k_h
    bar: Array  # pairs: of k_h, then of P_{h-1}
    core_bar: Array  # pairs: of P_0, from the cores of walks, and from all of balls
    inner_bar: Array
    sums: Array  # pairs: sums over members
    edge_term: Array  # pairs: of k_h, where edges have attributes
    edge_bar: Array  # pairs: of the edge term
    edges: Array  # pairs of edges: P_E, then sums over the stars that have them
    edges_bar: Array  # pairs of edges: of P_E
    weights: Array  # graphs of the column group x nodes of the row group
    lines: Array
    transpose: Array

    @classmethod
    def of(cls, sizes: TileSizes, n_hops: int) -> AdjointWorkspace:
        """Return memory for tiles up to these sizes."""
        return cls(*map(aligned, cls.shapes(sizes, n_hops)))

    @classmethod
    def shapes(cls, sizes: TileSizes, n_hops: int) -> list[tuple[int, ...]]:
        """Return the shape of each array."""
        pairs = sizes.rows * sizes.columns
        edges = sizes.row_edges * sizes.column_edges if sizes.edge_attributes else 0
        term = pairs if sizes.edge_attributes else 0
        line = LANES * max(sizes.rows, sizes.row_edges)
        by_hop, by_pair = [(n_hops, pairs)] * 2, [(pairs,)] * 4
        rest = [(term,), (term,), (edges,), (edges,), (sizes.graphs * sizes.rows,)]
        return [*by_hop, *by_pair, *rest, (line,), (line + LANES,)]


class Sums(NamedTuple):
    """Sums over pairs of elements of bar(P) times what P is made of, in each lane."""

    total: Array  # bar(P) itself
    near: Array  # numbers x lanes: times s' - e^-gamma
    steep: Array  # numbers x lanes: times d s' - e^-gamma, with d the distance
    same: Array  # categories x lanes: of equal ones


class Derivatives(NamedTuple):
    """What a task adds up."""

    nodes: Sums
    edges: Sums
    gamma_star: Array  # lanes
    floor: Array  # hops x lanes: by the floor that pruning subtracts
    row_slope: Array  # hops x nodes of the row group
    column_slope: Array  # hops x nodes of the column groups x lanes


@inner
def go_up(
    space: AdjointWorkspace, rules: TileRules, h: int, a: Side, a0: int, n: int, b: Side, b0: int,
    m: int,
) -> None:  # fmt: skip
    """Write the bracket of k_h, and P_h where the next hop needs it."""
    level = 0 if rules.deepens else h
    P, bracket = space.P[h if rules.deepens else 0], space.inner[h]
    core = space.P[0] if rules.walk else P
    sum_members(
        space.lines, space.transpose, P, n, b.member_ptr[level], b.member, b0, a.member_rows,
        level, a0, n, b0, m, space.sums,
    )  # fmt: skip
    a_count, b_count = a.n_incident[level], b.n_incident[level]
    a_norm, b_norm, a_alike, b_alike = a.norm[h], b.norm[h], a.alike[h], b.alike[h]
    floor, scale = rules.core_floor[h], rules.core_scale[h]
    goes_on = rules.deepens and h + 1 < len(space.P)
    deeper = space.P[h + 1] if goes_on else space.P[0]
    for c in range(m):
        for v in range(0, n, LANES):
            place = c * n + v
            count = load(a_count, a0 + v) * rules.edge_count_weight
            x = load(space.sums, place) + count * at(b_count, b0 + c)
            if rules.edge_attributes:
                x = x + load(space.edge_term, place)
            store(bracket, place, x)
            if goes_on:
                kappa = x * ((load(core, place) - floor) * scale)
                kappa = kappa * load(a_norm, a0 + v) * at(b_norm, b0 + c)
                if rules.guarded:
                    kappa = guard(kappa, a_alike, a0 + v, at(b_alike, b0 + c))
                if rules.walk:
                    store(deeper, place, kappa)
                else:
                    store(deeper, place, exp((kappa - 1.0) * rules.gamma_star))


@inner
def go_up_all(
    space: AdjointWorkspace, rules: TileRules, n_hops: int, a: Side, a0: int, n: int, e0: int,
    n_edges: int, b: Side, b0: int, m: int, f0: int, m_edges: int,
) -> None:  # fmt: skip
    """Go up all hops."""
    fill_similarity(space.P[0], n, m, a.nodes, a0, b.nodes, b0, rules.nodes)
    if rules.edge_attributes:
        fill_similarity(space.edges, n_edges, m_edges, a.edges, e0, b.edges, f0, rules.edges)
    for h in range(n_hops):
        if rules.edge_attributes and (h == 0 or not rules.deepens):
            level = 0 if rules.deepens else h
            sum_members(
                space.lines, space.transpose, space.edges, n_edges, b.incident_ptr[level],
                b.incident, f0, a.incident_rows, level, a0, n, b0, m, space.edge_term,
            )  # fmt: skip
        go_up(space, rules, h, a, a0, n, b, b0, m)


@inner
def bar_of_stars(
    space: AdjointWorkspace, rules: TileRules, h: int, weight: float, a: Side, a0: int, n: int,
    b: Side, b0: int, m: int, first_graph: int, d: Derivatives, row_slope: Array, b_first: int,
) -> None:  # fmt: skip
    """Replace the bar of P_h, which hop h + 1 left, by that of k_h; add to slopes."""
    core = space.P[h if rules.deepens and not rules.walk else 0]
    bracket, bar = space.inner[h], space.bar
    a_norm, b_norm, a_alike, b_alike = a.norm[h], b.norm[h], a.alike[h], b.alike[h]
    floor, scale = rules.core_floor[h], rules.core_scale[h]
    goes_on = rules.deepens and h + 1 < len(space.P)
    deeper = space.P[h + 1] if goes_on else space.P[0]
    column_slope = d.column_slope[h]
    for c in range(m):
        line = (at(b.graph, b0 + c) - first_graph) * n
        for v in range(0, n, LANES):
            place = c * n + v
            norms = load(a_norm, a0 + v) * at(b_norm, b0 + c)
            kappa = ((load(core, place) - floor) * scale) * load(bracket, place) * norms
            own = load(space.weights, line + v) * weight
            x = own if rules.star_norm else own * 0.0
            different = spread(1.0)
            if rules.guarded:
                different = different - where_equal(a_alike, a0 + v, at(b_alike, b0 + c), 1.0)
            if goes_on:
                passed = load(bar, place)
                if not rules.walk:
                    passed = passed * load(deeper, place)
                    add(d.gamma_star, 0, passed * (kappa - 1.0) * different)
                    passed = passed * rules.gamma_star
                x = x + passed
            x = x * different
            slope = x * kappa
            add(row_slope, v, slope)
            add(column_slope, (b0 + c - b_first) * LANES, slope)
            x = x * norms
            if not rules.star_norm:
                x = x + own
            store(bar, place, x)


@inner
def add_own_slopes(
    space: AdjointWorkspace, h: int, a: Side, a0: int, n: int, rows: Array, columns: Array
) -> None:
    """Add to the bars of k_h(v, v) what norms have of all pairs that v takes part in."""
    for v in range(n):
        total = rows[v]
        for lane in range(LANES):
            total += columns[v * LANES + lane]
        norm = a.norm[h, a0 + v]
        space.bar[v * n + v] -= 0.5 * norm * norm * total


@inner
def bar_of_factors(
    space: AdjointWorkspace, rules: TileRules, h: int, a: Side, a0: int, n: int, b: Side, b0: int,
    m: int, d: Derivatives,
) -> None:  # fmt: skip
    """Pass the bar of k_h on to its core, P_{h-1} or P_0, and to its bracket and edge term."""
    level = 0 if rules.deepens else h
    separate = rules.walk or not rules.deepens
    core, bracket = space.P[0 if separate else h], space.inner[h]
    floor, scale = rules.core_floor[h], rules.core_scale[h]
    a_count, b_count = a.n_incident[level], b.n_incident[level]
    of_counts, of_floor = spread(0.0), spread(0.0)
    for c in range(m):
        for v in range(0, n, LANES):
            place = c * n + v
            x, p = load(space.bar, place), (load(core, place) - floor) * scale
            of_inner = x * p
            of_core = x * load(bracket, place) * scale
            of_floor = of_floor + of_core * (p - 1.0)
            store(space.inner_bar, place, of_inner)
            if separate:
                add(space.core_bar, place, of_core)
            else:
                store(space.bar, place, of_core)
            if rules.edge_attributes:
                if not rules.deepens:
                    store(space.edge_bar, place, of_inner)
                else:
                    add(space.edge_bar, place, of_inner)
            else:
                of_counts = of_counts + of_inner * load(a_count, a0 + v) * at(b_count, b0 + c)
    add(d.floor[h], 0, of_floor)
    if not rules.edge_attributes:
        add(d.edges.total, 0, of_counts)


@inner
def bar_of_edges(
    space: AdjointWorkspace, level: int, e0: int, n_edges: int, ha: Holders, n: int, b0: int,
    f0: int, m_edges: int, hb: Holders,
) -> None:  # fmt: skip
    """Add the bar of the edge term, summed over the stars that have both edges, to that of P_E."""
    sum_members(
        space.lines, space.transpose, space.edge_bar, n, hb.ptr[level], hb.star, b0, ha.rows,
        level, e0, n_edges, f0, m_edges, space.edges,
    )  # fmt: skip
    for place in range(0, n_edges * m_edges, LANES):
        add(space.edges_bar, place, load(space.edges, place))


@inner
def bar_of_members(
    space: AdjointWorkspace, rules: TileRules, h: int, a: Side, a0: int, n: int, b: Side, b0: int,
    m: int,
) -> None:  # fmt: skip
    """Pass the bar of the bracket of k_h on to P_{h-1}, or P_0, of its members."""
    level = 0 if rules.deepens else h
    sum_members(
        space.lines, space.transpose, space.inner_bar, n, b.holder_ptr[level], b.holder, b0,
        a.holder_rows, level, a0, n, b0, m, space.sums,
    )  # fmt: skip
    for place in range(0, n * m, LANES):
        x = load(space.sums, place)
        if not rules.deepens:
            add(space.core_bar, place, x)
        elif rules.walk:
            store(space.bar, place, x)
        else:
            add(space.bar, place, x)


@inner
def join_cores(space: AdjointWorkspace, rules: TileRules, size: int) -> None:
    """Write the bar of P_0 where cores are kept apart: of walks, and all of balls."""
    for place in range(0, size, LANES):
        x = load(space.core_bar, place)
        if rules.deepens:
            x = x + load(space.bar, place)
        store(space.bar, place, x)


@inner
def add_terms(
    bar: Array, n: int, m: int, a: Values, a0: int, b: Values, b0: int, gamma: Array, least: Array,
    sums: Sums,
) -> None:  # fmt: skip
    """Add the sums over pairs of elements of bar(P) times what each attribute has."""
    total = spread(0.0)
    for place in range(0, n * m, LANES):
        total = total + load(bar, place)
    add(sums.total, 0, total)
    for d in range(len(gamma)):
        near, steep = spread(0.0), spread(0.0)
        for c in range(m):
            y = spread(b.numbers[d * b.n + b0 + c])
            for v in range(0, n, LANES):
                distance = load(a.numbers, d * a.n + a0 + v) - y
                distance = maximum(distance, 0.0 - distance)
                s, x = exp(distance * -gamma[d]), load(bar, c * n + v)
                near = near + where_below(distance, 1.0, x * (s - least[d]))
                steep = steep + where_below(distance, 1.0, x * (distance * s - least[d]))
        add(sums.near, d * LANES, near)
        add(sums.steep, d * LANES, steep)
    for d in range(len(sums.same) // LANES):
        same = spread(0.0)
        for c in range(m):
            code = b.codes[d * b.n + b0 + c]
            if code >= 0:
                for v in range(0, n, LANES):
                    equal = where_equal(a.codes, d * a.n + a0 + v, code, 1.0)
                    same = same + equal * load(bar, c * n + v)
        add(sums.same, d * LANES, same)


@compiled
def pull_back(
    a: Side, more_a: AdjointSide, i: int, b: Side, more_b: AdjointSide, j0: int, j1: int,
    rules: TileRules, own: bool, weights: Array, hop_weights: Array, gamma: Array, least: Array,
    edge_gamma: Array, edge_least: Array, space: AdjointWorkspace, slope: Array, d: Derivatives,
) -> None:  # fmt: skip
    """Add the derivatives of the sum over pairs of graphs of weight * hop weight * K_h.

    One function does both comparisons, with other graphs and with themselves, since compiling it
    takes seconds.

    Parameters
    ----------
    i : int
        The row group; the column groups are those from j0 to j1 - 1. A pair of different groups
        counts twice, since the other one of the two is not computed.
    own : bool
        Whether each column group, of one graph, is compared with itself instead of with group i.
        Then nothing has a weight but slopes, which are passed on.
    weights : ndarray of shape (n_graphs, n_graphs)
    gamma, least, edge_gamma, edge_least : ndarray
        Of the numbers of nodes and of edges: gamma and e^-gamma.
    slope : ndarray of shape (n_hops, places)
        With ``own``, the slopes of all stars from the comparisons with others.
    """
    n_hops = len(hop_weights)
    b_first = b.node_ptr[j0]
    for j in range(j0, j1):
        if own:
            i = j
        a0, e0 = a.node_ptr[i], a.edge_ptr[i]
        n, n_edges = a.node_ptr[i + 1] - a0, a.edge_ptr[i + 1] - e0
        b0, f0, first = b.node_ptr[j], b.edge_ptr[j], b.graph_ptr[j]
        m, m_edges = b.node_ptr[j + 1] - b0, b.edge_ptr[j + 1] - f0
        if n == 0 or m == 0:
            continue
        twice = 0.0 if own else (1.0 if i == j else 2.0)
        for graph in range(b.graph_ptr[j + 1] - first):
            for v in range(n):
                space.weights[graph * n + v] = twice * weights[a.graph[a0 + v], first + graph]
        go_up_all(space, rules, n_hops, a, a0, n, e0, n_edges, b, b0, m, f0, m_edges)
        space.core_bar[: n * m] = 0.0
        if rules.edge_attributes:
            space.edge_bar[: n * m] = 0.0
            space.edges_bar[: n_edges * m_edges] = 0.0
        for h in range(n_hops - 1, -1, -1):
            # Of a group with itself, rows and columns are the same stars.
            row_slope = slope[h, a0:] if own else d.row_slope[h]
            bar_of_stars(
                space, rules, h, hop_weights[h], a, a0, n, b, b0, m, first, d, row_slope, b_first,
            )  # fmt: skip
            if own:
                columns = d.column_slope[h, (b0 - b_first) * LANES :]
                add_own_slopes(space, h, a, a0, n, row_slope, columns)
            bar_of_factors(space, rules, h, a, a0, n, b, b0, m, d)
            if rules.edge_attributes and (h == 0 or not rules.deepens):
                bar_of_edges(
                    space, 0 if rules.deepens else h, e0, n_edges, more_a.holders, n, b0, f0,
                    m_edges, more_b.holders,
                )  # fmt: skip
            bar_of_members(space, rules, h, a, a0, n, b, b0, m)
        if rules.walk or not rules.deepens:
            join_cores(space, rules, n * m)
        add_terms(
            space.bar, n, m, more_a.nodes, a0, more_b.nodes, b0, gamma, least, d.nodes
        )  # fmt: skip
        if rules.edge_attributes:
            add_terms(
                space.edges_bar, n_edges, m_edges, more_a.edges, e0, more_b.edges, f0, edge_gamma,
                edge_least, d.edges,
            )  # fmt: skip

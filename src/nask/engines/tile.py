"""One graph against a run of graphs side by side, compiled: all hops in one pass.

The columns of a tile are the nodes of the run, so that every inner loop but one is long and
contiguous. Nothing here checks its input: the driver in ``pairwise`` has.

P is held in the arithmetic's type, float32 or float64; sums, products and norms are float64
always. Two equal stars are then exactly equal in float32 too, whatever the order of their members:
with sums in float32, each hop magnified their difference by gamma_star, and entries of MUTAG were
off by 20 % after 5 hops at gamma_star = 64.

Only contraction (fused multiply-add) is allowed of fast mathematics, plus reordering in the one
function that sums: no value may be assumed finite.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from nask.engines.exponential import exp

Array = npt.NDArray[Any]

compiled = njit(nogil=True, cache=True, fastmath={"contract"})
inner = njit(nogil=True, fastmath={"contract"})

NO_EDGES, EDGE_COUNTS, EDGE_ATTRIBUTES = 0, 1, 2
ALL, UPPER, OWN = 0, 1, 2


class Operand(NamedTuple):
    """Attributes of the nodes, or the edges, of a batch, ready for P."""

    p: Array  # exp(gamma (x - 1/2)), and 0 where x is missing: attributes x elements
    q: Array  # exp(-gamma (x - 1/2)), and 0 where x is missing
    wide: Array  # gamma x in float64, of attributes whose p or q would overflow
    codes: Array  # categories, negative where missing


class Similarity(NamedTuple):
    """Parameters of P for one element kind."""

    weight: Array  # of the attributes in p and q
    least: Array  # weight * exp(-gamma) of the same
    wide_gamma: Array  # of the attributes in wide
    wide_weight: Array
    wide_least: Array
    gain: Array  # weight * (1 - exp(-gamma)) of the categorical attributes
    base: Any  # a number of the arithmetic's type: P of two entirely dissimilar elements


class Side(NamedTuple):
    """A batch of graphs as the rows or the columns of tiles."""

    node_ptr: Array
    edge_ptr: Array
    nodes: Operand
    edges: Operand
    member_ptr: Array  # levels x (nodes + 1)
    member: Array
    incident_ptr: Array
    incident: Array
    n_incident: Array  # levels x nodes
    norm: Array  # hops x nodes: 1 / sqrt(k_h(v, v)), and 0 where that is 1 / 0


class Rules(NamedTuple):
    """What to compute."""

    nodes: Similarity
    edges: Similarity
    edge_mode: int
    nested: bool
    star_norm: bool
    gamma_star: float
    core_floor: Array  # by hop; 0 unless cores are pruned
    core_scale: Array  # by hop; 1 unless cores are pruned


@inner
def fill_similarity(P: Array, a: Operand, a0: int, b: Operand, b0: int, s: Similarity) -> None:
    """P between elements a0, a0 + 1, ... of ``a`` and b0, b0 + 1, ... of ``b``."""
    n, m = P.shape
    zero = P.dtype.type(0)
    for r in range(n):
        row = P[r]
        row[:] = zero
        for d in range(len(s.weight)):
            pr, qr = a.p[d, a0 + r] * s.weight[d], a.q[d, a0 + r] * s.weight[d]
            near = s.least[d]
            pc, qc = b.p[d, b0 : b0 + m], b.q[d, b0 : b0 + m]
            for c in range(m):
                # exp(-gamma |x - y|) is the smaller of exp(gamma (x - y)) and exp(gamma (y - x)).
                x, y = pr * qc[c], qr * pc[c]
                smaller = x if x < y else y
                row[c] += smaller - near if smaller > near else zero
        for d in range(len(s.wide_weight)):
            gamma, weight, least = s.wide_gamma[d], s.wide_weight[d], s.wide_least[d]
            x = a.wide[d, a0 + r]
            others = b.wide[d, b0 : b0 + m]
            for c in range(m):
                distance = abs(x - others[c])
                if distance < gamma:
                    row[c] += weight * exp(-distance) - least
        for d in range(len(s.gain)):
            code, gain = a.codes[d, a0 + r], s.gain[d]
            others = b.codes[d, b0 : b0 + m]
            if code >= 0:
                for c in range(m):
                    row[c] += gain if others[c] == code else zero
        for c in range(m):
            row[c] += s.base


@compiled
def star_floor(gamma_star: Any) -> Any:
    """exp(-gamma_star) to the same last digit as tiles compute it, so that pruning gives 0."""
    return exp(-gamma_star)


@inner
def sum_rows(out: Array, P: Array, ptr: Array, member: Array, v: int, first: int) -> None:
    """Add up the rows of P that are members of v."""
    out[:] = 0
    for k in range(ptr[v], ptr[v + 1]):
        row = P[member[k] - first]
        for c in range(len(out)):
            out[c] += row[c]


@inner
def gather(out: Array, values: Array, ptr: Array, member: Array, v0: int, first: int) -> None:
    """out[c] = sum of ``values`` over the members of node v0 + c."""
    for c in range(len(out)):
        result = values.dtype.type(0)
        for k in range(ptr[v0 + c], ptr[v0 + c + 1]):
            result += values[member[k] - first]
        out[c] = result


@njit(nogil=True, fastmath={"contract", "reassoc"})
def total(values: Array, first: int, last: int) -> float:
    """Sum of a stretch of values, in float64."""
    result = 0.0
    for c in range(first, last):
        result += np.float64(values[c])
    return result


@inner
def fill_edge_term(
    T: Array, PE: Array, a_ptr: Array, a_incident: Array, b_ptr: Array, b_incident: Array,
    a0: int, b0: int, e0: int, f0: int, sums: Array,
) -> None:  # fmt: skip
    """Sums of P between the edges of two stars, for all pairs of stars of a tile."""
    for v in range(T.shape[0]):
        sum_rows(sums, PE, a_ptr, a_incident, a0 + v, e0)
        gather(T[v], sums, b_ptr, b_incident, b0, f0)


@inner
def hop(
    P: Array, deeper: Array, T: Array, rules: Rules, h: int,
    a_ptr: Array, a_member: Array, a_count: Array, a_norm: Array, a0: int,
    b_ptr: Array, b_member: Array, b_count: Array, b_norm: Array, b0: int,
    graph_ptr: Array, j0: int, j1: int, sums: Array, kappa: Array, out: Array,
) -> None:  # fmt: skip
    """One hop: kappa_h summed over the pairs of stars of graph i and of each graph of the run.

    Reads P_{h-1} and, for the nested expansion, writes P_h to ``deeper``.
    """
    n, m = P.shape
    floor, scale, gamma_star = rules.core_floor[h], rules.core_scale[h], rules.gamma_star
    number = P.dtype.type
    for v in range(n):
        sum_rows(sums, P, a_ptr, a_member, a0 + v, a0)
        gather(kappa, sums, b_ptr, b_member, b0, b0)
        if rules.edge_mode == EDGE_ATTRIBUTES:
            edge_row = T[v]
            for c in range(m):
                kappa[c] += edge_row[c]
        elif rules.edge_mode == EDGE_COUNTS:
            count = a_count[v] * rules.edges.base
            for c in range(m):
                kappa[c] += count * b_count[c]
        core, norm = P[v], a_norm[v]
        for c in range(m):
            kappa[c] *= (core[c] - floor) * scale
        if rules.nested:
            below = deeper[v]
            for c in range(m):
                below[c] = exp(number(gamma_star * (kappa[c] * (norm * b_norm[c]) - 1.0)))
        if rules.star_norm:
            for c in range(m):
                kappa[c] *= norm * b_norm[c]
        for j in range(j0, j1):
            out[h, j - j0] += total(kappa, graph_ptr[j] - b0, graph_ptr[j + 1] - b0)


@inner
def find_norms(
    norm: Array, P: Array, T: Array, rules: Rules, h: int,
    ptr: Array, member: Array, count: Array, a0: int,
) -> None:  # fmt: skip
    """1 / sqrt(k_h(v, v)) of the stars of one graph, from its own P_{h-1}; 0 for 1 / 0."""
    for v in range(P.shape[0]):
        members = 0.0
        for k in range(ptr[a0 + v], ptr[a0 + v + 1]):
            row = P[member[k] - a0]
            for other in range(ptr[a0 + v], ptr[a0 + v + 1]):
                members += row[member[other] - a0]
        if rules.edge_mode == EDGE_ATTRIBUTES:
            members += T[v, v]
        elif rules.edge_mode == EDGE_COUNTS:
            members += count[v] * count[v] * rules.edges.base
        k_self = members * (P[v, v] - rules.core_floor[h]) * rules.core_scale[h]
        norm[v] = 1 / np.sqrt(k_self) if k_self > 0 else 0.0


@njit(inline="always")
def compare(
    a: Side, i: int, b: Side, j0: int, j1: int, rules: Rules, space: Array, lines: Array,
    out: Array, own_norms: Array, own_first: int,
) -> None:  # fmt: skip
    """All hops of graph i of ``a`` against graphs j0..j1 of ``b``, added to ``out``.

    ``space`` and ``lines`` are working memory. Where ``own_norms`` is not empty, graph i meets
    itself, and the norms of its stars are found on the way and written there, from column
    ``own_first`` on.
    """
    a0, b0, e0, f0 = a.node_ptr[i], b.node_ptr[j0], a.edge_ptr[i], b.edge_ptr[j0]
    n, m = a.node_ptr[i + 1] - a0, b.node_ptr[j1] - b0
    n_edges, m_edges = a.edge_ptr[i + 1] - e0, b.edge_ptr[j1] - f0
    if n == 0 or m == 0:
        return
    size = n * m
    P, deeper = space[:size].reshape(n, m), space[size : 2 * size].reshape(n, m)
    sums, kappa, edge_sums = lines[:m], lines[m : 2 * m], lines[2 * m : 2 * m + m_edges]
    T = PE = P
    fill_similarity(P, a.nodes, a0, b.nodes, b0, rules.nodes)
    if rules.edge_mode == EDGE_ATTRIBUTES:
        T = space[2 * size : 3 * size].reshape(n, m)
        PE = space[3 * size : 3 * size + n_edges * m_edges].reshape(n_edges, m_edges)
        fill_similarity(PE, a.edges, e0, b.edges, f0, rules.edges)
    for h in range(out.shape[0]):
        level = 0 if rules.nested else h
        a_ptr, b_ptr = a.member_ptr[level], b.member_ptr[level]
        a_count, b_count = a.n_incident[level, a0 : a0 + n], b.n_incident[level, b0 : b0 + m]
        a_norm, b_norm = a.norm[h, a0 : a0 + n], b.norm[h, b0 : b0 + m]
        if rules.edge_mode == EDGE_ATTRIBUTES and (h == 0 or not rules.nested):
            fill_edge_term(
                T, PE, a.incident_ptr[level], a.incident, b.incident_ptr[level], b.incident,
                a0, b0, e0, f0, edge_sums,
            )  # fmt: skip
        if own_norms.size > 0:
            a_norm = b_norm = own_norms[h, own_first : own_first + n]
            find_norms(a_norm, P, T, rules, h, a_ptr, a.member, a_count, a0)
        hop(
            P, deeper, T, rules, h, a_ptr, a.member, a_count, a_norm, a0,
            b_ptr, b.member, b_count, b_norm, b0, b.node_ptr, j0, j1, sums, kappa, out,
        )  # fmt: skip
        if rules.nested:
            P, deeper = deeper, P


@njit(inline="always")
def working_space(a: Side, i0: int, i1: int, b: Side, j0: int, j1: int, rules: Rules) -> Any:
    """Numbers of working memory that graphs i0..i1 need against the run j0..j1."""
    m, m_edges = b.node_ptr[j1] - b.node_ptr[j0], b.edge_ptr[j1] - b.edge_ptr[j0]
    n = n_edges = 0
    for i in range(i0, i1):
        n = max(n, a.node_ptr[i + 1] - a.node_ptr[i])
        n_edges = max(n_edges, a.edge_ptr[i + 1] - a.edge_ptr[i])
    if rules.edge_mode == EDGE_ATTRIBUTES:
        return 3 * n * m + n_edges * m_edges
    return 2 * n * m


@compiled
def compare_block(
    a: Side, i0: int, i1: int, b: Side, j0: int, j1: int, rules: Rules, pairs: int
) -> tuple[Array, Array]:
    """Sums of kappa_h between graphs i0..i1 of ``a`` and j0..j1 of ``b``: hops x i x j.

    With ``pairs`` of UPPER or OWN, ``a`` and ``b`` are one batch, and only the pairs with i <= j,
    or with i = j, are filled. OWN also finds the norms of the stars of i0..i1, hops x nodes, which
    are empty otherwise. (One function for all, since compiling takes seconds.)
    """
    n_hops, start = a.norm.shape[0], a.node_ptr[i0]
    space = np.empty(working_space(a, i0, i1, b, j0, j1, rules), a.nodes.p.dtype)
    n_line = 2 * (b.node_ptr[j1] - b.node_ptr[j0]) + b.edge_ptr[j1] - b.edge_ptr[j0]
    lines = np.empty(n_line, np.float64)
    n_norms = a.node_ptr[i1] - start if pairs == OWN else 0
    own_norms = np.empty((n_hops, n_norms), np.float64)
    out = np.zeros((n_hops, i1 - i0, j1 - j0))
    for i in range(i0, i1):
        first = j0 if pairs == ALL else max(i, j0)
        last = i + 1 if pairs == OWN else j1
        if first < last:
            part = out[:, i - i0, first - j0 :]
            own_first = a.node_ptr[i] - start
            compare(a, i, b, first, last, rules, space, lines, part, own_norms, own_first)
    return out, own_norms

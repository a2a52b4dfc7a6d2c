"""One graph against a run of graphs side by side, compiled: all hops in one pass.

The columns of a tile are the nodes of the run, so that every inner loop but one is long and
contiguous. Nothing here checks its input: the driver in ``pairwise`` has.

P is held in the arithmetic's type, float32 or float64; sums, products and norms are float64 always,
so that two equal stars are exactly equal in float32 too, whatever the order of their members. (With
sums in float32, entries of MUTAG were off by 20 % after 5 hops at gamma_star = 64.)

Only contraction (fused multiply-add) is allowed of fast mathematics, plus reordering in the one
function that sums: no value may be assumed finite.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy.typing as npt
from numba import njit

from nask.engines.exponential import exp
from nask.numeric import TINY

Array = npt.NDArray[Any]


inner = njit(nogil=True, fastmath={"contract"})


def compiled(function: Any) -> Any:
    """Compile an entry point, cached on disk where there is a place to write."""
    try:
        return njit(nogil=True, fastmath={"contract"}, cache=True)(function)
    except RuntimeError:
        return inner(function)


ALL, UPPER, OWN = 0, 1, 2


class Operand(NamedTuple):
    """Attributes of the nodes, or the edges, of a batch, ready for P."""

    p: Array  # exp(gamma (x - 1/2)), and 0 where x is missing: attributes x elements
    q: Array  # exp(-gamma (x - 1/2)), and 0 where x is missing
    wide: Array  # x in float64, of attributes whose p or q would overflow
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
    edge_attributes: bool  # whether edges are compared one by one
    edge_count_weight: float  # P of any two edges where they are all alike, else 0
    nested: bool
    star_norm: bool
    gamma_star: float
    core_floor: Array  # by hop; 0 unless cores are pruned
    core_scale: Array  # by hop; 1 unless cores are pruned


@inner
def fill_similarity(
    P: Array, n: int, m: int, a: Operand, a0: int, b: Operand, b0: int, s: Similarity
) -> None:
    """P between n elements of ``a`` from a0 on and m elements of ``b`` from b0 on, row by row."""
    zero = P.dtype.type(0)
    for r in range(n):
        row = P[r * m : (r + 1) * m]
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
            value, others = a.wide[d, a0 + r], b.wide[d, b0 : b0 + m]
            for c in range(m):
                distance = abs(value - others[c])
                if distance < 1.0:
                    row[c] += weight * math.exp(-gamma * distance) - least
        for d in range(len(s.gain)):
            code, gain, codes = a.codes[d, a0 + r], s.gain[d], b.codes[d, b0 : b0 + m]
            if code >= 0:
                for c in range(m):
                    row[c] += gain if codes[c] == code else zero
        for c in range(m):
            row[c] += s.base


@compiled
def star_floor(gamma_star: float) -> Any:
    """exp(-gamma_star) to the same last digit as tiles compute it, so that pruning gives 0."""
    return exp(-gamma_star)


@inner
def sum_rows(out: Array, P: Array, ptr: Array, member: Array, v: int, first: int) -> None:
    """Add up the rows of P that are members of v."""
    m = len(out)
    out[:] = 0.0
    for k in range(ptr[v], ptr[v + 1]):
        row = P[(member[k] - first) * m : (member[k] - first + 1) * m]
        for c in range(m):
            out[c] += row[c]


@inner
def gather(out: Array, values: Array, ptr: Array, member: Array, v0: int, first: int) -> None:
    """out[c] = sum of ``values`` over the members of node v0 + c."""
    for c in range(len(out)):
        result = 0.0
        for k in range(ptr[v0 + c], ptr[v0 + c + 1]):
            result += values[member[k] - first]
        out[c] = result


@njit(nogil=True, fastmath={"contract", "reassoc"})
def total(values: Array, first: int, last: int) -> float:
    """Sum of a stretch of values."""
    result = 0.0
    for c in range(first, last):
        result += values[c]
    return result


@inner
def hop(
    P: Array, deeper: Array, T: Array, n: int, m: int, rules: Rules, h: int,
    a_ptr: Array, a_member: Array, a_count: Array, a_norm: Array, a0: int,
    b_ptr: Array, b_member: Array, b_count: Array, b_norm: Array, b0: int,
    graph_ptr: Array, j0: int, j1: int, lines: Array, out: Array, i: int, j: int,
) -> None:  # fmt: skip
    """One hop: kappa_h summed over the pairs of stars of one graph and of each graph of the run.

    Reads P_{h-1} and writes P_h to ``deeper``, which the ball expansion does not use. Adds the sums
    to ``out[h, i, j:]``.
    """
    sums, kappa = lines[:m], lines[m : 2 * m]
    floor, scale, gamma_star = rules.core_floor[h], rules.core_scale[h], rules.gamma_star
    for v in range(n):
        sum_rows(sums, P, a_ptr, a_member, a0 + v, a0)
        gather(kappa, sums, b_ptr, b_member, b0, b0)
        if rules.edge_attributes:
            edge_row = T[v * m : (v + 1) * m]
            for c in range(m):
                kappa[c] += edge_row[c]
        core, below, norm = P[v * m : (v + 1) * m], deeper[v * m : (v + 1) * m], a_norm[v]
        count = a_count[v] * rules.edge_count_weight
        for c in range(m):
            k = (kappa[c] + count * b_count[c]) * ((core[c] - floor) * scale)
            normalised = (k * norm) * b_norm[c]
            below[c] = exp(gamma_star * (normalised - 1.0))
            kappa[c] = normalised if rules.star_norm else k
        for run in range(j0, j1):
            stretch = total(kappa, graph_ptr[run] - b0, graph_ptr[run + 1] - b0)
            out[h, i, j + run - j0] += stretch


@inner
def find_norms(
    norm: Array, P: Array, T: Array, rules: Rules, h: int,
    ptr: Array, member: Array, count: Array, a0: int,
) -> None:  # fmt: skip
    """1 / sqrt(k_h(v, v)) of the stars of one graph, from its own P_{h-1}; 0 for 1 / 0."""
    n = len(norm)
    for v in range(n):
        members = count[v] * count[v] * rules.edge_count_weight
        if rules.edge_attributes:
            members += T[v * n + v]
        for k in range(ptr[a0 + v], ptr[a0 + v + 1]):
            row = (member[k] - a0) * n
            for other in range(ptr[a0 + v], ptr[a0 + v + 1]):
                members += P[row + member[other] - a0]
        k_self = members * (P[v * n + v] - rules.core_floor[h]) * rules.core_scale[h]
        norm[v] = 1 / math.sqrt(k_self) if k_self >= TINY else 0.0


@compiled
def compare(
    a: Side, i0: int, i1: int, b: Side, j0: int, j1: int, rules: Rules, pairs: int,
    space: Array, lines: Array, out: Array, own_norms: Array,
) -> None:  # fmt: skip
    """Add the sums of kappa_h between graphs i0..i1 of ``a`` and j0..j1 of ``b`` to ``out``.

    With ``pairs`` of UPPER or OWN, ``a`` and ``b`` are one batch, and only the pairs with i <= j,
    or with i = j, are computed. OWN also finds the norms of the stars of i0..i1 and writes them to
    ``own_norms``. (One function for all, since compiling takes seconds.)

    Parameters
    ----------
    space, lines : ndarray
        Working memory: for the largest tile, P twice and, with edge attributes, the edge term and
        P between edges; two lines of columns and one of their edges.
    out : ndarray of shape (hops, i1 - i0, j1 - j0)
    own_norms : ndarray of shape (hops, nodes of i0..i1), or empty
    """
    for i in range(i0, i1):
        first = j0 if pairs == ALL else max(i, j0)
        last = i + 1 if pairs == OWN else j1
        if first >= last:
            continue
        a0, b0, e0, f0 = a.node_ptr[i], b.node_ptr[first], a.edge_ptr[i], b.edge_ptr[first]
        n, m = a.node_ptr[i + 1] - a0, b.node_ptr[last] - b0
        n_edges, m_edges = a.edge_ptr[i + 1] - e0, b.edge_ptr[last] - f0
        if n == 0 or m == 0:
            continue
        size = n * m
        P, deeper, T = space[:size], space[size : 2 * size], space[2 * size : 3 * size]
        PE, edge_sums = space[3 * size :], lines[2 * m : 2 * m + m_edges]
        fill_similarity(P, n, m, a.nodes, a0, b.nodes, b0, rules.nodes)
        if rules.edge_attributes:
            fill_similarity(PE, n_edges, m_edges, a.edges, e0, b.edges, f0, rules.edges)
        for h in range(out.shape[0]):
            level = 0 if rules.nested else h
            a_ptr, b_ptr = a.member_ptr[level], b.member_ptr[level]
            a_count, b_count = a.n_incident[level, a0 : a0 + n], b.n_incident[level, b0 : b0 + m]
            a_norm, b_norm = a.norm[h, a0 : a0 + n], b.norm[h, b0 : b0 + m]
            if rules.edge_attributes and (h == 0 or not rules.nested):
                a_incident, b_incident = a.incident_ptr[level], b.incident_ptr[level]
                for v in range(n):
                    sum_rows(edge_sums, PE, a_incident, a.incident, a0 + v, e0)
                    gather(T[v * m : (v + 1) * m], edge_sums, b_incident, b.incident, b0, f0)
            if pairs == OWN:
                own = a0 - a.node_ptr[i0]
                a_norm = b_norm = own_norms[h, own : own + n]
                find_norms(a_norm, P, T, rules, h, a_ptr, a.member, a_count, a0)
            hop(
                P, deeper, T, n, m, rules, h, a_ptr, a.member, a_count, a_norm, a0,
                b_ptr, b.member, b_count, b_norm, b0, b.node_ptr, first, last,
                lines, out, i - i0, first - j0,
            )  # fmt: skip
            if rules.nested:
                P, deeper = deeper, P

"""A block of graphs against blocks of graphs, compiled: all hops in one pass.

A tile holds the pairs of the nodes of two blocks; its lines are the nodes of the column block, and
along a line lie those of the row block, eight to a vector. Sums over the members of a column add
lines. Sums over the members of a row would pick single numbers from a line, the one slow thing
there is; so eight lines at a time are transposed, and every pick brings a vector of eight.

The driver in ``engine`` lays out the nodes: a block fills whole vectors, with nodes that have
neither attributes nor members at its end, whose kappa is 0. Nothing here checks its input.

P is held in float64 or float32. All arithmetic is float64, so that two equal stars are exactly
equal whatever the order of their members. (With sums in float32, entries of MUTAG were off by 20 %
after 5 hops at gamma_star = 64.)
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nask.compiling import compiled, inner
from nask.engines.compiled.guard import guard, watch
from nask.engines.compiled.lines import sum_lines
from nask.engines.compiled.similarity import Operand, Similarity, fill_similarity
from nask.engines.compiled.vectors import (
    LANES,
    aligned,
    at,
    exp,
    load,
    spread,
    store,
    store_square,
    transposed,
)
from nask.numeric import TINY

Array = npt.NDArray[Any]


class Octets(NamedTuple):
    """Members of rows, eight rows at a time: the first of each, the second of each, and so on.

    A member is where its vector lies among those of its block. Where a row has no more of them,
    it is the vector after the last, which is 0.
    """

    ptr: Array  # levels x (vectors of rows + 1)
    member: Array


class Side(NamedTuple):
    """A batch of graphs as the rows or the columns of tiles, in blocks."""

    node_ptr: Array  # where the nodes of each block begin
    edge_ptr: Array
    graph_ptr: Array
    graph: Array  # which graph each node is of
    nodes: Operand
    edges: Operand
    member_ptr: Array  # levels x (nodes + 1)
    member: Array
    incident_ptr: Array
    incident: Array
    member_rows: Octets
    incident_rows: Octets
    n_incident: Array  # levels x nodes
    norm: Array  # hops x nodes: 1 / sqrt(k_h(v, v)), and 0 where that is 1 / 0
    alike: Array  # hops x nodes: equal for stars that are alike; of no nodes unless guarded


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
    guarded: bool  # whether stars that are alike are told
    watched: Array  # by hop: whether it matters how near other stars are


class Space(NamedTuple):
    """Working memory of one thread, for any tile that is not larger."""

    tiles: Array  # P, its successor and, with edge attributes, the edge term and P between edges
    lines: Array  # eight lines
    turned: Array  # the same, transposed, and a vector of 0
    square: Array
    sums: Array  # of kappa: graphs of the column block x nodes of the row block
    nearest: Array  # the largest similarity of stars that are not alike, in each lane

    @classmethod
    def of(cls, sizes: TileSizes, dtype: str) -> Space:
        """Take memory for tiles of up to these sizes."""
        tiles, *others = sizes.working()
        return cls(aligned(tiles, dtype), *map(aligned, others))


class TileSizes(NamedTuple):
    """The most of everything in a tile."""

    rows: int
    columns: int
    graphs: int  # of the columns
    row_edges: int
    column_edges: int
    edge_attributes: bool

    def working(self) -> list[int]:
        """Numbers in each array of :class:`Space`."""
        n, m = self.rows, self.columns
        line = LANES * max(n, self.row_edges)
        edges = n * m + self.row_edges * self.column_edges if self.edge_attributes else 0
        return [2 * n * m + edges, line, line + LANES, LANES * LANES, self.graphs * n, LANES]

    def n_bytes(self, dtype: str) -> int:
        """Return the bytes of working memory."""
        tiles, *others = self.working()
        return tiles * np.dtype(dtype).itemsize + 8 * sum(others)


@inner
def sum_square(turned: Array, rows: Octets, level: int, octet: int) -> Any:
    """Sums over the members of eight rows: eight columns, a vector of rows each."""
    ptr, member = rows.ptr[level], rows.member
    p, q, r, s = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    t, u, v, w = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    for i in range(at(ptr, octet), at(ptr, octet + 1), LANES):
        p = p + load(turned, at(member, i))
        q = q + load(turned, at(member, i + 1))
        r = r + load(turned, at(member, i + 2))
        s = s + load(turned, at(member, i + 3))
        t = t + load(turned, at(member, i + 4))
        u = u + load(turned, at(member, i + 5))
        v = v + load(turned, at(member, i + 6))
        w = w + load(turned, at(member, i + 7))
    return transposed((p, q, r, s, t, u, v, w))


@inner
def hop(
    space: Space, P: Array, deeper: Array, T: Array, rules: Rules, h: int, is_last: bool,
    a: Side, a0: int, n: int, a_norm: Array, b: Side, b0: int, m: int, b_norm: Array,
    first_graph: int,
) -> None:  # fmt: skip
    """One hop: add kappa_h to ``space.sums``, by node of ``a`` and graph of ``b``.

    Reads P_{h-1} and writes P_h to ``deeper``, unless this hop is the last or balls are compared.
    """
    level = 0 if rules.nested else h
    b_ptr = b.member_ptr[level]
    a_count, b_count = a.n_incident[level], b.n_incident[level]
    floor, scale, gamma_star = rules.core_floor[h], rules.core_scale[h], rules.gamma_star
    square, sums = space.square, space.sums
    a_alike, b_alike = a.alike[h], b.alike[h]
    store(space.turned, n * LANES, spread(0.0))
    for c in range(0, m, LANES):
        sum_lines(space.lines, space.turned, P, n, b_ptr, b.member, b0 + c, b0 + m, b0)
        for v in range(0, n, LANES):
            members = sum_square(space.turned, a.member_rows, level, (a0 + v) // LANES)
            store_square(square, 0, LANES, members)
            count = load(a_count, a0 + v) * rules.edge_count_weight
            norm = load(a_norm, v)
            for k in range(LANES):
                column, place = b0 + c + k, (c + k) * n + v
                kappa = load(square, LANES * k) + count * at(b_count, column)
                if rules.edge_attributes:
                    kappa = kappa + load(T, place)
                kappa = kappa * ((load(P, place) - floor) * scale)
                normalised = kappa * norm * at(b_norm, c + k)
                if rules.guarded:
                    label = at(b_alike, column)
                    if rules.watched[h]:
                        watch(space.nearest, normalised, a_alike, a0 + v, label)
                    normalised = guard(normalised, a_alike, a0 + v, label)
                if rules.nested and not is_last:
                    store(deeper, place, exp((normalised - 1.0) * gamma_star))
                if rules.star_norm:
                    kappa = normalised
                total = (at(b.graph, column) - first_graph) * n + v
                store(sums, total, load(sums, total) + kappa)


@inner
def find_norms(
    norm: Array, P: Array, T: Array, rules: Rules, h: int, a: Side, a0: int, n: int
) -> None:
    """1 / sqrt(k_h(v, v)) of the stars of one block, from its own P_{h-1}; 0 for 1 / 0."""
    level = 0 if rules.nested else h
    ptr, member = a.member_ptr[level], a.member
    for v in range(n):
        count = a.n_incident[level, a0 + v]
        members = count * count * rules.edge_count_weight
        if rules.edge_attributes:
            members += T[v * n + v]
        for i in range(ptr[a0 + v], ptr[a0 + v + 1]):
            line = (member[i] - a0) * n
            for j in range(ptr[a0 + v], ptr[a0 + v + 1]):
                members += P[line + member[j] - a0]
        k_self = members * (P[v * n + v] - rules.core_floor[h]) * rules.core_scale[h]
        norm[v] = 1 / math.sqrt(k_self) if k_self >= TINY else 0.0


@compiled
def compare(
    a: Side, i: int, b: Side, j0: int, j1: int, rules: Rules, own: bool,
    space: Space, out: Array, own_norms: Array,
) -> None:  # fmt: skip
    """Add the sums of kappa_h between block i of ``a`` and blocks j0..j1 of ``b`` to ``out``.

    With ``own`` these blocks, of a graph each, are compared with themselves instead; the norms of
    their stars are found first and written to ``own_norms``. (One function for all, since
    compiling takes seconds.)

    Parameters
    ----------
    out : ndarray of shape (hops, graphs of i, or 1 with ``own``, graphs of j0..j1)
    own_norms : ndarray of shape (hops, nodes of j0..j1), or empty
    """
    n_hops = out.shape[0]
    space.nearest[:] = -1.0
    for j in range(j0, j1):
        if own:
            i = j
        a0, e0 = a.node_ptr[i], a.edge_ptr[i]
        n, n_edges = a.node_ptr[i + 1] - a0, a.edge_ptr[i + 1] - e0
        b0, f0, first = b.node_ptr[j], b.edge_ptr[j], b.graph_ptr[j]
        m, m_edges = b.node_ptr[j + 1] - b0, b.edge_ptr[j + 1] - f0
        n_graphs, size = b.graph_ptr[j + 1] - first, n * m
        P, deeper = space.tiles[:size], space.tiles[size : 2 * size]
        T, PE = space.tiles[2 * size : 3 * size], space.tiles[3 * size :]
        fill_similarity(P, n, m, a.nodes, a0, b.nodes, b0, rules.nodes)
        if rules.edge_attributes:
            fill_similarity(PE, n_edges, m_edges, a.edges, e0, b.edges, f0, rules.edges)
        for h in range(n_hops):
            if rules.edge_attributes and (h == 0 or not rules.nested):
                level = 0 if rules.nested else h
                b_ptr = b.incident_ptr[level]
                store(space.turned, n_edges * LANES, spread(0.0))
                for c in range(0, m, LANES):
                    sum_lines(
                        space.lines, space.turned, PE, n_edges, b_ptr, b.incident,
                        b0 + c, b0 + m, f0,
                    )  # fmt: skip
                    for v in range(0, n, LANES):
                        octet = (a0 + v) // LANES
                        square = sum_square(space.turned, a.incident_rows, level, octet)
                        store_square(T, c * n + v, n, square)
            a_norm, b_norm = a.norm[h, a0 : a0 + n], b.norm[h, b0 : b0 + m]
            if own:
                start = a0 - a.node_ptr[j0]
                a_norm = b_norm = own_norms[h, start : start + n]
                find_norms(a_norm, P, T, rules, h, a, a0, n)
            space.sums[: n_graphs * n] = 0.0
            hop(
                space, P, deeper, T, rules, h, h == n_hops - 1,
                a, a0, n, a_norm, b, b0, m, b_norm, first,
            )  # fmt: skip
            for graph in range(n_graphs):
                column = first + graph - b.graph_ptr[j0]
                for v in range(n):
                    row = a.graph[a0 + v] - a.graph_ptr[i]
                    out[h, row, column] += space.sums[graph * n + v]
            if rules.nested:
                P, deeper = deeper, P

"""Sums of kappa_h between two groups of graphs, compiled: all hops in one pass.

A tile holds the pairs of nodes of a row group and a column group of graphs. Each of its lines
belongs to a node of the column group; along a line lie the nodes of the row group, in vectors of
eight. A sum over the members of a column adds lines. A sum over the members of a row would pick
single numbers from a line, which is slow. So eight lines at a time are transposed, after which each
pick is a vector of eight numbers.

``layout`` arranges the nodes: each group fills whole vectors, if need be with nodes that have
neither attributes nor members, whose kappa is 0. Nothing here checks its input.

P is stored in float64 or float32. All arithmetic is float64, so that two equal stars are exactly
equal whatever the order of their members. (With sums in float32, entries of MUTAG were off by 20 %
after 5 hops at gamma_star = 64.)
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from nask.arrays import Array
from nask.attributes.compiled_similarity import Operand, Similarity, fill_similarity
from nask.compiled.compiling import compiled, inner
from nask.compiled.exponential import exp
from nask.compiled.lines import sum_lines
from nask.compiled.vectors import (
    LANES,
    aligned,
    at,
    load,
    spread,
    store,
    store_square,
    transposed,
)
from nask.numeric import TINY
from nask.stars.guard import guard, watch


class Octets(NamedTuple):
    """The members of rows, eight rows at a time: all first members, all second members, and so on.

    A member is given by where its vector begins among those of its group. A row with fewer members
    than the others points to the vector after the last, which is 0.
    """

    ptr: Array  # levels x (vectors of rows + 1)
    member: Array


class Side(NamedTuple):
    """A batch of graphs as the rows, or the columns, of tiles: in groups, one per tile."""

    node_ptr: Array  # where the nodes of each group begin
    edge_ptr: Array
    graph_ptr: Array
    graph: Array  # the graph of each node
    nodes: Operand
    edges: Operand
    member_ptr: Array  # levels x (nodes + 1)
    member: Array
    incident_ptr: Array
    incident: Array
    member_rows: Octets
    incident_rows: Octets
    # The stars that have each node as a member; the members again where being one is mutual.
    holder_ptr: Array
    holder: Array
    holder_rows: Octets
    n_incident: Array  # levels x nodes
    norm: Array  # hops x nodes: 1 / sqrt(k_h(v, v)), or 0 where k_h(v, v) is 0
    alike: Array  # hops x nodes: labels, equal where stars are alike; no nodes unless guarded


class TileRules(NamedTuple):
    """The parameters of the kernel, for all hops."""

    nodes: Similarity
    edges: Similarity
    edge_attributes: bool  # whether edges are compared one by one
    edge_count_weight: float  # P of any two edges where they are all alike, else 0
    deepens: bool  # whether a hop is made of the one before, and stars are one hop wide
    walk: bool  # whether P_h is k^_h itself, and cores are compared by P_0
    star_norm: bool
    gamma_star: float
    core_floor: Array  # by hop; 0 unless cores are pruned
    core_scale: Array  # by hop; 1 unless cores are pruned
    guarded: bool  # whether the similarity of alike stars is set to 1
    watched: Array  # by hop: whether to keep the largest similarity of other stars


class TileWorkspace(NamedTuple):
    """Working memory of one thread, for tiles up to some size."""

    tiles: Array  # P, its successors and, with edge attributes, the edge term and P between edges
    lines: Array  # eight lines
    transpose: Array  # the same lines transposed, then a vector of 0
    square: Array  # sums for eight rows and eight columns
    sums: Array  # of kappa: graphs of the column group x nodes of the row group
    nearest: Array  # the largest similarity to a star that is not alike, in each lane

    @classmethod
    def of(cls, sizes: TileSizes, dtype: str) -> TileWorkspace:
        """Return memory for tiles up to these sizes."""
        tiles, *others = sizes.working()
        return cls(aligned(tiles, dtype), *map(aligned, others))


class TileSizes(NamedTuple):
    """The largest numbers of nodes, graphs and edges in any tile."""

    rows: int
    columns: int
    graphs: int  # of the columns
    row_edges: int
    column_edges: int
    edge_attributes: bool
    n_stored: int  # P_{h-1} and P_h, and of walks P_0

    def working(self) -> list[int]:
        """Return the size of each array of :class:`TileWorkspace`."""
        n, m = self.rows, self.columns
        line = LANES * max(n, self.row_edges)
        edges = n * m + self.row_edges * self.column_edges if self.edge_attributes else 0
        tiles, square = self.n_stored * n * m + edges, LANES * LANES
        return [tiles, line, line + LANES, square, self.graphs * n, LANES]

    def n_bytes(self, dtype: str) -> int:
        """Return the bytes of working memory."""
        tiles, *others = self.working()
        return tiles * np.dtype(dtype).itemsize + 8 * sum(others)


@inner
def sum_square(transpose: Array, rows: Octets, level: int, octet: int) -> Any:
    """Return sums over the members of eight rows, for eight columns: one vector per column.

    ``transpose`` holds eight lines, transposed; ``octet`` is the number of the eight rows.
    """
    ptr, member = rows.ptr[level], rows.member
    p, q, r, s = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    t, u, v, w = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    for i in range(at(ptr, octet), at(ptr, octet + 1), LANES):
        p = p + load(transpose, at(member, i))
        q = q + load(transpose, at(member, i + 1))
        r = r + load(transpose, at(member, i + 2))
        s = s + load(transpose, at(member, i + 3))
        t = t + load(transpose, at(member, i + 4))
        u = u + load(transpose, at(member, i + 5))
        v = v + load(transpose, at(member, i + 6))
        w = w + load(transpose, at(member, i + 7))
    return transposed((p, q, r, s, t, u, v, w))


@inner
def sum_members(
    lines: Array, transpose: Array, X: Array, width: int, ptr: Array, member: Array, first: int,
    rows: Octets, level: int, a0: int, n: int, b0: int, m: int, out: Array,
) -> None:  # fmt: skip
    """Write sums of X over the members of both nodes of every pair, in m lines of n numbers.

    Parameters
    ----------
    lines, transpose : ndarray
        Working memory.
    X : ndarray
        One line of ``width`` numbers per member of columns.
    ptr, member : ndarray
        The members of columns.
    first : int
        The member whose line is the first.
    rows : Octets
        The members of rows, at a level.
    a0, b0 : int
        The first node of the row group, and of the column group.
    n, m : int
        Number of nodes of the row group, and of the column group.
    """
    store(transpose, width * LANES, spread(0.0))
    for c in range(0, m, LANES):
        sum_lines(lines, transpose, X, width, ptr, member, b0 + c, b0 + m, first)
        for v in range(0, n, LANES):
            square = sum_square(transpose, rows, level, (a0 + v) // LANES)
            store_square(out, c * n + v, n, square)


@inner
def hop(
    space: TileWorkspace, P: Array, core: Array, deeper: Array, T: Array, rules: TileRules, h: int,
    is_last: bool, a: Side, a0: int, n: int, a_norm: Array, b: Side, b0: int, m: int,
    b_norm: Array, first_graph: int,
) -> None:  # fmt: skip
    """Add kappa_h to ``space.sums``, by node of ``a`` and graph of ``b``, and write P_h.

    Parameters
    ----------
    P : ndarray
        P_{h-1}, m lines of n numbers.
    core : ndarray
        The same, or P_0 of walks, by which cores are compared.
    deeper : ndarray
        Takes P_h, unless this hop is the last or balls are compared.
    T : ndarray
        The edge term, where edges have attributes.
    h : int
        The hop, counted from 0.
    a0, b0 : int
        The first node of the row group, and of the column group.
    n, m : int
        Number of nodes of the row group, and of the column group.
    a_norm, b_norm : ndarray
        Norms of their stars at this hop.
    first_graph : int
        The first graph of the column group.
    """
    level = 0 if rules.deepens else h
    b_ptr = b.member_ptr[level]
    a_count, b_count = a.n_incident[level], b.n_incident[level]
    floor, scale, gamma_star = rules.core_floor[h], rules.core_scale[h], rules.gamma_star
    square, sums = space.square, space.sums
    a_alike, b_alike = a.alike[h], b.alike[h]
    store(space.transpose, n * LANES, spread(0.0))
    for c in range(0, m, LANES):
        sum_lines(space.lines, space.transpose, P, n, b_ptr, b.member, b0 + c, b0 + m, b0)
        for v in range(0, n, LANES):
            members = sum_square(space.transpose, a.member_rows, level, (a0 + v) // LANES)
            store_square(square, 0, LANES, members)
            count = load(a_count, a0 + v) * rules.edge_count_weight
            norm = load(a_norm, v)
            for k in range(LANES):
                column, place = b0 + c + k, (c + k) * n + v
                kappa = load(square, LANES * k) + count * at(b_count, column)
                if rules.edge_attributes:
                    kappa = kappa + load(T, place)
                kappa = kappa * ((load(core, place) - floor) * scale)
                normalised = kappa * norm * at(b_norm, c + k)
                if rules.guarded:
                    label = at(b_alike, column)
                    if rules.watched[h]:
                        watch(space.nearest, normalised, a_alike, a0 + v, label)
                    normalised = guard(normalised, a_alike, a0 + v, label)
                if rules.walk and not is_last:
                    store(deeper, place, normalised)
                elif rules.deepens and not is_last:
                    store(deeper, place, exp((normalised - 1.0) * gamma_star))
                if rules.star_norm:
                    kappa = normalised
                total = (at(b.graph, column) - first_graph) * n + v
                store(sums, total, load(sums, total) + kappa)


@inner
def find_norms(
    norm: Array, P: Array, core: Array, T: Array, rules: TileRules, h: int, a: Side, a0: int, n: int
) -> None:
    """Write 1 / sqrt(k_h(v, v)) of the stars of one group, or 0 where k_h(v, v) is 0.

    P is P_{h-1} of the group with itself; the other parameters are those of :func:`hop`.
    """
    level = 0 if rules.deepens else h
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
        k_self = members * (core[v * n + v] - rules.core_floor[h]) * rules.core_scale[h]
        norm[v] = 1 / math.sqrt(k_self) if k_self >= TINY else 0.0


@compiled
def compare(
    a: Side, i: int, b: Side, j0: int, j1: int, rules: TileRules, own: bool,
    space: TileWorkspace, out: Array, own_norms: Array,
) -> None:  # fmt: skip
    """Add the sums of kappa_h between graphs of ``a`` and of ``b`` to ``out``.

    One function does both comparisons, with other graphs and with themselves, since compiling it
    takes seconds.

    Parameters
    ----------
    i : int
        The row group.
    j0, j1 : int
        The column groups are those from j0 to j1 - 1.
    own : bool
        Whether each column group, of one graph, is compared with itself instead of with group i.
        The norms of its stars are then found first.
    out : ndarray of shape (hops, row graphs, column graphs)
        With ``own`` there is one row.
    own_norms : ndarray of shape (hops, nodes of the column groups), or empty
        Takes the norms with ``own``.
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
        # Of walks P_0 stays, and the third tile is the next successor.
        first_edge_tile = 3 * size if rules.walk else 2 * size
        core, free = P, space.tiles[2 * size : first_edge_tile]
        T = space.tiles[first_edge_tile : first_edge_tile + size]
        PE = space.tiles[first_edge_tile + size :]
        fill_similarity(P, n, m, a.nodes, a0, b.nodes, b0, rules.nodes)
        if rules.edge_attributes:
            fill_similarity(PE, n_edges, m_edges, a.edges, e0, b.edges, f0, rules.edges)
        for h in range(n_hops):
            if rules.edge_attributes and (h == 0 or not rules.deepens):
                level = 0 if rules.deepens else h
                sum_members(
                    space.lines, space.transpose, PE, n_edges, b.incident_ptr[level], b.incident,
                    f0, a.incident_rows, level, a0, n, b0, m, T,
                )  # fmt: skip
            a_norm, b_norm = a.norm[h, a0 : a0 + n], b.norm[h, b0 : b0 + m]
            if own:
                start = a0 - a.node_ptr[j0]
                a_norm = b_norm = own_norms[h, start : start + n]
                find_norms(a_norm, P, core, T, rules, h, a, a0, n)
            space.sums[: n_graphs * n] = 0.0
            hop(
                space, P, core, deeper, T, rules, h, h == n_hops - 1,
                a, a0, n, a_norm, b, b0, m, b_norm, first,
            )  # fmt: skip
            for graph in range(n_graphs):
                column = first + graph - b.graph_ptr[j0]
                for v in range(n):
                    row = a.graph[a0 + v] - a.graph_ptr[i]
                    out[h, row, column] += space.sums[graph * n + v]
            if rules.walk and h == 0:
                P, deeper = deeper, free
            elif rules.deepens:
                P, deeper = deeper, P
                core = core if rules.walk else P

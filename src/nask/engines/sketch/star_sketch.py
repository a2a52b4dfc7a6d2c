"""Random vectors of stars whose products are k_h on average, compiled: one hop, sixteen at a time.

    k_h = (z z') (s s' + edges) = (a a' + x x') (A A' + B B' + y y')

z is the vector of a star's core, s the sum of the vectors of its members. If z and s are rotated at
random and multiplied number by number, the results have k_h as their product on average, with an
error that grows with the lengths of z and s. So what most nodes have in common is split off:
z = a e + x and s = A e + y, with e the direction of the mean over training nodes; B is the same for
edges. The product of two scalars has a column of its own. The product of a scalar and a vector is a
rotated vector, which keeps products exactly. Only the product of x and y is left to chance.

So a star takes two rotations, u of x and v of y. What is added up, A u, B u, a v and the product of
u and v, number by number, has signs of its own at random. So terms of different kinds have products
of mean 0, and small ones, since all numbers of a rotated vector are of one size. Each term begins
at another quarter of the vectors, so that no two have the same number in one column: their squares
would add up. One more rotation of the sum gives projections that are as good as normal for the next
hop, again because its numbers are of one size.

Everything is float32, of vectors scaled to length 1, so that small similarities do not vanish.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from nask.arrays import Array, Float64
from nask.compiled.compiling import compiled, inner
from nask.compiled.singles import (
    WIDE,
    load_singles,
    load_square_of_singles,
    spread_single,
    store_singles,
    store_square_of_singles,
    transposed_singles,
)
from nask.compiled.vectors import aligned, at
from nask.engines.sketch.mixing import cosine_and_sine_singles, rotate_singles, rotated
from nask.numeric import TINY

# Columns whose products are exact: of core and members, and of core and edges.
SCALARS = 2
# Of squares of lengths in float32: smaller ones have fewer digits, and count as 0.
TINY_SINGLE = float(np.finfo(np.float32).tiny)


class Rotations(NamedTuple):
    """The random choices of one hop, in float32.

    Those of rotations are signs with the scale of a rotation, those ``by_...`` signs alone.
    """

    core: Array
    members: Array
    wave: Array
    by_members: Array
    by_edges: Array
    by_core: Array
    scalar_waves: Array  # SCALARS x width / 2

    @classmethod
    def draw(cls, seed: np.random.SeedSequence, width: int) -> Rotations:
        """Draw the choices of one hop."""
        rng = np.random.default_rng(seed)
        signs = rng.choice([-1.0, 1.0], (6, width))
        signs[:3] /= math.sqrt(width)
        choices = [*signs, rng.standard_normal((SCALARS, width // 2))]
        return cls(*(own.astype(np.float32) for own in choices))


class SketchStars(NamedTuple):
    """The stars of some graphs at one hop. Numbers of rows are rounded up to whole vectors."""

    core: Array  # rows: the vectors of the cores
    nodes: Array  # rows: the vectors of the members
    member_ptr: Array
    member: Array
    edges: Array  # rows: the vectors of edges; none where all edges are alike
    incident_ptr: Array
    incident: Array
    n_edges: Array  # number of edges of each star


class Directions(NamedTuple):
    """The directions of means at one hop, in float32."""

    nodes: Array
    edges: Array
    core: Array  # that of nodes, rotated as cores are
    members: Array  # that of nodes, rotated as members are
    incident: Array  # that of edges, rotated as members are

    @classmethod
    def of(cls, rotations: Rotations, nodes: Float64, edges: Float64) -> Directions:
        """Return two directions and what the rotations make of them."""
        core, members = rotations.core, rotations.members
        turned = rotated(core, nodes), rotated(members, nodes), rotated(members, edges)
        return cls(*(own.astype(np.float32) for own in (nodes, edges, *turned)))


class SketchRules(NamedTuple):
    """The parameters of one hop."""

    directions: Directions
    edge_size: float  # the root of P of two edges where all are alike; 0 if edges do not count
    edge_attributes: bool
    star_norm: bool
    gamma_star: float
    deeper: bool  # whether there is another hop


class SketchWorkspace(NamedTuple):
    """Working memory for sixteen stars side by side."""

    lines: Array
    core: Array
    members: Array
    sketch: Array
    rotated: Array
    scalars: Array

    @classmethod
    def of(cls, width: int) -> SketchWorkspace:
        """Return memory for vectors of this width."""
        sizes = np.cumsum([0, *[width] * 5, N_SCALARS]) * WIDE
        whole = aligned(int(sizes[-1]), np.float32)
        return cls(*(whole[a:b] for a, b in pairwise(sizes.tolist())))


# What is kept of a star, in this order.
N_SCALARS = 6
FIRST, SECOND, CORE, MEMBERS, SQUARES, EDGES = (k * WIDE for k in range(N_SCALARS))


@inner
def put_rows(rows: Array, source: Array, row: int, direction: Array) -> Any:
    """Write sixteen rows of a matrix side by side.

    Returns their components along a direction, and the squares of their lengths.
    """
    width = len(direction)
    along, square = spread_single(0.0), spread_single(0.0)
    for k in range(0, width, WIDE):
        lines = transposed_singles(load_square_of_singles(source, row * width + k, width))
        store_square_of_singles(rows, k * WIDE, WIDE, lines)
        for j in range(WIDE):
            x = load_singles(rows, (k + j) * WIDE)
            along = along + x * at(direction, k + j)
            square = square + x * x
    return along, square


@inner
def sum_rows(lines: Array, source: Array, width: int, ptr: Array, member: Array, v: int, last: int
) -> None:  # fmt: skip
    """Write the sums of the members' rows of sixteen stars, one after the other.

    The first star is v; the last that exists is repeated beyond its place.
    """
    for lane in range(WIDE):
        star = min(v + lane, last)
        begin, end = at(ptr, star), at(ptr, star + 1)
        k = 0
        while k + 4 * WIDE <= width:
            w, x = spread_single(0.0), spread_single(0.0)
            y, z = spread_single(0.0), spread_single(0.0)
            for i in range(begin, end):
                place = at(member, i) * width + k
                w = w + load_singles(source, place)
                x = x + load_singles(source, place + WIDE)
                y = y + load_singles(source, place + 2 * WIDE)
                z = z + load_singles(source, place + 3 * WIDE)
            place = lane * width + k
            store_singles(lines, place, w)
            store_singles(lines, place + WIDE, x)
            store_singles(lines, place + 2 * WIDE, y)
            store_singles(lines, place + 3 * WIDE, z)
            k += 4 * WIDE
        while k < width:
            w = spread_single(0.0)
            for i in range(begin, end):
                w = w + load_singles(source, at(member, i) * width + k)
            store_singles(lines, lane * width + k, w)
            k += WIDE


@inner
def inverse_roots(scalars: Array, place: int, square: Any) -> Any:
    """Write 1 / root of sixteen squares, 0 of tiny ones, to a place; return them."""
    store_singles(scalars, place, square)
    for lane in range(place, place + WIDE):
        x = scalars[lane]
        scalars[lane] = 1 / math.sqrt(x) if x >= TINY_SINGLE else 0.0
    return load_singles(scalars, place)


@inner
def add_up(
    space: SketchWorkspace, rotations: Rotations, rules: SketchRules, core: Any, members: Any,
    edges: Any, core_size: Any, member_size: Any, n_columns: int,
) -> Any:  # fmt: skip
    """Write the sketches of sixteen stars of which cores and members are rotated.

    Parameters
    ----------
    core, members, edges : vector
        Components along the directions.
    core_size, member_size : vector
        Factors that make lengths 1.

    Returns
    -------
    pair of vectors
        Sums of the squares of the first columns, and of all.
    """
    width = len(rotations.core)
    root = math.sqrt(width)
    a, A, B = core * core_size, members * member_size, edges * member_size
    own_edges = B * 0.0
    if rules.edge_attributes:
        own_edges = B
    for k in range(width):
        place = k * WIDE
        u = load_singles(space.core, place) * core_size - a * at(rules.directions.core, k)
        v = load_singles(space.members, place) * member_size - A * at(rules.directions.members, k)
        store_singles(space.core, place, u)
        store_singles(space.members, place, v - own_edges * at(rules.directions.incident, k))
    total, some = a * 0.0, a * 0.0
    for k in range(width):
        place, quarter = k * WIDE, width // 4
        by_edges = load_singles(space.core, ((k + quarter) & (width - 1)) * WIDE)
        other = load_singles(space.core, ((k + 2 * quarter) & (width - 1)) * WIDE)
        product = other * load_singles(space.members, ((k + 3 * quarter) & (width - 1)) * WIDE)
        x = load_singles(space.core, place) * A * at(rotations.by_members, k)
        x = x + by_edges * B * at(rotations.by_edges, k)
        x = x + load_singles(space.members, place) * a * at(rotations.by_core, k) + product * root
        store_singles(space.sketch, place, x)
        total = total + x * x
        if k + 1 == n_columns:
            some = total
    store_singles(space.scalars, FIRST, a * A)
    store_singles(space.scalars, SECOND, a * B)
    return some, total


@inner
def write_rows_of_singles(out: Array, first: int, rows: Array, n_columns: int) -> None:
    """Write sixteen rows side by side to the rows of ``out`` from ``first`` on.

    ``n_columns`` is a multiple of sixteen.
    """
    n = out.shape[1]
    for k in range(0, n_columns, WIDE):
        square = transposed_singles(load_square_of_singles(rows, k * WIDE, WIDE))
        store_square_of_singles(out, first * n + k, n, square)


@inner
def write_waves(
    deeper: Array, row: int, space: SketchWorkspace, rotations: Rotations, gamma_star: float,
    norm: Any,
) -> None:  # fmt: skip
    """Write vectors whose products are exp(-gamma_star (1 - k^)) on average.

    They are made from the sketch of sixteen stars, normalised, and fill sixteen rows
    of ``deeper`` from ``row`` on.
    """
    width = len(rotations.wave)
    half, root = width // 2, math.sqrt(gamma_star)
    size = math.sqrt(2 / width)
    first = load_singles(space.scalars, FIRST) * norm * root
    second = load_singles(space.scalars, SECOND) * norm * root
    rotate_singles(space.rotated, rotations.wave, space.sketch)
    # The rows of a rotation have length 1, but frequencies are vectors of width normal numbers.
    scale = norm * (root * math.sqrt(width))
    for k in range(half):
        angle = load_singles(space.rotated, k * WIDE) * scale
        angle = angle + first * at(rotations.scalar_waves, k)
        angle = angle + second * at(rotations.scalar_waves, half + k)
        cosine, sine = cosine_and_sine_singles(angle)
        store_singles(space.core, k * WIDE, cosine * size)
        store_singles(space.core, (half + k) * WIDE, sine * size)
    write_rows_of_singles(deeper, row, space.core, width)


@inner
def write_star(
    out: Array, row: int, n: int, space: SketchWorkspace, scale: float, size: Any
) -> None:
    """Write the scalars and the first columns of the sketch of n stars, at most sixteen.

    Parameters
    ----------
    row : int
        The first row of ``out`` to write.
    scale : float
        A few columns stand for all, so their squares are scaled up by this.
    size : vector
        What everything is multiplied by.
    """
    n_columns, width = out.shape[1] - SCALARS, len(space.sketch) // WIDE
    store_singles(space.scalars, FIRST, load_singles(space.scalars, FIRST) * size)
    store_singles(space.scalars, SECOND, load_singles(space.scalars, SECOND) * size)
    size = size * math.sqrt(scale)
    for k in range(0, n_columns, WIDE):
        square = transposed_singles(load_square_of_singles(space.sketch, k * WIDE, WIDE))
        store_square_of_singles(space.lines, k, width, square)
    store_singles(space.scalars, SQUARES, size)
    for lane in range(n):
        own = space.scalars[SQUARES + lane]
        out[row + lane, 0] = space.scalars[FIRST + lane]
        out[row + lane, 1] = space.scalars[SECOND + lane]
        place, line = (row + lane) * out.shape[1] + SCALARS, lane * width
        if n_columns < WIDE:
            for k in range(n_columns):
                out[row + lane, SCALARS + k] = space.lines[line + k] * own
        else:
            # The last vector overlaps the one before.
            for start in range(0, n_columns, WIDE):
                k = min(start, n_columns - WIDE)
                store_singles(out, place + k, load_singles(space.lines, line + k) * own)


@compiled
def sketch_stars(
    stars: SketchStars, rotations: Rotations, rules: SketchRules, first: int, last: int,
    space: SketchWorkspace, out: Array, deeper: Array,
) -> None:  # fmt: skip
    """Write the sketches of some stars, and the vectors of their nodes for the next hop.

    Parameters
    ----------
    first, last : int
        The stars are those of nodes ``first`` to ``last - 1``.
    out : ndarray of shape (last - first, columns), float32
        Takes the sketches, normalised with ``star_norm``.
    deeper : ndarray of shape (nodes, width), float32
        Takes the vectors for the next hop, unless this is the last.
    """
    width = len(rotations.wave)
    n_columns = out.shape[1] - SCALARS
    # A few columns stand for all, so they are scaled up.
    scale = width / n_columns
    for v in range(first, last, WIDE):
        core, core_square = put_rows(space.rotated, stars.core, v, rules.directions.nodes)
        rotate_singles(space.core, rotations.core, space.rotated)
        sum_rows(space.lines, stars.nodes, width, stars.member_ptr, stars.member, v, last - 1)
        members, square = put_rows(space.rotated, space.lines, 0, rules.directions.nodes)
        if rules.edge_attributes:
            sum_rows(
                space.lines, stars.edges, width, stars.incident_ptr, stars.incident, v, last - 1
            )
            edges, edge_square = put_rows(space.members, space.lines, 0, rules.directions.edges)
            square = square + edge_square
            for k in range(0, width * WIDE, WIDE):
                both = load_singles(space.rotated, k) + load_singles(space.members, k)
                store_singles(space.rotated, k, both)
        else:
            for lane in range(WIDE):
                count = stars.n_edges[min(v + lane, last - 1)]
                space.scalars[EDGES + lane] = count * rules.edge_size
            edges = load_singles(space.scalars, EDGES)
            square = square + edges * edges
        rotate_singles(space.members, rotations.members, space.rotated)
        core_size = inverse_roots(space.scalars, CORE, core_square)
        member_size = inverse_roots(space.scalars, MEMBERS, square)
        some, total = add_up(
            space, rotations, rules, core, members, edges, core_size, member_size, n_columns
        )
        x, y = load_singles(space.scalars, FIRST), load_singles(space.scalars, SECOND)
        exact = x * x + y * y
        if rules.deeper:
            norm = inverse_roots(space.scalars, SQUARES, total + exact)
            write_waves(deeper, v, space, rotations, rules.gamma_star, norm)
        if rules.star_norm:
            size = inverse_roots(space.scalars, SQUARES, some * scale + exact)
        else:
            for lane in range(CORE, CORE + WIDE):
                both = space.scalars[lane] * space.scalars[lane + MEMBERS - CORE]
                space.scalars[lane] = 1 / both if both > 0 else 0.0
            size = load_singles(space.scalars, CORE)
        write_star(out, v - first, min(WIDE, last - v), space, scale, size)


@compiled
def normalise(rows: Array) -> None:
    """Scale every row to length 1, unless its length is 0."""
    for r in range(len(rows)):
        square = 0.0
        for k in range(rows.shape[1]):
            square += rows[r, k] * np.float64(rows[r, k])
        size = 1 / math.sqrt(square) if square >= TINY else 0.0
        for k in range(rows.shape[1]):
            rows[r, k] *= size


@compiled
def add_by_graph(sums: Array, rows: Array, graph: Array, first: int) -> None:
    """Add the rows of nodes, from node ``first`` on, to the rows of their graphs, node by node.

    ``graph`` has the graph of every node.
    """
    for r in range(len(rows)):
        g = graph[first + r]
        for k in range(rows.shape[1]):
            sums[g, k] += rows[r, k]

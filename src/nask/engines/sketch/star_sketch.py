"""Random vectors of stars whose products are k_h on average, compiled: one hop, eight at a time.

    k_h = (z z') (s s' + edges) = (a a' + x x') (A A' + B B' + y y')

z is the vector of a star's core, s the sum of the vectors of its members. If z and s are rotated at
random and multiplied number by number, the results have k_h as their product on average, with an
error that grows with the lengths of z and s. So what most nodes have in common is split off:
z = a e + x and s = A e + y, with e the direction of the mean over training nodes; B is the same for
edges. The product of two scalars has a column of its own. The product of a scalar and a vector is a
rotated vector, which keeps products exactly. Only the product of x and y is left to chance. All
vectors are added up, each after a rotation of its own.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from nask.arrays import Array
from nask.compiled.compiling import compiled, inner
from nask.compiled.lines import sum_lines
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
from nask.engines.sketch.embedding import write_rows
from nask.engines.sketch.mixing import cosine_and_sine, rotate
from nask.numeric import TINY

# Columns whose products are exact: of core and members, and of core and edges.
SCALARS = 2


class Rotations(NamedTuple):
    """The random choices of one hop: signs of rotations, with their scale, and frequencies."""

    product_core: Array
    product_members: Array
    core_by_members: Array
    core_by_edges: Array
    members_by_core: Array
    first_wave: Array
    second_wave: Array
    scalar_waves: Array  # SCALARS x width / 2

    @classmethod
    def draw(cls, seed: np.random.SeedSequence, width: int) -> Rotations:
        """Draw the choices of one hop."""
        rng = np.random.default_rng(seed)
        signs = rng.choice([-1.0, 1.0], (7, width)) / math.sqrt(width)
        waves: list[Array] = [*signs, rng.standard_normal((SCALARS, width // 2))]
        return cls(*waves)


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


class SketchRules(NamedTuple):
    """The parameters of one hop."""

    node_direction: Array
    edge_direction: Array
    edge_size: float  # the root of P of two edges where all are alike; 0 if edges do not count
    edge_attributes: bool
    star_norm: bool
    gamma_star: float
    deeper: bool  # whether there is another hop


class SketchWorkspace(NamedTuple):
    """Working memory for eight stars side by side."""

    lines: Array
    core: Array
    members: Array
    edges: Array
    rotated: Array
    other: Array
    sketch: Array
    scalars: Array

    @classmethod
    def of(cls, width: int) -> SketchWorkspace:
        """Return memory for vectors of this width."""
        sizes = [*[width] * 7, 4]
        return cls(*(aligned(size * LANES) for size in sizes))


@inner
def split(rows: Array, direction: Array) -> Any:
    """Subtract from eight vectors their component along a direction; return its length."""
    along = load(rows, 0) * 0.0
    for k in range(len(direction)):
        along = along + load(rows, k * LANES) * at(direction, k)
    for k in range(len(direction)):
        store(rows, k * LANES, load(rows, k * LANES) - along * at(direction, k))
    return along


@inner
def add_rotated(space: SketchWorkspace, signs: Array, source: Array, size: Any) -> None:
    """Add eight vectors ``source``, rotated and scaled by ``size``, to the sketch."""
    rotate(space.rotated, signs, source)
    for k in range(len(signs)):
        place = k * LANES
        store(space.sketch, place, load(space.sketch, place) + load(space.rotated, place) * size)


@inner
def add_product(space: SketchWorkspace, rotations: Rotations) -> None:
    """Add the products of cores and members, both rotated, number by number."""
    rotate(space.rotated, rotations.product_core, space.core)
    rotate(space.other, rotations.product_members, space.members)
    size = math.sqrt(len(rotations.product_core))
    for k in range(len(rotations.product_core)):
        place = k * LANES
        product = load(space.rotated, place) * load(space.other, place) * size
        store(space.sketch, place, load(space.sketch, place) + product)


@inner
def inverse_lengths(space: SketchWorkspace, n_columns: int, scale: float) -> Any:
    """Return 1 / length of eight vectors: the scalars and the first columns of the sketch."""
    first, second = load(space.scalars, 0), load(space.scalars, LANES)
    total = load(space.sketch, 0) * 0.0
    for k in range(n_columns):
        x = load(space.sketch, k * LANES)
        total = total + x * x
    store(space.scalars, 2 * LANES, total * scale + first * first + second * second)
    for lane in range(LANES):
        square = space.scalars[2 * LANES + lane]
        space.scalars[2 * LANES + lane] = 1 / math.sqrt(square) if square >= TINY else 0.0
    return load(space.scalars, 2 * LANES)


@inner
def write_waves(
    deeper: Array, row: int, space: SketchWorkspace, rotations: Rotations, gamma_star: float
) -> None:
    """Write vectors whose products are exp(-gamma_star (1 - k^)) on average.

    They are made from the sketch of eight stars, normalised, and fill eight rows
    of ``deeper`` from ``row`` on.
    """
    width = len(rotations.first_wave)
    norm = inverse_lengths(space, width, 1.0)
    first, second = load(space.scalars, 0) * norm, load(space.scalars, LANES) * norm
    rotate(space.rotated, rotations.first_wave, space.sketch)
    rotate(space.other, rotations.second_wave, space.rotated)
    half, root = width // 2, math.sqrt(gamma_star)
    # The rows of a rotation have length 1, but frequencies are vectors of width normal numbers.
    scale, size = root * math.sqrt(width), math.sqrt(2 / width)
    for k in range(half):
        angle = load(space.other, k * LANES) * norm * scale
        angle = (
            angle
            + (first * rotations.scalar_waves[0, k] + second * rotations.scalar_waves[1, k]) * root
        )
        cosine, sine = cosine_and_sine(angle)
        store(space.rotated, k * LANES, cosine * size)
        store(space.rotated, (half + k) * LANES, sine * size)
    write_rows(deeper, row, space.rotated, width)


@inner
def write_star(out: Array, row: int, n: int, space: SketchWorkspace, star_norm: bool) -> None:
    """Write the scalars and the first columns of the sketch of n stars, at most eight.

    ``row`` is the first row of ``out`` to write. With ``star_norm`` they are normalised.
    """
    n_columns = out.shape[1] - SCALARS
    # A few columns stand for all, so they are scaled up.
    scale = (len(space.sketch) // LANES) / n_columns
    inverse_lengths(space, n_columns, scale)
    root = math.sqrt(scale)
    for lane in range(n):
        size = space.scalars[2 * LANES + lane] if star_norm else 1.0
        for k in range(SCALARS):
            out[row + lane, k] = space.scalars[k * LANES + lane] * size
        for k in range(n_columns):
            out[row + lane, SCALARS + k] = space.sketch[k * LANES + lane] * root * size


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
    width = len(rotations.first_wave)
    for v in range(first, last, LANES):
        for k in range(0, width, LANES):
            square = transposed(load_square(stars.core, v * width + k, width))
            store_square(space.core, k * LANES, LANES, square)
        sum_lines(
            space.lines, space.members, stars.nodes, width, stars.member_ptr, stars.member,
            v, last - 1, 0,
        )  # fmt: skip
        core = split(space.core, rules.node_direction)
        members = split(space.members, rules.node_direction)
        for lane in range(LANES):
            count = stars.n_edges[min(v + lane, last - 1)]
            space.scalars[3 * LANES + lane] = count * rules.edge_size
        edges = load(space.scalars, 3 * LANES)
        if rules.edge_attributes:
            sum_lines(
                space.lines, space.edges, stars.edges, width, stars.incident_ptr, stars.incident,
                v, last - 1, 0,
            )  # fmt: skip
            edges = split(space.edges, rules.edge_direction)
            for k in range(width):
                both = load(space.members, k * LANES) + load(space.edges, k * LANES)
                store(space.members, k * LANES, both)
        store(space.scalars, 0, core * members)
        store(space.scalars, LANES, core * edges)
        space.sketch[:] = 0.0
        add_rotated(space, rotations.members_by_core, space.members, core)
        add_rotated(space, rotations.core_by_members, space.core, members)
        if rules.edge_attributes or rules.edge_size > 0:
            add_rotated(space, rotations.core_by_edges, space.core, edges)
        add_product(space, rotations)
        if rules.deeper:
            write_waves(deeper, v, space, rotations, rules.gamma_star)
        write_star(out, v - first, min(LANES, last - v), space, rules.star_norm)


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

"""Stars as random vectors whose products are k_h on average, compiled: one hop, eight at a time.

With z the vector of a core and s the sum of those of its star's members, k_h is the product of
z z' and s s', edges added to the latter. Two vectors, each turned at random and then multiplied
number by number, have that product on average; the error grows with their lengths. So what most
nodes have in common is taken out first: z = a e + x and s = A e + y, with e the direction of the
mean over training nodes, and

    k_h = (a a' + x x') (A A' + B B' + y y'),    B of the edges.

The products of two scalars are columns of their own, those of a scalar and a vector are rotated
vectors, which keep their products exactly, and only x x' y y' is left to chance. All vectors are
added up, each turned by a rotation of its own.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nask.compiling import compiled, inner
from nask.engines.compiled.lines import sum_lines
from nask.engines.compiled.vectors import (
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

Array = npt.NDArray[Any]
# Columns that are exact: of core and members, and of core and edges.
SCALARS = 2


class Turns(NamedTuple):
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
    def draw(cls, seed: np.random.SeedSequence, width: int) -> Turns:
        """Draw them."""
        rng = np.random.default_rng(seed)
        signs = rng.choice([-1.0, 1.0], (7, width)) / math.sqrt(width)
        waves: list[Array] = [*signs, rng.standard_normal((SCALARS, width // 2))]
        return cls(*waves)


class Stars(NamedTuple):
    """The stars of some graphs at one hop. Rows are whole vectors, the last ones filled up."""

    core: Array  # rows: the vectors of the cores
    nodes: Array  # rows: those of members
    member_ptr: Array
    member: Array
    edges: Array  # rows: the vectors of edges; none where all edges are alike
    incident_ptr: Array
    incident: Array
    n_edges: Array  # of each star


class SketchRules(NamedTuple):
    """What to compute."""

    node_direction: Array
    edge_direction: Array
    edge_size: float  # the root of P of two edges where all are alike; 0 if edges do not count
    edge_attributes: bool
    star_norm: bool
    gamma_star: float
    deeper: bool  # whether there is another hop


class Space(NamedTuple):
    """Working memory of eight stars."""

    lines: Array
    core: Array
    members: Array
    edges: Array
    turned: Array
    other: Array
    sketch: Array
    scalars: Array

    @classmethod
    def of(cls, width: int) -> Space:
        """Take memory for vectors of this width."""
        sizes = [*[width] * 7, 4]
        return cls(*(aligned(size * LANES) for size in sizes))


@inner
def split(block: Array, direction: Array) -> Any:
    """Take the part along a direction out of eight vectors, and return its length."""
    along = load(block, 0) * 0.0
    for k in range(len(direction)):
        along = along + load(block, k * LANES) * at(direction, k)
    for k in range(len(direction)):
        store(block, k * LANES, load(block, k * LANES) - along * at(direction, k))
    return along


@inner
def add_turned(space: Space, signs: Array, source: Array, size: Any) -> None:
    """Add eight vectors, turned and scaled, to the sketch."""
    rotate(space.turned, signs, source)
    for k in range(len(signs)):
        place = k * LANES
        store(space.sketch, place, load(space.sketch, place) + load(space.turned, place) * size)


@inner
def add_product(space: Space, turns: Turns) -> None:
    """Add the products of cores and members, both turned, number by number."""
    rotate(space.turned, turns.product_core, space.core)
    rotate(space.other, turns.product_members, space.members)
    size = math.sqrt(len(turns.product_core))
    for k in range(len(turns.product_core)):
        place = k * LANES
        product = load(space.turned, place) * load(space.other, place) * size
        store(space.sketch, place, load(space.sketch, place) + product)


@inner
def inverse_lengths(space: Space, n_columns: int, scale: float) -> Any:
    """1 / length of eight vectors: their scalars, and the first columns of the sketch, scaled."""
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
def write_waves(deeper: Array, row: int, space: Space, turns: Turns, gamma_star: float) -> None:
    """Vectors whose products are exp(-gamma_star (1 - k^)), from those of the normalised stars."""
    width = len(turns.first_wave)
    norm = inverse_lengths(space, width, 1.0)
    first, second = load(space.scalars, 0) * norm, load(space.scalars, LANES) * norm
    rotate(space.turned, turns.first_wave, space.sketch)
    rotate(space.other, turns.second_wave, space.turned)
    half, root = width // 2, math.sqrt(gamma_star)
    # A rotation has rows of length 1, frequencies those of width normal numbers.
    scale, size = root * math.sqrt(width), math.sqrt(2 / width)
    for k in range(half):
        angle = load(space.other, k * LANES) * norm * scale
        angle = (
            angle + (first * turns.scalar_waves[0, k] + second * turns.scalar_waves[1, k]) * root
        )
        cosine, sine = cosine_and_sine(angle)
        store(space.turned, k * LANES, cosine * size)
        store(space.turned, (half + k) * LANES, sine * size)
    write_rows(deeper, row, space.turned, width)


@inner
def write_star(out: Array, row: int, n: int, space: Space, star_norm: bool) -> None:
    """Write scalars and the first columns of the sketch of n stars to the rows of ``out``."""
    n_columns = out.shape[1] - SCALARS
    # Fewer columns stand for all.
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
    stars: Stars, turns: Turns, rules: SketchRules, first: int, last: int,
    space: Space, out: Array, deeper: Array,
) -> None:  # fmt: skip
    """Sketch the stars of nodes first..last.

    Parameters
    ----------
    out : ndarray of shape (last - first, columns), float32
        Their vectors, normalised with ``star_norm``.
    deeper : ndarray of shape (nodes, width), float32
        Takes the vectors of the nodes for the next hop, unless this is the last.
    """
    width = len(turns.first_wave)
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
        add_turned(space, turns.members_by_core, space.members, core)
        add_turned(space, turns.core_by_members, space.core, members)
        if rules.edge_attributes or rules.edge_size > 0:
            add_turned(space, turns.core_by_edges, space.core, edges)
        add_product(space, turns)
        if rules.deeper:
            write_waves(deeper, v, space, turns, rules.gamma_star)
        write_star(out, v - first, min(LANES, last - v), space, rules.star_norm)


@compiled
def normalise(rows: Array) -> None:
    """Give every row the length 1, unless it is 0."""
    for r in range(len(rows)):
        square = 0.0
        for k in range(rows.shape[1]):
            square += rows[r, k] * np.float64(rows[r, k])
        size = 1 / math.sqrt(square) if square >= TINY else 0.0
        for k in range(rows.shape[1]):
            rows[r, k] *= size


@compiled
def add_by_graph(sums: Array, rows: Array, graph: Array, first: int) -> None:
    """Add the rows of nodes from ``first`` on to those of their graphs, one after the other."""
    for r in range(len(rows)):
        g = graph[first + r]
        for k in range(rows.shape[1]):
            sums[g, k] += rows[r, k]

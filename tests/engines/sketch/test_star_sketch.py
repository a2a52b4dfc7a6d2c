"""Vectors of stars at one hop against the formula, one star at a time."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import hadamard

from nask.engines.sketch.star_sketch import (
    Directions,
    Rotations,
    SketchRules,
    SketchStars,
    SketchWorkspace,
    add_by_graph,
    normalise,
    sketch_stars,
)

N, N_EDGES, WIDTH, ROWS = 19, 11, 32, 32


def lists(rng, n_elements, least):
    counts = rng.integers(least, 5, N)
    ptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return ptr, rng.integers(0, n_elements, ptr[-1]).astype(np.int64)


def unit(rng):
    direction = rng.normal(size=WIDTH)
    return direction / np.linalg.norm(direction)


def example(edges, seed=0, **choices):
    rng = np.random.default_rng(seed)
    nodes = rng.normal(size=(ROWS, WIDTH)).astype(np.float32)
    edge_rows = rng.normal(size=(16, WIDTH)).astype(np.float32)
    members, incident = lists(rng, N, 1), lists(rng, N_EDGES, 0)
    stars = SketchStars(nodes, nodes, *members, edge_rows, *incident, np.diff(incident[0]))
    rotations = Rotations.draw(np.random.SeedSequence(seed), WIDTH)
    rules = SketchRules(
        Directions.of(rotations, unit(rng), unit(rng)), 0.8 if edges == "alike" else 0.0,
        edges == "attributes",
        **{"star_norm": True, "gamma_star": 2.0, "deeper": True, **choices},
    )  # fmt: skip
    return stars, rotations, rules


def formula(star, stars, rotations, rules, n_columns):
    """The columns of a star, and its vector for the next hop."""

    def turn(signs, x):
        return hadamard(WIDTH) @ (signs * x)

    e, f = rules.directions.nodes, rules.directions.edges
    z = stars.core[star].astype(float)
    own = stars.member[stars.member_ptr[star] : stars.member_ptr[star + 1]]
    s = stars.nodes[own].astype(float).sum(axis=0)
    a, A = z @ e, s @ e
    x, y = z - a * e, s - A * e
    B = stars.n_edges[star] * rules.edge_size
    if rules.edge_attributes:
        own = stars.incident[stars.incident_ptr[star] : stars.incident_ptr[star + 1]]
        t = stars.edges[own].astype(float).sum(axis=0)
        B = t @ f
        y = y + t - B * f
    exact = np.array([a * A, a * B])
    u, v = turn(rotations.core, x), turn(rotations.members, y)
    at_edges, at_core, at_members = (-WIDTH * k // 4 for k in (1, 2, 3))
    sketch = a * rotations.by_core * v + A * rotations.by_members * u
    sketch += B * rotations.by_edges * np.roll(u, at_edges)
    sketch += np.sqrt(WIDTH) * np.roll(u, at_core) * np.roll(v, at_members)
    columns = np.concatenate([exact, np.sqrt(WIDTH / n_columns) * sketch[:n_columns]])
    if rules.star_norm:
        columns /= np.linalg.norm(columns)
    whole = np.concatenate([exact, sketch]) / np.linalg.norm([*exact, *sketch])
    angles = turn(rotations.wave, whole[2:])[: WIDTH // 2]
    angles = np.sqrt(WIDTH) * angles + whole[:2] @ rotations.scalar_waves
    angles *= np.sqrt(rules.gamma_star)
    return columns, np.sqrt(2 / WIDTH) * np.concatenate([np.cos(angles), np.sin(angles)])


@pytest.mark.parametrize("edges", ["none", "alike", "attributes"])
@pytest.mark.parametrize(("star_norm", "n_columns"), [(True, 32), (False, 13)])
def test_columns_and_the_next_hop(edges, star_norm, n_columns):
    stars, rotations, rules = example(edges, star_norm=star_norm)
    deeper = np.full((ROWS, WIDTH), np.nan, dtype=np.float32)
    for first, last in ((0, N), (8, 11)):
        out = np.full((last - first, 2 + n_columns), np.nan, dtype=np.float32)
        space = SketchWorkspace.of(WIDTH)
        sketch_stars(stars, rotations, rules, first, last, space, out, deeper)
        for v in range(first, last):
            columns, waves = formula(v, stars, rotations, rules, n_columns)
            scale = np.linalg.norm(columns)
            np.testing.assert_allclose(out[v - first], columns, atol=1e-5 * scale)
            np.testing.assert_allclose(deeper[v], waves, atol=1e-5)


def test_the_last_hop_writes_nothing_deeper():
    stars, rotations, rules = example("alike", deeper=False)
    deeper = np.full((ROWS, WIDTH), 7.0, dtype=np.float32)
    out = np.empty((N, 10), dtype=np.float32)
    sketch_stars(stars, rotations, rules, 0, N, SketchWorkspace.of(WIDTH), out, deeper)
    np.testing.assert_array_equal(deeper, 7.0)


def test_products_are_the_similarity_of_stars_on_average():
    """(z z') (s s' + n n' P) of stars whose edges are all alike, over many draws."""
    stars, _, rules = example("alike", star_norm=False, deeper=False)
    sums = [stars.nodes[stars.member[a:b]].sum(axis=0) for a, b in pairwise(stars.member_ptr)]
    z, s = stars.core[:N].astype(float), np.array(sums, dtype=float)
    edges = rules.edge_size**2 * np.outer(stars.n_edges, stars.n_edges)
    exact = (z @ z.T) * (s @ s.T + edges)
    found = []
    for seed in range(300):
        rotations = Rotations.draw(np.random.SeedSequence(seed), WIDTH)
        nodes, edges = (own.astype(float) for own in rules.directions[:2])
        rules = rules._replace(directions=Directions.of(rotations, nodes, edges))
        out = np.empty((N, 2 + WIDTH), dtype=np.float32)
        space = SketchWorkspace.of(WIDTH)
        sketch_stars(stars, rotations, rules, 0, N, space, out, stars.nodes[:0])
        found.append(out.astype(float) @ out.T)
    error = np.mean(found, axis=0) - exact
    noise = np.std(found, axis=0) / np.sqrt(len(found))
    assert np.abs(error / np.maximum(noise, 1e-4)).max() < 5


def test_rows_of_length_one_and_rows_of_zeros():
    rows = np.random.default_rng(0).normal(size=(5, 9)).astype(np.float32)
    rows[2] = 0
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    expected = rows / np.where(lengths > 0, lengths, 1)
    normalise(rows)
    np.testing.assert_allclose(rows, expected, rtol=1e-6)
    assert not rows[2].any()


def test_rows_are_added_to_their_graphs():
    rows = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    graph = np.array([9, 0, 0, 1, 3, 3, 3])
    sums = np.ones((4, 4))
    add_by_graph(sums, rows, graph, 1)
    expected = np.ones((4, 4))
    np.add.at(expected, graph[1:], rows)
    np.testing.assert_allclose(sums, expected, rtol=1e-14)

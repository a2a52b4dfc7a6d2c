"""Molecule-like graphs without end, drawn quickly: mixed attributes, and a number to predict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import nask
from nask.graph.attribute import Attribute

ELEMENTS = ("C", "N", "O", "S", "F", "Cl")
SHARES = (0.7, 0.11, 0.12, 0.03, 0.02, 0.02)
ELECTRONEGATIVITY = np.array([2.55, 3.04, 3.44, 2.58, 3.98, 3.16])
MASS = np.array([12.0, 14.0, 16.0, 32.0, 19.0, 35.5])
BONDS = ("single", "double", "aromatic")
MEAN_NODES, SPREAD, FEWEST, MOST = 25.0, 6.0, 6, 48
RING = 5  # a node is joined with the one this many places before it
RING_SHARE, FAR = 0.12, 0.35
MISSING = 0.02
NOISE = 0.3

Floats = npt.NDArray[np.float64]


class Molecules(NamedTuple):
    """Some graphs, their numbers to predict, and their nodes as a matrix for rivals."""

    graphs: list[nask.AttributedGraph]
    y: Floats
    rows: npt.NDArray[np.float32]  # graphs x MOST x columns: one-hot elements and numbers
    sizes: npt.NDArray[np.int32]


def molecules(
    n: int, chunk: int = 5000, seed: int = 100, rows: bool = False
) -> Iterator[Molecules]:
    """Draw n graphs, some at a time; the same ones for any way to cut them into chunks of one size.

    A chain with branches, rings of six, an element, a mass and a charge of each atom, the charge
    missing now and then, an order of each bond. The number to predict adds up, over bonds, what
    the elements at both ends do to each other, weighted by the order, and over atoms a wave of
    the charge: so it takes neighbours, categories and numbers.
    """
    for first in range(0, n, chunk):
        yield _drawn(min(chunk, n - first), np.random.default_rng([seed, first]), rows)


def _drawn(n: int, rng: np.random.Generator, with_rows: bool) -> Molecules:
    sizes = np.clip(rng.normal(MEAN_NODES, SPREAD, n).astype(np.int64), FEWEST, MOST)
    starts = np.cumsum(sizes) - sizes
    total = int(sizes.sum())
    graph = np.repeat(np.arange(n), sizes)
    place = np.arange(total) - starts[graph]
    # A tree: the neighbour before is mostly the last node.
    back = np.where(rng.random(total) < FAR, rng.integers(1, 4, total), 1)
    parent = np.arange(total) - np.minimum(back, np.maximum(place, 1))
    child = np.flatnonzero(place > 0)
    closing = np.flatnonzero((place >= RING) & (rng.random(total) < RING_SHARE))
    edges = np.concatenate(
        [np.stack([parent[child], child], 1), np.stack([closing - RING, closing], 1)]
    )
    order = np.argsort(graph[edges[:, 0]], kind="stable")
    edges = edges[order]
    of_edge = graph[edges[:, 0]]
    in_ring = order >= len(child)
    element = rng.choice(len(ELEMENTS), total, p=SHARES).astype(np.int32)
    bond = np.where(in_ring, 2, rng.random(len(edges)) < 0.2).astype(np.int32)
    # Charge is drawn to neighbours by electronegativity.
    own = ELECTRONEGATIVITY[element]
    pull = own[edges[:, 0]] - own[edges[:, 1]]
    charge = 0.1 * rng.standard_normal(total)
    charge -= 0.3 * np.bincount(edges[:, 0], pull, total)
    charge += 0.3 * np.bincount(edges[:, 1], pull, total)
    polar = np.abs(pull) * np.array([1.0, 2.0, 1.5])[bond]
    y = np.bincount(of_edge, polar * (np.abs(pull) > 0.4), n) / sizes
    y += 0.3 * np.bincount(graph, np.cos(4 * charge), n) / sizes
    y += NOISE * y.std() * rng.standard_normal(n)
    seen = np.where(rng.random(total) < MISSING, np.nan, charge)
    mass = MASS[element] + 0.01 * rng.standard_normal(total)
    node_ends, edge_ends = np.cumsum(sizes), np.searchsorted(of_edge, np.arange(n), "right")
    edges -= starts[of_edge][:, None]
    graphs = []
    a = b = 0
    for size, end, edge_end in zip(
        sizes.tolist(), node_ends.tolist(), edge_ends.tolist(), strict=True
    ):
        nodes = {
            "element": Attribute("categorical", element[a:end], ELEMENTS),
            "charge": Attribute("numerical", seen[a:end]),
            "mass": Attribute("numerical", mass[a:end]),
        }
        bonds = {"bond": Attribute("categorical", bond[b:edge_end], BONDS)}
        graphs.append(nask.AttributedGraph.from_valid(size, edges[b:edge_end], nodes, bonds))
        a, b = end, edge_end
    rows = np.zeros((n if with_rows else 0, MOST, len(ELEMENTS) + 3), dtype=np.float32)
    if with_rows:
        rows[graph, place, element] = 1.0
        rows[graph, place, -3] = np.nan_to_num(seen)
        rows[graph, place, -2] = np.isnan(seen)
        rows[graph, place, -1] = (mass - 14.0) / 4.0
    return Molecules(graphs, y, rows, sizes.astype(np.int32))

"""Graphs with mixed attributes, some values missing, and a planted cause of their class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nask.arrays import Float64, Index
from nask.graph.attributed_graph import AttributedGraph
from nask.lab.generators.checks import Seed, check_integer, check_number, generator
from nask.lab.generators.truth import ExplainedDataset

COLOURS = ("red", "green", "blue", "black")
REGIONS = ("north", "east", "south", "west")
# A level is high from here on, and low up to the other number; none is between.
HIGH, LOW = 0.8, 0.6
# Edges added to a random tree, as a share of its nodes.
EXTRA = 0.25
PLANTED_NODES = 3


def make_planted(
    n_graphs: int = 400,
    n_nodes: int = 25,
    *,
    missing: float = 0.1,
    random_state: Seed = 0,
) -> ExplainedDataset:
    """Draw graphs whose class is owed to three nodes that combine a category and a number.

    Two groups of three connected nodes are changed in every graph. In class 1 one of them is red
    *and* has a high ``level``, and the other has neither. In class 0 one is red and the other has
    a high ``level``. So both classes have as many red nodes and as many high levels, in groups of
    the same size: only the combination tells them apart, and no other node has it. ``weight`` and
    ``region`` are noise.

    Parameters
    ----------
    n_graphs : int, default=400
        The classes take turns.
    n_nodes : int, default=25
        Nodes of each graph, 10 or more: a random tree with a quarter as many more edges.
    missing : float, default=0.1
        Probability that a value is missing, at planted nodes too.
    random_state : int, numpy Generator or None, default=0
        The seed: the same one gives the same dataset.

    Returns
    -------
    ExplainedDataset
        With the node attributes ``level`` and ``weight`` (numerical), ``colour`` and ``region``
        (categorical). The truth of class 1 is its three nodes; in class 0 no node has the cause.
        ``causes`` are ``level`` and ``colour``.

    Examples
    --------
    >>> from nask.lab import make_planted
    >>> data = make_planted(2, missing=0.0)
    >>> data
    Dataset('planted': 2 graphs, 50 nodes, 60 edges; y: 2 classes; node: level (numerical),
    colour (categorical), weight (numerical), region (categorical))
    >>> planted = data.graphs[1].node_attributes["colour"].values()
    >>> [planted[v] for v in np.flatnonzero(data.truth[1])], data.causes
    (['red', 'red', 'red'], ('level', 'colour'))
    """
    owner = "make_planted"
    rng = generator(random_state, owner)
    check_integer("n_graphs", owner, n_graphs, 1)
    check_integer("n_nodes", owner, n_nodes, 10)
    check_number("missing", owner, missing, 0.0, 1.0)
    y = np.arange(n_graphs) % 2
    graphs, truth = [], []
    for label in y.tolist():
        edges, first, second = _edges_and_groups(rng, n_nodes)
        colour = rng.integers(len(COLOURS), size=n_nodes)
        # Elsewhere no red node has a high level.
        high = (rng.random(n_nodes) < 1 - HIGH) & (colour != 0)
        for group, red, tall in ((first, True, label == 1), (second, False, label == 0)):
            colour[group] = 0 if red else rng.integers(1, len(COLOURS), size=PLANTED_NODES)
            high[group] = tall
        level = np.where(high, rng.uniform(HIGH, 1, n_nodes), rng.uniform(0, LOW, n_nodes))
        columns: dict[str, Sequence[Any] | Float64] = {
            "level": _with_gaps(rng, level, missing),
            "colour": _named(rng, COLOURS, colour, missing),
            "weight": _with_gaps(rng, rng.random(n_nodes), missing),
            "region": _named(rng, REGIONS, rng.integers(len(REGIONS), size=n_nodes), missing),
        }
        # Named, since a column may be missing as a whole.
        kinds = ("level", "weight"), ("colour", "region")
        graphs.append(
            AttributedGraph(n_nodes, edges, columns, numerical=kinds[0], categorical=kinds[1])
        )
        mask = np.zeros(n_nodes, dtype=bool)
        mask[first] = label == 1
        truth.append(mask)
    return ExplainedDataset(
        "planted", tuple(graphs), y, truth=tuple(truth), causes=("level", "colour")
    )


def _tree_and_more(rng: np.random.Generator, n_nodes: int) -> Index:
    """Edges of a random tree, and of some more pairs of nodes."""
    tree = {(int(rng.integers(v)), v) for v in range(1, n_nodes)}
    pairs = rng.permutation(np.stack(np.triu_indices(n_nodes, 1), axis=1))
    more = [pair for pair in map(tuple, pairs.tolist()) if pair not in tree]
    edges = sorted(tree) + more[: round(EXTRA * n_nodes)]
    shuffled: Index = rng.permutation(n_nodes)[np.array(edges)]
    return shuffled


def _edges_and_groups(rng: np.random.Generator, n_nodes: int) -> tuple[Index, Index, Index]:
    """Edges of a graph, and two groups without a common node, each a node and two neighbours."""
    while True:
        edges = _tree_and_more(rng, n_nodes)
        groups: list[Index] = []
        for middle in rng.permutation(n_nodes).tolist():
            around = edges[(edges == middle).any(axis=1)].sum(axis=1) - middle
            free = np.setdiff1d(around, groups)
            if len(free) > 1 and middle not in np.ravel(groups):
                groups.append(np.array([middle, *rng.choice(free, 2, replace=False)]))
            if len(groups) == 2:
                return edges, groups[0], groups[1]


def _with_gaps(rng: np.random.Generator, values: Float64, missing: float) -> Float64:
    return np.where(rng.random(len(values)) < missing, np.nan, values)


def _named(
    rng: np.random.Generator, names: tuple[str, ...], codes: Index, missing: float
) -> list[str | None]:
    gaps = rng.random(len(codes)) < missing
    return [None if gap else names[code] for gap, code in zip(gaps, codes.tolist(), strict=True)]

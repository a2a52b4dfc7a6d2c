"""HGK-WL: colours counted one node at a time, and GraKeL where there is nothing to hash."""

from collections import Counter

import numpy as np
import pytest
from grakel import Graph, VertexHistogram, WeisfeilerLehman

import nask
from mixed_graphs import neighbours, random_graphs, standardised
from nask.lab.rivals.kernels.hgk_wl import HGKWL, hash_values


def colour_counts(graph, colours, n_iter):
    """Colours as nested tuples, so that equal ones are equal without a dictionary."""
    counts = Counter(colours)
    for _ in range(n_iter):
        colours = [
            (own, tuple(sorted(map(repr, (colours[u] for u in neighbours(graph, v))))))
            for v, own in enumerate(colours)
        ]
        counts.update(colours)
    return counts


def by_hand(kernel, graphs, train):
    own_vectors, train_vectors = standardised(graphs, train), standardised(train, train)
    total = np.zeros((len(graphs), len(train)))
    for a, b in zip(kernel.directions_.T, kernel.offsets_, strict=True):

        def counts(graph, vectors, a=a, b=b):
            letters = graph.node_attributes["letter"].values()
            hashes = [int(np.floor((vector @ a + b) / kernel.width)) for vector in vectors]
            return colour_counts(graph, list(zip(letters, hashes, strict=True)), kernel.n_iter)

        mine = [counts(*pair) for pair in zip(graphs, own_vectors, strict=True)]
        theirs = [counts(*pair) for pair in zip(train, train_vectors, strict=True)]
        for i, first in enumerate(mine):
            for j, second in enumerate(theirs):
                total[i, j] += sum(n * second[colour] for colour, n in first.items())
    return total / kernel.n_hashes


@pytest.mark.parametrize("n_iter", [0, 1, 3])
def test_equals_the_equation(n_iter):
    train, new = random_graphs(9, seed=1), random_graphs(6, seed=2, letters="abz")
    kernel = HGKWL(n_iter=n_iter, n_hashes=3, width=2.0, normalize=False)
    gram = kernel.fit_transform(train)
    np.testing.assert_allclose(gram, by_hand(kernel, train, train), rtol=1e-14)
    np.testing.assert_allclose(kernel.transform(new), by_hand(kernel, new, train), rtol=1e-14)
    assert len(np.unique(gram)) > 10


def test_normalised():
    train, new = random_graphs(9, seed=1), random_graphs(6, seed=2)
    raw = HGKWL(normalize=False).fit(train + new)
    gram = raw.compare()
    root = np.sqrt(np.maximum(gram.diagonal(), 1))
    found = HGKWL().fit(train + new)
    np.testing.assert_allclose(found.compare(), gram / root[:, None] / root, rtol=1e-12)
    np.testing.assert_allclose(found.transform(new), (gram / root[:, None] / root)[9:], rtol=1e-12)


@pytest.mark.parametrize("equal_numbers", [False, True])
def test_nothing_to_hash_is_the_subtree_kernel(mutag, equal_numbers):
    graphs = mutag.graphs[:60]
    labels = [graph.node_attributes[name] for graph in graphs for name in graph.node_attributes]
    bare = [
        nask.AttributedGraph(
            graph.n_nodes,
            graph.edges,
            {"atom": atom, **({"x": [7.5] * graph.n_nodes} if equal_numbers else {})},
        )
        for graph, atom in zip(graphs, labels, strict=True)
    ]
    theirs = [
        Graph(
            {v: neighbours(graph, v) for v in range(graph.n_nodes)},
            node_labels=dict(enumerate(graph.node_attributes["atom"].values())),
        )
        for graph in bare
    ]
    oracle = WeisfeilerLehman(n_iter=3, base_graph_kernel=VertexHistogram, normalize=False)
    expected = oracle.fit_transform(theirs)
    found = HGKWL(n_iter=3, normalize=False).fit_transform(bare)
    np.testing.assert_array_equal(found, expected)


def test_near_vectors_share_their_hash_more_often():
    draw = np.random.default_rng(0)
    directions, offsets = draw.normal(size=(3, 20000)), draw.uniform(0, 1.0, 20000)
    unit = np.array([2.0, -1.0, 2.0]) / 3
    far = np.array([0.1, 0.3, 1.0, 3.0])
    hashes = hash_values(np.vstack([np.zeros(3), far[:, None] * unit]), directions, offsets, 1.0)
    shared = (hashes[1:] == hashes[0]).mean(axis=1)
    # The probability that a uniform grid separates two points x apart is |x|, x normal, up to 1.
    expected = [np.maximum(0, 1 - np.abs(r * draw.normal(size=200000))).mean() for r in far]
    np.testing.assert_allclose(shared, expected, atol=0.02)
    assert (np.diff(shared) < 0).all()


def test_deeper_kernels_have_the_same_hashes():
    graphs = random_graphs(6, seed=1)
    shallow, deep = (HGKWL(n_iter=n).fit(graphs) for n in (1, 5))
    assert (shallow.directions_ == deep.directions_).all()
    assert (HGKWL(random_state=1).fit(graphs).directions_ != deep.directions_).all()


def test_offsets_fill_the_width():
    offsets = HGKWL(n_hashes=500, width=3.0).fit(random_graphs(4, seed=1)).offsets_
    np.testing.assert_allclose(np.quantile(offsets, [0, 0.5, 1]), [0, 1.5, 3], atol=0.2)

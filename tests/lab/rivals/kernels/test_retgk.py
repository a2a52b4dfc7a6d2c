"""RetGK: walks by powers of the transition matrix, and sums over pairs of nodes one by one."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from mixed_graphs import random_graphs, standardised
from nask.lab.rivals.kernels import node_clouds
from nask.lab.rivals.kernels.node_clouds import NodeClouds, mean_similarities, own_similarities
from nask.lab.rivals.kernels.retgk import RetGK
from nask.lab.rivals.kernels.return_probabilities import return_probabilities, shortening
from strategies import collections


def walks(graph, n_steps, self_loops):
    links = np.zeros((graph.n_nodes, graph.n_nodes))
    for u, v in graph.edges.tolist():
        links[u, v] = links[v, u] = 1
    for v in range(graph.n_nodes):
        links[v, v] = self_loops or not links[v].any()
    transition = links / links.sum(axis=1, keepdims=True)
    powers, found = np.eye(graph.n_nodes), []
    for _ in range(n_steps):
        powers = powers @ transition
        found.append(powers.diagonal().copy())
    return np.array(found).reshape(n_steps, graph.n_nodes).T


def side_by_side(graphs):
    ptr = np.concatenate([[0], np.cumsum([graph.n_nodes for graph in graphs])])
    edges = [graph.edges + start for graph, start in zip(graphs, ptr, strict=False)]
    return ptr, np.concatenate(edges)


@given(collections(max_nodes=6), st.booleans())
def test_return_probabilities_equal_powers(drawn, self_loops):
    graphs = drawn[0]
    found = return_probabilities(*side_by_side(graphs), 7, self_loops)
    expected = np.concatenate([walks(graph, 7, self_loops) for graph in graphs])
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_return_probabilities_by_hand():
    triangle = nask.AttributedGraph(3, [(0, 1), (1, 2), (0, 2)])
    path = nask.AttributedGraph(3, [(0, 1), (1, 2)])
    found = return_probabilities(*side_by_side([triangle, path]), 3, self_loops=False)
    expected = [[0, 1 / 2, 1 / 4]] * 3 + [[0, 1 / 2, 0], [0, 1, 0], [0, 1 / 2, 0]]
    np.testing.assert_allclose(found, expected, atol=1e-14)
    staying = return_probabilities(*side_by_side([triangle, path]), 2)
    expected = [[1 / 3, 1 / 3]] * 3 + [[1 / 2, 5 / 12], [1 / 3, 4 / 9], [1 / 2, 5 / 12]]
    np.testing.assert_allclose(staying, expected, atol=1e-14)


@pytest.mark.parametrize("n_steps", [1, 5, 50])
def test_shorter_roles_have_the_same_distances(mutag, n_steps):
    axes = shortening(n_steps)
    np.testing.assert_allclose(axes.T @ axes, np.eye(axes.shape[1]), atol=1e-12)
    roles = return_probabilities(*side_by_side(mutag.graphs[:20]), n_steps)
    lost = np.linalg.norm(roles - roles @ axes @ axes.T, axis=1)
    assert lost.max() < 1e-8


def by_hand(kernel, graphs, train):
    """MMD with the kernel's own sigma, every sum over pairs of nodes written out."""

    def nodes(chosen):
        vectors = standardised(chosen, train)
        roles = [walks(graph, kernel.n_steps, kernel.self_loops) for graph in chosen]
        letters = [graph.node_attributes["letter"].values() for graph in chosen]
        return [
            list(zip(*three, strict=True)) for three in zip(roles, vectors, letters, strict=True)
        ]

    def mean(first, second):
        total = 0.0
        for role, vector, letter in first:
            for their_role, their_vector, their_letter in second:
                if letter == their_letter:
                    apart = np.linalg.norm(role - their_role) / kernel.sigma_
                    apart += np.linalg.norm(vector - their_vector) / np.sqrt(2)
                    total += np.exp(-apart)
        return total / max(1, len(first) * len(second))

    found = [
        [mean(a, a) + mean(b, b) - 2 * mean(a, b) for b in nodes(train)] for a in nodes(graphs)
    ]
    return np.sqrt(np.maximum(found, 0))


@pytest.mark.parametrize("self_loops", [False, True])
def test_equals_the_equation(self_loops):
    train, new = random_graphs(9, seed=1), random_graphs(5, seed=2, letters="abz")
    kernel = RetGK(n_steps=6, self_loops=self_loops).fit(train)
    roles = np.concatenate([walks(graph, 6, self_loops) for graph in train])
    pairs = np.linalg.norm(roles[:, None] - roles, axis=2)[np.triu_indices(len(roles), 1)]
    assert kernel.sigma_ == pytest.approx(np.median(pairs), rel=1e-7)
    expected = by_hand(kernel, train, train)
    assert kernel.median_ == pytest.approx(np.median(expected[np.triu_indices(9, 1)]), rel=1e-7)
    np.testing.assert_allclose(kernel.compare() * kernel.median_, expected, atol=1e-6)
    found = kernel.compare(new) * kernel.median_
    np.testing.assert_allclose(found, by_hand(kernel, new, train), atol=1e-6)


@pytest.mark.parametrize("p", [1, 2])
def test_the_final_kernel(p):
    graphs = random_graphs(6, seed=1)
    distances = RetGK().fit(graphs).compare()
    found = RetGK(p=p, gamma=0.3).fit_transform(graphs)
    np.testing.assert_allclose(found, np.exp(-0.3 * distances**p))


@pytest.mark.parametrize("tile", [1, 40, 10**6])
def test_tiles_do_not_matter(monkeypatch, tile):
    draw = np.random.default_rng(0)
    ptr = np.array([0, 3, 3, 8, 9, 14])
    clouds = NodeClouds(tuple(draw.normal(size=(2, 14, 3))), draw.integers(0, 2, 14), ptr)
    x, y = clouds.positions
    alike = clouds.labels[:, None] == clouds.labels
    apart = sum(np.linalg.norm(z[:, None] - z, axis=2) for z in (x, y))
    similar = np.where(alike, np.exp(-apart), 0.0)
    parts = [slice(a, b) for a, b in pairwise(ptr)]
    expected = np.array(
        [[similar[a, b].mean() if similar[a, b].size else 0.0 for b in parts] for a in parts]
    )
    monkeypatch.setattr(node_clouds, "TILE", tile)
    found = mean_similarities(clouds)
    assert (found == found.T).all()
    np.testing.assert_allclose(found, expected, atol=1e-14)
    np.testing.assert_allclose(own_similarities(clouds), expected.diagonal(), atol=1e-14)
    some = np.array([4, 0])
    found = mean_similarities(clouds.take(some), clouds)
    np.testing.assert_allclose(found, expected[some], atol=1e-14)


def test_one_graph_and_alike_graphs():
    triangle = nask.AttributedGraph(3, [(0, 1), (1, 2), (0, 2)])
    assert RetGK().fit_transform([triangle]) == 1
    assert (RetGK().fit_transform([triangle] * 3) == 1).all()

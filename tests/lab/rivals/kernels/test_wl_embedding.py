"""The continuous embedding against its equation, node by node."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask.lab.rivals.kernels.wl_embedding import wl_embeddings
from strategies import collections


def by_hand(graph: nask.AttributedGraph, vectors: np.ndarray, n_iterations: int) -> np.ndarray:
    levels = [vectors]
    for _ in range(n_iterations):
        last = levels[-1]
        new = last.copy()
        for v in range(graph.n_nodes):
            around = [b if a == v else a for a, b in graph.edges.tolist() if v in (a, b)]
            if around:
                new[v] = (last[v] + sum(last[u] for u in around) / len(around)) / 2
        levels.append(new)
    return np.hstack(levels)


@given(collections(), st.integers(0, 3), st.integers(0, 2), st.integers(0, 99))
def test_equals_the_equation(drawn, n_iterations, width, seed):
    graphs = drawn[0]
    draw = np.random.default_rng(seed)
    vectors = [draw.normal(size=(graph.n_nodes, width)) for graph in graphs]
    found = wl_embeddings(graphs, vectors, n_iterations)
    assert len(found) == len(graphs)
    for graph, own, embedding in zip(graphs, vectors, found, strict=True):
        expected = by_hand(graph, own, n_iterations)
        assert embedding.shape == (graph.n_nodes, width * (n_iterations + 1))
        np.testing.assert_allclose(embedding, expected, atol=1e-12)

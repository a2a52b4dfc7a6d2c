"""The multiscale Laplacian kernel against its recursion, in the joint space of two graphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask.lab.rivals.encoding import NodeEncoder
from nask.lab.rivals.kernels.ml import ML

ETA, GAMMA = 0.1, 0.2


@st.composite
def small_graphs(draw):
    n = draw(st.integers(1, 4))
    pairs = [(u, v) for u in range(n) for v in range(u)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    letters = draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    return nask.AttributedGraph(n, edges, {"letter": letters})


def ball(graph, v, radius):
    inside = {v}
    for _ in range(radius):
        inside |= {w for edge in graph.edges.tolist() if inside & set(edge) for w in edge}
    return sorted(inside)


def laplacian_kernel(graphs, nodes, gram):
    """k of two induced subgraphs whose nodes have a Gram matrix, those of the first before."""
    values, vectors = np.linalg.eigh(gram)
    features = vectors * np.sqrt(np.maximum(values, 0))
    covariances = []
    start = 0
    for graph, inside in zip(graphs, nodes, strict=True):
        matrix = np.zeros((graph.n_nodes, graph.n_nodes))
        for u, v in graph.edges.tolist():
            matrix[u, v] = matrix[v, u] = 1
        matrix = matrix[np.ix_(inside, inside)]
        smooth = np.linalg.inv(np.diag(matrix.sum(axis=0)) - matrix + ETA * np.eye(len(inside)))
        own = features[start : start + len(inside)]
        covariances.append(own.T @ smooth @ own + GAMMA * np.eye(len(gram)))
        start += len(inside)
    a, b = covariances
    mean = np.linalg.inv((np.linalg.inv(a) + np.linalg.inv(b)) / 2)
    det = np.linalg.det
    return det(mean) ** 0.5 / (det(a) * det(b)) ** 0.25


def node_kernel(graphs, rows, level, cache):
    """Function of two nodes, each (graph, node)."""

    def kernel(p, q):
        if level == 0:
            return float(rows[p[0]][p[1]] @ rows[q[0]][q[1]])
        key = (level, *sorted([p, q]))
        if key not in cache:
            below = node_kernel(graphs, rows, level - 1, cache)
            nodes = [ball(graphs[i], v, level) for i, v in (p, q)]
            both = [(i, v) for (i, _), inside in zip((p, q), nodes, strict=True) for v in inside]
            gram = np.array([[below(x, y) for y in both] for x in both])
            cache[key] = laplacian_kernel([graphs[p[0]], graphs[q[0]]], nodes, gram)
        return cache[key]

    return kernel


def by_hand(graphs, n_levels):
    rows = [own.astype(float) for own in NodeEncoder().fit(graphs).transform(graphs)]
    kernel = node_kernel(graphs, rows, n_levels, {})
    result = np.zeros((len(graphs), len(graphs)))
    for i, a in enumerate(graphs):
        for j, b in enumerate(graphs):
            both = [(i, v) for v in range(a.n_nodes)] + [(j, v) for v in range(b.n_nodes)]
            gram = np.array([[kernel(x, y) for y in both] for x in both])
            nodes = [list(range(a.n_nodes)), list(range(b.n_nodes))]
            result[i, j] = laplacian_kernel([a, b], nodes, gram)
    return result


@given(st.lists(small_graphs(), min_size=2, max_size=3), st.integers(0, 2))
def test_kernel_is_the_recursion_where_all_nodes_are_sampled(graphs, n_levels):
    fitted = ML(n_levels=n_levels, eta=ETA, gamma=GAMMA, rank=50).fit(graphs)
    expected = by_hand(graphs, n_levels)
    np.testing.assert_allclose(fitted.compare(), expected, atol=1e-6)
    np.testing.assert_allclose(fitted.transform(graphs[1:]), expected[1:], atol=1e-6)


def test_grakel_agrees_at_level_0(mutag):
    pytest.importorskip("grakel")
    from grakel import MultiscaleLaplacian

    from nask.lab.rivals.kernels.grakel_graphs import attributed

    graphs = mutag.graphs[:4]
    rows = [own.astype(float) for own in NodeEncoder().fit(graphs).transform(graphs)]
    peer = MultiscaleLaplacian(L=0, n_samples=200, normalize=True, random_state=0)
    expected = peer.fit_transform(attributed(graphs, rows))
    found = ML(n_levels=0, n_samples=200).fit_transform(graphs)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_few_samples_and_features_come_near(mutag):
    graphs = mutag.graphs[:10]
    whole = ML(n_levels=1, gamma=0.1, n_samples=200, rank=20).fit_transform(graphs)
    near = ML(n_levels=1, gamma=0.1, n_samples=50).fit_transform(graphs)
    assert np.corrcoef(near.ravel(), whole.ravel())[0, 1] > 0.9

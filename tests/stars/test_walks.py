"""Means over the ends of random walks, against powers of the matrix of one step."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nask
from nask.execution import execution
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema
from nask.stars import walks
from strategies import graphs

RESTARTS = st.sampled_from([0.05, 0.3, 0.9, 1.0])


def batch_of(*several):
    return GraphBatch.encode(list(several), Schema.fit(list(several)))


def ends(graph, restart):
    """Where walks end, step by step."""
    step = np.eye(graph.n_nodes)
    for u, v in graph.edges:
        step[u, v] = step[v, u] = 1
    step /= step.sum(axis=1, keepdims=True)
    under_way, ended = np.eye(graph.n_nodes), np.zeros((graph.n_nodes, graph.n_nodes))
    for _ in range(10):
        ended += restart * under_way
        under_way = (1 - restart) * under_way @ step
    return ended + under_way


@given(graph=graphs(), restart=RESTARTS, n_columns=st.integers(0, 20), seed=st.integers(0, 9))
def test_rows_become_means(graph, restart, n_columns, seed):
    rows = np.random.default_rng(seed).normal(size=(graph.n_nodes, n_columns))
    expected = ends(graph, restart) @ rows
    batch = batch_of(graph)
    # Few columns at a time, so that there are several tasks.
    with patch.object(walks, "NUMBERS", 1), patch.object(execution, "PAIRS_PER_THREAD", 1):
        for n_jobs in (1, 2):
            ours = rows.copy()
            walks.mean_over_walks(batch, restart, ours, Execution(n_jobs=n_jobs))
            np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-13)
    with_float32 = rows.astype(np.float32)
    walks.mean_over_walks(batch, restart, with_float32, Execution())
    assert with_float32.dtype == np.float32
    np.testing.assert_allclose(with_float32, expected, rtol=1e-5, atol=1e-5)


@given(graph=graphs(), restart=RESTARTS, data=st.data())
def test_a_kernel_becomes_the_mean_over_both_ends(graph, restart, data):
    n = graph.n_nodes
    vectors = np.random.default_rng(n).normal(size=(n, 3))
    kernel, own = vectors @ vectors.T, ends(graph, restart)
    expected = own @ kernel @ own.T
    drawn = data.draw(st.none() | st.lists(st.integers(0, n - 1), unique=True)) if n else None
    nodes = None if drawn is None else np.array(drawn, dtype=int)
    batch = batch_of(graph)
    # A few rows and columns at a time.
    with patch.object(walks, "NUMBERS", 3 * n):
        ours = walks.kernel_over_walks(batch, restart, kernel.copy(), nodes, Execution())
    block = expected if nodes is None else expected[np.ix_(nodes, nodes)]
    np.testing.assert_allclose(ours, block, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(ours, ours.T)


def test_walks_stay_in_their_graph():
    path = nask.AttributedGraph(3, [(0, 1), (1, 2)])
    rows = np.eye(6)
    walks.mean_over_walks(batch_of(path, path), 0.2, rows, Execution())
    np.testing.assert_array_equal(rows[:3, 3:], 0)
    np.testing.assert_array_equal(rows[3:, :3], 0)
    np.testing.assert_array_equal(rows[:3, :3], rows[3:, 3:])


@pytest.mark.parametrize("restart", [0.0, -0.1, 1.5, "often", True, np.nan])
def test_a_restart_is_a_probability(restart):
    path = nask.AttributedGraph(3, [(0, 1), (1, 2)])
    for model in (nask.NodeNASK(restart=restart), nask.NASKFeatures(level="node", restart=restart)):
        with pytest.raises(nask.exceptions.ParameterError, match=r"None or a float in .* \(0, 1\]"):
            model.fit(path)


def test_graphs_as_rows_have_no_walks():
    with pytest.raises(nask.exceptions.ParameterError, match="level='node'"):
        nask.NASKFeatures(restart=0.3).fit([nask.AttributedGraph(3, [(0, 1), (1, 2)])])


def test_few_known_nodes_of_a_network_of_clusters():
    """Nodes of a cluster are of one class, and what they have in common is mostly noise."""
    rng = np.random.default_rng(0)
    n, classes = 300, np.arange(300) % 3
    same = classes[:, None] == classes
    linked = np.triu(rng.random((n, n)) < np.where(same, 0.08, 0.003), 1)
    features = rng.random((n, 60)) < np.where(classes[:, None] == np.arange(60) // 20, 0.12, 0.05)
    graph = nask.AttributedGraph(n, np.argwhere(linked), node_features=features)
    train = np.arange(15)
    rest = np.arange(15, n)
    scores = {}
    for method in ("exact", "features"):
        for restart in (None, 0.2):
            model = nask.NASKNodeClassifier(
                method=method, n_hops=1, restart=restart, n_components=1024
            )
            model.fit(graph, classes, train)
            scores[method, restart] = model.score(graph, classes, rest)
    for method in ("exact", "features"):
        assert scores[method, 0.2] > 0.95
        assert scores[method, None] < 0.6

"""What the peers are given, and the one peer that is written here."""

import math

import cases
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from peers import GAMMA, N_ITERATIONS, WWL, attributed, labelled, vectors
from scipy.optimize import linear_sum_assignment
from worker import prepare

import nask

pytest.importorskip("grakel")
pytest.importorskip("ot")


@st.composite
def numbered_graphs(draw):
    """A graph with two numbers and a letter at each node; some nodes have no neighbour."""
    n = draw(st.integers(1, 5))
    pairs = [(u, v) for u in range(n) for v in range(u)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    numbers = st.lists(st.integers(-3, 3).map(float), min_size=n, max_size=n)
    letters = st.lists(st.sampled_from("abc"), min_size=n, max_size=n)
    columns = {"x": draw(numbers), "y": draw(numbers), "letter": draw(letters)}
    return nask.AttributedGraph(n, edges, columns)


def edge_set(graph):
    return {frozenset(edge) for edge in graph.edges.tolist()}


@given(st.lists(numbered_graphs(), min_size=1, max_size=3))
def test_grakel_is_given_every_node_edge_and_label(graphs):
    for graph, given_labels in zip(graphs, labelled(graphs), strict=True):
        assert given_labels.vertices == set(range(graph.n_nodes))
        back = nask.io.from_grakel(given_labels)
        assert back.n_nodes == graph.n_nodes
        assert edge_set(back) == edge_set(graph)
        letters = graph.node_attributes["letter"].values()
        assert back.node_attributes["label"].values() == letters


@given(st.lists(numbered_graphs(), min_size=1, max_size=3))
def test_grakel_is_given_every_number(graphs):
    for graph, given_vectors in zip(graphs, attributed(graphs), strict=True):
        back = nask.io.from_grakel(given_vectors)
        assert edge_set(back) == edge_set(graph)
        for own, name in enumerate("xy"):
            values = back.node_attributes[f"attribute_{own}"].values()
            assert values == graph.node_attributes[name].values()


def test_graph_hopper_takes_graphs_without_their_lonely_nodes():
    from grakel import GraphHopper

    numbers = {"x": [1.0, 5.0, 2.0], "y": [0.0, 5.0, 1.0]}
    graph = nask.AttributedGraph(3, [(0, 2)], numbers)
    bare = nask.AttributedGraph(2, [(0, 1)], {name: own[::2] for name, own in numbers.items()})
    gram = GraphHopper().fit_transform(attributed([graph, bare], lonely=False))
    assert gram[0, 0] > 0
    np.testing.assert_allclose(gram, gram[0, 0])


def test_weisfeiler_lehman_counts_nodes_without_neighbours():
    from grakel import VertexHistogram, WeisfeilerLehman

    lonely = nask.AttributedGraph(3, [], {"letter": ["a", "a", "b"]})
    kernel = WeisfeilerLehman(n_iter=2, base_graph_kernel=VertexHistogram)
    # In each of three rounds two nodes are alike and one is not: 2 * 2 + 1 * 1.
    assert kernel.fit_transform(labelled([lonely]))[0, 0] == 15


def test_peers_have_the_settings_that_the_page_names(mutag):
    for method in (cases.WL, cases.HOPPER):
        graphs, compute, package = prepare(method, {}, mutag.graphs[:5])
        given = compute.__self__.get_params()
        assert (len(graphs), package) == (5, "grakel")
        assert (given["n_jobs"], given["normalize"], given.get("n_iter", 5)) == (None, True, 5)


def test_labels_become_unit_vectors_where_there_are_no_numbers():
    graphs = [
        nask.AttributedGraph(2, [], {"letter": ["b", "a"]}),
        nask.AttributedGraph(1, [], {"letter": ["c"]}),
    ]
    first, second = vectors(graphs)
    np.testing.assert_array_equal(first, [[0, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(second, [[0, 0, 1]])


def embeddings_by_loops(graphs):
    pooled = np.array([row for graph in graphs for row in rows(graph)])
    spread = np.where(pooled.std(axis=0) == 0, 1, pooled.std(axis=0))
    result = []
    for graph in graphs:
        neighbours = [[] for _ in range(graph.n_nodes)]
        for u, v in graph.edges.tolist():
            neighbours[u].append(v)
            neighbours[v].append(u)
        steps = [[(row - pooled.mean(axis=0)) / spread for row in rows(graph)]]
        for _ in range(N_ITERATIONS):
            last = steps[-1]
            means = [
                sum(last[u] for u in own) / len(own) if own else 0 * last[0] for own in neighbours
            ]
            steps.append([(x + mean) / 2 for x, mean in zip(last, means, strict=True)])
        result.append(np.concatenate(steps, axis=1))
    return result


def rows(graph):
    return np.column_stack([graph.node_attributes[name].data for name in "xy"])


def wasserstein_by_assignment(a, b):
    """Copies of all points, as many on both sides, have the same distance and equal weights."""
    n = math.lcm(len(a), len(b))
    a, b = np.repeat(a, n // len(a), axis=0), np.repeat(b, n // len(b), axis=0)
    cost = np.linalg.norm(a[:, None] - b[None, :], axis=2)
    return cost[linear_sum_assignment(cost)].mean()


@given(st.lists(numbered_graphs(), min_size=2, max_size=4))
def test_wwl_is_optimal_transport_between_averaged_attributes(graphs):
    embedded = embeddings_by_loops(graphs)
    expected = [
        [np.exp(-GAMMA * wasserstein_by_assignment(a, b)) for b in embedded] for a in embedded
    ]
    np.testing.assert_allclose(WWL().fit_transform(graphs), expected, atol=1e-9)

"""WWL against a linear program over every move, and against its definition by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import nask

pytest.importorskip("ot")

from nask.lab.rivals.kernels.wwl import WWL


@st.composite
def graphs_with(draw, numbers):
    n = draw(st.integers(1, 5))
    pairs = [(u, v) for u in range(n) for v in range(u)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    attributes = {"atom": draw(st.lists(st.sampled_from("CNO"), min_size=n, max_size=n))}
    if numbers:
        values = st.integers(-3, 3).map(float)
        attributes["charge"] = draw(st.lists(values, min_size=n, max_size=n))
    return nask.AttributedGraph(n, edges, attributes)


def neighbours(graph):
    near = {v: [] for v in range(graph.n_nodes)}
    for u, v in graph.edges.tolist():
        near[u].append(v)
        near[v].append(u)
    return near


def least_cost(cost):
    """Transport of uniform weights as a linear program."""
    n, m = cost.shape
    rows = [np.kron(np.eye(n)[i], np.ones(m)) for i in range(n)]
    columns = [np.kron(np.ones(n), np.eye(m)[j]) for j in range(m)]
    amounts = [1 / n] * n + [1 / m] * m
    return linprog(cost.ravel(), A_eq=np.array(rows + columns), b_eq=amounts).fun


def colour_names(graph, rounds):
    """The colours of each node as nested tuples, which are equal where colours are."""
    near = neighbours(graph)
    now = list(graph.node_attributes["atom"].values())
    names = [now]
    for _ in range(rounds):
        now = [(now[v], tuple(sorted(map(repr, (now[u] for u in near[v]))))) for v in near]
        names.append(now)
    return list(zip(*names, strict=True))


@settings(max_examples=40, deadline=None)
@given(st.lists(graphs_with(numbers=False), min_size=2, max_size=3), st.integers(0, 3))
def test_categories_move_by_the_share_of_colours_that_differ(graphs, rounds):
    found = WWL(n_iter=rounds).fit(graphs).compare()
    names = [colour_names(graph, rounds) for graph in graphs]
    for i, own in enumerate(names):
        for j, other in enumerate(names):
            differ = [
                [np.mean([x != y for x, y in zip(a, b, strict=True)]) for b in other] for a in own
            ]
            assert found[i, j] == pytest.approx(least_cost(np.array(differ)), abs=1e-9)


def vectors_by_hand(graphs, rounds):
    charges = np.array([q for g in graphs for q in g.node_attributes["charge"].values()])
    deviation = charges.std() if charges.std() > 0 else 1.0
    atoms = sorted({a for g in graphs for a in g.node_attributes["atom"].values()})
    result = []
    for graph in graphs:
        near = neighbours(graph)
        now = [
            np.array([*(float(a == atom) for atom in atoms), (q - charges.mean()) / deviation])
            for a, q in zip(
                graph.node_attributes["atom"].values(),
                graph.node_attributes["charge"].values(),
                strict=True,
            )
        ]
        levels = [now]
        for _ in range(rounds):
            now = [
                (now[v] + np.mean([now[u] for u in near[v]], axis=0)) / 2 if near[v] else now[v]
                for v in near
            ]
            levels.append(now)
        result.append(np.array([np.concatenate(own) for own in zip(*levels, strict=True)]))
    return result


@settings(max_examples=40, deadline=None)
@given(st.lists(graphs_with(numbers=True), min_size=2, max_size=3), st.integers(0, 3))
def test_numbers_move_by_euclidean_distance(graphs, rounds):
    found = WWL(n_iter=rounds).fit(graphs).compare()
    clouds = vectors_by_hand(graphs, rounds)
    for i, own in enumerate(clouds):
        for j, other in enumerate(clouds):
            cost = np.linalg.norm(own[:, None] - other[None], axis=2)
            assert found[i, j] == pytest.approx(least_cost(cost), abs=1e-5)


def test_no_iterations_and_one_node_are_a_laplacian_kernel():
    graphs = [nask.AttributedGraph(1, (), {"x": [x]}) for x in (0.0, 1.0, 4.0)]
    deviation = np.std([0.0, 1.0, 4.0])
    gram = WWL(n_iter=0, gamma=2.0).fit_transform(graphs)
    assert gram[0, 1:] == pytest.approx(np.exp(-2 * np.array([1, 4]) / deviation), rel=1e-5)


def test_with_categories_it_is_positive_semidefinite():
    graphs = nask.load_dataset("MUTAG").graphs[:60]
    for gamma in (0.1, 1.0, 10.0):
        values = np.linalg.eigvalsh(WWL(gamma=gamma).fit_transform(graphs))
        assert values.min() > -1e-9 * values.max()


def test_a_graph_without_nodes_is_like_no_other():
    empty, node = nask.AttributedGraph(0), nask.AttributedGraph(1)
    assert WWL().fit_transform([empty, node, empty]).tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]

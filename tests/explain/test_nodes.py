"""Explanations of decisions about nodes: complete, and the same as those of a graph's own stars."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import nask
from mixed_graphs import random_network as network
from nask.exceptions import MemoryLimitError, ParameterError

OPTIONS = [
    {"n_hops": 2},
    {"n_hops": 3, "gram": "rbf", "normalize": False},
    {"n_hops": 2, "expansion": "ball", "star_norm": False},
    {"n_hops": 2, "prune_cores": True, "degree": "numerical"},
    {"n_hops": 4, "gamma_star": 1e5},
    {"n_hops": 2, "restart": 0.3},
    {"n_hops": 1, "restart": 0.2, "gram": "rbf", "dtype": "float32"},
    {"n_hops": 3, "expansion": "walk"},
    {"n_hops": 2, "max_leaves": 1, "similarity": "euclidean"},
    {"n_hops": 2, "expansion": "walk", "max_leaves": 2, "similarity": "one-hot", "restart": 0.3},
]


def assert_complete(why, decision, tolerance=1e-9):
    size = 1 + abs(why.intercept) + np.abs(why.attributes).sum()
    assert why.decision == pytest.approx(decision, abs=tolerance * size)
    totals = [
        why.nodes.sum(),
        why.hops.sum(),
        why.attributes.sum() + why.edges.sum(),
        sum(own.share for own in why.neighbours),
    ]
    np.testing.assert_allclose(np.array(totals) + why.intercept, why.decision, atol=1e-9 * size)
    assert np.isfinite(why.attributes).all()


@pytest.mark.parametrize("learner", ["svm", "ridge"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_shares_add_up(options, learner):
    graph, y = network()
    two = (y > 0).astype(int)
    model = nask.NASKNodeClassifier(learner=learner, **options).fit(graph, two, train=range(20))
    tolerance = 1e-5 if options.get("dtype") == "float32" else 1e-9
    for node in (3, 25):
        why = model.explain(graph, node)
        assert_complete(why, model.decision_function(graph, [node])[0], tolerance)
        assert why.node == node
        assert {own.position for own in why.neighbours} == set(model.support_.tolist())


def test_another_graph_and_node_features():
    graph, y = network(features=True)
    model = nask.NASKNodeClassifier(n_hops=2, learner="ridge").fit(graph, y, train=range(30))
    other, _ = network(17, seed=4, features=True)
    scores = model.decision_function(other, [5])[0]
    why = model.explain(other, 5)
    assert_complete(why, scores.max())
    assert why.nodes.shape == (17,)
    assert {"letter", "x", "node_features[0]", "node_features[5]"} <= set(why.attribute_names)
    first, second = model.classes_[:2]
    why = model.explain(other, 5, target=first, against=second)
    assert_complete(why, scores[0] - scores[1])


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_words_compared_by_nonzeros_have_the_same_shares(options, monkeypatch):
    graph, y = network(50, features=True)
    draw = np.random.default_rng(1)
    rare = draw.choice([1.0, 1.0, 0.3], (50, 20)) * (draw.random((50, 20)) < 0.1)
    words = np.hstack([graph.node_features.toarray(), rare])[:, draw.permutation(26)]
    names = ("node_attributes", "edge_attributes")
    graph = nask.AttributedGraph(
        50, graph.edges, *(getattr(graph, name) for name in names), node_features=words
    )
    model = nask.NASKNodeClassifier(learner="ridge", **options).fit(graph, y, train=range(25))
    why = model.explain(graph, 30)
    exact = 1e-5 if options.get("dtype") == "float32" else 1e-9
    assert_complete(why, model.decision_function(graph, [30])[0].max(), exact)
    monkeypatch.setattr("nask.engines.nodes.similarity.DENSE_FILL", -1.0)
    dense = model.explain(graph, 30)
    assert why.attribute_names == dense.attribute_names
    size = np.abs(dense.attributes).sum()
    np.testing.assert_allclose(why.attributes, dense.attributes, atol=1e-9 * size, rtol=0)
    np.testing.assert_allclose(why.edges, dense.edges, atol=1e-9 * size, rtol=0)


def test_only_nodes_within_reach_have_a_share():
    path = nask.AttributedGraph(7, [(i, i + 1) for i in range(6)], {"x": [1, 2, 3, 4, 5, 6, 9]})
    model = nask.NASKNodeClassifier(n_hops=2).fit(path, [0, 0, None, None, None, 1, 1])
    why = model.explain(path, 3)
    assert np.flatnonzero(why.nodes).tolist() == [1, 2, 3, 4, 5]
    assert np.flatnonzero(why.hops.any(axis=0)).tolist() == [3]
    assert why.background.tolist() == np.abs(why.nodes).tolist()


def test_a_node_of_many_graphs_is_a_star_of_one():
    """The kernel between graphs that are one star each is that of their cores."""
    graph, y = network(30)
    model = nask.NASKNodeClassifier(n_hops=1, learner="ridge", alpha=0.1, normalize=False)
    model.fit(graph, (y > 0).astype(int), train=range(25))
    why = model.explain(graph, 27)
    # By the equations: half of each share stays with the core.
    [part] = why.parts
    core = 0.5 * why.hops.sum()
    members = why.nodes.sum() - core
    assert members == pytest.approx(core, rel=1e-9)
    assert part.hops.shape == (1, 30)


def test_a_searched_model():
    graph, y = network(60)
    grid = {"gamma": [1.0, 3.0], "n_hops": [1, 2], "restart": [None, 0.3]}
    model = nask.TunedNASKNodeClassifier(grid=grid, estimator=nask.NASKNodeClassifier())
    model.fit(graph, y, train=range(45))
    scores = model.decision_function(graph, [50])[0]
    assert_complete(model.explain(graph, 50), scores.max())


def test_bad_questions():
    graph, y = network()
    model = nask.NASKNodeClassifier(n_hops=1)
    with pytest.raises(NotFittedError):
        model.explain(graph, 0)
    model.fit(graph, y)
    for node in (-1, 40, 1.5, None, True):
        with pytest.raises(ParameterError, match="an int from 0 to 39"):
            model.explain(graph, node)
    features = nask.NASKNodeClassifier(n_hops=1, method="features", n_components=64).fit(graph, y)
    with pytest.raises(ParameterError, match="Fit with method='exact'"):
        features.explain(graph, 0)
    model.set_params(memory_limit=10_000)
    with pytest.raises(MemoryLimitError):
        model.explain(graph, 0)


def test_a_picture_has_the_loudest_nodes_around():
    graph, y = network(60)
    model = nask.NASKNodeClassifier(n_hops=2).fit(graph, (y > 0).astype(int), train=range(30))
    why = model.explain(graph, 40)
    figure = why.plot(most=5)
    texts = {text.get_text() for text in figure.axes[0].texts}
    loudest = set(np.argsort(-np.abs(why.nodes))[:5].tolist()) - {40}
    assert "[40]" in texts
    assert len(texts & {str(node) for node in loudest}) >= 4
    assert "node" in figure.axes[3].get_title(loc="left")
    for most in (0, -1, 2.5, None):
        with pytest.raises(ParameterError, match="'most' parameter of plot must be an int"):
            why.plot(most=most)


def test_what_leans_adds_up_even_if_no_node_has_a_share():
    """Pruned cores of a letter that no training node has: all is the intercept."""
    # Of classes of one size, the intercept would be 0 but for rounding errors.
    letters = ["a", "a", "a", "b", "b", "z"]
    graph = nask.AttributedGraph(6, [(0, 1), (3, 4)], {"letter": letters})
    model = nask.NASKNodeClassifier(n_hops=2, prune_cores=True)
    model.fit(graph, [0, 0, 0, 1, 1, None])
    for node, n_shares in ((0, 2), (5, 0)):
        why = model.explain(graph, node)
        assert np.count_nonzero(why.nodes) == n_shares
        assert why.leaning.sum() == pytest.approx(why.decision)
        assert why.leaning[node] != 0

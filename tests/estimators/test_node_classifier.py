"""The classifier of nodes against scikit-learn's machine on the whole Gram matrix."""

import pickle
from unittest.mock import patch

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import KernelCenterer
from sklearn.svm import SVC

import nask
from nask.estimators import node_classifier
from nask.exceptions import ParameterError

N_NODES = 120
TRAIN = np.arange(0, N_NODES, 2)
NEW = np.arange(1, N_NODES, 2)


def blocks(n_classes, seed=0):
    """A network of communities whose members share words."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=N_NODES)
    pairs = rng.integers(N_NODES, size=(1500, 2))
    inside = (y[pairs[:, 0]] == y[pairs[:, 1]]) | (rng.random(1500) < 0.05)
    edges = np.unique(np.sort(pairs[inside & (pairs[:, 0] != pairs[:, 1])], axis=1), axis=0)[::3]
    words = rng.random((N_NODES, 30)) < 0.1 + 0.3 * (np.arange(30) % n_classes == y[:, None])
    return nask.AttributedGraph(N_NODES, edges, node_features=words), y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_decisions_are_those_of_svc_on_the_centred_gram(n_classes, dtype):
    graph, y = blocks(n_classes)
    model = nask.NASKNodeClassifier(C=1.0, n_hops=2, dtype=dtype).fit(graph, y, train=TRAIN)
    gram = nask.NodeNASK(n_hops=2).fit_transform(graph)
    centerer = KernelCenterer()
    square = centerer.fit_transform(gram[np.ix_(TRAIN, TRAIN)])
    scale = np.trace(square) / len(square)
    svc = SVC(kernel="precomputed", C=1.0, break_ties=n_classes > 2).fit(square / scale, y[TRAIN])
    rectangle = centerer.transform(gram[np.ix_(NEW, TRAIN)]) / scale
    close = {"rtol": 1e-6, "atol": 1e-6} if dtype == "float64" else {"rtol": 1e-2, "atol": 1e-2}
    decision = model.decision_function(graph, NEW)
    np.testing.assert_allclose(decision, svc.decision_function(rectangle), **close)
    np.testing.assert_array_equal(model.predict(graph, NEW), svc.predict(rectangle))
    if dtype == "float64":
        np.testing.assert_array_equal(model.support_, TRAIN[svc.support_])
    assert model.score(graph, y, NEW) == (svc.predict(rectangle) == y[NEW]).mean() > 0.8


def test_classes_outside_train_are_not_looked_at():
    graph, y = blocks(3)
    wrong = y.copy()
    wrong[NEW] = 7
    a = nask.NASKNodeClassifier(n_hops=2).fit(graph, y, train=TRAIN)
    b = nask.NASKNodeClassifier(n_hops=2).fit(graph, wrong, train=TRAIN)
    np.testing.assert_array_equal(a.decision_function(graph), b.decision_function(graph))


@pytest.mark.parametrize("unknown", ["-1", "None", "NaN", "text"])
def test_all_nodes_with_a_class_by_default(unknown):
    graph, y = blocks(3)
    expected = nask.NASKNodeClassifier(n_hops=2).fit(graph, y, train=TRAIN)
    hidden = {
        "-1": np.where(np.arange(N_NODES) % 2, -1, y),
        "None": [None if i % 2 else int(label) for i, label in enumerate(y)],
        "NaN": np.where(np.arange(N_NODES) % 2, np.nan, y),
        "text": [None if i % 2 else f"class {label}" for i, label in enumerate(y)],
    }[unknown]
    model = nask.NASKNodeClassifier(n_hops=2).fit(graph, hidden)
    np.testing.assert_array_equal(model.support_, expected.support_)
    names = [f"class {label}" if unknown == "text" else label for label in expected.classes_]
    assert model.classes_.tolist() == names
    assert model.score(graph, hidden) == expected.score(graph, y, TRAIN)


@pytest.mark.parametrize("gram", ["linear", "rbf"])
def test_an_equal_graph_and_another_one(gram):
    graph, y = blocks(2)
    model = nask.NASKNodeClassifier(n_hops=2, gram=gram).fit(graph, y, train=TRAIN)
    equal = nask.AttributedGraph(N_NODES, graph.edges, node_features=graph.node_features)
    expected = model.decision_function(graph)
    np.testing.assert_array_equal(model.decision_function(equal), expected)
    words = np.vstack([graph.node_features.toarray(), np.zeros(30)])
    longer = nask.AttributedGraph(N_NODES + 1, graph.edges, node_features=words)
    # All through P in its own place: rounding differs, no more.
    np.testing.assert_allclose(
        model.decision_function(longer)[:N_NODES], expected, rtol=1e-6, atol=1e-8
    )
    other, truth = blocks(2, seed=5)
    assert model.score(other, truth) > 0.8


def test_probabilities_weights_clones_and_pickles():
    graph, y = blocks(3)
    model = clone(nask.NASKNodeClassifier(n_hops=1, probability=True)).fit(graph, y, TRAIN)
    probability = model.predict_proba(graph, NEW)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    assert (probability.argmax(axis=1) == y[NEW]).mean() > 0.8
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(graph, NEW), probability)
    plain = nask.NASKNodeClassifier(C=0.01).fit(graph, y, TRAIN)
    weighted = nask.NASKNodeClassifier(C=0.01, class_weight={0: 50.0}).fit(graph, y, TRAIN)
    assert (weighted.predict(graph) == 0).sum() > (plain.predict(graph) == 0).sum()
    with pytest.raises(ParameterError, match="probability=False"):
        plain.predict_proba(graph)


def test_auto_is_exact_where_memory_suffices():
    graph, y = blocks(2)
    model = nask.NASKNodeClassifier(n_hops=2)
    fitted = model.fit(graph, y).kernel_.fitted_
    assert model.method_ == "exact"
    with patch.object(node_classifier, "total_memory", return_value=10_000):
        assert model.fit(graph, y).method_ == "features"
        assert model.set_params(memory_limit="1GB").fit(graph, y).method_ == "exact"
    assert model.set_params(memory_limit="10kB")._choose_method(fitted, 60) == "features"
    assert node_classifier.total_memory() > 10**8


@pytest.mark.parametrize(
    ("parameters", "y", "train", "message"),
    [
        ({"C": 0.0}, None, None, "'C' parameter of NASKNodeClassifier"),
        ({"method": "fast"}, None, None, "'method' parameter of NASKNodeClassifier"),
        ({"n_components": 0}, None, None, "'n_components' parameter"),
        ({"probability": "yes"}, None, None, "'probability' parameter"),
        ({"class_weight": {9: 1.0}}, None, None, "names the class 9"),
        ({}, [0, 1], None, "Got 2 values of y for a graph of 120 nodes"),
        ({}, [0] * N_NODES, None, "nodes of at least two classes"),
        ({}, [0, -1] * 60, [0, 1], "Node 1 is in 'train', but has no class"),
        ({}, [0, 0.5] * 60, [4, 6, 9], "The value 0.5 of node 9 is no class"),
        ({}, ["a", 1] * 60, [8, 5], "'a' for node 8, 1 for node 5"),
        ({}, None, [500], "'train' must be positions of nodes, integers from 0 to 119"),
    ],
)
def test_errors_say_what_to_do(parameters, y, train, message):
    graph, classes = blocks(2)
    with pytest.raises(ParameterError, match=message):
        nask.NASKNodeClassifier(**parameters).fit(graph, classes if y is None else y, train)


def test_the_target_is_needed_and_fit_comes_first():
    graph, _ = blocks(2)
    with pytest.raises(ParameterError, match="requires y to be passed"):
        nask.NASKNodeClassifier().fit(graph, None)
    with pytest.raises(NotFittedError):
        nask.NASKNodeClassifier().predict(graph)


@pytest.mark.parametrize("y", [[True, True, False, False], np.array([True, None, None, False])])
def test_true_and_false_are_classes(y):
    path = nask.AttributedGraph(4, [(0, 1), (1, 2), (2, 3)], {"x": [1, 2, 3, 4]})
    model = nask.NASKNodeClassifier(n_hops=1).fit(path, y)
    assert model.classes_.tolist() == [False, True]
    assert model.predict(path).tolist() == [True, True, False, False]

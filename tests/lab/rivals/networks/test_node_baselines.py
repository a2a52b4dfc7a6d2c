"""The contract of every rival that classifies nodes."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import nask
from nask.lab.rivals.networks.akgnn import AKGNNNodeClassifier
from nask.lab.rivals.networks.gat import GATNodeClassifier
from nask.lab.rivals.networks.gcn import GCNNodeClassifier
from nask.lab.rivals.networks.kernelgcn import KernelGCNNodeClassifier
from papers import papers

N_NODES = 60
TRAIN, VALIDATION = np.arange(0, 30), np.arange(30, 42)
OTHERS = np.arange(42, N_NODES)
CLASSIFIERS = [
    AKGNNNodeClassifier, GATNodeClassifier, GCNNodeClassifier, KernelGCNNodeClassifier,
]  # fmt: skip
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)


def quick(classifier, **parameters):
    return classifier(**{"max_epochs": 4, "hidden": 16, "grid": {}, **parameters})


def network():
    return papers(N_NODES)


@every_classifier
def test_it_learns(classifier):
    graph, y = network()
    model = classifier(max_epochs=60, learning_rate=0.02, grid={}).fit(graph, y, TRAIN, VALIDATION)
    assert model.score(graph, y, OTHERS) > 0.7


@every_classifier
@pytest.mark.parametrize("unknown", [-1, None, "another class"])
def test_classes_of_nodes_outside_the_parts_never_matter(classifier, unknown):
    graph, y = network()
    names = np.array(["red", "green", "blue"], dtype=object)[y]
    changed = names.copy()
    changed[OTHERS] = unknown
    first, second = (
        quick(classifier).fit(graph, target, TRAIN, VALIDATION) for target in (names, changed)
    )
    assert first.classes_.tolist() == second.classes_.tolist() == ["blue", "green", "red"]
    np.testing.assert_array_equal(first.predict_proba(graph), second.predict_proba(graph))
    assert set(first.predict(graph)) <= {"red", "green", "blue"}


@every_classifier
def test_nodes_without_a_class_are_left_out_by_default(classifier):
    graph, y = network()
    hidden = y.copy()
    hidden[OTHERS] = -1
    first = quick(classifier).fit(graph, hidden)
    second = quick(classifier).fit(graph, y, np.arange(OTHERS[0]))
    np.testing.assert_array_equal(first.predict_proba(graph), second.predict_proba(graph))


@every_classifier
def test_validation_nodes_judge_and_do_not_teach(classifier):
    graph, y = network()
    turned = y.copy()
    turned[VALIDATION] = (y[VALIDATION] + 1) % 3
    # After one epoch there is nothing to choose: what is left is what was taught.
    first, second = (
        quick(classifier, max_epochs=1).fit(graph, target, TRAIN, VALIDATION)
        for target in (y, turned)
    )
    np.testing.assert_array_equal(first.predict_proba(graph), second.predict_proba(graph))
    for model, target in ((first, y), (second, turned)):
        assert model.best_score_ == pytest.approx(model.score(graph, target, VALIDATION))


@every_classifier
def test_seeds_decide(classifier):
    graph, y = network()
    first, again, other = (quick(classifier, random_state=s).fit(graph, y) for s in (3, 3, 4))
    expected = first.predict_proba(graph)
    np.testing.assert_array_equal(again.predict_proba(graph), expected)
    assert abs(other.predict_proba(graph) - expected).max() > 1e-6


@every_classifier
def test_copies_are_alike(classifier):
    graph, y = network()
    model = quick(classifier).fit(graph, y)
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert not hasattr(again, "network_")
    restored = pickle.loads(pickle.dumps(model))
    some = [5, 2]
    expected = model.decision_function(graph)[some]
    # Sums over fewer rows may round in another order.
    np.testing.assert_allclose(restored.decision_function(graph, some), expected, rtol=1e-6)


@every_classifier
def test_a_saved_model_does_not_carry_the_graph(classifier):
    sizes = [
        len(pickle.dumps(quick(classifier).fit(*papers(n_nodes)))) for n_nodes in (N_NODES, 300)
    ]
    assert abs(sizes[1] - sizes[0]) < 1000


@every_classifier
def test_another_graph_and_any_order_of_nodes(classifier):
    """Two copies side by side, shuffled: each node is what it is in the training graph."""
    graph, y = network()
    model = quick(classifier).fit(graph, y)
    order = np.random.default_rng(0).permutation(2 * N_NODES)
    edges = np.concatenate([graph.edges, graph.edges + N_NODES])
    twice = nask.AttributedGraph(
        2 * N_NODES,
        np.argsort(order)[edges],
        node_features=graph.node_features[order % N_NODES],
    )
    expected = model.decision_function(graph)[order % N_NODES]
    np.testing.assert_allclose(model.decision_function(twice), expected, atol=1e-5)


@every_classifier
@pytest.mark.parametrize("kept", [0, 30])
def test_nodes_without_neighbours(classifier, kept):
    """Half of the nodes alone, and a graph that has no edge at all."""
    graph, y = network()
    edges = graph.edges[(graph.edges < kept).all(axis=1)]
    sparse = nask.AttributedGraph(N_NODES, edges, node_features=graph.node_features)
    model = quick(classifier).fit(sparse, y)
    probabilities = model.predict_proba(sparse)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    # A node that is alone is judged by its own words.
    alone = nask.AttributedGraph(1, (), node_features=graph.node_features[[50]])
    np.testing.assert_allclose(model.predict_proba(alone)[0], probabilities[50], atol=1e-5)


@every_classifier
def test_mixed_attributes_with_missing_values(classifier):
    ages, towns = [20, None, 30, 70, None, 60], ["a", "a", None, "b", "b", None]
    path = nask.AttributedGraph(6, [(i, i + 1) for i in range(5)], {"age": ages, "town": towns})
    y = ["young", "young", None, None, "old", "old"]
    model = quick(classifier, max_epochs=40, patience=40, learning_rate=0.05).fit(path, y)
    assert model.predict(path, [0, 4]).tolist() == ["young", "old"]

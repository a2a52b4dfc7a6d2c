"""The contract of every rival that classifies nodes."""

import pickle

import numpy as np
import pytest
import torch
from sklearn.base import clone
from torch_geometric.nn import GATConv, GCNConv

import nask
from nask.lab.rivals.networks.akgnn import AKGNNNodeClassifier
from nask.lab.rivals.networks.gat import GATNodeClassifier
from nask.lab.rivals.networks.gcn import GCNNodeClassifier
from nask.lab.rivals.networks.kagnn import KAGNNNodeClassifier
from nask.lab.rivals.networks.kernelgcn import KernelGCNNodeClassifier
from papers import papers

N_NODES = 60
TRAIN, VALIDATION = np.arange(0, 30), np.arange(30, 42)
OTHERS = np.arange(42, N_NODES)
LAYERED = [GCNNodeClassifier, GATNodeClassifier, KAGNNNodeClassifier]
CLASSIFIERS = [*LAYERED, AKGNNNodeClassifier, KernelGCNNodeClassifier]
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)
every_layered = pytest.mark.parametrize("classifier", LAYERED)


def quick(classifier, **parameters):
    return classifier(**{"max_epochs": 4, "hidden": 16, "grid": {}, **parameters})


def network():
    return papers(N_NODES)


@every_classifier
def test_it_learns(classifier):
    graph, y = network()
    model = classifier(max_epochs=60, learning_rate=0.02, grid={}).fit(graph, y, TRAIN, VALIDATION)
    # The largest class has a third of the nodes.
    assert model.score(graph, y, OTHERS) > 0.7


@every_classifier
def test_classes_of_nodes_outside_the_parts_never_matter(classifier):
    graph, y = network()
    names = np.array(["red", "green", "blue"], dtype=object)[y]
    first = quick(classifier).fit(graph, names, TRAIN, VALIDATION)
    assert set(first.predict(graph)) <= {"red", "green", "blue"}
    for unknown in (-1, None, "another class"):
        changed = names.copy()
        changed[OTHERS] = unknown
        second = quick(classifier).fit(graph, changed, TRAIN, VALIDATION)
        assert first.classes_.tolist() == second.classes_.tolist() == ["blue", "green", "red"]
        np.testing.assert_array_equal(first.predict_proba(graph), second.predict_proba(graph))


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
    state = torch.get_rng_state()
    first, again, other = (quick(classifier, random_state=s).fit(graph, y) for s in (3, 3, 4))
    assert torch.equal(torch.get_rng_state(), state)
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
    assert model.score(path, ["young"] * 3 + ["old"] * 3, [0, 1, 4, 5]) == 1.0


@every_layered
def test_sparse_features_are_as_dense_ones(classifier):
    graph, y = network()
    model = quick(classifier).fit(graph, y)
    x, edges = model._tensors(graph)
    assert x.is_sparse
    with torch.no_grad():
        torch.testing.assert_close(model.network_(x, edges), model.network_(x.to_dense(), edges))


@pytest.mark.parametrize("classifier", [GCNNodeClassifier, GATNodeClassifier])
def test_the_first_layer_is_that_of_torch_geometric(classifier):
    graph, y = network()
    model = quick(classifier).fit(graph, y)
    x, edges = model._tensors(graph)
    mine = model.network_.layers[0]
    theirs = GCNConv(30, 16) if classifier is GCNNodeClassifier else GATConv(30, 2, heads=8)
    weights = dict(mine.state_dict())
    weights["lin.weight"] = weights["lin.weight"].T
    theirs.load_state_dict(weights)
    theirs.eval()
    seen = []
    hook = mine.register_forward_hook(lambda layer, inputs, output: seen.append(output))
    model.predict(graph)
    hook.remove()
    torch.testing.assert_close(seen[0], theirs(x.to_dense(), edges).detach())


@pytest.mark.parametrize("n_layers", [1, 3])
@every_layered
def test_any_number_of_layers(classifier, n_layers):
    graph, y = network()
    model = quick(classifier, n_layers=n_layers).fit(graph, y)
    assert model.predict_proba(graph).shape == (N_NODES, 3)


def test_bad_validation_nodes():
    graph, y = network()
    model = quick(GCNNodeClassifier)
    with pytest.raises(nask.exceptions.ParameterError, match="in 'train' and in 'validation'"):
        model.fit(graph, y, [0, 1, 2], [2])
    with pytest.raises(nask.exceptions.ParameterError, match="no validation nodes"):
        model.fit(graph, y, [0, 1, 2], [])
    with pytest.raises(nask.exceptions.ParameterError, match="No training node has the class 7"):
        model.fit(graph, np.where(np.arange(N_NODES) == 9, 7, y), [0, 1, 2], [9])


def test_defaults_that_are_documented_for_all_networks_of_nodes_reach_them():
    assert GATNodeClassifier().weight_decay == GCNNodeClassifier().weight_decay == 5e-4
    assert GATNodeClassifier().max_epochs == GCNNodeClassifier().max_epochs == 200
    assert (GATNodeClassifier().dropout, GATNodeClassifier().heads) == (0.6, 8)


def test_a_node_named_twice_is_not_trained_on_and_judged_by():
    network = nask.lab.make_social_network(60)
    once = GCNNodeClassifier(max_epochs=3, grid={}).fit(network.graph, network.y, network.train)
    twice = GCNNodeClassifier(max_epochs=3, grid={}).fit(
        network.graph, network.y, [*network.train, *network.train]
    )
    assert np.array_equal(once.predict_proba(network.graph), twice.predict_proba(network.graph))

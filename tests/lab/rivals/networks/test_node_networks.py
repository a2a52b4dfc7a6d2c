"""What every network of nodes must do."""

import pickle

import numpy as np
import pytest
import torch
from sklearn.base import clone
from torch_geometric.nn import GATConv, GCNConv

import nask
from nask.lab.rivals.networks.gat import GATNodeClassifier
from nask.lab.rivals.networks.gcn import GCNNodeClassifier
from nask.lab.rivals.networks.kagnn import KAGNNNodeClassifier

CLASSIFIERS = [GCNNodeClassifier, GATNodeClassifier, KAGNNNodeClassifier]
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)


def quick(classifier, **parameters):
    return classifier(**{"max_epochs": 5, "hidden": 16, "grid": {}, **parameters})


@pytest.fixture(scope="module")
def people():
    return nask.lab.make_social_network(300)


@pytest.fixture(scope="module")
def papers():
    """Two camps that cite within, each with words of its own."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    words = (rng.random((60, 40)) < np.where((np.arange(40) % 2) == y[:, None], 0.3, 0.05)) * 1.0
    pairs = rng.integers(0, 60, size=(300, 2))
    near = pairs[(y[pairs[:, 0]] == y[pairs[:, 1]]) & (pairs[:, 0] != pairs[:, 1])]
    return nask.AttributedGraph(60, near, node_features=words), y


@every_classifier
def test_it_beats_the_larger_class(classifier, people):
    model = classifier(grid={"learning_rate": [0.01]})
    model.fit(people.graph, people.y, people.train)
    majority = np.bincount(people.y[people.test]).max() / len(people.test)
    assert model.score(people.graph, people.y, people.test) > majority + 0.05


@every_classifier
def test_classes_of_other_nodes_are_not_looked_at(classifier, people):
    parts = people.train, people.validation
    others = np.setdiff1d(np.arange(len(people.y)), np.concatenate(parts))
    expected = quick(classifier).fit(people.graph, people.y, *parts).predict_proba(people.graph)
    rng = np.random.default_rng(0)
    for replaced in (rng.integers(0, 99, len(others)), -1):
        y = people.y.copy()
        y[others] = replaced
        model = quick(classifier).fit(people.graph, y, *parts)
        np.testing.assert_array_equal(model.predict_proba(people.graph), expected)
        assert len(model.classes_) == expected.shape[1]


@every_classifier
def test_validation_nodes_judge_and_do_not_teach(classifier, people):
    y = people.y.copy()
    y[people.validation] = y[people.validation][::-1]
    # One epoch has the same weights whatever validation nodes are.
    parts = people.graph, people.train, people.validation
    first, second = (
        quick(classifier, max_epochs=1).fit(parts[0], t, *parts[1:]) for t in (people.y, y)
    )
    np.testing.assert_array_equal(
        first.predict_proba(people.graph), second.predict_proba(people.graph)
    )
    for model, target in ((first, people.y), (second, y)):
        judged = model.score(people.graph, target, people.validation)
        assert model.best_score_ == pytest.approx(judged)


@every_classifier
def test_sparse_features_are_as_dense_ones(classifier, papers):
    graph, y = papers
    model = quick(classifier).fit(graph, y)
    x, edges = model._tensors(graph)
    assert x.is_sparse
    with torch.no_grad():
        torch.testing.assert_close(model.network_(x, edges), model.network_(x.to_dense(), edges))


@pytest.mark.parametrize("classifier", [GCNNodeClassifier, GATNodeClassifier])
def test_the_first_layer_is_that_of_torch_geometric(classifier, papers):
    graph, y = papers
    model = quick(classifier).fit(graph, y)
    x, edges = model._tensors(graph)
    mine = model.network_.layers[0]
    theirs = GCNConv(40, 16) if classifier is GCNNodeClassifier else GATConv(40, 2, heads=8)
    weights = dict(mine.state_dict())
    weights["lin.weight"] = weights["lin.weight"].T
    theirs.load_state_dict(weights)
    theirs.eval()
    seen = []
    hook = mine.register_forward_hook(lambda layer, inputs, output: seen.append(output))
    model.predict(graph)
    hook.remove()
    torch.testing.assert_close(seen[0], theirs(x.to_dense(), edges).detach())


@every_classifier
def test_the_order_of_nodes_does_not_matter(classifier, papers):
    graph, y = papers
    model = quick(classifier).fit(graph, y)
    order = np.random.default_rng(1).permutation(60)
    shuffled = nask.AttributedGraph(
        60, np.argsort(order)[graph.edges], node_features=graph.node_features[order]
    )
    expected = model.decision_function(graph)[order]
    np.testing.assert_allclose(model.decision_function(shuffled), expected, atol=1e-5)


@every_classifier
def test_seeds_and_pickle(classifier, papers):
    graph, y = papers
    state = torch.get_rng_state()
    first, second, other = (quick(classifier, random_state=s).fit(graph, y) for s in (0, 0, 1))
    assert torch.equal(torch.get_rng_state(), state)
    expected = first.predict_proba(graph)
    np.testing.assert_array_equal(second.predict_proba(graph), expected)
    assert not np.allclose(other.predict_proba(graph), expected)
    restored = pickle.loads(pickle.dumps(first))
    np.testing.assert_array_equal(restored.predict_proba(graph, [5, 2]), expected[[5, 2]])
    assert clone(first).get_params() == first.get_params()


@every_classifier
def test_text_classes_and_few_nodes(classifier):
    path = nask.AttributedGraph(6, [(i, i + 1) for i in range(5)], {"age": [1, 2, 3, 7, 8, 9]})
    y = ["young", None, None, None, None, "old"]
    model = quick(classifier, max_epochs=100).fit(path, y)
    assert model.predict(path).tolist() == ["young"] * 3 + ["old"] * 3
    assert model.score(path, ["young"] * 3 + ["old"] * 3) == 1.0


@pytest.mark.parametrize("n_layers", [1, 3])
@every_classifier
def test_any_number_of_layers(classifier, n_layers, papers):
    graph, y = papers
    model = quick(classifier, n_layers=n_layers).fit(graph, y)
    assert model.predict_proba(graph).shape == (60, 2)


def test_bad_validation_nodes(papers):
    graph, y = papers
    model = quick(GCNNodeClassifier)
    with pytest.raises(nask.exceptions.ParameterError, match="in 'train' and in 'validation'"):
        model.fit(graph, y, [0, 1, 2], [2])
    with pytest.raises(nask.exceptions.ParameterError, match="no validation nodes"):
        model.fit(graph, y, [0, 1, 2], [])
    with pytest.raises(nask.exceptions.ParameterError, match="No training node has the class 7"):
        model.fit(graph, np.where(np.arange(60) == 9, 7, y), [0, 1, 2], [9])


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

"""Classification of nodes by features: near the exact kernel, and for any size."""

import numpy as np
import pytest

import nask
from nask.exceptions import MemoryLimitError, ParameterError


@pytest.fixture(scope="module")
def network():
    return nask.lab.make_social_network(1500, random_state=3)


def fitted(network, **options):
    model = nask.NASKNodeClassifier(n_hops=2, **options)
    return model.fit(network.graph, network.y, network.train)


def test_features_come_near_the_exact_kernel(network):
    exact = fitted(network, method="exact")
    features = fitted(network, method="features", n_components=2048, C=1.0)
    scores = [m.score(network.graph, network.y, network.test) for m in (exact, features)]
    majority = np.bincount(network.y[network.test]).max() / len(network.test)
    assert scores[1] > majority + 0.1
    assert scores[1] > scores[0] - 0.06
    assert features.decision_function(network.graph).shape == (1500,)


def test_labels_outside_training_make_no_difference(network):
    wrong = network.y.copy()
    others = np.setdiff1d(np.arange(1500), network.train)
    wrong[others] = 1 - wrong[others]
    options = {"method": "features", "n_components": 256}
    model = nask.NASKNodeClassifier(**options).fit(network.graph, wrong, network.train)
    expected = nask.NASKNodeClassifier(**options).fit(network.graph, network.y, network.train)
    for own, other in zip(
        model.decision_function(network.graph), expected.decision_function(network.graph),
        strict=True,
    ):  # fmt: skip
        assert own == other


def test_another_graph_and_some_nodes_of_it(network):
    model = fitted(network, method="features", n_components=256)
    graph = network.graph
    chosen = [5, 3, 1400]
    on_all = model.decision_function(graph)
    np.testing.assert_array_equal(model.decision_function(graph, chosen), on_all[chosen])
    # The same people in the opposite order: what is kept of the training graph is of no use.
    turned = {name: attribute.values()[::-1] for name, attribute in graph.node_attributes.items()}
    other = nask.AttributedGraph(1500, 1499 - graph.edges, turned)
    found = model.decision_function(other)
    np.testing.assert_allclose(found[::-1], on_all, rtol=1e-3, atol=1e-3)
    assert np.abs(found - on_all).max() > 0.1
    np.testing.assert_array_equal(model.decision_function(other, chosen), found[chosen])


def test_several_classes_and_text(network):
    bands = np.array(["young", "middle", "old"])[np.digitize(
        np.nan_to_num(network.graph.node_attributes["age"].data, nan=30.0), [25, 40]
    )]  # fmt: skip
    model = nask.NASKNodeClassifier(method="features", n_components=512, n_hops=1)
    model.fit(network.graph, bands, network.train)
    assert model.decision_function(network.graph).shape == (1500, 3)
    assert model.score(network.graph, bands, network.test) > 0.8


def test_the_method_is_chosen_by_memory(network):
    assert fitted(network, memory_limit="4GB").method_ == "exact"
    assert fitted(network, memory_limit="12MB", n_components=128).method_ == "features"


@pytest.mark.parametrize("option", [{"gram": "rbf"}, {"prune_cores": True}, {"probability": True}])
def test_what_features_cannot_do_is_said(network, option):
    [name] = option
    with pytest.raises(ParameterError, match=f"with which {name} can only be"):
        fitted(network, method="features", n_components=128, **option)


def test_float16_is_taken_where_float32_does_not_fit(network):
    options = {"method": "features", "n_components": 256, "C": 1.0}
    models = [fitted(network, memory_limit=limit, **options) for limit in ("1GB", "3MB")]
    assert [model.features_.dtype for model in models] == ["float32", "float16"]
    single, half = (model.decision_function(network.graph) for model in models)
    assert 0 < np.abs(half - single).max() < 0.05
    walks = nask.NASKNodeClassifier(restart=0.2, memory_limit="3MB", **options)
    with pytest.raises(MemoryLimitError):
        walks.fit(network.graph, network.y, network.train)

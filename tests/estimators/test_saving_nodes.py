"""Saved models of nodes decide as before, on the training network and on others."""

import numpy as np
import pytest

import nask
from nask.exceptions import ModelFileError


@pytest.fixture(scope="module")
def network():
    data = nask.lab.make_social_network(60)
    rng = np.random.default_rng(0)
    words = (rng.random((60, 9)) < 0.2) * rng.integers(1, 3, (60, 9))
    since = {
        "since": rng.random(data.graph.n_edges),
        "kind": rng.choice(["a", "b"], data.graph.n_edges),
    }
    graph = nask.AttributedGraph(
        60, data.graph.edges, dict(data.graph.node_attributes), since, node_features=words
    )
    return graph, np.array(["left", "mid", "right"], dtype=object)[np.arange(60) % 3]


MODELS = {
    "svm": nask.NASKNodeClassifier(probability=True),
    "ridge": nask.NASKNodeClassifier(learner="ridge", gram="rbf", n_hops=1, degree="categorical"),
    "walks": nask.NASKNodeClassifier(restart=0.3, attributes="numerical", class_weight="balanced"),
    "mean": nask.TunedNASKNodeClassifier(grid={"n_hops": [1, 2], "restart": [None, 0.1]}),
    "tuned svm": nask.TunedNASKNodeClassifier(grid={"n_hops": [1, 2]}, learner="svm"),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_nodes_comes_back(network, tmp_path, name):
    graph, y = network
    other = graph.induced(np.arange(3, 40))
    model = MODELS[name].fit(graph, y, train=np.arange(0, 60, 2))
    model.save(tmp_path / "m.nask")
    same = nask.load(tmp_path / "m.nask")
    assert same.classes_.tolist() == ["left", "mid", "right"]
    assert same.predict(graph).tolist() == model.predict(graph).tolist()
    for where in ((graph, [1, 3, 5]), (other,)):
        np.testing.assert_array_equal(
            same.decision_function(*where), model.decision_function(*where)
        )
    if name in ("svm", "mean"):
        np.testing.assert_array_equal(same.predict_proba(graph), model.predict_proba(graph))
        why, before = same.explain(graph, 4), model.explain(graph, 4)
        np.testing.assert_array_equal(why.nodes, before.nodes)
    if isinstance(model, nask.NASKNodeClassifier):
        assert same.get_params() == model.get_params()
        assert same.support_.tolist() == model.support_.tolist()
        assert same.train_.tolist() == list(range(0, 60, 2))


def test_the_loaded_network_is_told_to_be_the_same(network, tmp_path):
    """So that no copy of it is put beside it, and equal text from anywhere will do."""
    graph, y = network
    nask.NASKNodeClassifier().fit(graph, y).save(tmp_path / "m.nask")
    assert nask.load(tmp_path / "m.nask").kernel_.fitted_.graph == graph


def test_a_model_of_features_says_that_it_has_no_file(network, tmp_path):
    graph, y = network
    model = nask.NASKNodeClassifier(method="features", n_components=64, n_hops=1).fit(graph, y)
    with pytest.raises(ModelFileError, match="random features, which no file holds"):
        model.save(tmp_path / "m.nask")
    assert not (tmp_path / "m.nask").exists()

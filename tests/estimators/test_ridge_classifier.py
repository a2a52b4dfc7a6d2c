"""NASKClassifier and NASKNodeClassifier with ridge regressions as their learner."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge

import nask
from nask.exceptions import ParameterError
from nask.learning.ridge import ALPHAS


@pytest.fixture(scope="module")
def letters(cuneiform):
    """Three classes of graphs with numerical and categorical attributes."""
    keep = np.flatnonzero(cuneiform.y < 3)
    return [cuneiform.graphs[i] for i in keep], cuneiform.y[keep]


def scikit_decisions(gram, across, target, alpha):
    """Ridge regression with a constant, on a Gram matrix of unit mean diagonal after centring."""
    scale = np.mean(np.diag(gram)) - gram.mean()
    centred = (gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()) / scale
    rows = (across - gram.mean(axis=0) - across.mean(axis=1)[:, None] + gram.mean()) / scale
    model = KernelRidge(alpha=alpha, kernel="precomputed")
    model.fit(centred, target - target.mean(axis=0))
    return rows @ model.dual_coef_ + target.mean(axis=0)


@pytest.mark.parametrize("parameters", [{}, {"gram": "rbf"}, {"n_hops": 2, "normalize": False}])
def test_two_classes_are_decided_as_by_scikit_learn(mutag, parameters):
    train, y, new = mutag.graphs[::4], mutag.y[::4], mutag.graphs[1::4]
    model = nask.NASKClassifier(learner="ridge", alpha=0.2, **parameters).fit(train, y)
    kernel = nask.NASK(**parameters)
    gram = kernel.fit_transform(train)
    expected = scikit_decisions(gram, kernel.transform(new), np.where(y == 1, 1.0, -1.0), 0.2)
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-8)
    np.testing.assert_array_equal(model.predict(new), np.where(expected > 0, 1, -1))
    np.testing.assert_array_equal(model.support_, np.arange(len(train)))


def test_three_classes_are_decided_as_by_scikit_learn(letters):
    graphs, y = letters
    train, new = graphs[::2], graphs[1::2]
    kernel = nask.NASK()
    gram = kernel.fit_transform(train)
    across = kernel.transform(new)
    target = np.where(y[::2, None] == np.arange(3), 1.0, -1.0)
    model = nask.NASKClassifier(learner="ridge", alpha=0.1, multiclass="ovr").fit(train, y[::2])
    expected = scikit_decisions(gram, across, target, 0.1)
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-8)
    assert model.score(new, y[1::2]) > 0.5
    pairs = model.set_params(multiclass="ovo").fit(train, y[::2])
    scale = np.mean(np.diag(gram)) - gram.mean()
    expected = np.full((len(new), 3), np.inf)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        own = np.flatnonzero(np.isin(y[::2], (i, j)))
        part = gram[np.ix_(own, own)]
        # The penalty is that of all classes; the scale of the pair is divided out again.
        alpha = 0.1 * scale / (np.mean(np.diag(part)) - part.mean())
        target = np.where(y[::2][own] == i, 1.0, -1.0)
        found = scikit_decisions(part, across[:, own], target, alpha)
        expected[:, i] = np.minimum(expected[:, i], found)
        expected[:, j] = np.minimum(expected[:, j], -found)
    np.testing.assert_allclose(pairs.decision_function(new), expected, atol=1e-8)


def test_penalty_and_scheme_are_chosen_where_none_is_given(letters):
    graphs, y = letters
    chosen = nask.NASKClassifier(learner="ridge").fit(graphs, y).functions_
    tried = {
        (alpha, scheme): nask.NASKClassifier(learner="ridge", alpha=alpha, multiclass=scheme)
        .fit(graphs, y)
        .functions_.score
        for scheme in ("ovr", "ovo")
        for alpha in ALPHAS
    }
    best = max(tried.values())
    assert (chosen.alpha, chosen.multiclass) == next(k for k, v in tried.items() if v == best)
    assert chosen.score == best


def test_weights_of_classes(mutag):
    """The heavier a class, the more often it is predicted; it has 31 % of the graphs."""
    train, y = mutag.graphs[::2], mutag.y[::2]
    shares = []
    for weight in (1e-3, 0.3, 1.0, 3.0, 1e3):
        model = nask.NASKClassifier(learner="ridge", alpha=1.0, class_weight={-1: weight})
        shares.append(np.mean(model.fit(train, y).predict(train) == -1))
    assert shares == sorted(shares)
    assert shares[0] < 0.05
    assert shares[-1] > 0.6
    balanced = nask.NASKClassifier(learner="ridge", alpha=1.0, class_weight="balanced")
    counts = {label: len(y) / (2 * np.sum(y == label)) for label in (-1, 1)}
    same = clone(balanced).set_params(class_weight=counts).fit(train, y)
    np.testing.assert_allclose(
        balanced.fit(train, y).decision_function(train), same.decision_function(train), atol=1e-10
    )


@pytest.mark.parametrize("multiclass", ["ovr", "ovo", None])
def test_probabilities_agree_with_predictions(letters, multiclass):
    graphs, y = letters
    names = np.array(["a", "b", "c"])[y]
    model = nask.NASKClassifier(learner="ridge", multiclass=multiclass).fit(graphs[::2], names[::2])
    shares = model.predict_proba(graphs)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(graphs))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(graphs), shares)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_comes_back_from_a_file(letters, tmp_path, n_classes):
    graphs, y = letters
    graphs, y = [g for g, c in zip(graphs, y, strict=True) if c < n_classes], y[y < n_classes]
    model = nask.NASKClassifier(learner="ridge", gram="rbf", class_weight="balanced")
    model.fit(graphs, y)
    model.save(tmp_path / "m.nask")
    same = nask.load(tmp_path / "m.nask")
    assert same.get_params() == model.get_params()
    for name in ("alpha", "multiclass", "score"):
        assert getattr(same.functions_, name) == getattr(model.functions_, name)
    np.testing.assert_array_equal(same.decision_function(graphs), model.decision_function(graphs))
    np.testing.assert_array_equal(same.predict_proba(graphs), model.predict_proba(graphs))


def test_no_probabilities_where_none_can_be_learned(mutag):
    plain = nask.NASKClassifier(learner="ridge", probability=False)
    plain.fit(mutag.graphs[:20], mutag.y[:20])
    with pytest.raises(ParameterError, match="has no probabilities"):
        plain.predict_proba(mutag.graphs[:2])
    single = nask.NASKClassifier(learner="ridge").fit(mutag.graphs[:4], [0, 0, 0, 1])
    assert np.isfinite(single.decision_function(mutag.graphs)).all()
    with pytest.raises(ParameterError, match="a class had a single training graph"):
        single.predict_proba(mutag.graphs[:2])


WRONG = {
    "learner": ("forest", None, 3),
    "alpha": (0.0, -1.0, float("nan"), "small"),
    "multiclass": ("ova", 2, True),
}


@pytest.mark.parametrize(("name", "value"), [(k, v) for k, own in WRONG.items() for v in own])
@pytest.mark.parametrize("kind", [nask.NASKClassifier, nask.NASKNodeClassifier])
def test_parameters_out_of_range(kind, name, value):
    message = f"The '{name}' parameter of {kind.__name__} must be"
    with pytest.raises(ParameterError, match=message):
        kind(**{name: value}).check_parameters()


@pytest.fixture(scope="module")
def network():
    return nask.lab.make_social_network(120, 6.0, random_state=3)


def test_nodes_are_decided_as_by_scikit_learn(network):
    graph, train, test = network.graph, network.train, network.test
    model = nask.NASKNodeClassifier(learner="ridge", alpha=0.3, n_hops=2, probability=True)
    model.fit(graph, network.y, train)
    gram = nask.NodeNASK(n_hops=2).fit_transform(graph)
    target = np.where(network.y[train] == 1, 1.0, -1.0)
    expected = scikit_decisions(gram[np.ix_(train, train)], gram[np.ix_(test, train)], target, 0.3)
    np.testing.assert_allclose(model.decision_function(graph, test), expected, atol=1e-8)
    np.testing.assert_array_equal(np.sort(model.support_), np.sort(train))
    shares = model.predict_proba(graph, test)
    np.testing.assert_array_equal(shares.argmax(axis=1), model.predict(graph, test))


def test_features_of_nodes_are_for_svms(network):
    model = nask.NASKNodeClassifier(learner="ridge", method="features")
    with pytest.raises(ParameterError, match="learner can only be 'svm'"):
        model.fit(network.graph, network.y, network.train)

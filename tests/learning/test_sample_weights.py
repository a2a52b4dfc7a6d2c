"""Weights of items are scikit-learn's: 2 is as good as two, 0 as none."""

import numpy as np
import pytest

import nask
from nask.exceptions import ParameterError
from nask.learning.centring import Centring
from nask.learning.ridge import KernelRidge
from nask.learning.svm import KernelSVM
from nask.tuning.inner_folds import InnerFolds

WEIGHTS = np.array([2, 0, 1, 3, 1, 0, 1, 2] * 4)
REPEATED = np.repeat(np.arange(32), WEIGHTS)


@pytest.fixture(scope="module")
def few(mutag):
    graphs = list(mutag.graphs[:40])
    sizes = np.array([graph.n_edges / graph.n_nodes for graph in graphs])
    return graphs, mutag.y[:40], sizes


CLASSIFIERS = {
    "svm": {"learner": "svm", "C": 3.0},
    "balanced svm": {"learner": "svm", "class_weight": "balanced"},
    "ridge": {"learner": "ridge", "alpha": 0.1},
    "weighted ridge": {"learner": "ridge", "alpha": 0.1, "class_weight": {1: 2.0}},
    "balanced ridge": {"learner": "ridge", "alpha": 0.1, "class_weight": "balanced"},
}
REGRESSORS = {
    "svm": {"learner": "svm"},
    "ridge": {"learner": "ridge", "alpha": 0.05},
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_whole_weights_are_repeated_graphs(few, name):
    graphs, y, _ = few
    model = nask.NASKClassifier(n_hops=2, probability=False, **CLASSIFIERS[name])
    weighted = nask.NASKClassifier(**model.get_params()).fit(graphs[:32], y[:32], WEIGHTS)
    repeated = model.fit([graphs[k] for k in REPEATED], y[REPEATED])
    found, expected = (own.decision_function(graphs) for own in (weighted, repeated))
    tolerance = 1e-8 if "ridge" in name else 5e-3  # where libsvm stops
    np.testing.assert_allclose(found, expected, atol=tolerance)
    plain = nask.NASKClassifier(**model.get_params()).fit(graphs[:32], y[:32])
    assert np.abs(plain.decision_function(graphs) - expected).max() > 10 * tolerance


@pytest.mark.parametrize("name", REGRESSORS)
def test_whole_weights_are_repeated_graphs_in_regression(few, name):
    graphs, _, sizes = few
    model = nask.NASKRegressor(n_hops=2, **REGRESSORS[name])
    weighted = nask.NASKRegressor(**model.get_params()).fit(graphs[:32], sizes[:32], WEIGHTS)
    repeated = model.fit([graphs[k] for k in REPEATED], sizes[REPEATED])
    found, expected = (own.predict(graphs) for own in (weighted, repeated))
    tolerance = 1e-9 if name == "ridge" else 1e-3 * sizes.std()
    np.testing.assert_allclose(found, expected, atol=tolerance)
    plain = nask.NASKRegressor(**model.get_params()).fit(graphs[:32], sizes[:32])
    assert np.abs(plain.predict(graphs) - expected).max() > 3 * tolerance


def test_a_graph_of_weight_0_is_not_there(few):
    """Ranges and categories are those of the others, and positions those of the whole list."""
    graphs, y, _ = few
    weights = (np.arange(32) % 5 > 0).astype(float)
    kept = np.flatnonzero(weights)
    model = nask.NASKClassifier(n_hops=1).fit(graphs[:32], y[:32], weights)
    other = nask.NASKClassifier(n_hops=1).fit([graphs[k] for k in kept], y[kept])
    np.testing.assert_array_equal(model.decision_function(graphs), other.decision_function(graphs))
    np.testing.assert_array_equal(model.predict_proba(graphs), other.predict_proba(graphs))
    np.testing.assert_array_equal(model.support_, kept[other.support_])


def test_ones_change_nothing_to_the_last_bit(few):
    graphs, y, sizes = few
    for model, target in ((nask.NASKClassifier(), y), (nask.NASKRegressor(), sizes)):
        one = model.fit(graphs, target).functions_
        other = model.fit(graphs, target, np.ones(40)).functions_
        np.testing.assert_array_equal(one.coefficients, other.coefficients)


@pytest.mark.parametrize("learner", ["ridge", "svm"])
def test_weights_of_items_and_of_classes_multiply(few, learner):
    graphs, y, _ = few
    weights = np.linspace(0.5, 2.0, 40)
    how = {"learner": learner, "alpha": 0.1, "n_hops": 1, "probability": False}
    both = nask.NASKClassifier(class_weight={1: 3.0}, **how).fit(graphs, y, weights)
    own = nask.NASKClassifier(**how).fit(graphs, y, np.where(y == 1, 3.0, 1.0) * weights)
    found, expected = (model.decision_function(graphs) for model in (both, own))
    # The scale of the kernel is that of the weights of graphs, so alpha and C mean a little else.
    scales = []
    gram = nask.NASK(n_hops=1).fit_transform(graphs)
    for used in (weights, np.where(y == 1, 3.0, 1.0) * weights):
        scales.append(Centring.fit(gram, used).scale)
    if learner == "ridge":
        corrected = nask.NASKClassifier(**{**how, "alpha": 0.1 * scales[0] / scales[1]})
    else:
        corrected = nask.NASKClassifier(C=10.0 * scales[1] / scales[0], **how)
    corrected.fit(graphs, y, np.where(y == 1, 3.0, 1.0) * weights)
    tolerance = 1e-9 if learner == "ridge" else 5e-3
    np.testing.assert_allclose(found, corrected.decision_function(graphs), atol=tolerance)
    assert np.abs(found - expected).max() > tolerance


def test_nodes_have_weights_too():
    network = nask.lab.make_social_network(80, random_state=100)
    train = network.train
    weights = np.ones(80)
    weights[train[:5]] = 0.0
    model = nask.NASKNodeClassifier(n_hops=1, learner="ridge", alpha=0.1)
    found = model.fit(network.graph, network.y, train, weights).decision_function(network.graph)
    expected = model.fit(network.graph, network.y, train[5:]).decision_function(network.graph)
    np.testing.assert_array_equal(found, expected)
    weights[train[5:10]] = 4.0
    heavy = model.fit(network.graph, network.y, train, weights).decision_function(network.graph)
    assert np.abs(heavy - expected).max() > 0.01
    assert np.isin(model.support_, train[5:]).all()


def test_nodes_with_random_features_have_weights_too():
    network = nask.lab.make_social_network(80, random_state=100)
    how = {"n_hops": 1, "method": "features", "n_components": 64, "C": 0.1}
    given = network.graph, network.y, network.train
    plain, weighted = nask.NASKNodeClassifier(**how).fit(*given), nask.NASKNodeClassifier(**how)
    weighted.fit(*given, np.where(network.y == 1, 5.0, 1.0))
    by_class = nask.NASKNodeClassifier(class_weight={1: 5.0}, **how).fit(*given)
    found = weighted.decision_function(network.graph)
    np.testing.assert_array_equal(found, by_class.decision_function(network.graph))
    assert np.abs(found - plain.decision_function(network.graph)).max() > 0.01


@pytest.mark.parametrize("learner", ["ridge", "svm", "best"])
def test_a_search_takes_weights(few, learner):
    """Of a class that hardly counts, hardly anything is predicted."""
    graphs, y, _ = few
    grid = {"n_hops": [1], "gram": ["linear", "rbf"], "C": [1.0], "alpha": [0.1, 1.0]}
    model = nask.TunedNASKClassifier(grid=grid, learner=learner, inner=2)
    light = np.where(y == 1, 1e-3, 1.0)
    assert (model.fit(graphs, y, light).predict(graphs) == -1).mean() > 0.9
    zero = np.where(np.arange(40) < 8, 0.0, 1.0)
    decided = model.fit(graphs, y, zero).decision_function(graphs)
    alone = model.fit(graphs[8:], y[8:]).decision_function(graphs)
    np.testing.assert_allclose(decided, alone, atol=1e-12)


def test_inner_folds_learn_with_weights():
    """An SVM that learns from one class alone, all but, is right about that class alone."""
    rng = np.random.default_rng(100)
    codes = np.arange(40) % 2
    features = rng.normal(size=(40, 3)) + codes[:, None]

    class Sweep:
        from nask.tuning.sweeps import Candidate

        candidates = (Candidate({}, {}, (1e-3,)),)

        def gram(self, stack, candidate):
            return stack

    judge = InnerFolds(codes, 4, sample_weight=np.where(codes == 1, 1e-6, 1.0))
    judge.enter(Sweep(), features @ features.T)
    assert judge.best.score == pytest.approx(0.5)


def test_ridge_of_integers_by_the_gram_alone():
    rng = np.random.default_rng(100)
    features = rng.normal(size=(20, 4))
    gram = features @ features.T
    y = features[:, 0] + 0.1 * rng.normal(size=20)
    weights = rng.integers(1, 4, size=20)
    again = np.repeat(np.arange(20), weights)
    one = KernelRidge.regress(gram, y, 0.3, weights.astype(float))
    two = KernelRidge.regress(gram[np.ix_(again, again)], y[again], 0.3)
    np.testing.assert_allclose(one.decide(gram), two.decide(gram[:, again]), atol=1e-10)
    three = KernelSVM.regress(gram, y, 1.0, 0.1, weights.astype(float))
    four = KernelSVM.regress(gram[np.ix_(again, again)], y[again], 1.0, 0.1)
    found = three.decide(gram[:, three.support])
    expected = four.decide(gram[:, again][:, four.support])
    np.testing.assert_allclose(found, expected, atol=5e-3)


@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        ([1.0], "one number for each of the 40 graphs"),
        (["a"] * 40, "None or one number per graph"),
        ([np.nan] + [1.0] * 39, "the value nan for graph 0"),
        ([0.0] * 40, "is 0 for every graph"),
    ],
)
def test_what_is_no_weight_is_told(few, weights, problem):
    graphs, y, _ = few
    with pytest.raises(ParameterError, match=problem):
        nask.NASKClassifier().fit(graphs, y, sample_weight=weights)

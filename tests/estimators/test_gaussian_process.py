"""Gaussian processes on graphs: what they say, how sure they are, and what they learn."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV

import nask
from mixed_graphs import random_graphs
from nask.cli.predicted import Asked
from nask.exceptions import ParameterError
from nask.learning.gaussian_process import regression

Regressor, Classifier = nask.NASKGaussianProcessRegressor, nask.NASKGaussianProcessClassifier
# Options of every sort, computed by every engine.
OPTIONS = [
    {"engine": "reference", "degree": "numerical"},
    {"engine": "distinct"},
    {"engine": "explicit", "expansion": "ball", "prune_cores": True, "gram": "linear"},
    {"expansion": "walk", "normalize": False, "hop_weights": [1.0, 0.5], "gram": "linear"},
    {"similarity": "euclidean", "max_leaves": 2, "dtype": "float32"},
]


@pytest.fixture(scope="module")
def density(mutag):
    return np.array([graph.n_edges / graph.n_nodes for graph in mutag.graphs])


@pytest.fixture(scope="module")
def learned(mutag, density):
    """A model of numbers and one of classes, of every third graph."""
    regressor = Regressor(n_hops=2).fit(mutag.graphs[::3], density[::3])
    return regressor, Classifier(n_hops=2).fit(mutag.graphs[::3], mutag.y[::3])


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_numbers_are_those_of_linear_algebra(options):
    """Without learning, by every engine, in the units of y."""
    graphs, y = random_graphs(20, 2), np.random.default_rng(0).normal(3, 1000, 14)
    train, new = graphs[:14], graphs[14:]
    model = Regressor(n_hops=2, optimizer=None, signal_variance=5.0, noise=0.2, **options)
    mean, std = model.fit(train, y).predict(new, return_std=True)
    kernel = nask.NASK(n_hops=2, **({"gram": "rbf"} | options)).fit(train)
    unit, scale = 5.0 / kernel.diag(train).mean(), y.std()
    K, k, own = unit * kernel.transform(train), unit * kernel.transform(new), kernel.diag(new)
    inverse = np.linalg.inv(K + 0.2 * np.eye(14))
    np.testing.assert_allclose(mean, y.mean() + k @ inverse @ (y - y.mean()), rtol=1e-5)
    variance = unit * own - np.einsum("ij,jk,ik->i", k, inverse, k)
    np.testing.assert_allclose(std, scale * np.sqrt(variance + 0.2), rtol=1e-5)
    alone = model.predict(new, return_std=True, include_noise=False)[1]
    np.testing.assert_allclose(alone**2 + 0.2 * scale**2, std**2)
    again, covariance = model.predict(new, return_cov=True)
    np.testing.assert_array_equal(again, mean)
    np.testing.assert_allclose(np.sqrt(covariance.diagonal()), std, rtol=1e-5)
    np.testing.assert_array_equal(model.predict(new), mean)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_classes_are_learned_by_every_engine(options):
    graphs, y = random_graphs(20, 2), np.random.default_rng(0).choice(["a", "b"], 20)
    model = Classifier(n_hops=2, optimizer=None, signal_variance=50.0, **options).fit(graphs, y)
    probabilities = model.predict_proba(graphs)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert model.score(graphs, y) > 0.75


@pytest.mark.parametrize("number", [0, 1], ids=["numbers", "classes"])
def test_learning_raises_the_marginal_likelihood(mutag, density, learned, number):
    model, y = learned[number], (density, mutag.y)[number]
    fixed = clone(model).set_params(optimizer=None).fit(mutag.graphs[::3], y[::3])
    assert model.log_marginal_likelihood_value_ > fixed.log_marginal_likelihood_value_ + 1
    assert fixed.kernel_.gamma == fixed.gamma == 1.0
    assert model.kernel_.gamma != model.gamma
    # The learned parameters alone, without learning, come to the same.
    given = model.kernel_.get_params() | {"signal_variance": model.signal_variance_}
    given |= {"noise": model.noise_} if number == 0 else {}
    same = type(model)(**given, optimizer=None).fit(mutag.graphs[::3], y[::3])
    values = [own.log_marginal_likelihood_value_ for own in (model, same)]
    assert values[0] == pytest.approx(values[1], rel=1e-12)


def test_what_matters_is_learned():
    """The target is the mean of x; y is noise, and so are the edges."""
    graphs = random_graphs(60, 5)[:-1]
    target = [np.nanmean(graph.node_attributes["x"].data) for graph in graphs]
    model = Regressor(
        n_hops=1, optimize=["attribute_weights", "signal_variance", "noise"]
    ).fit(graphs, target)  # fmt: skip
    weights = model.kernel_.attribute_weights
    assert weights["x"] > 5 * weights["y"]
    assert weights["x"] > 5 * weights["letter"]


def test_the_right_share_of_numbers_lies_within_the_intervals(mutag):
    """Functions drawn from the process itself, with its noise: a z-score has variance 1."""
    train, new = mutag.graphs[:60], mutag.graphs[60:120]
    K = nask.NASK(n_hops=2, gram="rbf").fit(train)([*train, *new])
    draw = np.random.default_rng(0)
    root = np.linalg.cholesky(4.0 * K + 1e-9 * np.eye(120))
    scores = []
    for _ in range(20):
        y = root @ draw.normal(size=120) + np.sqrt(0.3) * draw.normal(size=120)
        scale = y[:60].var()
        model = Regressor(
            n_hops=2, optimizer=None, signal_variance=4.0 / scale, noise=0.3 / scale
        ).fit(train, y[:60])  # fmt: skip
        mean, std = model.predict(new, return_std=True)
        scores.append((y[60:] - mean) / std)
    # 1200 scores, correlated within a draw.
    assert np.mean(np.square(scores)) == pytest.approx(1.0, abs=0.1)
    assert np.mean(np.abs(scores) < 1.96) == pytest.approx(0.95, abs=0.02)


def test_the_noise_is_found():
    graphs = random_graphs(120, 8)[:-1]
    x = np.array([np.nanmean(graph.node_attributes["x"].data) for graph in graphs])
    y = 10 * (x / x.std()) + 5 * np.random.default_rng(1).normal(size=len(x))
    model = Regressor(n_hops=1).fit(graphs, y)
    deviation = np.sqrt(model.noise_) * y.std()
    assert deviation == pytest.approx(5.0, rel=0.25)


def test_doubt_grows_away_from_training(mutag, learned):
    """Atoms that training did not have: less is known, and never more than nothing."""
    regressor, classifier = learned
    known = mutag.graphs[::3]
    strange = [
        nask.AttributedGraph(
            graph.n_nodes, graph.edges, {"node_label": [99 + k] * graph.n_nodes},
            {"edge_label": [77] * graph.n_edges}, categorical=["node_label", "edge_label"],
        )
        for k, graph in enumerate(known)
    ]  # fmt: skip
    near, far = (
        regressor.predict(own, return_std=True, include_noise=False)[1] for own in (known, strange)
    )
    assert far.min() > near.max()
    prior = regressor.functions_.scale * np.sqrt(regressor.signal_variance_)
    assert (far <= prior * (1 + 1e-9)).all()
    sure, unsure = (np.abs(classifier.predict_proba(own)[:, 1] - 0.5) for own in (known, strange))
    assert unsure.max() < np.median(sure)


def test_probabilities_are_better_than_chance(mutag, learned):
    new, y = mutag.graphs[1::3], mutag.y[1::3] == 1
    chance = log_loss(y, np.full(len(y), (mutag.y[::3] == 1).mean()))
    assert log_loss(y, learned[1].predict_proba(new)[:, 1]) < 0.8 * chance
    np.testing.assert_array_equal(
        learned[1].predict(new) == 1, learned[1].decision_function(new) > 0
    )


def test_several_classes():
    graphs = [own for letters in ("ab", "bc", "cd") for own in random_graphs(14, 3, letters)[:-1]]
    y = np.repeat(["p", "q", "r"], 13)
    model = Classifier(n_hops=1, optimize=["signal_variance"]).fit(graphs[::2], y[::2])
    assert model.decision_function(graphs).shape == (39, 3)
    np.testing.assert_allclose(model.predict_proba(graphs).sum(axis=1), 1.0)
    assert model.score(graphs[1::2], y[1::2]) > 0.6
    assert model.functions_.evidence == model.log_marginal_likelihood_value_ < 0


def test_an_explanation_adds_up(mutag, learned):
    for model, decide in zip(learned, ("predict", "decision_function"), strict=True):
        why = model.explain(mutag.graphs[70])
        expected = getattr(model, decide)(mutag.graphs[70:71])[0]
        assert why.nodes.sum() + why.intercept == pytest.approx(expected)
    with pytest.raises(ParameterError, match="the mean of a logit: explain it with scale='dec"):
        learned[1].explain(mutag.graphs[70], scale="logit")


def test_results_are_the_same_every_time_and_for_any_threads(monkeypatch, mutag, density):
    monkeypatch.setattr("nask.execution.execution.PAIRS_PER_THREAD", 1000)
    models = [
        Regressor(n_hops=2, n_restarts_optimizer=1, n_jobs=n).fit(mutag.graphs[:15], density[:15])
        for n in (1, 1, 2)
    ]
    first, *others = (own.predict(mutag.graphs, return_std=True) for own in models)
    for other in others:
        np.testing.assert_array_equal(first, other)


def test_scikit_learn_takes_them(mutag, learned):
    search = GridSearchCV(Classifier(optimizer=None), {"n_hops": [1, 2]}, cv=2)
    assert search.fit(mutag.graphs[:40], mutag.y[:40]).best_params_["n_hops"] in {1, 2}
    for model in learned:
        same = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(same.predict(mutag.graphs), model.predict(mutag.graphs))
        assert clone(model).get_params() == model.get_params()


def test_targets_that_are_all_alike(mutag):
    model = Regressor(n_hops=1).fit(mutag.graphs[:5], [3.0] * 5)
    np.testing.assert_allclose(model.predict(mutag.graphs[5:9]), 3.0, atol=1e-6)


REFUSED = {
    "names 'gamma', which makes no difference": {"similarity": "one-hot", "optimize": ["gamma"]},
    "names 'gamma', which has a gradient": {"similarity": "euclidean", "optimize": ["gamma"]},
    "names 'attribute_weights', which decides": {
        "max_leaves": 1, "optimize": ["attribute_weights"],
    },
    "names 'gamma_star', which makes": {"expansion": "walk", "optimize": ["gamma_star"]},
    "names 'hop_weights', which makes": {"n_hops": 1, "optimize": ["hop_weights"]},
    "names 'gram_scale', which makes": {"gram": "linear", "optimize": ["gram_scale"]},
    r"'gama', which is no parameter .* mean 'gamma'": {"optimize": ["gama"]},
    r"'optimize' parameter .* names of parameters": {"optimize": "gamma"},
    r"'optimizer' parameter .* must be one of": {"optimizer": "adam"},
    r"'bounds' parameter .* a dict of \(low": {"bounds": {"gamma": (2.0, 1.0)}},
    r"'bounds' parameter .* where learning begins": {"bounds": {"gamma": (2.0, 3.0)}},
    r"'signal_variance' parameter .* range \(0, inf\)": {"signal_variance": 0.0},
    "'noise' parameter": {"noise": -1.0},
    "'n_restarts_optimizer' parameter": {"n_restarts_optimizer": -1},
    "'random_state' parameter": {"random_state": "x"},
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_learned_is_told(mutag, message):
    with pytest.raises(ParameterError, match=message):
        Regressor(**REFUSED[message]).fit(mutag.graphs[:5], range(5))


def test_noise_is_no_parameter_of_classes(mutag):
    with pytest.raises(ParameterError, match="'noise', which is no parameter that can be learned"):
        Classifier(optimize=["noise"]).fit(mutag.graphs[:5], mutag.y[:5])


def test_std_or_covariance(mutag, learned):
    with pytest.raises(ParameterError, match="not both"):
        learned[0].predict(mutag.graphs[:2], return_std=True, return_cov=True)


def test_a_covariance_that_cannot_be_factorised(mutag):
    model = Regressor(gram="linear", optimizer=None, signal_variance=1e8, noise=1e-12)
    with pytest.raises(ParameterError, match="Raise the noise"):
        model.fit([mutag.graphs[0]] * 3, range(3))


def test_the_evidence_is_that_of_the_process(mutag, density):
    y = density[:20]
    model = Regressor(n_hops=1, optimizer=None).fit(mutag.graphs[:20], y)
    K = nask.NASK(n_hops=1, gram="rbf").fit_transform(mutag.graphs[:20])
    expected = regression(K, (y - y.mean()) / y.std(), 0.1)[0].value
    assert model.log_marginal_likelihood_value_ == pytest.approx(expected)


def test_it_knows_what_is_unlike_its_training_graphs(mutag, tmp_path):
    """And a file of it does; of sets and intervals the command tells what there is instead."""
    model = nask.NASKGaussianProcessClassifier(n_hops=1, optimizer=None)
    model.fit(mutag.graphs[::4], mutag.y[::4]).save(tmp_path / "gp.nask")
    lonely = nask.AttributedGraph(40, [], {"node_label": [6] * 40}, categorical=["node_label"])
    new = [*mutag.graphs[1::4], lonely]
    shares = model.applicability(new)
    assert np.median(shares[:-1]) > 0.3
    assert shares[-1] < 0.05
    np.testing.assert_array_equal(nask.load(tmp_path / "gp.nask").applicability(new), shares)
    asked = Asked(proba=False, std=False, coverage=0.9, by_class=False, applicability=True)
    with pytest.raises(ParameterError, match="no sets and intervals by itself"):
        asked.check(model, tmp_path / "gp.nask")

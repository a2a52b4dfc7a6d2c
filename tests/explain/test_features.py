"""Shares of stars in linear models on random features."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

import nask
from mixed_graphs import random_graphs, random_network
from nask.exceptions import InputError, ParameterError


def assert_complete(why, decision):
    assert why.decision == pytest.approx(decision, abs=1e-4)
    assert why.nodes.sum() + why.intercept == pytest.approx(why.decision)
    assert (why.background >= 0).all()


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize(
    "linear", [LinearSVC(dual=False, tol=1e-2), LogisticRegression(max_iter=5000)], ids=str
)
def test_a_pipeline(mutag, linear, normalize):
    features = nask.NASKFeatures(n_components=256, normalize=normalize, hop_weights=[1, 2, 0.5])
    model = make_pipeline(features, linear).fit(mutag.graphs[:60], mutag.y[:60])
    for graph in mutag.graphs[60:63]:
        [decision] = model.decision_function([graph])
        why = nask.explain_features(model, graph)
        assert_complete(why, decision)
        assert_complete(nask.explain_features(model, graph, target=-1), -decision)


def test_several_classes_and_a_regression():
    graphs = random_graphs(31, 3)[:30]
    y = np.array(["one", "two", "three"])[np.arange(30) % 3]
    model = make_pipeline(nask.NASKFeatures(n_components=128), LinearSVC(dual=False, tol=1e-2)).fit(
        graphs, y
    )
    [scores] = model.decision_function(graphs[:1])
    why = nask.explain_features(model, graphs[0], target="two", against="one")
    first, _, second = model[1].classes_
    assert (first, second) == ("one", "two")
    assert_complete(why, scores[2] - scores[0])
    ridge = make_pipeline(nask.NASKFeatures(n_components=128), Ridge())
    ridge.fit(graphs, [float(g.n_nodes) for g in graphs])
    assert_complete(nask.explain_features(ridge, graphs[0]), ridge.predict(graphs[:1])[0])


def test_shares_come_near_those_of_the_exact_kernel_and_the_error_says_how_near(mutag):
    graph, errors = mutag.graphs[100], []
    kernel = nask.NASK(normalize=False).fit(mutag.graphs[:100])
    exact = nask.align(kernel, graph, graph).matrix
    for n_components in (128, 4096):
        features = nask.NASKFeatures(n_components=n_components, normalize=False)
        model = make_pipeline(features, LinearSVC(dual=False, tol=1e-2)).fit(
            mutag.graphs[:100], mutag.y[:100]
        )
        rows = features.star_rows(graph).astype(float)
        why = nask.explain_features(model, graph)
        assert why.error == pytest.approx(
            np.linalg.norm(rows @ rows.T - exact) / np.linalg.norm(exact), rel=1e-6
        )
        errors.append(why.error)
    assert errors[1] < errors[0] / 2


@pytest.mark.parametrize("restart", [None, 0.3])
def test_nodes(restart):
    graph, y = random_network(60)
    model = nask.NASKNodeClassifier(
        method="features", n_components=128, n_hops=2, restart=restart
    ).fit(graph, y, train=range(40))
    [scores] = model.decision_function(graph, [50])
    why = model.explain_stars(graph, 50)
    assert_complete(why, scores.max())
    assert (np.count_nonzero(why.nodes) > 1) == (restart is not None)
    with pytest.raises(ParameterError, match="an int from 0 to 59"):
        model.explain_stars(graph, 60)


def test_what_cannot_be_explained(mutag):
    graphs, y = mutag.graphs[:40], mutag.y[:40]
    curved = make_pipeline(nask.NASKFeatures(n_components=128), SVC()).fit(graphs, y)
    for model in (curved, nask.NASKClassifier(), "model"):
        with pytest.raises(InputError, match="takes a fitted pipeline of two steps"):
            nask.explain_features(model, graphs[0])
    graph, y = random_network(20)
    exact = nask.NASKNodeClassifier(n_hops=1).fit(graph, y)
    with pytest.raises(ParameterError, match="Call explain instead"):
        exact.explain_stars(graph, 0)


@pytest.mark.parametrize(
    ("linear", "y"),
    [
        (SVC(kernel="linear"), np.arange(40) % 3),
        (SVC(kernel="linear", decision_function_shape="ovo"), np.arange(40) % 3),
        (SVC(kernel="linear"), np.arange(40) % 4),
        (PoissonRegressor(), np.arange(40.0)),
        (Ridge(), np.ones((40, 2)) * np.arange(40.0)[:, None]),
    ],
    ids=["duels", "duels as decisions", "more duels than classes", "a link", "two numbers"],
)
def test_a_model_that_decides_otherwise_is_refused(mutag, linear, y):
    model = make_pipeline(nask.NASKFeatures(n_components=64), linear).fit(mutag.graphs[:40], y)
    with pytest.raises(InputError, match="does not decide by coef_ and intercept_ alone"):
        nask.explain_features(model, mutag.graphs[50])


def test_a_linear_svc_of_two_classes(mutag):
    model = make_pipeline(nask.NASKFeatures(n_components=64), SVC(kernel="linear"))
    model.fit(mutag.graphs[:40], mutag.y[:40])
    [decision] = model.decision_function(mutag.graphs[50:51])
    assert_complete(nask.explain_features(model, mutag.graphs[50]), decision)


@pytest.mark.parametrize(
    "changed", [{"normalize": False}, {"hop_weights": [1.0, 0.0]}, {"gamma": 99.0}, {"n_hops": 1}],
    ids=str,
)  # fmt: skip
def test_parameters_that_change_after_fit_count_from_the_next_fit_on(mutag, changed):
    features = nask.NASKFeatures(n_components=128, n_hops=2)
    model = make_pipeline(features, LinearSVC()).fit(mutag.graphs[:40], mutag.y[:40])
    before = nask.explain_features(model, mutag.graphs[50])
    features.set_params(**changed)
    after = nask.explain_features(model, mutag.graphs[50])
    assert (after.decision, after.error) == (before.decision, before.error)


def test_walks_are_those_of_fit():
    graph, y = random_network(40)
    model = nask.NASKNodeClassifier(method="features", n_components=128, n_hops=2, restart=0.3)
    model.fit(graph, y)
    model.features_.set_params(restart=None)
    assert_complete(model.explain_stars(graph, 3), model.decision_function(graph, [3])[0].max())

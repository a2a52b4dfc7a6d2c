"""What a search by leave-one-out becomes: the mean of ridge regressions fitted one by one."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

import nask
from nask.lab.rivals.catalogue import rival
from nask.learning.ridge import KernelRidge
from nask.tuning.near_best import near_best
from nask.tuning.sweeps import LEARNING

ALPHA = [0.01, 0.1, 1.0]


@pytest.fixture(scope="module")
def letters(cuneiform):
    """Three classes of graphs with numerical and categorical attributes."""
    keep = np.flatnonzero(cuneiform.y < 3)
    return [cuneiform.graphs[i] for i in keep], cuneiform.y[keep]


@pytest.fixture
def all_near(monkeypatch):
    """Every setting is averaged, so that none escapes the comparison."""
    monkeypatch.setattr("nask.tuning.near_best.BEHIND", 1e3)


def one_by_one(settings, base, graphs, y, new):
    """Mean decision about new graphs of classifiers with these settings."""
    found = [
        clone(base)
        .set_params(learner="ridge", probability=False, **setting)
        .fit(graphs, y)
        .decision_function(new)
        for setting in settings
    ]
    return np.mean(found, axis=0)


GRIDS = {
    "one pass": {"n_hops": [1, 2, 3]},
    "forms": {"n_hops": [2], "gram": ["linear", "rbf"], "normalize": [True, False]},
    "scales": {"gram": ["rbf"], "gram_scale": [1.0, 3.0]},
    "weights of hops": {"n_hops": [2], "hop_weights": [[1.0, 2.0], [0.0, 1.0]]},
    "passes": {"gamma": [0.1, 2.0], "degree": [None, "categorical", "numerical"]},
    "parts": [{"gamma": [0.5], "n_hops": [1, 3]}, {"expansion": ["ball"], "n_hops": [2]}],
    "by attribute": {"gamma": [0.3, {"node_label": 0.5, "edge_label": 2.0}]},
}


def with_penalties(grid, **more):
    parts = grid if isinstance(grid, list) else [grid]
    return [{**part, "alpha": ALPHA, **more} for part in parts]


@pytest.mark.usefixtures("all_near")
@pytest.mark.parametrize("name", GRIDS)
def test_two_classes(mutag, name):
    graphs, y, new = mutag.graphs[::4], mutag.y[::4], mutag.graphs[1::3]
    model = nask.TunedNASKClassifier(grid=with_penalties(GRIDS[name])).fit(graphs, y)
    best = model.best_estimator_
    n_settings = sum(len(sweep.candidates) * len(ALPHA) for sweep in model.sweeps())
    assert len(best.settings) == model.best_params_["averaged"] == n_settings > 3
    expected = one_by_one(best.settings, nask.NASKClassifier(), graphs, y, new)
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-8)
    np.testing.assert_array_equal(model.predict(new), np.where(expected > 0, 1, -1))
    np.testing.assert_array_equal(model.classes_, [-1, 1])


@pytest.mark.usefixtures("all_near")
@pytest.mark.parametrize("multiclass", [["ovr"], ["ovo"], ["ovr", "ovo"]])
@pytest.mark.parametrize("gram", ["linear", "rbf"])
def test_three_classes(letters, gram, multiclass):
    graphs, y = letters
    grid = {"n_hops": [1, 2], "gram": [gram], "alpha": ALPHA, "multiclass": multiclass}
    base = nask.NASKClassifier(gamma=0.7, class_weight="balanced", use_edges=False)
    model = nask.TunedNASKClassifier(grid=grid, estimator=base).fit(graphs[::2], y[::2])
    settings = model.best_estimator_.settings
    assert {own["multiclass"] for own in settings} == set(multiclass)
    assert len(settings) == 6 * len(multiclass)
    expected = one_by_one(settings, base, graphs[::2], y[::2], graphs[1::2])
    np.testing.assert_allclose(model.decision_function(graphs[1::2]), expected, atol=1e-8)
    np.testing.assert_array_equal(model.predict(graphs[1::2]), expected.argmax(axis=1))


def test_the_settings_are_those_near_the_best_by_leave_one_out(mutag):
    """Every setting of the grid, each graph left out in turn and the rest learned from anew."""
    graphs, y = mutag.graphs[:22], mutag.y[:22]
    grid = {"n_hops": [1, 2], "gamma": [0.5, 4.0], "alpha": [0.01, 1.0]}
    model = nask.TunedNASKClassifier(grid=grid).fit(graphs, y)
    settings, right = [], []
    for gamma in grid["gamma"]:
        for n_hops in grid["n_hops"]:
            gram = nask.NASK(n_hops=n_hops, gamma=gamma).fit_transform(graphs)
            scale = np.mean(np.diag(gram)) - gram.mean()
            for alpha in grid["alpha"]:
                settings.append({"gamma": gamma, "n_hops": n_hops, "alpha": alpha})
                right.append(left_out_one_by_one(gram, y, alpha * scale))
    near = near_best(np.array(right))
    found = model.best_estimator_.settings
    assert all(own in found for own, is_near in zip(settings, near, strict=True) if is_near)
    assert len(found) == near.sum() < len(near)
    assert model.best_score_ == np.mean(right, axis=1).max()
    best = {k: v for k, v in model.best_params_.items() if k not in ("learner", "averaged")}
    assert np.mean(right[settings.index(best)]) == model.best_score_


def left_out_one_by_one(gram, y, penalty):
    right = []
    for i in range(len(y)):
        rest = np.delete(np.arange(len(y)), i)
        n = len(rest)
        # Least squares with a constant, as a problem of stacked rows, and no inverse.
        values, vectors = np.linalg.eigh(gram[np.ix_(rest, rest)])
        root = vectors * np.sqrt(np.maximum(values, 0))
        rows = np.block([[root, np.ones((n, 1))], [np.sqrt(penalty) * np.eye(n), np.zeros((n, 1))]])
        target = np.concatenate([np.where(y[rest] == 1, 1.0, -1.0), np.zeros(n)])
        weights = np.linalg.lstsq(rows, target, rcond=None)[0]
        across = gram[i, rest] @ vectors / np.sqrt(np.maximum(values, 1e-12))
        right.append((across @ weights[:-1] + weights[-1] > 0) == (y[i] == 1))
    return np.array(right)


def test_single_precision(mutag):
    """Rounding in the Gram matrix reaches the decisions, some hundred times as large."""
    graphs, y, new = mutag.graphs[::4], mutag.y[::4], mutag.graphs[1::4]
    base = nask.NASKClassifier(dtype="float32", n_hops=2)
    model = nask.TunedNASKClassifier(grid={"alpha": ALPHA}, estimator=base).fit(graphs, y)
    expected = one_by_one(model.best_estimator_.settings, base, graphs, y, new)
    np.testing.assert_allclose(model.decision_function(new), expected, atol=2e-4)


@pytest.fixture(scope="module")
def network():
    return nask.lab.make_social_network(120, 6.0, random_state=3)


def by_kernel(settings):
    """The parameters of each kernel once, and the penalties and schemes that it is learned with."""
    found = {}
    for setting in settings:
        own = {name: value for name, value in setting.items() if name not in LEARNING}
        learned = setting["alpha"], setting.get("multiclass", "ovr")
        found.setdefault(repr(own), (own, []))[1].append(learned)
    return found.values()


def node_decisions(settings, base, graph, y, train, new, nodes):
    """Mean decision by ridge regressions on rows of the Gram matrix of all nodes."""
    codes = np.searchsorted(np.unique(y[train]), y[train])
    found = []
    for own, learned in by_kernel(settings):
        kernel = nask.NodeNASK(**{**base.kernel_parameters(), **own}).fit(graph)
        gram, across = kernel.transform(graph), kernel.transform(new)[np.ix_(nodes, train)]
        for alpha, scheme in learned:
            ridge = KernelRidge.classify(gram[np.ix_(train, train)], codes, alpha, scheme)
            found.append(ridge.confidence(across))
    return np.mean(found, axis=0)


@pytest.mark.usefixtures("all_near")
@pytest.mark.parametrize("with_validation", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("gram", ["linear", "rbf"])
def test_nodes(network, gram, n_classes, with_validation):
    graph, train, test = network.graph, network.train, network.test
    y = network.y if n_classes == 2 else (network.y + np.arange(120) % 2) % 3
    grid = {"n_hops": [1, 2], "gram": [gram], "normalize": [True, False], "alpha": ALPHA}
    base = nask.NASKNodeClassifier(gamma=0.8)
    model = nask.TunedNASKNodeClassifier(grid=grid, estimator=base)
    model.fit(graph, y, train, network.validation if with_validation else None)
    settings = model.best_estimator_.settings
    assert len(settings) == model.best_params_["averaged"] == 12 * (1 if n_classes == 2 else 2)
    other = nask.lab.make_social_network(90, 5.0, random_state=8).graph
    for new, nodes in ((graph, test), (graph, None), (other, None), (other, np.array([7, 3]))):
        chosen = np.arange(new.n_nodes) if nodes is None else nodes
        expected = node_decisions(settings, base, graph, y, train, new, chosen)
        np.testing.assert_allclose(model.decision_function(new, nodes), expected, atol=1e-8)
        winner = expected.argmax(axis=1) if n_classes == 3 else (expected > 0).astype(int)
        np.testing.assert_array_equal(model.predict(new, nodes), winner)
    mask = np.isin(np.arange(120), test)
    np.testing.assert_array_equal(
        model.decision_function(graph, mask), model.decision_function(graph, np.sort(test))
    )
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(graph), model.predict(graph))


def test_validation_nodes_choose_and_are_not_trained_on(network):
    grid = {"n_hops": [1, 2], "gamma": [0.3, 3.0], "alpha": ALPHA}
    graph, y, train, held_out = network.graph, network.y, network.train, network.validation
    base = nask.NASKNodeClassifier()
    model = nask.TunedNASKNodeClassifier(grid=grid, estimator=base)
    model.fit(graph, y, train, held_out)
    settings = [
        {"gamma": gamma, "n_hops": n_hops, "alpha": alpha}
        for gamma in grid["gamma"]
        for n_hops in grid["n_hops"]
        for alpha in ALPHA
    ]
    right = np.array(
        [
            (node_decisions([own], base, graph, y, train, graph, held_out) > 0) == y[held_out]
            for own in settings
        ]
    )
    near = near_best(right)
    found = model.best_estimator_.settings
    assert len(found) == near.sum()
    assert all(own in found for own, is_near in zip(settings, near, strict=True) if is_near)
    assert model.best_score_ == right.mean(axis=1).max()
    # With one setting nothing is chosen: classes of validation nodes change the score alone.
    turned = y.copy()
    turned[held_out] = 1 - turned[held_out]
    one = {"gamma": [0.3], "alpha": [0.1]}
    honest, blind = (
        clone(model).set_params(grid=one).fit(graph, own, validation=held_out)
        for own in (y, turned)
    )
    np.testing.assert_array_equal(honest.decision_function(graph), blind.decision_function(graph))
    assert honest.best_score_ == pytest.approx(1 - blind.best_score_)


@pytest.mark.parametrize(
    ("name", "n_classes"), [("wl", 2), ("wl", 3), ("hgk-wl", 2), ("hgk-wl", 3), ("retgk", 2)]
)
def test_rivals(mutag, letters, name, n_classes):
    graphs, y = letters if n_classes == 3 else (mutag.graphs[::4], mutag.y[::4])
    train, codes = graphs[::2], np.unique(y[::2], return_inverse=True)[1]
    model = rival(name).fit(train, y[::2])
    best = model.best_estimator_
    assert len(best.settings) == model.best_params_["averaged"]
    found = []
    for own, learned in by_kernel(best.settings):
        kernel = model.kernel_type(**own)
        gram, across = kernel.fit_transform(train), kernel.transform(graphs[1::2])
        for alpha, scheme in learned:
            found.append(KernelRidge.classify(gram, codes, alpha, scheme).confidence(across))
    np.testing.assert_allclose(
        model.decision_function(graphs[1::2]), np.mean(found, axis=0), atol=1e-7
    )


@pytest.mark.usefixtures("all_near")
@pytest.mark.parametrize("name", ["forms", "passes", "scales"])
def test_the_mean_kernel_is_that_of_the_kernels(letters, name):
    """Each over its spread among the training graphs, once however many functions it has."""
    graphs, y = letters
    train, new = graphs[::2], graphs[1::2]
    grid = GRIDS[name]
    model = nask.TunedNASKClassifier(grid=with_penalties(grid)).fit(train, y[::2]).best_estimator_
    kernels = [
        nask.NASK(**setting).fit(train)
        for part in (grid if isinstance(grid, list) else [grid])
        for setting in ParameterGrid(part)
    ]
    expected = 0
    for kernel in kernels:
        own = kernel.transform(train)
        spread = np.mean(np.diag(own)) - own.mean()
        expected = expected + np.stack([kernel.transform(new)]) / spread / len(kernels)
    np.testing.assert_allclose(model.mean_kernel(new), expected[0], rtol=1e-6)
    gram = model.mean_kernel()
    np.testing.assert_allclose(gram, model.mean_kernel(train), rtol=1e-6)
    assert np.linalg.eigvalsh((gram + gram.T) / 2).min() > -1e-8 * len(gram)


def test_the_mean_kernel_of_nodes_and_of_rivals(mutag):
    network = nask.lab.make_social_network(60)
    grid = {"gamma": [1.0], "n_hops": [1, 2], "alpha": [0.1]}
    model = nask.TunedNASKNodeClassifier(grid=grid).fit(network.graph, network.y, network.train)
    gram = model.best_estimator_.mean_kernel()
    assert gram.shape == (len(network.train),) * 2
    again = model.best_estimator_.mean_kernel(network.graph, network.train)
    np.testing.assert_allclose(gram, again, rtol=1e-9)
    wl = rival("hgk-wl").set_params(grid={"n_iter": [1], "gram": ["rbf"], "alpha": [0.1]})
    wl.fit(mutag.graphs[:50], mutag.y[:50])
    own = wl.kernel_type(n_iter=1, gram="rbf").fit_transform(mutag.graphs[:50])
    unit = np.mean(np.diag(own)) - own.mean()
    found = wl.best_estimator_
    np.testing.assert_allclose(found.mean_kernel(), own / unit, rtol=1e-9)
    np.testing.assert_allclose(found.mean_kernel(mutag.graphs[:5]), own[:5] / unit, rtol=1e-9)

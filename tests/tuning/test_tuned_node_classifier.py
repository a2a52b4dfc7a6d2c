"""TunedNASKNodeClassifier: chooses on training or validation nodes, then is what it chose."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

import nask
from nask.engines.nodes.gram import node_grams
from nask.exceptions import ParameterError
from nask.tuning.node_classifier import NodeSweep
from nask.tuning.sweeps import stacks_of

GRID = {"gamma": [0.3, 3.0], "n_hops": [1, 2], "C": [0.1, 10.0]}


@pytest.fixture(scope="module")
def network():
    return nask.lab.make_social_network(160, 6.0, random_state=3)


@pytest.fixture(scope="module", params=["svm", "ridge"])
def tuned(request, network):
    model = nask.TunedNASKNodeClassifier(grid=GRID, learner=request.param)
    return model.fit(network.graph, network.y, network.train)


@pytest.fixture(scope="module")
def svm(network):
    model = nask.TunedNASKNodeClassifier(grid=GRID, learner="svm")
    return model.fit(network.graph, network.y, network.train)


def test_each_candidate_has_the_gram_of_its_parameters(network):
    grid = {**GRID, "gram": ["linear", "rbf"], "normalize": [True, False]}
    base = nask.NASKNodeClassifier(dtype="float64", star_norm=False)
    model = nask.TunedNASKNodeClassifier(estimator=base, grid=grid)
    for sweep in model.sweeps():
        assert isinstance(sweep, NodeSweep)
        stack = sweep.compute(network.graph)
        for candidate in sweep.candidates:
            expected = model.kernel(**candidate.parameters).fit_transform(network.graph)
            np.testing.assert_allclose(sweep.gram(stack, candidate), expected, rtol=1e-9)


@pytest.mark.parametrize("items", [None, np.array([3, 150, 0, 71])])
def test_walks_share_a_pass_and_change_no_bit(network, monkeypatch, items):
    grid = {"gamma": [0.3, 3.0], "restart": [0.3, None, 0.1], "gamma_star": [2.0, 8.0]}
    sweeps = nask.TunedNASKNodeClassifier(grid=grid).sweeps()
    expected = [sweep.compute(network.graph) for sweep in sweeps]
    passes = []

    def noted(*arguments):
        passes.append(arguments)
        return node_grams(*arguments)

    monkeypatch.setattr("nask.kernels.fitted_nodes.node_grams", noted)
    found = dict(stacks_of(sweeps, network.graph, items))
    assert (len(sweeps), len(passes)) == (12, 4)
    for number, stack in found.items():
        whole = expected[number]
        part = whole if items is None else whole[:, items[:, None], items]
        np.testing.assert_array_equal(stack, part)


def test_single_precision_by_default(network):
    for sweep in nask.TunedNASKNodeClassifier(grid=GRID).sweeps():
        stack = sweep.compute(network.graph)
        assert stack.dtype == np.float32
        for candidate in sweep.candidates:
            gram = sweep.gram(stack, candidate)
            assert gram.dtype == np.float32
            exact = nask.NodeNASK(**candidate.parameters).fit_transform(network.graph)
            np.testing.assert_allclose(gram, exact, atol=1e-5)


def test_it_is_the_svm_it_chose(svm, network):
    same = nask.NASKNodeClassifier(**svm.best_params_, dtype="float32")
    same.fit(network.graph, network.y, network.train)
    for nodes in (None, network.test):
        expected = same.predict(network.graph, nodes)
        np.testing.assert_array_equal(svm.predict(network.graph, nodes), expected)
        np.testing.assert_allclose(
            svm.decision_function(network.graph, nodes),
            same.decision_function(network.graph, nodes),
        )
    score = svm.score(network.graph, network.y, network.test)
    assert score == np.mean(svm.predict(network.graph, network.test) == network.y[network.test])
    assert score > 0.65  # the larger class has 0.55
    np.testing.assert_array_equal(svm.classes_, [0, 1])


def test_the_score_of_an_svm_is_that_of_cross_validation(svm, network):
    codes = network.y[network.train]
    right = np.zeros(len(codes), dtype=bool)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    for learn, judge in folds.split(codes, codes):
        model = nask.NASKNodeClassifier(**svm.best_params_, dtype="float32")
        model.fit(network.graph, network.y, network.train[learn])
        right[judge] = model.predict(network.graph, network.train[judge]) == codes[judge]
    assert svm.best_score_ == pytest.approx(right.mean(), abs=1.5 / len(right))


def test_no_class_outside_training_is_seen(tuned, network):
    spoiled = np.full_like(network.y, 7)
    spoiled[network.train] = network.y[network.train]
    other = clone(tuned).fit(network.graph, spoiled, network.train)
    assert (other.best_params_, other.best_score_) == (tuned.best_params_, tuned.best_score_)
    np.testing.assert_array_equal(other.predict(network.graph), tuned.predict(network.graph))
    unknown = np.where(np.isin(np.arange(160), network.train), network.y, -1)
    default = clone(tuned).fit(network.graph, unknown)
    np.testing.assert_array_equal(default.predict(network.graph), tuned.predict(network.graph))


def test_validation_nodes_choose_an_svm_and_are_not_trained_on(network):
    model = nask.TunedNASKNodeClassifier(grid=GRID, learner="svm")
    model.fit(network.graph, network.y, network.train, network.validation)
    scores = {}
    for gamma in GRID["gamma"]:
        for n_hops in GRID["n_hops"]:
            for C in GRID["C"]:
                setting = {"gamma": gamma, "n_hops": n_hops, "C": C, "learner": "svm"}
                other = nask.NASKNodeClassifier(**setting, dtype="float32")
                other.fit(network.graph, network.y, network.train)
                scores[repr(setting)] = other.score(network.graph, network.y, network.validation)
    own = model.score(network.graph, network.y, network.validation)
    assert own == pytest.approx(scores[repr(model.best_params_)])
    assert model.best_score_ == pytest.approx(own, abs=1.5 / len(network.validation))
    # All the rest has a class, yet validation nodes are left out of training.
    turned = network.y.copy()
    turned[network.validation] = 1 - turned[network.validation]
    one = {name: values[:1] for name, values in GRID.items()}
    held, blind = (
        clone(model).set_params(grid=one).fit(network.graph, y, validation=network.validation)
        for y in (network.y, turned)
    )
    np.testing.assert_array_equal(held.predict(network.graph), blind.predict(network.graph))
    assert held.best_score_ == pytest.approx(1 - blind.best_score_)


def test_parameters_clone_and_pickle(tuned, network):
    base = nask.NASKNodeClassifier(use_edges=False)
    model = nask.TunedNASKNodeClassifier(estimator=base, grid={"C": [1.0]}, inner=2, n_jobs=2)
    copy = clone(model)
    assert copy.get_params()["estimator__use_edges"] is False
    assert copy.get_params(deep=False).keys() == model.get_params(deep=False).keys()
    copy.fit(network.graph, network.y, network.train)
    assert all(not group.kernel.spec.use_edges for group in copy.best_estimator_.groups)
    copy.set_params(learner="svm").fit(network.graph, network.y, network.train)
    assert copy.best_estimator_.use_edges is False
    assert base.C == 10.0  # what was given is left as it is
    default = nask.TunedNASKNodeClassifier()
    assert (default.grid, default.inner) == ("nodes", 3)
    assert repr(default) == "TunedNASKNodeClassifier()"
    again = pickle.loads(pickle.dumps(tuned))
    np.testing.assert_array_equal(again.predict(network.graph), tuned.predict(network.graph))


def test_classes_of_any_kind(tuned, network):
    """Text, with None and NaN where a class is not known."""
    names = np.array(["loose", "close"], dtype=object)[network.y]
    names[network.test] = None
    names[network.validation] = np.nan
    named = clone(tuned).fit(network.graph, names)
    assert named.classes_.tolist() == ["close", "loose"]
    assert named.best_params_ == tuned.best_params_
    assert np.mean((named.predict(network.graph) == "close") == tuned.predict(network.graph)) > 0.97


def test_probabilities_where_the_estimator_has_them(network):
    base = nask.NASKNodeClassifier(probability=True, n_hops=1)
    model = nask.TunedNASKNodeClassifier(estimator=base, grid={"C": [1.0]})
    model.fit(network.graph, network.y, network.train)
    shares = model.predict_proba(network.graph, network.test)
    assert shares.shape == (40, 2)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_any_number_of_jobs_chooses_the_same(tuned, network):
    two = clone(tuned).set_params(n_jobs=2).fit(network.graph, network.y, network.train)
    assert (two.best_params_, two.best_score_) == (tuned.best_params_, tuned.best_score_)


@pytest.mark.parametrize(
    ("parameters", "arguments", "message"),
    [
        ({"inner": 1}, {}, "'inner' parameter of TunedNASKNodeClassifier"),
        ({"learner": "forest"}, {}, "'learner' parameter of TunedNASKNodeClassifier"),
        ({"estimator": nask.NASKNodeClassifier(alpha=0.0)}, {}, "'alpha' parameter of NASKNodeC"),
        ({"grid": {"alpha": [0.0]}}, {}, "'alpha' parameter of TunedNASKNodeClassifier"),
        ({"grid": []}, {}, "The grid has no candidates"),
        ({"grid": "node"}, {}, "Did you mean 'nodes'"),
        ({"grid": {"method": ["exact"]}}, {}, "which is no parameter"),
        ({"grid": {"C": [-1]}}, {}, "'C' parameter of TunedNASKNodeClassifier"),
        ({"grid": [3]}, {}, "'grid' parameter of TunedNASKNodeClassifier"),
        ({}, {"train": [160]}, "'train' must be positions of nodes"),
        ({}, {"validation": [-1]}, "'validation' must be positions of nodes"),
        ({}, {"validation": []}, "no validation nodes"),
        ({}, {"train": [0, 1, 2, 3], "validation": [3]}, "Node 3 is in 'train' and in 'valid"),
        ({}, {"y": np.zeros(5, dtype=int)}, "5 values of y for a graph of 160 nodes"),
    ],
)
def test_mistakes(network, parameters, arguments, message):
    arguments = {"y": network.y, **arguments}
    with pytest.raises(ParameterError, match=message):
        nask.TunedNASKNodeClassifier(**parameters).fit(network.graph, **arguments)


def test_a_validation_class_that_cannot_be_learned(network):
    y = network.y.copy()
    y[network.validation[0]] = 5
    with pytest.raises(ParameterError, match="No training node has the class 5"):
        nask.TunedNASKNodeClassifier().fit(network.graph, y, network.train, network.validation)


@pytest.mark.parametrize("winner", ["ridge", "svm"])
@pytest.mark.parametrize("validated", [False, True])
def test_the_better_of_two_learners_is_chosen(network, monkeypatch, winner, validated):
    """As it is with that learner alone."""
    where = (network.train, network.validation) if validated else (network.train,)
    alone = nask.TunedNASKNodeClassifier(grid=GRID, learner=winner)
    alone.fit(network.graph, network.y, *where)
    monkeypatch.setattr(
        "nask.tuning.trials.Choice.score", -1.0 if winner == "svm" else 2.0, raising=False
    )
    model = nask.TunedNASKNodeClassifier(grid=GRID, learner="best")
    model.fit(network.graph, network.y, *where)
    assert model.best_params_ == alone.best_params_
    assert model.best_params_["learner"] == winner
    np.testing.assert_array_equal(
        model.decision_function(network.graph), alone.decision_function(network.graph)
    )

"""Sets, intervals and likeness as users meet them: of every model, saved or not, and refused."""

import io
import json
import pickle
import zipfile

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import nask
from nask.exceptions import GraphError, ModelFileError, ParameterError
from nask.learning.conformal import Conformity

MUTAG = nask.load_dataset("MUTAG")
GRAPHS, NEW = MUTAG.graphs[:60], MUTAG.graphs[60:80]
NUMBERS = np.array([graph.n_edges + graph.n_nodes / 7 for graph in GRAPHS])
SMALL = {"n_hops": [1, 2], "alpha": [0.1]}
CLASSIFIERS = {
    "svm": nask.NASKClassifier(n_hops=1),
    "rbf": nask.NASKClassifier(n_hops=1, gram="rbf"),
    "ridge": nask.NASKClassifier(n_hops=1, learner="ridge"),
    "mean": nask.TunedNASKClassifier(grid={**SMALL, "gram": ["rbf"]}),
}
REGRESSORS = {
    "svr": nask.NASKRegressor(n_hops=1, normalize=False),
    "ridge numbers": nask.NASKRegressor(n_hops=1, learner="ridge", gram="rbf"),
    "mean numbers": nask.TunedNASKRegressor(grid=SMALL),
}
DETECTORS = {
    "nearest": nask.NASKOutlierDetector(n_hops=1),
    "one class": nask.NASKOutlierDetector(n_hops=1, learner="svm", gram="rbf"),
}
ALL = {**CLASSIFIERS, **REGRESSORS, **DETECTORS}


@pytest.fixture(scope="module")
def fitted():
    return {
        name: clone(model).fit(GRAPHS, NUMBERS if name in REGRESSORS else MUTAG.y[:60])
        for name, model in ALL.items()
    }


def told(model, graphs, name):
    """All that a model tells of graphs."""
    answers = [model.applicability(graphs)]
    if name in CLASSIFIERS:
        answers += [model.predict_set(graphs, coverage=c, by_class=c > 0.8) for c in (0.8, 0.9)]
    elif name in REGRESSORS:
        answers += [model.predict_interval(graphs, coverage=0.8)]
    else:
        answers += [model.decision_function(graphs), model.predict(graphs)]
    return answers


@pytest.mark.parametrize("name", ALL)
def test_what_is_told_is_of_the_right_form(fitted, name):
    model = fitted[name]
    shares, *answers = told(model, NEW, name)
    assert shares.shape == (20,)
    assert ((shares > 0) & (shares <= 1)).all()
    if name in CLASSIFIERS:
        for sets in answers:
            assert (sets.shape, sets.dtype) == ((20, 2), bool)
            assert sets.any(axis=1).all()
        alone = model.predict_set(NEW, coverage=0.01)
        assert (alone.sum(axis=1) == 1).all()
        np.testing.assert_array_equal(model.classes_[alone.argmax(axis=1)], model.predict(NEW))
    elif name in REGRESSORS:
        lower, upper = answers[0].T
        half = model.conformity_.half_width(0.8)
        np.testing.assert_allclose(lower, model.predict(NEW) - half)
        np.testing.assert_allclose(upper, model.predict(NEW) + half)
        assert half > 0


@pytest.mark.parametrize("name", ALL)
def test_what_is_told_comes_back(fitted, name, tmp_path):
    model = fitted[name]
    model.save(tmp_path / "m.nask")
    expected = told(model, NEW, name)
    nask.load(tmp_path / "m.nask").save(tmp_path / "again.nask")
    for same in (nask.load(tmp_path / "again.nask"), pickle.loads(pickle.dumps(model))):
        for ours, theirs in zip(told(same, NEW, name), expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("numbers", [False, True])
def test_errors_of_a_search_are_those_of_searches_without_the_graph(numbers):
    """Fold by fold, each with a choice of its own; the unit of alpha is that of all graphs."""
    from nask.tuning.leave_one_out import dealt_folds

    kind = nask.TunedNASKRegressor if numbers else nask.TunedNASKClassifier
    grid = {"n_hops": [1, 2], "alpha": [0.1, 1.0], "gram": ["linear", "rbf"]}
    y = np.sqrt(NUMBERS) if numbers else MUTAG.y[:60]
    model = kind(grid=grid).fit(GRAPHS, y)
    goal = model.goal(y if numbers else (y > 0).astype(np.intp), np.array([-1, 1]))
    errors = np.empty(60)
    for test in dealt_folds(goal, 0):
        rest = np.setdiff1d(np.arange(60), test)
        own = kind(grid=grid).fit([GRAPHS[k] for k in rest], y[rest])
        new = [GRAPHS[k] for k in test]
        if numbers:
            errors[test] = np.abs(own.predict(new) - y[test])
            continue
        found = model.best_estimator_.calibration.probabilities(own.decision_function(new))
        errors[test] = 1 - found[range(len(test)), (y[test] > 0).astype(int)]
    ours = model.conformity_.errors
    # In a fold or two another setting may be near the best.
    assert np.median(np.abs(ours - errors)) < 0.01 * ours.max()
    assert np.corrcoef(ours, errors)[0, 1] > 0.99


def test_a_search_among_many_settings_does_not_flatter_itself():
    """The best of many for noise seems to foretell it, which new noise does not."""
    noise = np.random.default_rng(12).normal(size=60)
    grid = {"n_hops": [1, 2], "gamma": [0.1, 1.0, 10.0], "gram": ["linear", "rbf"]}
    model = nask.TunedNASKRegressor(grid=grid).fit(GRAPHS, noise)
    own = 1 - np.mean(model.conformity_.errors**2) / noise.var()
    assert own < model.best_score_ - 0.01


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path, content):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return path


def without(content, *folders):
    document = json.loads(content["model.json"])
    for folder in folders:
        document.pop(folder, None)
    kept = {k: v for k, v in content.items() if k.split("/")[0] not in folders}
    return {**kept, "model.json": json.dumps(document)}


@pytest.mark.parametrize("name", ["svm", "mean", "svr", "mean numbers"])
def test_a_file_without_them_loads_and_says_that_it_cannot_tell(fitted, name, tmp_path):
    fitted[name].save(tmp_path / "m.nask")
    old = without(members(tmp_path / "m.nask"), "conformity", "likeness")
    model = nask.load(write(tmp_path / "old.nask", old))
    np.testing.assert_array_equal(model.predict(NEW), fitted[name].predict(NEW))
    ask = model.predict_set if name in CLASSIFIERS else model.predict_interval
    with pytest.raises(ParameterError, match=r"does not know how wrong it is.*Fit it anew"):
        ask(NEW)
    with pytest.raises(ParameterError, match=r"cannot tell how far .*Fit it anew"):
        model.applicability(NEW)


def bytes_of(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


HOSTILE = {
    "conformity/errors": [[], [[0.1]], [np.nan], [-0.1], [5.0], np.zeros(61), ["a"], [1]],
    "conformity/codes": [[], [0.0] * 60, [2] * 60, [-1] * 60, [0] * 59],
    "likeness/distances": [[], [np.nan], [-1.0], [2.0, 1.0], [np.inf], np.zeros(61), [[0.1]], [1]],
}


@pytest.mark.parametrize("array", HOSTILE)
def test_arrays_that_no_model_has_are_refused(fitted, array, tmp_path):
    for name in ("svm", "mean"):
        fitted[name].save(tmp_path / "m.nask")
        content = members(tmp_path / "m.nask")
        for value in HOSTILE[array]:
            changed = {**content, f"{array}.npy": bytes_of(np.array(value))}
            with pytest.raises(ModelFileError):
                nask.load(write(tmp_path / "x.nask", changed))
        # One of two arrays alone, or the units without distances.
        del content[f"{array}.npy"]
        with pytest.raises(ModelFileError):
            nask.load(write(tmp_path / "x.nask", content))


@pytest.mark.parametrize(
    "likeness",
    [
        *(3, [], {"unit": 1.0}, {"unit": 0.0}, {"size_unit": "1"}, {"unit": -1.0}),
        *({"group": 9}, {"member": -1}, {"group": True}),
    ],
)
def test_units_that_no_model_has_are_refused(fitted, likeness, tmp_path):
    fitted["mean"].save(tmp_path / "m.nask")
    content = members(tmp_path / "m.nask")
    document = json.loads(content["model.json"])
    own = document["likeness"]
    changed = {**own, **likeness} if isinstance(likeness, dict) else likeness
    if likeness == {"unit": 1.0}:
        changed = likeness  # and nothing else
    document["likeness"] = changed
    with pytest.raises(ModelFileError):
        nask.load(write(tmp_path / "x.nask", {**content, "model.json": json.dumps(document)}))


def test_a_detector_without_its_distances_or_offset_is_refused(fitted, tmp_path):
    fitted["nearest"].save(tmp_path / "m.nask")
    content = members(tmp_path / "m.nask")
    for part in ("likeness", "offset"):
        with pytest.raises(ModelFileError):
            nask.load(write(tmp_path / "x.nask", without(content, part)))


@pytest.mark.parametrize("coverage", [1.5, 0, 1, 90, "0.9", None, True, np.nan])
def test_a_coverage_that_is_none(fitted, coverage):
    for name in ("svm", "mean"):
        with pytest.raises(ParameterError, match="'coverage' parameter of predict_set must be"):
            fitted[name].predict_set(NEW, coverage=coverage)
    with pytest.raises(ParameterError, match="'coverage' parameter of predict_interval must be"):
        fitted["svr"].predict_interval(NEW, coverage=coverage)


def test_what_cannot_be_told(fitted):
    with pytest.raises(ParameterError, match="'by_class' parameter of predict_set must be a bool"):
        fitted["svm"].predict_set(NEW, by_class="yes")
    with pytest.raises(
        ParameterError, match=r"Ask for at most 0\.9836, or fit on 99 graphs or more"
    ):
        fitted["svr"].predict_interval(NEW, coverage=0.99)
    for model, ask in (
        (nask.NASKClassifier(), "predict_set"),
        (nask.NASKRegressor(), "predict_interval"),
        (nask.NASKRegressor(), "applicability"),
        (nask.TunedNASKClassifier(), "predict_set"),
        (nask.NASKOutlierDetector(), "predict"),
        (nask.Conformal(nask.NASKClassifier()), "predict_set"),
    ):
        with pytest.raises(NotFittedError):
            getattr(model, ask)(NEW)
    for ask in (fitted["svm"].predict_set, fitted["svm"].applicability, fitted["nearest"].predict):
        with pytest.raises(GraphError, match="at least one graph"):
            ask([])
    plain = nask.NASKClassifier(n_hops=1, probability=False).fit(GRAPHS, MUTAG.y[:60])
    lonely = nask.NASKClassifier(n_hops=1).fit(GRAPHS, [1] + [0] * 59)
    for model in (plain, lonely):
        with pytest.raises(ParameterError, match="does not know how wrong it is"):
            model.predict_set(NEW)
        assert model.applicability(NEW).shape == (20,)


def test_a_rare_class_is_in_every_set_by_class():
    y = np.repeat(["a", "b", "c"], [3, 27, 30])
    model = nask.NASKClassifier(n_hops=1, learner="ridge").fit(GRAPHS, y)
    sets = model.predict_set(NEW, by_class=True)
    assert sets[:, 0].all()
    assert not sets.all()


def test_nodes_have_sets_too(tmp_path):
    rng = np.random.default_rng(8)
    edges = [(k, (k + 1) % 60) for k in range(60)]
    age = np.repeat([0.0, 1.0], 30) + rng.normal(size=60) / 3
    network = nask.AttributedGraph(60, edges, {"age": age.tolist()})
    y = np.where(rng.random(60) < 0.7, np.repeat([0, 1], 30), -1)
    for model in (
        nask.NASKNodeClassifier(n_hops=1, probability=True),
        nask.TunedNASKNodeClassifier(grid={"n_hops": [1], "alpha": [0.1]}),
    ):
        model.fit(network, y)
        sets = model.predict_set(network, [3, 40], coverage=0.8)
        assert sets.shape == (2, 2)
        model.save(tmp_path / "m.nask")
        same = nask.load(tmp_path / "m.nask")
        np.testing.assert_array_equal(same.predict_set(network, [3, 40], coverage=0.8), sets)
    with pytest.raises(ParameterError, match="of graphs alone"):
        same.applicability([network])


# Around other models


class Noisy(RegressorMixin, BaseEstimator):
    """Predicts the number of nodes, more surely where there are few."""

    def fit(self, X, y):
        return self

    def predict(self, X, return_std=False):
        sizes = np.array([graph.n_nodes for graph in X], dtype=float)
        return (sizes, sizes / 10) if return_std else sizes


def test_intervals_of_a_model_that_knows_its_spread_are_in_proportion():
    sizes = np.array([graph.n_nodes for graph in GRAPHS])
    y = sizes * (1 + np.random.default_rng(9).normal(size=60) / 20)
    model = nask.Conformal(Noisy()).fit(GRAPHS, y)
    np.testing.assert_allclose(model.conformity_.errors, np.abs(y - sizes) / (sizes / 10))
    lower, upper = model.predict_interval(NEW).T
    own = np.array([graph.n_nodes for graph in NEW])
    np.testing.assert_allclose(upper - lower, 2 * model.conformity_.half_width(0.9) * own / 10)


FEATURES = nask.NASKFeatures(n_components=64, n_hops=1)


@pytest.mark.parametrize("model", [LinearSVC(), LogisticRegression()])
def test_sets_around_a_pipeline_hold_the_truth(model):
    pipeline = make_pipeline(FEATURES, model)
    names = np.where(MUTAG.y > 0, "yes", "no")
    conformal = nask.Conformal(pipeline, coverage=0.9).fit(MUTAG.graphs[::2], names[::2])
    assert not conformal.knows_
    sets = conformal.predict_set(MUTAG.graphs[1::2])
    held = sets[np.arange(94), (names[1::2] == "yes").astype(int)]
    assert 0.82 < held.mean() <= 1
    assert sets.sum(axis=1).mean() < 1.8
    np.testing.assert_array_equal(conformal.predict_set(iter(MUTAG.graphs[1::2])), sets)
    for same in (pickle.loads(pickle.dumps(conformal)), clone(conformal)):
        assert same.get_params()["coverage"] == 0.9
    with pytest.raises(ParameterError, match=r"predicts classes, .*predict_set"):
        conformal.predict_interval(NEW)


def test_errors_are_of_folds_that_were_not_learned_from():
    """Noise is learned by heart by as many columns as graphs, and yet not foretold."""
    noise = np.random.default_rng(10).normal(size=60)
    pipeline = make_pipeline(nask.NASKFeatures(n_components=512, n_hops=3), Ridge(1e-5))
    conformal = nask.Conformal(pipeline, cv=5).fit(GRAPHS, noise)
    assert np.median(np.abs(conformal.predict(GRAPHS) - noise)) < 0.05
    assert np.median(conformal.conformity_.errors) > 0.4


def test_a_model_that_knows_its_errors_is_asked_itself(fitted):
    conformal = nask.Conformal(clone(ALL["ridge"]), coverage=0.8).fit(GRAPHS, MUTAG.y[:60])
    assert conformal.knows_
    np.testing.assert_array_equal(
        conformal.predict_set(NEW), fitted["ridge"].predict_set(NEW, coverage=0.8)
    )
    by_folds = nask.Conformal(clone(ALL["ridge"]), cv=3).fit(GRAPHS, MUTAG.y[:60])
    assert not by_folds.knows_
    assert by_folds.score(NEW, MUTAG.y[60:80]) == conformal.score(NEW, MUTAG.y[60:80])
    numbers = nask.Conformal(clone(ALL["mean numbers"])).fit(GRAPHS, NUMBERS)
    np.testing.assert_array_equal(
        numbers.predict_interval(NEW), fitted["mean numbers"].predict_interval(NEW)
    )
    with pytest.raises(ParameterError, match=r"predicts numbers, .*predict_interval"):
        numbers.predict_set(NEW)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"coverage": 1.5}, "'coverage' parameter of Conformal"),
        ({"cv": 1}, "'cv' parameter of Conformal"),
        ({"estimator": nask.NASK()}, "'estimator' parameter of Conformal must be a regressor"),
        ({"estimator": None}, "'estimator' parameter of Conformal must be .* Got None instead"),
        ({"verbose": "yes"}, "'verbose' parameter of Conformal must be .* Got 'yes' instead"),
    ],
)
def test_parameters_of_conformal(options, message):
    with pytest.raises(ParameterError, match=message):
        nask.Conformal(**{"estimator": ALL["svm"], **options}).fit(GRAPHS, MUTAG.y[:60])


def test_conformal_tells_of_its_folds():
    told = []
    pipeline = make_pipeline(FEATURES, Ridge())
    model = nask.Conformal(pipeline, cv=3, verbose=lambda *done: told.append(done))
    model.fit(GRAPHS, NUMBERS)
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_conformal_needs_two_of_each_class():
    pipeline = make_pipeline(FEATURES, LogisticRegression())
    with pytest.raises(ParameterError, match="Got a single graph of a class"):
        nask.Conformal(pipeline).fit(GRAPHS, [1] + [0] * 59)


# Outliers


@pytest.mark.parametrize("learner", ["nearest", "svm"])
def test_planted_outliers_are_found_among_as_many_alarms_as_asked_for(learner):
    """Graphs drawn alike, rings with a number at each node; outliers are paths, or have others."""
    rng = np.random.default_rng(11)

    def ring(n, mean):
        edges = [(k, (k + 1) % n) for k in range(n)]
        return nask.AttributedGraph(n, edges, {"x": rng.normal(mean, 1, n).tolist()})

    train, new = ([ring(rng.integers(6, 12), 0) for _ in range(150)] for _ in "ab")
    far = [ring(8, 6) for _ in range(20)]
    large = [ring(60, 0) for _ in range(20)]
    detector = nask.NASKOutlierDetector(n_hops=1, learner=learner, nu=0.1).fit(train)
    assert 0.03 < np.mean(detector.predict(new) == -1) < 0.2
    if learner == "svm":
        # Its own threshold would not do.
        assert np.mean(detector.score_samples(new) < 0) > 0.25
    assert np.mean(detector.predict(far) == -1) > 0.9
    assert np.mean(detector.predict(large) == -1) > 0.9
    assert np.mean(detector.applicability(far) < 0.05) > 0.9
    assert abs(np.mean(detector.applicability(new) <= 0.1) - 0.1) < 0.08
    among = detector.fit_predict([*train, far[0], large[0]])
    assert among[-2:].tolist() == [-1, -1]
    assert np.mean(among == -1) < 0.12


def test_scores_and_offset_agree(fitted):
    for name in DETECTORS:
        model = fitted[name]
        scores = model.score_samples(NEW)
        np.testing.assert_allclose(model.decision_function(NEW), scores - model.offset_)
        np.testing.assert_array_equal(model.predict(NEW), np.where(scores < model.offset_, -1, 1))
    assert len(fitted["nearest"].support_) == 60
    assert len(fitted["one class"].support_) < 60


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"nu": 0.0}, "'nu' parameter of NASKOutlierDetector must be a float in the range"),
        ({"nu": 1}, "'nu' parameter"),
        ({"learner": "lof"}, "'learner' parameter of NASKOutlierDetector must be one of 'nearest'"),
        ({"n_hops": 0}, "'n_hops' parameter"),
        ({"nu": 0.001}, "Give a larger nu, or 999 graphs"),
    ],
)
def test_parameters_of_detectors(parameters, message):
    with pytest.raises(ParameterError, match=message):
        nask.NASKOutlierDetector(**parameters).fit(GRAPHS)


def test_a_detector_needs_two_graphs_and_explains_nothing(fitted):
    with pytest.raises(ParameterError, match="one sample: expected 2 training graphs"):
        nask.NASKOutlierDetector().fit(GRAPHS[:1])
    with pytest.raises(ParameterError, match=r"nask\.align"):
        fitted["nearest"].explain(NEW[0])


def test_errors_are_not_changed_by_what_is_asked(fitted):
    errors = fitted["svr"].conformity_.errors
    before = errors.copy()
    Conformity(errors).half_width(0.5)
    np.testing.assert_array_equal(errors, before)


def test_a_search_measures_distances_on_its_way(monkeypatch):
    """By the kernel of the best setting, and without another pass over the graphs for it."""
    from nask.tuning import averaging

    grid = {"n_hops": [1, 2], "gamma": [0.1, 1.0], "gram": ["linear", "rbf"], "alpha": [0.1]}
    monkeypatch.setattr(averaging, "_likeness", lambda *_: pytest.fail("another pass"))
    model = nask.TunedNASKClassifier(grid=grid).fit(GRAPHS, MUTAG.y[:60])
    best = {name: model.best_params_[name] for name in ("n_hops", "gamma", "gram", "alpha")}
    alone = nask.NASKClassifier(learner="ridge", **best).fit(GRAPHS, MUTAG.y[:60])
    np.testing.assert_allclose(model.applicability(NEW), alone.applicability(NEW))
    ours, theirs = model.best_estimator_.likeness.likeness, alone.likeness_
    np.testing.assert_allclose(ours.distances, theirs.distances, atol=1e-7)
    # Without what was noted, a pass gives the same.
    monkeypatch.undo()
    monkeypatch.setattr("nask.tuning.leave_one_out.RidgeJudge._note_distances", lambda *_: None)
    later = nask.TunedNASKClassifier(grid=grid).fit(GRAPHS, MUTAG.y[:60])
    found = later.best_estimator_.likeness.likeness
    np.testing.assert_allclose(found.distances, ours.distances, atol=1e-7)

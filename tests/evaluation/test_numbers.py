"""nask.evaluate on numbers: honest folds, records, rivals and comparison."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import mean_absolute_error, r2_score

import nask
from nask.evaluation.results import records_path
from nask.evaluation.splits import plain_splits
from nask.exceptions import FormatError, ParameterError
from nask.lab.rivals.catalogue import regression_rival, rival
from nask.learning.ridge import KernelRidge

GRID = {"gamma": [0.1, 1.0], "n_hops": [1, 2], "normalize": [True, False], "alpha": [0.01, 0.3]}
PROTOCOL = {"folds": 4, "repeats": 2, "random_state": 100}


def outcome(result):
    """What must not depend on how it was computed: all but the times."""
    return [(r.repeat, r.fold, r.scores, r.inner_score, dict(r.parameters), r.test, r.predicted)
            for r in result.records]  # fmt: skip


@pytest.fixture(scope="module")
def sized(mutag):
    """Graphs and a number that their attributes and edges tell, but for some noise."""
    rng = np.random.default_rng(100)
    graphs = mutag.graphs[:48]
    first = [np.mean(graph.node_attributes["node_label"].data == 0) for graph in graphs]
    density = [graph.n_edges / graph.n_nodes for graph in graphs]
    y = 10 * np.array(first) + 3 * np.array(density) + 0.2 * rng.normal(size=48) + 1000
    return nask.Dataset("sized", graphs, y)


@pytest.fixture(scope="module")
def model():
    return nask.TunedNASKRegressor(grid=GRID)


@pytest.fixture(scope="module")
def undisturbed(model, sized):
    return nask.evaluate(model, sized, **PROTOCOL)


def test_records_hold_what_scores_are_found_from(undisturbed, sized):
    tested = np.concatenate([r.test for r in undisturbed.records if r.repeat == 0])
    np.testing.assert_array_equal(np.sort(tested), np.arange(48))
    for record in undisturbed.records:
        truth = sized.y[list(record.test)]
        assert record.truth == tuple(truth)
        assert record.accuracy is None
        assert record.scores["r2"] == pytest.approx(r2_score(truth, record.predicted))
        expected = -mean_absolute_error(truth, record.predicted)
        assert record.scores["neg_mean_absolute_error"] == pytest.approx(expected)
        assert "neg_root_mean_squared_error" in record.scores
    assert undisturbed.score_mean > 0.7
    assert undisturbed.task == "regress"
    plain = undisturbed.to_json()
    assert plain["r2_mean"] == plain["score_mean"] == undisturbed.score_mean
    assert 0 < plain["mae_mean"] < plain["rmse_mean"]
    assert "majority" not in plain
    assert "accuracy_mean" not in plain
    assert "R2 0." in repr(undisturbed)


def test_folds_depend_on_the_number_of_graphs_and_the_seed_alone(undisturbed):
    expected = [(s.repeat, s.fold, tuple(s.test)) for s in plain_splits(48, 4, 2, 100)]
    assert [(r.repeat, r.fold, r.test) for r in undisturbed.records] == expected


def test_folds_are_those_of_refits(monkeypatch, model, sized):
    """With all settings averaged: each is learned from the training rows, one by one."""
    monkeypatch.setattr("nask.tuning.near_best.BEHIND", 1e4)
    sized = nask.Dataset("few", sized.graphs[:24], sized.y[:24])
    result = nask.evaluate(model, sized, folds=3, repeats=1)
    kernels = [
        nask.NASK(gamma=gamma, n_hops=n_hops, normalize=normalize).fit_transform(sized.graphs)
        for gamma in GRID["gamma"]
        for n_hops in GRID["n_hops"]
        for normalize in GRID["normalize"]
    ]
    for record in result.records:
        test = np.array(record.test)
        train = np.setdiff1d(np.arange(24), test)
        predicted, scores = [], []
        for gram in kernels:
            own = gram[np.ix_(train, train)]
            # The unit of the penalty is that of the whole set.
            factor = (np.mean(np.diag(gram)) - gram.mean()) / (np.mean(np.diag(own)) - own.mean())
            for alpha in GRID["alpha"]:
                ridge = KernelRidge.regress(own, sized.y[train], alpha * factor)
                predicted.append(ridge.decide(gram[np.ix_(test, train)])[:, 0])
                left_out = []
                for place in range(len(train)):
                    others = np.delete(np.arange(len(train)), place)
                    inner = own[np.ix_(others, others)]
                    unit = (np.mean(np.diag(own)) - own.mean()) / (
                        np.mean(np.diag(inner)) - inner.mean()
                    )
                    one = KernelRidge.regress(inner, sized.y[train][others], alpha * factor * unit)
                    left_out.append(one.decide(own[[place]][:, others])[0, 0])
                scores.append(r2_score(sized.y[train], left_out))
        np.testing.assert_allclose(record.predicted, np.mean(predicted, axis=0), rtol=1e-9)
        assert record.inner_score == pytest.approx(max(scores), abs=1e-6)
        assert record.parameters["averaged"] == len(predicted)


def test_targets_of_a_test_fold_change_no_prediction(model, sized, undisturbed):
    record = undisturbed.records[1]
    spoiled = sized.y.copy()
    test = list(record.test)
    spoiled[test] = 5 * spoiled[test][::-1]
    other = nask.evaluate(model, nask.Dataset("sized", sized.graphs, spoiled), **PROTOCOL)
    blind = other.records[1]
    assert blind.test == record.test
    np.testing.assert_allclose(blind.predicted, record.predicted, rtol=1e-9)
    assert blind.parameters == record.parameters
    assert blind.inner_score == pytest.approx(record.inner_score, abs=1e-8)
    assert blind.scores["r2"] < 0 < record.scores["r2"]


def test_shuffled_targets_are_not_predicted(model, sized):
    rng = np.random.default_rng(100)
    found = []
    for _ in range(4):
        shuffled = nask.Dataset("shuffled", sized.graphs, rng.permutation(sized.y))
        found.append(nask.evaluate(model, shuffled, folds=4, repeats=1).score_mean)
    assert np.mean(found) < 0.02


def test_a_run_goes_on_and_reads_back(model, sized, undisturbed, tmp_path):
    result = nask.evaluate(model, sized, out=tmp_path, **PROTOCOL)
    assert outcome(result) == outcome(undisturbed)
    path = records_path(tmp_path, "sized", "nask")
    lines = path.read_text().splitlines(keepends=True)
    assert json.loads(lines[0])["version"] == 3
    # As if it had been stopped in the second repeat.
    path.write_text("".join(lines[:-3]))
    [part] = nask.read_results(tmp_path)
    assert part.repeats == 1
    again = nask.evaluate(model, sized, out=tmp_path, **PROTOCOL)
    for mine, first in zip(again.records, result.records, strict=True):
        assert (mine.test, mine.parameters) == (first.test, first.parameters)
        # The folds that are left are taken from another inverse.
        np.testing.assert_allclose(mine.predicted, first.predicted, rtol=1e-10)
    assert nask.read_results(tmp_path) == [again]


def test_a_score_that_its_predictions_do_not_have_is_found_out(sized, tmp_path):
    nask.evaluate("mean", sized, out=tmp_path, folds=3, repeats=1)
    path = records_path(tmp_path, "sized", "mean")
    lines = path.read_text().splitlines(keepends=True)
    fold = json.loads(lines[2])
    fold["scores"]["r2"] += 0.1
    path.write_text("".join([*lines[:2], json.dumps(fold) + "\n", *lines[3:]]))
    with pytest.raises(FormatError, match=r"has r2 .*, but its predictions have"):
        nask.read_results(tmp_path)


def test_any_regressor_is_fitted_on_training_graphs_alone(sized):
    result = nask.evaluate(nask.NASKRegressor(learner="ridge"), sized, folds=3, repeats=1)
    record = result.records[0]
    train = np.setdiff1d(np.arange(48), record.test)
    fitted = nask.NASKRegressor(learner="ridge").fit(
        [sized.graphs[k] for k in train], sized.y[train]
    )
    expected = fitted.predict([sized.graphs[k] for k in record.test])
    np.testing.assert_array_equal(record.predicted, expected)
    strict = nask.evaluate(
        nask.TunedNASKRegressor(grid=GRID), sized, folds=3, repeats=1, strict=True
    )
    assert strict.strict
    assert strict.score_mean > 0.6


def test_twins_stay_together(sized):
    doubled = nask.Dataset("doubled", [*sized.graphs, *sized.graphs], np.tile(sized.y, 2))
    result = nask.evaluate("mean", doubled, split="grouped", folds=4, repeats=1)
    assert result.dataset == "doubled@grouped"
    for record in result.records:
        assert {k % 48 for k in record.test} == {k for k in record.test if k < 48}


def test_rivals_and_floors(sized, undisturbed):
    results = [
        undisturbed,
        *(nask.evaluate(name, sized, **PROTOCOL) for name in ("mean", "attributes-only", "wl")),
    ]
    assert [own.method for own in results] == ["nask", "mean", "attributes-only", "wl"]
    assert results[1].score_mean <= 0
    assert min(own.score_mean for own in results[2:]) > 0.5
    comparison = nask.compare(results)
    [table] = comparison.tables
    assert table.scoring == "r2"
    cell = comparison.cell("sized", "mean")
    gaps = np.array([own.scores["r2"] for own in results[1].records]) - [
        own.scores["r2"] for own in undisturbed.records
    ]
    assert cell.difference == pytest.approx(gaps.mean())
    assert (cell.against, cell.tie) == ("nask", False)
    assert comparison.to_markdown().startswith("**R2, graphs**")
    by_error = nask.compare(results, scoring="neg_mean_absolute_error")
    assert by_error.cell("sized", "mean").mean < by_error.cell("sized", "nask").mean < 0
    with pytest.raises(ParameterError, match="all of them are on numbers"):
        nask.compare(results, scoring="accuracy")


def test_numbers_and_classes_are_compared_apart(sized, mutag, tmp_path):
    few = nask.Dataset("few", mutag.graphs[:48], mutag.y[:48])
    for dataset in (sized, few):
        for floor in (
            (nask.NASKRegressor(n_hops=1), "mean")
            if dataset is sized
            else (nask.NASKClassifier(n_hops=1), "majority")
        ):
            nask.evaluate(floor, dataset, folds=2, repeats=1, out=tmp_path)
    comparison = nask.compare(tmp_path)
    assert [(table.scoring, table.datasets) for table in comparison.tables] == [
        ("accuracy", ("few",)),
        ("r2", ("sized",)),
    ]
    only = nask.compare(tmp_path, scoring="r2")
    assert [table.datasets for table in only.tables] == [("sized",)]


@pytest.mark.parametrize("name", ["wl-svm", "nask-svm", "gin", "majority", "nsk"])
def test_what_learns_no_numbers_is_told(sized, name):
    with pytest.raises(ParameterError, match="has numbers on a scale, because y holds numbers"):
        nask.evaluate(name, sized)


def test_too_many_folds_and_wrong_scores_are_told(sized):
    with pytest.raises(ParameterError, match="Use 2 to 24 folds"):
        nask.evaluate("mean", sized, folds=25)
    with pytest.raises(ParameterError, match="Scores for numbers on a scale: r2, "):
        nask.evaluate("mean", sized, scoring="accuracy")
    missing = nask.Dataset("missing", sized.graphs, [np.nan, *sized.y[1:]])
    with pytest.raises(ParameterError, match="y has no value for 1 of 48 graphs"):
        nask.evaluate("mean", missing)


def test_a_rival_regressor_is_a_search_on_its_kernel(sized):
    assert [s.candidates for s in clone(regression_rival("wl")).sweeps()] == [
        s.candidates for s in rival("wl").sweeps()
    ]

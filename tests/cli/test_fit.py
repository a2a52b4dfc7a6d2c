"""``nask fit``: the saved model is the one Python would train."""

import numpy as np
import pytest

import nask
from nask.exceptions import FileWriteError, NaskError, ParameterError

NUMBERS = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]


def test_a_classifier(invoke, tmp_path, mutag):
    path = tmp_path / "m.nask"
    output = invoke(
        "fit", "MUTAG", "--model", path, "--C", 3, "--hops", 2, "--degree", "categorical"
    ).stdout
    expected = nask.NASKClassifier(C=3.0, n_hops=2, degree="categorical")
    expected.fit(mutag.graphs, mutag.y)
    model = nask.load(path)
    assert type(model) is nask.NASKClassifier
    np.testing.assert_allclose(
        model.decision_function(mutag.graphs), expected.decision_function(mutag.graphs)
    )
    np.testing.assert_allclose(
        model.predict_proba(mutag.graphs), expected.predict_proba(mutag.graphs)
    )
    assert "188 graphs" in output
    assert "2 classes" in output
    assert f"{len(model.support_)} support graphs" in output
    assert [path.name for path in tmp_path.iterdir()] == ["m.nask"]


def test_how_it_was_run_is_no_part_of_the_model(invoke, tmp_path):
    path = tmp_path / "m.nask"
    invoke("fit", "MUTAG", "--model", path, "--n-jobs", 2, "--memory-limit", "1GB", "--hops", 1)
    assert nask.load(path).get_params() == nask.NASKClassifier(n_hops=1).get_params()


@pytest.mark.parametrize(
    ("targets", "options"),
    [
        ({"graph_attributes": NUMBERS}, []),
        ({"graph_labels": [1, 2, 3, 4, 5, 6]}, ["--task", "regress"]),
    ],
)
def test_a_regressor(invoke, tmp_path, tiny, targets, options):
    folder, path = tiny(**targets), tmp_path / "m.nask"
    output = invoke("fit", folder, "--model", path, *options).stdout
    dataset = nask.io.read_tu(folder)
    expected = nask.NASKRegressor().fit(dataset.graphs, dataset.y)
    model = nask.load(path)
    assert type(model) is nask.NASKRegressor
    np.testing.assert_allclose(model.predict(dataset.graphs), expected.predict(dataset.graphs))
    assert "NASKRegressor on 6 graphs" in output
    assert "classes" not in output


def test_whole_labels_are_classes_unless_asked(invoke, tmp_path, tiny):
    invoke("fit", tiny(graph_labels=[1, 1, 1, 2, 2, 2]), "--model", tmp_path / "m.nask")
    assert nask.load(tmp_path / "m.nask").classes_.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ({}, "TINY has no targets to learn: expected a column y in graphs.csv, or a file "),
        ({"graph_attributes": [f"{k}.5, 1.5" for k in range(6)]}, "2 targets per graph"),
        ({"graph_labels": [1] * 6}, "at least two classes"),
    ],
)
def test_targets_that_cannot_be_learned_leave_no_file(invoke, tmp_path, tiny, targets, message):
    folder = tiny(**targets)
    with pytest.raises(ParameterError, match=message):
        invoke("fit", folder, "--model", tmp_path / "m.nask")
    assert [path.name for path in tmp_path.iterdir()] == ["TINY"]


@pytest.mark.parametrize("options", [["--C", "0"], ["--gamma", "0"]])
def test_values_out_of_range_are_the_models_own_errors(invoke, tmp_path, options):
    with pytest.raises(NaskError, match="parameter of NASKClassifier must be"):
        invoke("fit", "MUTAG", "--model", tmp_path / "m.nask", *options)


def test_a_wrong_place_is_an_error_before_anything_is_computed(invoke, tmp_path, monkeypatch):
    monkeypatch.setattr(nask.NASKClassifier, "fit", lambda *_: pytest.fail("training began"))
    with pytest.raises(FileWriteError, match="give --model a place in one that exists"):
        invoke("fit", "MUTAG", "--model", tmp_path / "nowhere" / "m.nask")


@pytest.mark.slow
def test_as_a_process(process, tmp_path, mutag):
    path = tmp_path / "m.nask"
    done = process("fit", "MUTAG", "--model", path, "--hops", 1)
    assert (done.returncode, done.stderr) == (0, "")
    expected = nask.NASKClassifier(n_hops=1).fit(mutag.graphs, mutag.y)
    np.testing.assert_array_equal(
        nask.load(path).predict(mutag.graphs), expected.predict(mutag.graphs)
    )


@pytest.mark.parametrize("task", ["classify", "regress"])
def test_features_for_many_graphs(invoke, tmp_path, mutag, task):
    path = tmp_path / "m.nask"
    options = ["--features", 64, "--hops", 2, "--gamma", 2, "--task", task]
    output = invoke("fit", "MUTAG", "--model", path, *options).stdout
    features = nask.NASKFeatures(n_components=64, n_hops=2, gamma=2.0)
    streams = {"classify": nask.NASKStreamClassifier, "regress": nask.NASKStreamRegressor}
    expected = streams[task](features=features).fit(mutag.graphs, mutag.y)
    model = nask.load(path)
    assert type(model) is streams[task]
    np.testing.assert_allclose(model.predict(mutag.graphs), expected.predict(mutag.graphs))
    assert f"64 features, penalty {expected.alpha_:g}" in output
    predicted = invoke("predict", path, "MUTAG", "--out", tmp_path / "p.csv")
    assert ("Accuracy" if task == "classify" else "R2") in predicted.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tune"], "leave out one of them"),
        (["--gram", "rbf"], "no option --gram"),
        (["--dtype", "float32"], "no option --dtype"),
        (["--expansion", "walk"], "no random features for expansion='walk'"),
    ],
)
def test_what_features_do_not_have_is_refused(invoke, tmp_path, options, message):
    with pytest.raises(ParameterError, match=message):
        invoke("fit", "MUTAG", "--model", tmp_path / "m.nask", "--features", 64, *options)


def test_models_of_features_are_not_explained(invoke, tmp_path):
    path = tmp_path / "m.nask"
    invoke("fit", "MUTAG", "--model", path, "--features", 64, "--hops", 1)
    with pytest.raises(ParameterError, match="without --features"):
        invoke("explain", path, "MUTAG", "--out", tmp_path / "why")


@pytest.mark.parametrize(
    ("learner", "expected"),
    [
        ("ridge", nask.NASKClassifier(learner="ridge", n_hops=1)),
        ("process", nask.NASKGaussianProcessClassifier(n_hops=1)),
        ("outliers", nask.NASKOutlierDetector(n_hops=1)),
    ],
)
def test_learners(invoke, tmp_path, mutag, learner, expected):
    path = tmp_path / "m.nask"
    output = invoke("fit", "MUTAG", "--model", path, "--learner", learner, "--hops", 1).stdout
    model = nask.load(path)
    expected.fit(mutag.graphs, mutag.y)
    assert type(model) is type(expected)
    assert model.get_params() == expected.get_params()
    np.testing.assert_allclose(
        model.decision_function(mutag.graphs[:9]), expected.decision_function(mutag.graphs[:9])
    )
    told = {"ridge": "188 support", "process": "Learned: gamma ", "outliers": "10 % will be"}
    assert told[learner] in output


def test_outliers_among_molecules_need_no_target(invoke, tmp_path):
    table, path = tmp_path / "mols.csv", tmp_path / "m.nask"
    rows = "".join(f"{'C' * length},{'a' * (length % 2)}\n" for length in range(1, 13))
    table.write_text("smiles,activity\n" + rows)
    for options in ([], ["--target", "activity"]):
        output = invoke("fit", table, "--learner", "outliers", "--model", path, *options).stdout
        assert "NASKOutlierDetector on 12 graphs" in output
        assert invoke("predict", path, table).stdout.count("\n") == 13


def test_a_detector_knows_which_column_is_no_attribute(invoke, tmp_path):
    folder, path = tmp_path / "set", tmp_path / "m.nask"
    folder.mkdir()
    lines = {
        "nodes": [f"{i},0,{i % 3}" for i in range(12)],
        "edges": [],
        "graphs": [f"{i},{i % 2}" for i in range(12)],
    }
    heads = {"nodes": "graph,node,age", "edges": "graph,source,target", "graphs": "graph,kind"}
    for name, head in heads.items():
        (folder / f"{name}.csv").write_text("\n".join([head, *lines[name], ""]))
    invoke("fit", folder, "--learner", "outliers", "--target", "kind", "--model", path)
    assert invoke("predict", path, folder).stdout.count("\n") == 13


def test_a_process_of_numbers_tells_deviations(invoke, tmp_path, tiny):
    folder, path = tiny(graph_attributes=NUMBERS), tmp_path / "m.nask"
    output = invoke("fit", folder, "--model", path, "--learner", "process", "--gram", "linear")
    model = nask.load(path)
    assert type(model) is nask.NASKGaussianProcessRegressor
    assert model.gram == "linear"
    assert f"noise {model.noise_:.3g}; log" in output.stdout
    out = tmp_path / "p.csv"
    invoke("predict", path, folder, "--std", "--out", out)
    rows = [line.split(",") for line in out.read_text().splitlines()]
    assert rows[0] == ["graph", "prediction", "std"]
    mean, std = model.predict(nask.io.read_tu(folder).graphs, return_std=True)
    np.testing.assert_allclose(np.array(rows[1:], dtype=float)[:, 1:], np.column_stack([mean, std]))


def test_what_ends_at_its_bound_is_told(invoke, tmp_path):
    path = tmp_path / "m.nask"
    told = invoke("fit", "MUTAG", "--model", path, "--learner", "process", "--hops", 1).stdout
    model = nask.load(path)
    assert model.kernel_.gamma == pytest.approx(0.01)
    assert "gamma 0.01 (at its bound), " in told
    assert told.count("at its bound") == 1


def test_a_tuned_learner(invoke, tmp_path, tiny):
    few = ["--hops", "1"]
    folder, path = tiny(graph_labels=[1, 2, 1, 2, 1, 2]), tmp_path / "m.nask"
    output = invoke("fit", folder, "--model", path, "--tune", "--learner", "svm", *few).stdout
    assert type(nask.load(path)) is nask.NASKClassifier
    assert "on inner folds" in output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--learner", "ridge", "--C", "3"], "--C is the penalty of an SVM"),
        (["--learner", "process", "--tune"], "--learner process learns without --tune"),
        (["--learner", "outliers", "--features", "64"], "learns without --features"),
        (["--learner", "svm", "--features", "64"], "leave out --learner"),
        (["--C", "3", "--features", "64"], "leave out --C"),
    ],
)
def test_options_that_contradict_each_other(invoke, tmp_path, options, message):
    with pytest.raises(ParameterError, match=message):
        invoke("fit", "MUTAG", "--model", tmp_path / "m.nask", *options)
    assert not list(tmp_path.iterdir())


def test_a_search_for_numbers_has_ridge_regressions(invoke, tmp_path, tiny):
    folder = tiny(graph_attributes=NUMBERS)
    with pytest.raises(ParameterError, match="knows ridge regressions alone"):
        invoke("fit", folder, "--model", tmp_path / "m.nask", "--tune", "--learner", "svm")


@pytest.mark.parametrize("option", [["--learner", "process"], ["--learner", "outliers"]])
def test_networks_have_no_such_learner(invoke, tmp_path, option):
    (tmp_path / "nodes.csv").write_text("node,age,y\n" + "".join(f"{i},{i},a\n" for i in range(4)))
    (tmp_path / "edges.csv").write_text("source,target\n0,1\n")
    with pytest.raises(ParameterError, match="is for sets of graphs"):
        invoke("fit", tmp_path, "--model", tmp_path / "m.nask", *option)


def test_a_model_without_deviations_says_so(invoke, tmp_path):
    path = tmp_path / "m.nask"
    invoke("fit", "MUTAG", "--model", path, "--hops", "1")
    with pytest.raises(ParameterError, match="which knows no standard deviations"):
        invoke("predict", path, "MUTAG", "--std")

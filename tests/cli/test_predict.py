"""``nask predict``: a CSV that holds what the model says, and nothing else."""

import csv
import io

import numpy as np
import pytest

import nask
from nask.cli.models import load_model
from nask.exceptions import DatasetNotFoundError, ModelFileError, ParameterError

VALUES = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]


def read(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [int(row["graph"]) for row in rows] == list(range(len(rows)))
    return rows


def column(rows, name):
    return np.array([float(row[name]) for row in rows])


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    """A model of half of MUTAG, and its file."""
    mutag = nask.load_dataset("MUTAG")
    model = nask.NASKClassifier(n_hops=1).fit(mutag.graphs[::2], mutag.y[::2])
    path = tmp_path_factory.mktemp("models") / "m.nask"
    model.save(path)
    return path, model


@pytest.fixture
def regressor(tmp_path, tiny):
    folder = tiny("TRAIN", graph_attributes=VALUES)
    dataset = nask.io.read_tu(folder)
    model = nask.NASKRegressor().fit(dataset.graphs, dataset.y)
    model.save(tmp_path / "r.nask")
    return tmp_path / "r.nask", model, folder, dataset


def test_classes_and_their_probabilities(invoke, classifier, mutag):
    path, model = classifier
    result = invoke("predict", path, "MUTAG", "--proba")
    rows = read(result.stdout)
    np.testing.assert_array_equal(column(rows, "prediction"), model.predict(mutag.graphs))
    probabilities = [column(rows, "probability_-1"), column(rows, "probability_1")]
    np.testing.assert_allclose(
        np.transpose(probabilities), model.predict_proba(mutag.graphs), rtol=1e-9
    )
    right = sum(model.predict(mutag.graphs) == mutag.y)
    assert result.stderr == f"Accuracy {right / 1.88:.1f} % ({right} of 188 graphs).\n"


def test_models_of_a_search(invoke, tmp_path, mutag):
    """What nask fit --tune saves has several kernels, and no kernel_."""
    grid = {"gamma": [0.5, 1.0], "n_hops": [1]}
    model = nask.TunedNASKClassifier(grid=grid).fit(mutag.graphs[::2], mutag.y[::2])
    model.save(tmp_path / "m.nask")
    result = invoke("predict", tmp_path / "m.nask", "MUTAG", "--proba")
    rows = read(result.stdout)
    np.testing.assert_array_equal(column(rows, "prediction"), model.predict(mutag.graphs))
    np.testing.assert_allclose(
        column(rows, "probability_1"), model.predict_proba(mutag.graphs)[:, 1], rtol=1e-9
    )
    assert result.stderr.startswith("Accuracy ")


def test_probabilities_only_where_asked_for(invoke, classifier):
    rows = read(invoke("predict", classifier[0], "MUTAG").stdout)
    assert list(rows[0]) == ["graph", "prediction"]
    assert rows[0]["prediction"] in ("1", "-1")  # as the class is written, not 1.0


def test_into_a_file(invoke, tmp_path, classifier):
    out = tmp_path / "p.csv"
    printed = invoke("predict", classifier[0], "MUTAG").stdout
    result = invoke("predict", classifier[0], "MUTAG", "--out", out)
    assert out.read_text() == printed
    assert result.stdout == ""
    assert "Accuracy" in result.stderr


def test_numbers(invoke, regressor):
    path, model, folder, dataset = regressor
    result = invoke("predict", path, folder)
    np.testing.assert_allclose(
        column(read(result.stdout), "prediction"), model.predict(dataset.graphs)
    )
    errors = model.predict(dataset.graphs) - dataset.y
    assert result.stderr == (
        f"R2 {model.score(dataset.graphs, dataset.y):.3f}, mean absolute error "
        f"{np.abs(errors).mean():.4g}, root mean squared error "
        f"{np.sqrt((errors**2).mean()):.4g} (6 graphs).\n"
    )


def test_graphs_without_targets_have_no_score(invoke, tiny, regressor):
    result = invoke("predict", regressor[0], tiny("NEW"))
    assert len(read(result.stdout)) == 6
    assert result.stderr == ""


def test_numbers_have_no_probabilities(invoke, regressor):
    path, _, folder, _ = regressor
    with pytest.raises(ParameterError, match=r"NASKRegressor.*Leave out --proba"):
        invoke("predict", path, folder, "--proba")


@pytest.mark.parametrize(
    ("content", "message"), [(None, "There is no file"), (b"no model", "not a readable nask model")]
)
def test_a_file_that_is_no_model(invoke, tmp_path, content, message):
    path = tmp_path / "m.nask"
    if content:
        path.write_bytes(content)
    with pytest.raises(ModelFileError, match=message):
        invoke("predict", path, "MUTAG", "--out", tmp_path / "p.csv")
    assert not (tmp_path / "p.csv").exists()


@pytest.mark.slow
def test_as_a_process(invoke, process, tmp_path, mutag):
    path, out = tmp_path / "m.nask", tmp_path / "p.csv"
    invoke("fit", "MUTAG", "--model", path, "--hops", 1)
    done = process("predict", path, "MUTAG", "--proba")
    assert done.returncode == 0
    expected = nask.NASKClassifier(n_hops=1).fit(mutag.graphs, mutag.y)
    np.testing.assert_array_equal(
        column(read(done.stdout), "prediction"), expected.predict(mutag.graphs)
    )
    assert done.stderr.startswith("Accuracy ")
    assert done.stderr.count("\n") == 1
    with pytest.raises(DatasetNotFoundError, match="NO_SUCH_SET"):
        invoke("predict", path, "NO_SUCH_SET", "--out", out)
    assert not out.exists()


def test_graphs_go_by_their_ids(invoke, tmp_path):
    """In a folder of CSV files, in the order of graphs.csv."""
    folder = tmp_path / "mine"
    folder.mkdir()
    rows = [f"g{k},{node},{'CO'[k % 2]}" for k in range(8) for node in "ab"]
    (folder / "nodes.csv").write_text("\n".join(["graph,node,atom", *rows]) + "\n")
    edges = [f"g{k},a,b" for k in range(8)]
    (folder / "edges.csv").write_text("\n".join(["graph,source,target", *edges]) + "\n")
    order = [5, 0, 3, 2, 7, 1, 4, 6]
    (folder / "graphs.csv").write_text(
        "\n".join(["graph,y", *(f"g{k},{'odd' if k % 2 else 'even'}" for k in order)]) + "\n"
    )
    invoke("fit", folder, "--model", tmp_path / "m.nask", "--hops", 1)
    lines = invoke("predict", tmp_path / "m.nask", folder).stdout.splitlines()
    assert lines[1:] == [f"g{k},{'odd' if k % 2 else 'even'}" for k in order]


def test_sets_and_likeness_as_columns(invoke, classifier, mutag):
    path, model = classifier
    result = invoke("predict", path, "MUTAG", "--coverage", 0.9, "--applicability")
    rows = read(result.stdout)
    assert list(rows[0]) == ["graph", "prediction", "set", "applicability"]
    sets = model.predict_set(mutag.graphs, coverage=0.9)
    assert {row["set"] for row in rows} >= {"1", "-1|1"}
    assert [row["set"] for row in rows] == [
        "|".join(str(label) for label in model.classes_[row]) for row in sets
    ]
    np.testing.assert_allclose(column(rows, "applicability"), model.applicability(mutag.graphs))
    assert result.stderr.startswith("Accuracy ")
    assert "unlike" not in result.stderr

    by_class = read(invoke("predict", path, "MUTAG", "--coverage", 0.9, "--by-class").stdout)
    expected = model.predict_set(mutag.graphs, coverage=0.9, by_class=True).sum(axis=1)
    assert [1 + row["set"].count("|") for row in by_class] == expected.tolist()
    assert by_class != rows


def test_sets_and_likeness_of_a_search(invoke, tmp_path, mutag):
    grid = {"gamma": [0.5, 1.0], "n_hops": [1, 2], "gram": ["linear", "rbf"]}
    model = nask.TunedNASKClassifier(grid=grid).fit(mutag.graphs[::2], mutag.y[::2])
    model.save(tmp_path / "m.nask")
    result = invoke("predict", tmp_path / "m.nask", "MUTAG", "--coverage", 0.8, "--applicability")
    rows = read(result.stdout)
    sizes = [1 + row["set"].count("|") for row in rows]
    assert sizes == model.predict_set(mutag.graphs, coverage=0.8).sum(axis=1).tolist()
    np.testing.assert_allclose(column(rows, "applicability"), model.applicability(mutag.graphs))


def test_intervals_as_columns(invoke, regressor):
    path, model, folder, dataset = regressor
    rows = read(invoke("predict", path, folder, "--coverage", 0.8).stdout)
    lower, upper = model.predict_interval(dataset.graphs, coverage=0.8).T
    np.testing.assert_allclose(column(rows, "lower"), lower)
    np.testing.assert_allclose(column(rows, "upper"), upper)


def test_graphs_are_compared_once_however_much_is_asked(invoke, classifier, monkeypatch):
    from nask.kernels.gram_work import GramWork

    made = []
    compute = GramWork.compute
    monkeypatch.setattr(
        GramWork, "compute", lambda self, *how: made.append(1) or compute(self, *how)
    )
    options = ["--coverage", 0.9, "--applicability", "--proba"]
    invoke("predict", classifier[0], "MUTAG", *options)
    assert made == [1]
    monkeypatch.setattr("nask.kernels.remembering.LARGEST_KEPT", 0)
    invoke("predict", classifier[0], "MUTAG", *options)
    assert len(made) == 5


def test_a_note_where_graphs_are_unlike(invoke, classifier, tmp_path):
    """One graph may well be unlike the others; eight would hardly be."""
    folder = tmp_path / "rings"
    folder.mkdir()
    node = [f"g{k},{v},6" for k in range(8) for v in range(3)]
    edges = [f"g{k},{v},{(v + 1) % 3},9" for k in range(8) for v in range(3)]
    (folder / "nodes.csv").write_text("\n".join(["graph,node,node_label", *node]) + "\n")
    (folder / "edges.csv").write_text("\n".join(["graph,source,target,edge_label", *edges]) + "\n")
    result = invoke("predict", classifier[0], folder)
    assert result.stderr.splitlines()[-1].startswith(
        "Note: 8 of 8 graphs are unlike those of training (applicability of 0.05 or less), where 0"
    )
    assert "applicability" not in result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--coverage", 90], r"'coverage' parameter of nask predict must be .*Got 90"),
        (["--by-class"], "--by-class is about the sets of classes of --coverage"),
    ],
)
def test_a_coverage_that_is_none(invoke, classifier, options, message):
    with pytest.raises(ParameterError, match=message):
        invoke("predict", classifier[0], "NO_SUCH_SET", *options)


def test_what_a_model_does_not_know(invoke, regressor, tmp_path, mutag):
    path, _, folder, _ = regressor
    with pytest.raises(ParameterError, match=r"Ask for at most 0\.857"):
        invoke("predict", path, folder, "--coverage", 0.9)
    with pytest.raises(ParameterError, match="--by-class is about the sets of classes"):
        invoke("predict", path, folder, "--coverage", 0.8, "--by-class")
    model = nask.NASKClassifier(n_hops=1, probability=False).fit(mutag.graphs, mutag.y)
    model.likeness_ = None  # as of a file that was saved without it
    model.save(tmp_path / "old.nask")
    with pytest.raises(ParameterError, match="does not know how wrong it is"):
        invoke("predict", tmp_path / "old.nask", "MUTAG", "--coverage", 0.9)
    with pytest.raises(ParameterError, match=r"old\.nask cannot tell .*Fit one with nask fit"):
        invoke("predict", tmp_path / "old.nask", "MUTAG", "--applicability")
    assert invoke("predict", tmp_path / "old.nask", "MUTAG").stderr.count("\n") == 1


def test_a_stream_has_one_bar(tmp_path, mutag):
    nask.NASKStreamClassifier().fit(mutag.graphs[::9], mutag.y[::9]).save(tmp_path / "s.nask")
    model = load_model(tmp_path / "s.nask", n_jobs=2, verbose=True)
    assert (model.verbose, model.features_.verbose, model.features_.n_jobs) == (True, False, 2)


def test_outliers(invoke, tmp_path, mutag):
    model = nask.NASKOutlierDetector(n_hops=1).fit(mutag.graphs[::2])
    model.save(tmp_path / "o.nask")
    result = invoke("predict", tmp_path / "o.nask", "MUTAG", "--applicability")
    rows = read(result.stdout)
    np.testing.assert_array_equal(column(rows, "prediction"), model.predict(mutag.graphs))
    assert {row["prediction"] for row in rows} == {"1", "-1"}
    assert result.stderr == ""
    with pytest.raises(ParameterError, match="whose share of alarms is its 'nu'"):
        invoke("predict", tmp_path / "o.nask", "MUTAG", "--coverage", 0.9)
    with pytest.raises(ParameterError, match="has no classes and so no probabilities"):
        invoke("predict", tmp_path / "o.nask", "MUTAG", "--proba")

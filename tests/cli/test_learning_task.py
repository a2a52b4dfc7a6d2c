"""One file has one task, the same to every command; the user is told which it is and why."""

import json

import numpy as np
import pytest

import nask
from nask.exceptions import ParameterError

FAST = ["--folds", 3, "--repeats", 1, "--inner", 2, "--try", "gamma=1", "--try", "n_hops=1"]
FAST += ["--try", "degree=none", "--try", "gram=linear", "--n-jobs", 1, "--no-pictures"]


@pytest.fixture
def table(tmp_path):
    """Write a folder of CSV files, one graph per value of y; every second one is a pair."""

    def write(values, name="mine"):
        folder = tmp_path / name
        folder.mkdir()
        nodes = [f"g{k},{node},{k % 2}" for k in range(len(values)) for node in "ab"]
        edges = [f"g{k},a,b" for k in range(0, len(values), 2)]
        graphs = [f"g{k},{value}" for k, value in enumerate(values)]
        for file, lines in {
            "nodes": ["graph,node,age", *nodes],
            "edges": ["graph,source,target", *edges],
            "graphs": ["graph,y", *graphs],
        }.items():
            (folder / f"{file}.csv").write_text("\n".join(lines) + "\n")
        return folder

    return write


def evaluated(invoke, folder, tmp_path, *options):
    return invoke("evaluate", folder, *FAST, "--out", tmp_path / "results", *options)


def test_whole_numbers_with_a_point_are_classes_everywhere(invoke, table, tmp_path):
    folder, model = table(["0.0", "1.0"] * 6), tmp_path / "m.nask"
    fitted = invoke("fit", folder, "--model", model)
    assert type(nask.load(model)) is nask.NASKClassifier
    because = "Task: classify, because y holds whole numbers, 2 different ones"
    assert because in fitted.stdout
    assert "--task regress" in fitted.stdout
    result = evaluated(invoke, folder, tmp_path)
    assert f"{because}. (--task regress says otherwise.)\n" in result.stderr
    assert "Accuracy in %" in result.stdout
    assert "Accuracy 100.0 %" in invoke("predict", model, folder).stderr


def test_numbers_on_a_scale_are_regressed_on_everywhere(invoke, table, tmp_path):
    folder, model = table([f"{k / 2}" for k in range(12)]), tmp_path / "m.nask"
    fitted = invoke("fit", folder, "--model", model)
    assert type(nask.load(model)) is nask.NASKRegressor
    assert "Task: regress, because y holds numbers that are not whole, such as 0.5" in fitted.stdout
    assert "R2" in invoke("predict", model, folder).stderr
    result = evaluated(invoke, folder, tmp_path)
    assert "y holds numbers that are not whole, such as 0.5" in result.stderr
    assert "R2" in result.stdout


@pytest.mark.parametrize("values", [[0, 1] * 6, ["0.0", "1.0"] * 6])
def test_the_user_may_say_otherwise(invoke, table, tmp_path, values):
    folder, model = table(values), tmp_path / "m.nask"
    output = invoke("fit", folder, "--model", model, "--task", "regress").stdout
    assert type(nask.load(model)) is nask.NASKRegressor
    assert "Task: regress, because --task says so." in output


def test_many_whole_numbers_may_be_called_classes(invoke, table, tmp_path):
    """By default they are on a scale; the advice of the error leads to a result."""
    folder = table([f"{k % 22}.0" for k in range(66)])
    majority = ["--method", "majority", "--out", tmp_path / "results"]
    refused = invoke("evaluate", folder, *FAST[:6], *majority, succeed=False).stderr
    assert "22 different ones of 66" in refused
    assert "--task classify" in refused
    result = evaluated(invoke, folder, tmp_path, "--task", "classify")
    assert "Task: classify, because --task says so." in result.stderr
    model = tmp_path / "m.nask"
    invoke("fit", folder, "--model", model, "--task", "classify")
    assert len(nask.load(model).classes_) == 22


def test_what_cannot_be_classes_is_told(invoke, table, tmp_path):
    folder = table(["0.5", "1.5"] * 6)
    with pytest.raises(ParameterError, match=r"0\.5 .* is no class.*--task regress"):
        invoke("fit", folder, "--model", tmp_path / "m.nask", "--task", "classify")
    words = table(["a", "b"] * 6, "words")
    with pytest.raises(ParameterError, match=r"Got 'a' for graph 'g0'.*--task classify"):
        invoke("fit", words, "--model", tmp_path / "m.nask", "--task", "regress")


def test_integers_may_be_called_numbers_in_an_evaluation(invoke, table, tmp_path):
    evaluated(invoke, table([0, 1] * 6), tmp_path, "--task", "regress")
    [result] = nask.read_results(tmp_path / "results")
    assert result.task == "regress"
    assert np.isnan(result.accuracy_mean)


def test_python_follows_the_same_rule(mutag):
    whole = nask.Dataset("whole", mutag.graphs[:90], [float(k % 30) for k in range(90)])
    with pytest.raises(ParameterError, match="30 different ones of 90") as caught:
        nask.evaluate("majority", whole, folds=3, repeats=1)
    assert "task='classify'" in str(caught.value)
    said = nask.Dataset("whole", whole.graphs, whole.y, task="classify")
    assert nask.evaluate("majority", said, folds=3, repeats=1).majority == pytest.approx(1 / 30)


def test_pictures_follow_the_same_rule():
    gram = np.eye(4)
    classes = nask.plots.gram_heatmap(gram, [0.0, 1.0, 1.0, 0.0])
    assert [label.get_text() for label in classes.get_yticklabels()] == ["0.0", "1.0"]
    scale = nask.plots.gram_heatmap(gram, [0.0, 1.0, 1.0, 0.0], task="regress")
    assert scale.get_xlabel() == "Graphs, by their value"
    points = nask.plots.embedding(gram, [0.5, 1.0, 1.0, 0.0])
    assert points.get_legend() is None


def test_numbers_are_evaluated_tuned_and_predicted(invoke, table, tmp_path):
    folder, model, out = table([f"{k / 2}" for k in range(12)]), tmp_path / "m.nask", tmp_path / "r"
    fast = [*FAST[:6], "--out", out, "--no-pictures"]
    both = ["--method", "nask", "--method", "mean", "--try", "gamma=1", "--try", "n_hops=1"]
    shown = invoke("evaluate", folder, *fast, *both, "--scoring", "neg_mean_absolute_error").stdout
    assert all(heading in shown for heading in ("R2", "MAE", "RMSE", "nask", "mean"))
    lines = invoke("evaluate", folder, *fast, "--method", "mean", "--json", "--scoring",
                   "neg_mean_absolute_error").stdout.splitlines()  # fmt: skip
    found = json.loads(lines[-1])
    assert found["scoring"] == "neg_mean_absolute_error"
    assert found["score_mean"] == pytest.approx(-found["mae_mean"])
    assert "R2" in invoke("compare", out, "--scoring", "r2").stdout
    told = invoke("fit", folder, "--model", model, "--tune").stdout
    assert "trained a" in told
    assert "averaged" in told
    assert type(nask.load(model)).__name__ == "AveragedRegressor"
    assert "mean absolute error" in invoke("predict", model, folder).stderr


def test_a_score_for_another_target_is_told(invoke, table, tmp_path):
    numbers, classes = table([f"{k / 2}" for k in range(12)]), table([0, 1] * 6, "classes")
    for folder, name in ((numbers, "roc_auc"), (classes, "r2")):
        told = invoke("evaluate", folder, *FAST, "--out", tmp_path / "r", "--scoring", name,
                      succeed=False).stderr  # fmt: skip
        assert f"The score '{name}' is for" in told

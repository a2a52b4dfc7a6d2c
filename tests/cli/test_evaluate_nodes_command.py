"""The command nask evaluate on a network."""

import json

import pytest

import nask
from nask.cli import evaluate as command
from nask.cli import pictures
from nask.cli.reading_options import ReadingOptions
from nask.exceptions import ParameterError

TRY = ("--try", "gamma=0.3", "--try", "gamma_star=8", "--try", "n_hops=1,2", "--try", "C=1",
       "--try", "gram=linear", "--n-jobs", "1")  # fmt: skip


@pytest.fixture(autouse=True)
def network(monkeypatch):
    data = nask.lab.make_social_network(120, 6.0)
    monkeypatch.setattr(ReadingOptions, "load", lambda self, name, *options: data)
    return data


@pytest.mark.slow
def test_a_table_of_nodes_and_pictures(invoke, tmp_path):
    done = invoke("evaluate", "people", "--folds", "3", *TRY, "--out", tmp_path)
    assert "nodes" in done.output
    assert "graphs" not in done.stdout
    assert "1 x 3" in done.output  # one repeat by default
    run = json.loads((tmp_path / "social_network--nask.jsonl").read_text().splitlines()[0])["run"]
    assert (run["inner"], run["split"]) == (3, "folds")
    names = ["-confusion.png", "-kernel.png", ".jsonl"]
    expected = [*(f"social_network--nask{name}" for name in names), "accuracy.png"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(expected)


def test_the_public_split_beside_the_folds(invoke, tmp_path):
    for options in (("--folds", "2"), ("--split", "planetoid")):
        done = invoke("evaluate", "people", *options, *TRY, "--no-pictures", "--out", tmp_path)
    assert "public split" in done.output
    assert "±" not in done.output
    assert [r.dataset for r in nask.read_results(tmp_path)] == [
        "social_network",
        "social_network@planetoid",
    ]


def test_no_picture_of_the_kernel_of_a_large_network(invoke, monkeypatch, tmp_path):
    monkeypatch.setattr(pictures, "MOST_NODES", 100)
    invoke("evaluate", "people", "--folds", "2", *TRY, "--out", tmp_path)
    assert not list(tmp_path.glob("*kernel.png"))
    assert list(tmp_path.glob("*confusion.png"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--strict",), "is for sets of graphs"),
        (("--split", "planetoid", "--folds", "3"), "'folds' parameter of evaluate is for"),
        (("--split", "planetoid", "--inner", "3"), "'inner' parameter of evaluate is for"),
    ],
)
def test_options_that_do_not_apply(invoke, tmp_path, options, message):
    done = invoke("evaluate", "people", *options, *TRY, "--out", tmp_path, succeed=False)
    assert message in done.output
    assert not list(tmp_path.iterdir())


def test_the_grid_of_nodes_is_the_default():
    model = command._model("nask", "nodes", "classify", None, [], "ball")
    assert (model.grid, model.estimator.expansion, model.estimator.dtype) == (
        "nodes",
        "ball",
        "float32",
    )
    assert command._model("nask", "graphs", "classify", None, [], "nested").grid == "default"
    with pytest.raises(ParameterError, match="no method"):
        command._model("nsk", "nodes", "classify", None, [], "nested")

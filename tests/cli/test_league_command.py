"""The command nask league as a user meets it."""

import json

import pytest

import nask
from made_up_results import result, write
from nask.evaluation.results import read_results
from nask.exceptions import NaskError, ParameterError

FEW = ["--method", "hgk-wl", "--method", "majority", "--reference", "hgk-wl"]


@pytest.fixture
def sets(tmp_path, mutag, monkeypatch):
    """Two small sets by name; the first has a graph twice."""
    graphs, y = [*mutag.graphs[:40], mutag.graphs[0]], [*mutag.y[:40], mutag.y[0]]
    made = {
        "A": nask.Dataset("A", graphs, y),
        "B": nask.Dataset("B", mutag.graphs[60:110], mutag.y[60:110]),
    }
    monkeypatch.setattr("nask.load_dataset", lambda name, **_: made[name])
    return made


@pytest.mark.slow
def test_all_runs_then_tables_and_nothing_again(invoke, tmp_path, sets, monkeypatch):
    monkeypatch.setattr("nask.cli.league.REPEATS", {45: 2})
    out = tmp_path / "league"
    done = invoke("league", *sets, *FEW, "--out", out, "--n-jobs", 1)
    assert "hgk-wl" in done.stdout
    assert "All tables are in" in done.stdout
    records = {(own.dataset, own.method): own for own in read_results(out)}
    assert set(records) == {
        (dataset, method)
        for dataset in ("A", "A@grouped", "B")
        for method in ("hgk-wl", "hgk-wl-svm", "majority")
    }
    assert records["A", "hgk-wl"].repeats == 2
    assert records["B", "hgk-wl"].repeats == 1
    for record in records["A@grouped", "hgk-wl"].records:
        assert (0 in record.test) == (40 in record.test)
    assert json.loads((out / "twins.json").read_text())["A"] == [41, 2, 0, 2]
    page = (out / "league.md").read_text()
    assert "| A | 41 | 2 (5 %) | 0 | 2 (5 %) |" in page
    assert "Folds that keep isomorphic graphs together" in page
    assert (out / "league.png").stat().st_size > 10_000
    assert not (out / "grams").exists() or not list((out / "grams").iterdir())
    # All is there: nothing is run again, and the page is the same.
    monkeypatch.setattr("nask.evaluation.evaluate._finish", None)
    invoke("league", *sets, *FEW, "--out", out)
    assert (out / "league.md").read_text() == page


def test_ranks_of_what_is_there(invoke, tmp_path):
    right = {"nask": 9, "nask-svm": 8, "wl": 7, "gin": 6}
    write(tmp_path, *(result(d, m, [n] * 10) for d in ("A", "B") for m, n in right.items()))
    invoke("league", "--no-run", "--out", tmp_path)
    page = (tmp_path / "league.md").read_text()
    assert "| 1 | **nask** | 90.0 | 1.00 |" in page
    assert "| 2 | wl | 70.0 | 2.00 |" in page
    assert "gin" not in page  # not among the methods by default
    assert "SVM %" in page
    invoke("league", "--no-run", "--no-svm", "--out", tmp_path)
    assert "SVM %" not in (tmp_path / "league.md").read_text()
    invoke("league", "--no-run", "--out", tmp_path, "--method", "nask", "--method", "gin")
    assert "| 2 | gin | 60.0 | 2.00 |" in (tmp_path / "league.md").read_text()


def test_mistakes_are_told_before_hours_of_work(invoke, tmp_path, monkeypatch):
    monkeypatch.setattr("nask.cli.league._run", lambda *_: pytest.fail("it ran"))
    with pytest.raises(NaskError, match=r"not among the methods: add --method nask"):
        invoke("league", "MUTAG", "--method", "wl", "--out", tmp_path)
    with pytest.raises(NaskError, match="There is no method 'wll'"):
        invoke("league", "MUTAG", "--method", "nask", "--method", "wll", "--out", tmp_path)


def test_a_method_that_fails_is_told_and_the_others_go_on(invoke, tmp_path, sets, monkeypatch):
    evaluate = nask.evaluate

    def some_fail(label, dataset, **rest):
        if (label, dataset.name) == ("hgk-wl-svm", "B"):
            raise ParameterError("no")
        return evaluate(label, dataset, **rest)

    monkeypatch.setattr("nask.evaluate", some_fail)
    monkeypatch.setattr("nask.cli.league.REPEATS", {})
    asked = ("league", *sets, *FEW, "--out", tmp_path, "--no-grouped", "--n-jobs", 1)
    done = invoke(*asked, succeed=False)
    assert done.exit_code == 2
    assert "not evaluated: hgk-wl-svm on B, folds." in done.stderr
    assert (tmp_path / "league.md").exists()

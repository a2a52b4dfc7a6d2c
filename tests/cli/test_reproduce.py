"""The command nask reproduce as a user meets it."""

import sys

import pytest

from nask.evaluation.results import read_results
from nask.exceptions import MissingDependencyError, ParameterError
from nask.lab.experiments.catalogue import NAMES, experiment

# Sets that the quick version of each experiment reads, apart from embedded ones.
SETS = {
    "accuracy-categorical": ["ENZYMES"],
    "accuracy-numerical": ["BZR", "Synthie"],
    "accuracy-nodes": ["Cora"],
    "ablation": [],
    "depth": ["COX2"],
    "runtime": [],
    "robustness": ["BZR"],
    "case-study": ["NCI1"],
}
PICTURES = {"depth", "robustness", "case-study", "ablation"}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_quick_version_of_every_experiment_ends(name, invoke, tmp_path, benchmark_set):
    for needed in SETS[name]:
        benchmark_set(needed)
    done = invoke("reproduce", name, "--quick", "--out", tmp_path, "--n-jobs", 1)
    page = (tmp_path / "quick" / f"{name}.md").read_text()
    assert page.startswith(f"# {experiment(name).title}")
    assert "|---" in page
    assert "quick run" in page
    pictures = {path.suffix for path in (tmp_path / "quick").glob(f"{name}*.*")} - {".md"}
    assert pictures == ({".png", ".svg"} if name in PICTURES else set())
    # A second call finds everything, and writes the same page.
    records = {path: path.read_bytes() for path in (tmp_path / "quick").rglob("*.json*")}
    assert records
    again = invoke("reproduce", name, "--quick", "--out", tmp_path, "--n-jobs", 1)
    assert again.stdout == done.stdout
    assert {path: path.read_bytes() for path in records} == records


def test_without_an_id_it_lists_all(invoke):
    listed = invoke("reproduce").stdout
    assert all(name in listed for name in NAMES)


def test_an_unknown_id_is_told(invoke, tmp_path):
    with pytest.raises(ParameterError, match="There is no experiment 'runtimes'"):
        invoke("reproduce", "runtimes", "--out", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_file_is_no_folder_for_results(invoke, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ParameterError, match="is a file: expected a folder"):
        invoke("reproduce", "depth", "--out", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_set_that_cannot_be_had_is_told(invoke, tmp_path, monkeypatch):
    monkeypatch.setenv("NASK_DATA", str(tmp_path))
    monkeypatch.setenv("NASK_CACHE", str(tmp_path / "cache"))
    done = invoke("reproduce", "robustness", "--quick", "--out", tmp_path / "out", succeed=False)
    assert "BZR" in done.stderr
    assert "NASK_DATA" in done.stderr


def test_records_of_another_run_are_kept(invoke, tmp_path):
    league = tmp_path / "league"
    invoke("evaluate", "MUTAG", "--method", "majority", "--out", league, "--no-pictures")
    [before] = read_results(tmp_path / "league")
    done = invoke("reproduce", "ablation", "--no-run", "--out", tmp_path)
    assert "there are no records" in done.stderr
    assert read_results(tmp_path / "league") == [before]


def test_a_folder_that_cannot_be_made_is_told(invoke, tmp_path):
    (tmp_path / "file").write_text("mine")
    done = invoke("reproduce", "runtime", "--quick", "--out", tmp_path / "file/sub", succeed=False)
    assert "Cannot write" in done.stderr
    assert "--out" in done.stderr


def test_a_process_that_is_killed_does_not_end_the_others(invoke, tmp_path, monkeypatch):
    tried = []

    def killed(self, place):
        tried.append(self.row)
        raise ChildProcessError("The process with the time limit ended with code -9.")

    monkeypatch.setattr("nask.lab.experiments.timed.TimedGram.run", killed)
    done = invoke("reproduce", "runtime", "--quick", "--out", tmp_path, succeed=False)
    assert "code -9" in done.stderr
    assert len(tried) == 3


def test_an_unknown_id_beside_all_is_told(invoke, tmp_path):
    with pytest.raises(ParameterError, match="There is no experiment 'deth'"):
        invoke("reproduce", "all", "deth", "--no-run", "--out", tmp_path)


def test_some_sets_and_rows_are_run_alone(invoke, tmp_path, monkeypatch):
    ran = []
    monkeypatch.setattr(
        "nask.lab.experiments.evaluated.Evaluated.run",
        lambda self, place: ran.append((self.row, self.column)),
    )
    named = ["--set", "BZR", "--set", "PTC_MR", "--row", "one-hot", "--row", "no WL iteration"]
    invoke("reproduce", "ablation", *named, "--out", tmp_path)
    rows = ["one-hot", "no WL iteration"]
    assert sorted(ran) == sorted((row, name) for name in ("BZR", "PTC_MR") for row in rows)


@pytest.mark.parametrize(
    ("option", "name", "expected"), [("--set", "bzr", "BZR"), ("--row", "walk", "random walk")]
)
def test_an_unknown_set_or_row_is_told_before_anything_is_run(
    invoke, tmp_path, option, name, expected
):
    with pytest.raises(ParameterError, match=f"ablation has no {option} '{name}': .*{expected}"):
        invoke("reproduce", "ablation", option, name, "--out", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_without_matplotlib_nothing_is_run(invoke, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'nask\[plots\]'"):
        invoke("reproduce", "depth", "--quick", "--out", tmp_path / "new")
    assert not (tmp_path / "new").exists()

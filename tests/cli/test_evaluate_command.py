"""The command nask evaluate as a user meets it."""

import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

import gate_work
from nask.evaluation import evaluate as evaluate_module
from nask.evaluation import time_limit
from nask.exceptions import ParameterError
from nask.lab.rivals.catalogue import GRAPH_RIVALS

TRY = ("--try", "gamma=0.1,1", "--try", "n_hops=1,2", "--try", "degree=none",
       "--try", "gamma_star=4", "--try", "C=1,10", "--try", "gram=linear")  # fmt: skip
PROTOCOL = ("--folds", "5", "--repeats", "2", "--inner", "3", "--no-pictures")


def without_times(line):
    result = json.loads(line)
    assert result.pop("seconds_kernel") > 0
    assert result.pop("seconds_learning") > 0
    return result


@pytest.fixture(scope="module")
def undisturbed(process, tmp_path_factory):
    """A run of two sets, one of them misspelt, that nothing interrupts."""
    out = tmp_path_factory.mktemp("undisturbed")
    return process("evaluate", "MUTAG", "MUTGA", "--json", *TRY, *PROTOCOL, "--out", str(out))


@pytest.mark.slow
def test_json_only_on_standard_output_and_a_failure_in_the_exit_code(undisturbed):
    assert undisturbed.returncode == 2
    [line] = undisturbed.stdout.splitlines()
    result = json.loads(line)
    assert result["dataset"] == "MUTAG"
    assert 0.75 < result["accuracy_mean"] < 0.95
    assert (result["folds"], result["repeats"], len(result["params"])) == (5, 2, 10)
    assert "Did you mean 'MUTAG'" in undisturbed.stderr
    assert "Traceback" not in undisturbed.stderr


@pytest.mark.slow
def test_killed_and_started_again_it_ends_with_the_same_numbers(undisturbed, invoke, tmp_path):
    out = tmp_path / "killed"
    journal = out / "MUTAG--nask.jsonl"
    arguments = ("evaluate", "MUTAG", "--json", *TRY, *PROTOCOL, "--n-jobs", "1", "--out", str(out))
    command = [sys.executable, "-c", "from nask.cli.main import run; run()"]
    killed = subprocess.Popen(
        [*command, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 300
    while not (journal.exists() and journal.read_text().count('"accuracy"') >= 2):
        assert killed.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    left = journal.read_text().count('"accuracy"')
    assert 2 <= left < 10

    # In this process, and in one instead of many: neither changes a number.
    [line] = invoke(*arguments).stdout.splitlines()
    [expected] = undisturbed.stdout.splitlines()
    assert without_times(line) == without_times(expected)
    assert journal.read_text().count('"accuracy"') == 10


@pytest.mark.slow
def test_a_table_and_pictures(invoke, tmp_path):
    arguments = ("evaluate", "MUTAG", "--folds", "2", "--repeats", "1", "--inner", "2", *TRY)
    done = invoke(*arguments, "--n-jobs", "1", "--out", tmp_path)
    assert "MUTAG" in done.stdout
    names = ["MUTAG--nask-confusion.png", "MUTAG--nask-kernel.png", "MUTAG--nask.jsonl"]
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([*names, "accuracy.png"])
    for picture in tmp_path.glob("*.png"):
        assert picture.read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_there_are_records_and_no_pictures(invoke, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    arguments = ("evaluate", "MUTAG", "--method", "majority", "--folds", "2", "--repeats", "1")
    done = invoke(*arguments, "--n-jobs", "1", "--out", tmp_path)
    assert "pip install 'nask[plots]'" in done.stderr
    assert "Records are in" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["MUTAG--majority.jsonl"]


def test_mistakes_in_options(invoke, tmp_path):
    run = invoke("evaluate", "MUTAG", "--try", "gama=1", "--out", tmp_path, succeed=False)
    assert run.exit_code == 2
    assert "The grid varies 'gama', which is no parameter. Did you mean 'gamma'?" in run.stderr
    assert run.stdout == ""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="hangs by means of the C library")
def test_after_a_timeout_the_next_method_runs(invoke, monkeypatch, tiny, tmp_path):
    """The first of two hangs; the clock is turned forward when it does."""
    gate = tmp_path / "gate"
    gate.mkdir()
    monkeypatch.setenv(gate_work.GATE, str(gate))
    monkeypatch.setitem(GRAPH_RIVALS, "hangs", "limited_work:GatedConstant")
    monkeypatch.setitem(GRAPH_RIVALS, "floor", "limited_work:Constant")
    clock = SimpleNamespace(
        monotonic=lambda: time.monotonic() + 10**6 * any(gate.glob("hangs-*")), sleep=time.sleep
    )
    monkeypatch.setattr(time_limit, "time", clock)
    dataset = tiny(graph_labels=[0, 0, 1, 1, 0, 1])
    out = tmp_path / "out"
    arguments = ("evaluate", dataset, "--method", "hangs", "--method", "floor", "--folds", "2",
                 "--repeats", "2", "--n-jobs", "1", "--time-limit", "2h", "--out", out)  # fmt: skip
    shown = invoke(*arguments).stdout
    [hangs] = [line for line in shown.splitlines() if "hangs" in line]
    [floor] = [line for line in shown.splitlines() if "floor" in line]
    assert "TIMEOUT" in hangs
    assert "0 x 2" in hangs
    assert "TIMEOUT" not in floor
    names = {path.name for path in out.iterdir()}
    assert {"TINY--hangs.jsonl", "TINY--floor-confusion.png", "accuracy.png"} <= names
    assert "TINY--hangs-confusion.png" not in names
    # A rerun reads both results, and says the same as JSON.
    monkeypatch.delattr(evaluate_module, "run_within")
    lines = invoke(*arguments, "--json").stdout.splitlines()
    results = [json.loads(line) for line in lines if line.startswith("{")]
    assert [result["timeout"] for result in results] == [7200.0, None]
    assert results[0]["accuracy_mean"] is None


@pytest.mark.parametrize("limit", ["0", "-1", "soon", "10d", "1e3", "nan"])
def test_times_that_are_none(invoke, limit):
    with pytest.raises(ParameterError, match="such as 90s, 20m or 2h"):
        invoke("evaluate", "MUTAG", "--time-limit", limit)


def test_a_method_that_fails_leaves_the_others_running(invoke, tmp_path):
    run = invoke(
        "evaluate", "MUTAG", "--method", "akgnn", "--method", "majority", "--folds", "2",
        "--repeats", "1", "--n-jobs", "1", "--no-pictures", "--out", str(tmp_path), succeed=False,
    )  # fmt: skip
    assert run.exit_code == 2
    assert "'akgnn' does not classify graphs" in run.stderr
    assert "66.5" in run.stdout

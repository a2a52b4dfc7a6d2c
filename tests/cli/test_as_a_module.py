"""``python -m nask`` is the command nask, and what it warns of is a plain line."""

import signal
import subprocess
import sys
import time

import pytest


def test_the_package_runs_as_a_module():
    usage = subprocess.run(
        [sys.executable, "-m", "nask", "fit", "--help"], capture_output=True, text=True, check=True
    )
    assert "Usage: nask fit" in usage.stdout


@pytest.fixture
def folders(tmp_path):
    """Write a folder of training graphs, and new ones with an attribute those did not have."""

    def write(name, columns, row):
        folder = tmp_path / name
        folder.mkdir()
        nodes = [f"g{k},{node},{row(k)}" for k in range(12) for node in "ab"]
        (folder / "nodes.csv").write_text("\n".join([f"graph,node,{columns}", *nodes]) + "\n")
        edges = [f"g{k},a,b" for k in range(12)]
        (folder / "edges.csv").write_text("\n".join(["graph,source,target", *edges]) + "\n")
        classes = [f"g{k},{'odd' if k % 2 else 'even'}" for k in range(12)]
        (folder / "graphs.csv").write_text("\n".join(["graph,y", *classes]) + "\n")
        return folder

    return write("old", "age", lambda k: k), write("new", "age,height", lambda k: f"{k},1.5")


def test_a_warning_is_one_plain_line(invoke, process, tmp_path, folders):
    old, new = folders
    model = tmp_path / "m.nask"
    invoke("fit", old, "--model", model, "--hops", 1)
    done = process("predict", model, new)
    warning = [line for line in done.stderr.splitlines() if "height" in line]
    assert len(warning) == 1
    assert warning[0].startswith("Warning: The node attribute 'height' of graph 0 was in no train")
    assert ".py" not in done.stderr
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_leaves_no_warnings(tmp_path, kind):
    """Those of joblib's tracker, which tidies up after its processes, are no news."""
    command = [sys.executable, "-m", "nask", "evaluate", "MUTAG", "--out", str(tmp_path)]
    # So many folds that it cannot be done before the signal, and nothing to compile.
    options = ["--n-jobs", "2", "--method", "majority", "--repeats", "500", "--no-pictures"]
    with (tmp_path / "stderr").open("w") as stderr:
        running = subprocess.Popen([*command, *options], stderr=stderr, start_new_session=True)
        records = tmp_path / "MUTAG--majority.jsonl"
        patience = time.monotonic() + 300
        while not (records.exists() and '"fold"' in records.read_text()):
            assert running.poll() is None
            assert time.monotonic() < patience
            time.sleep(0.05)
        running.send_signal(kind)
        running.wait(timeout=60)
    time.sleep(1)  # for the tracker to end
    assert "Warning" not in (tmp_path / "stderr").read_text()

"""Processes that evaluate folds: they are gone soon after the one that started them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from joblib import delayed

import gate_work
from nask.exceptions import FileWriteError
from nask.execution.processes import in_processes

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")

EVALUATE = """
import nask, limited_work
mutag = nask.load_dataset("MUTAG")
nask.evaluate(limited_work.Sleeping(), mutag, folds=4, repeats=1, n_jobs=2)
"""
# What an evaluation with a limit of time consists of, without its imports in four processes.
WITHIN = """
import os, gate_work
from nask.evaluation.time_limit import run_within
list(run_within(1000, gate_work.sleep_in_processes, os.environ[gate_work.GATE]))
"""
# Seconds; workers that wait for more work do so for 300.
SOON = 15


def is_alive(pid):
    """Whether a process runs; one that is dead and waited for by nobody does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
@pytest.mark.parametrize(("program", "kind"), [(EVALUATE, "SIGTERM"), (WITHIN, "SIGKILL")])
def test_workers_end_with_their_parent(tmp_path, program, kind):
    """Neither signal lets a parent without handlers do anything, so each is sent to one."""
    path = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "PYTHONPATH": path, gate_work.GATE: str(tmp_path)}
    parent = subprocess.Popen([sys.executable, "-c", program], env=environment)
    deadline = time.monotonic() + 300
    while len(list(tmp_path.glob("hangs-*"))) < 2:
        assert parent.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    workers = [int(file.name.removeprefix("pid-")) for file in tmp_path.glob("pid-*")]
    parent.send_signal(getattr(signal, kind))
    parent.wait()
    deadline = time.monotonic() + SOON
    while any(map(is_alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    left = [pid for pid in workers if is_alive(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []


@pytest.mark.slow
def test_no_room_for_what_processes_share(tmp_path):
    code = (
        "import joblib, numpy as np\n"
        "from joblib import delayed\n"
        "from nask.execution.processes import in_processes\n"
        "def full(*_, **__): raise OSError(28, 'No space left on device')\n"
        "joblib._memmapping_reducer.dump = full\n"
        "list(in_processes((delayed(len)(np.zeros(10**6) + k) for k in range(2)), n_jobs=2))"
    )
    environment = {**os.environ, "JOBLIB_TEMP_FOLDER": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert "FileWriteError: Cannot hand arrays to other processes: " in done.stderr
    assert f"are free in {tmp_path}, and more is needed. Let the environment var" in done.stderr


@pytest.mark.slow
def test_other_errors_of_pickling_stay_what_they_are():
    endless = iter(int, 1)
    with pytest.raises(Exception, match="pickle") as caught:
        list(in_processes([delayed(len)(number for number in endless)], n_jobs=2))
    assert not isinstance(caught.value, FileWriteError)
    assert list(in_processes([delayed(np.sum)([1, 2])], n_jobs=None)) == [3]

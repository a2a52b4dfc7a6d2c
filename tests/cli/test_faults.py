"""Commands that write, killed at steps on the disk or told there that it is full; and Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import fault_work
from nask.cli.main import app

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

# What shows or reads only, or writes by evaluate and compare, whose files are tried here.
OTHERS = {"demo", "reproduce"}


def test_every_command_that_writes_is_tried():
    names = {command.callback.__name__ for command in app.registered_commands}
    tried = {own.arguments[0] for own in fault_work.COMMANDS.values()}
    assert tried - {"datasets"} == names - OTHERS


@pytest.mark.slow
@pytest.mark.parametrize("fault", fault_work.FAULTS)
def test_nothing_is_lost_or_left_behind(fault):
    """One process for all commands, which forks: a start takes longer than a command."""
    done = subprocess.run(
        [sys.executable, fault_work.__file__, fault, "some"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# Where Python cannot raise an error: in code that other code has called, and in long compiled code.
DEAF = """
import ctypes, sys, threading, time
import numba
from nask.cli import demo
from nask.cli.main import app, run
from nask.storage.scratch import scratch_folder

@numba.njit(nogil=True)
def compiled(n):
    total = 0
    for k in range(n):
        total += k % 7 ^ (total << 1) & 1023
    return total

def called():
    print("at work", flush=True)
    time.sleep(60)
    return 0

def work():
    with scratch_folder():
        if sys.argv[2] == "callback":
            ctypes.CFUNCTYPE(ctypes.c_int)(called)()
            time.sleep(60)
        elif sys.argv[2] == "thread":
            threading.Thread(target=time.sleep, args=(60,)).start()
            print("at work", flush=True)
        else:
            compiled(1)
            print("at work", flush=True)
            compiled(10**12)

app.command("work")(lambda kind: work())
run()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "kind"),
    [("callback", signal.SIGINT), ("compiled", signal.SIGTERM), ("thread", signal.SIGINT)],
)
def test_a_command_that_cannot_hear_is_stopped_in_time(where, kind, tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", DEAF, "work", where],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as running:
        assert running.stdout.readline() == "at work\n"
        began = time.monotonic()
        running.send_signal(kind)
        _, said = running.communicate(timeout=30)
        assert time.monotonic() - began < 2
    assert running.returncode == 128 + kind
    assert said.count("nask: stopped.") == 1
    assert not list(Path(tmp_path).glob(".nask-*"))

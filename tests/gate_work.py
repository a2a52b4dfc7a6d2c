"""What processes without models import, in a moment: ways to hang and to fail."""

import ctypes
import os
import time
from pathlib import Path

from joblib import delayed

from nask.execution.processes import in_processes

GATE = "NASK_TEST_GATE"


def pass_gate():
    """Hang, unless a test left a file to take away in the folder that the variable names."""
    folder = os.environ.get(GATE)
    if folder is None:
        return
    for ticket in sorted(Path(folder).glob("ticket-*")):
        try:
            ticket.unlink()
        except FileNotFoundError:
            continue
        return
    wait_for_ever(folder)


def wait_for_ever(folder):
    """In C, with the lock of the interpreter held; leaves the numbers of its processes behind."""
    for pid in (os.getpid(), os.getppid()):
        (Path(folder) / f"pid-{pid}").touch()
    time.sleep(1.0)  # for a fold of another process to be recorded
    (Path(folder) / f"hangs-{os.getpid()}").touch()
    ctypes.PyDLL(None).sleep(1000)


def sleep_for_ever(folder):
    (Path(folder) / f"pid-{os.getpid()}").touch()
    (Path(folder) / f"hangs-{os.getpid()}").touch()
    time.sleep(1000)


def sleep_in_processes(folder):
    list(in_processes((delayed(sleep_for_ever)(folder) for _ in range(2)), n_jobs=2))


class TwoPartsError(Exception):
    """Cannot be read back from a pickle."""

    def __init__(self, first, second):
        super().__init__(f"{first} {second}")


def fail(error, *arguments):
    raise error(*arguments)

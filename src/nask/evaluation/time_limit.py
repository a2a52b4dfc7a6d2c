"""Work that is ended when its time is used up, even inside compiled code that never returns."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import cloudpickle

from nask.exceptions import NaskError
from nask.storage.scratch import scratch_folder
from nask.storage.write_errors import writing

# Seconds between two looks at the process.
TICK = 0.5
# Seconds that processes have to end once they are told to.
PATIENCE = 3.0
WORK, ERROR = "work.pickle", "error.pickle"


def run_within(seconds: float, function: Callable[..., Any], *arguments: Any) -> Generator[None]:
    """Run a function in a process of its own, which is ended when its time is up.

    All processes that it starts are ended with it. The time it takes to start, a second or two,
    counts. The return value is dropped: the function should leave its results in a file. Its
    errors are raised here.

    Parameters
    ----------
    seconds : float
    function : callable
    *arguments
        Function and arguments are pickled; they may be defined in a script or notebook.

    Yields
    ------
    None
        Twice per second while the process runs, so that the caller can look at what it has done.
        Closing the iterator ends the process.

    Examples
    --------
    >>> for _ in run_within(0.1, time.sleep, 1000):
    ...     pass
    """
    deadline = time.monotonic() + seconds
    with scratch_folder() as folder:
        with writing(folder / WORK, "the environment variable TMPDIR"):
            (folder / WORK).write_bytes(cloudpickle.dumps((function, arguments)))
        process = _start(str(folder))
        try:
            while True:
                try:
                    process.wait(max(0.0, min(TICK, deadline - time.monotonic())))
                    break
                except subprocess.TimeoutExpired:
                    if time.monotonic() >= deadline:
                        return
                yield
        finally:
            _end(process)
        if (folder / ERROR).exists():
            error: Exception = pickle.loads((folder / ERROR).read_bytes())
            raise error
        if process.returncode != 0:
            raise ChildProcessError(
                f"The process with the time limit ended with code {process.returncode}. Where "
                "memory ran out (code -9), fewer n_jobs may help."
            )


def work(folder: str) -> None:
    """Run what :func:`run_within` pickled into a folder, in the process that it starts."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        function, arguments = pickle.loads((Path(folder) / WORK).read_bytes())
        function(*arguments)
    except Exception as error:
        (Path(folder) / ERROR).write_bytes(_pickled(error))
        sys.exit(1)


def _start(folder: str) -> subprocess.Popen[bytes]:
    # The new process finds the same modules, also those in the folder of a notebook.
    code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import work; work({folder!r})"
    return subprocess.Popen(
        [sys.executable, "-c", code],
        # Nothing is written to it. It closes when this process ends, for whatever reason, and the
        # new process then ends, too.
        stdin=subprocess.PIPE,
        # A group of its own, which is ended as a whole.
        start_new_session=True,
        env={**os.environ, **quiet_tracker()},
    )


def quiet_tracker() -> dict[str, str]:
    """Return environment variables that silence the warnings of joblib's resource tracker.

    If workers are killed, it deletes what they left behind. That needs no warning.
    """
    given = os.environ.get("PYTHONWARNINGS", "")
    return {"PYTHONWARNINGS": ",".join(filter(None, [given, "ignore:resource_tracker"]))}


def _end_with_parent() -> None:
    os.read(0, 1)
    if hasattr(os, "killpg"):
        os.killpg(os.getpgrp(), signal.SIGTERM)
    os._exit(1)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all processes that it started."""
    if hasattr(os, "killpg"):
        # Only joblib's tracker, which deletes what the others leave behind, outlives SIGTERM.
        for kind in (signal.SIGTERM, signal.SIGKILL):
            _send(kind, process)
            patience = time.monotonic() + PATIENCE
            while _send(0, process) and time.monotonic() < patience:
                process.poll()
                time.sleep(0.01)
    else:
        process.kill()
    process.wait()
    if process.stdin is not None:
        process.stdin.close()


def _send(kind: int, process: subprocess.Popen[bytes]) -> bool:
    """Send a signal to the process's group; tell whether any process was left to get it."""
    try:
        os.killpg(process.pid, kind)
    except OSError:
        return False
    return True


def _pickled(error: Exception) -> bytes:
    """Pickle an error to raise it elsewhere; unexpected ones keep their traceback as a note."""
    if not isinstance(error, NaskError):
        error.add_note("".join(traceback.format_exception(error)))
    try:
        content: bytes = cloudpickle.dumps(error)
        pickle.loads(content)
    except Exception:
        content = pickle.dumps(RuntimeError("".join(traceback.format_exception(error))))
    return content

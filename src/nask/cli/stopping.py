"""A command that is told to stop ends within two seconds, whatever it is at.

Python raises KeyboardInterrupt between two steps of its own: late where compiled code runs for
minutes, and never where compiled code has called Python back, since numba's compiler drops the
error and goes on. So a thread that hears of the signal at once gives the command some time to end
by itself, and then ends it. What it writes survives that, as it survives a kill.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from nask.storage.scratch import remove_own

# Seconds that a command has to end by itself.
PATIENCE = 0.8
STOPPED = (
    "nask: stopped. Files are whole, or as they were. What has records or chunks on disk goes on "
    "from there with the same command."
)


class Stopping:
    """Whether this process was told to stop, by which signal, and whether the user was told."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self.told = False

    @property
    def exit_code(self) -> int:
        """As shells have it: 128 and the number of the signal."""
        return 128 + (self.signal or 0)

    def tell(self, text: str = STOPPED) -> None:
        """Say on standard error that the command was stopped, once."""
        if not self.told:
            self.told = True
            # Not sys.stderr: its lock may be held by a thread that never lets go.
            with suppress(OSError):
                os.write(2, f"{text}\n".encode())

    def interrupt(self, number: int, _: Any) -> None:
        """Raise KeyboardInterrupt at the first signal; the thread sees to the end after it."""
        if self.signal is None:
            self.signal = number
            raise KeyboardInterrupt

    def watch(self, hears: socket.socket) -> None:
        """Wait for a signal, and end the process if it is still there after some time."""
        kinds = (signal.SIGINT, signal.SIGTERM)
        with hears:
            while heard := hears.recv(1):
                if heard[0] in kinds:
                    self._end(heard[0])

    def leave(self) -> None:
        """End a process that was stopped where Python would begin to take itself apart.

        That took three seconds with torch in it, and the thread that watches would be gone.
        """
        if self.signal is not None:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
            os._exit(self.exit_code)

    def _end(self, number: int) -> None:
        """End this process and all that it started, if it has not ended by itself in time."""
        began = time.monotonic()
        import psutil  # only here: it takes a tenth of a second

        time.sleep(max(0.0, PATIENCE - (time.monotonic() - began)))
        self.signal = number
        # Those that ignore it, as joblib's tracker does, tidy up and end once this one is gone.
        with suppress(psutil.Error):
            for child in psutil.Process().children(recursive=True):
                with suppress(psutil.Error):
                    child.terminate()
        remove_own()
        self.tell()
        os._exit(self.exit_code)


# A process is stopped once.
STOPPING = Stopping()


@contextmanager
def stoppable() -> Iterator[Stopping]:
    """Have Ctrl-C and SIGTERM end the process in time, with all processes that it started.

    Both raise KeyboardInterrupt in the block. If the process is still there after
    :data:`PATIENCE`, it is ended. Outside of the main thread, signals stay what they were.
    """
    if threading.current_thread() is not threading.main_thread():
        yield STOPPING
        return
    hears, tells = socket.socketpair()
    tells.setblocking(False)
    # What the system calls writes to it at once, also while compiled code runs.
    signal.set_wakeup_fd(tells.fileno(), warn_on_full_buffer=False)
    kinds = (signal.SIGINT, signal.SIGTERM)
    before = {kind: signal.signal(kind, STOPPING.interrupt) for kind in kinds}
    # A child would tell this process of its own signals.
    os.register_at_fork(after_in_child=_forget)
    # Registered first, it is called last.
    atexit.register(STOPPING.leave)
    watcher = threading.Thread(target=STOPPING.watch, args=(hears,), daemon=True)
    watcher.start()
    try:
        yield STOPPING
    finally:
        # After a signal, Python itself may wait at its end for threads that compute.
        if STOPPING.signal is None:
            for kind, handler in before.items():
                signal.signal(kind, handler)
            signal.set_wakeup_fd(-1)
            atexit.unregister(STOPPING.leave)
            tells.close()
            watcher.join()


def _forget() -> None:
    with suppress(ValueError):  # not in the main thread
        signal.set_wakeup_fd(-1)

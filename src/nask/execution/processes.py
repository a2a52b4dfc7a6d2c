"""Work in joblib's processes, which are tied to the one that starts them.

By itself, a process of joblib ends five minutes after its last task, whether or not anyone is left
to give it another, and a task that hangs goes on for ever.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Generator, Iterable
from pickle import PicklingError
from typing import Any

from joblib import Parallel
from joblib.parallel import get_active_backend

from nask.exceptions import FileWriteError
from nask.execution.resources import free_disk, readable_bytes

# Seconds between two looks for the parent.
TICK = 1.0
# Where joblib leaves large arrays for its processes.
FOLDER_VARIABLE = "JOBLIB_TEMP_FOLDER"
SHARED_MEMORY = "/dev/shm"


def in_processes(
    tasks: Iterable[Any], n_jobs: int | None, ordered: bool = True
) -> Generator[Any, None, None]:
    """Do joblib's tasks in processes, and pass on what they return, in order or as they are done.

    The processes end within seconds after this one has, however it ended: by a signal that leaves
    no time for anything, too. Another backend that the user chose, such as threads or a cluster, is
    taken as it is.

    Examples
    --------
    >>> from joblib import delayed
    >>> list(in_processes((delayed(abs)(number) for number in (-1, 2)), n_jobs=2))
    [1, 2]
    """
    backend, _ = get_active_backend()
    tied: dict[str, Any] = {}
    if type(backend).__name__ == "LokyBackend":
        tied = {"initializer": END_WITH, "initargs": (os.getpid(),)}
    order = "generator" if ordered else "generator_unordered"
    try:
        yield from Parallel(n_jobs=n_jobs, return_as=order, **tied)(tasks)
    except PicklingError as error:
        # What went wrong in a thread of joblib arrives as text.
        if f"[Errno {errno.ENOSPC}]" not in str(error.__cause__):
            raise
        raise _full() from error


def _watcher() -> Callable[[int], None]:
    """Make the function that a process begins with.

    Made here, so that it travels by its code: to find it by its name, a process would first import
    the whole package, seconds in which it would not see its parent go.
    """

    def end_with(parent: int) -> None:
        """End this process when its parent has ended; on POSIX, where it then has another one."""
        import os
        import threading
        import time

        def watch() -> None:
            while os.getppid() == parent:
                time.sleep(tick)
            os._exit(1)

        if os.name == "posix":
            threading.Thread(target=watch, daemon=True).start()

    tick = TICK
    return end_with


# One and the same for all calls, so that processes are used again.
END_WITH = _watcher()


def _full() -> FileWriteError:
    usual = SHARED_MEMORY if os.path.isdir(SHARED_MEMORY) else tempfile.gettempdir()
    folder = os.environ.get(FOLDER_VARIABLE, usual)
    return FileWriteError(
        f"Cannot hand arrays to other processes: {readable_bytes(free_disk(folder))} are free in "
        f"{folder}, and more is needed. Let the environment variable {FOLDER_VARIABLE} name a "
        "folder on another disk, or use n_jobs=1."
    )

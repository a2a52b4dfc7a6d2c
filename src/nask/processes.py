"""joblib's processes, tied to the one that starts them.

By itself, a process of joblib ends five minutes after its last task, whether or not anyone is left
to give it another, and a task that hangs goes on for ever.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Any

from joblib import Parallel
from joblib.parallel import get_active_backend

# Seconds between two looks for the parent.
TICK = 1.0


def processes(n_jobs: int | None, **options: Any) -> Any:
    """Return joblib's ``Parallel``, whose processes end within seconds after this one has.

    However it ended, by a signal that leaves no time for anything, too. Another backend that the
    user chose, such as threads or a cluster, is taken as it is.

    Examples
    --------
    >>> from joblib import delayed
    >>> processes(2)(delayed(abs)(number) for number in (-1, 2))
    [1, 2]
    """
    backend, _ = get_active_backend()
    tied: dict[str, Any] = {}
    if type(backend).__name__ == "LokyBackend":
        tied = {"initializer": end_with, "initargs": (os.getpid(),)}
    return Parallel(n_jobs=n_jobs, **tied, **options)


def end_with(parent: int) -> None:
    """End this process when its parent has ended; on POSIX, where it is told of a new one."""
    if os.name == "posix":
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(TICK)
    os._exit(1)

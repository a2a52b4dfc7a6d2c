"""Wall-clock time, CPU time and peak memory of a function, in this process."""

from __future__ import annotations

import gc
import re
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Seconds after which no further repeat starts.
BUDGET = 60.0


def measure(compute: Callable[[], object], repeats: int, limit: float) -> dict[str, Any]:
    """Call the function up to ``repeats`` times, until BUDGET is spent.

    A call longer than ``limit`` seconds ends the process, see :func:`time_limit`.
    """
    forget_peak()
    before = memory_mb("VmRSS")
    seconds: list[float] = []
    cpu: list[float] = []
    while not seconds or (len(seconds) < repeats and sum(seconds) < BUDGET):
        gc.collect()
        start, cpu_start = time.perf_counter(), time.process_time()
        with time_limit(limit):
            compute()
        seconds.append(time.perf_counter() - start)
        cpu.append(time.process_time() - cpu_start)
    peak = memory_mb("VmHWM")
    return {"seconds": seconds, "cpu_seconds": cpu, "before_mb": before, "peak_mb": peak}


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """End the process by SIGALRM after these seconds, in compiled code as well."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)


def memory_mb(name: str) -> float:
    """VmRSS, the memory in use, or VmHWM, its peak, in units of 10^6 bytes.

    On systems without /proc, the peak for both: ru_maxrss covers the whole life of the process,
    and on Linux that of its parent too.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    found = re.search(rf"{name}:\s+(\d+) kB", status)
    return int(found[1]) * 1024 / 1e6 if found else float("nan")


def forget_peak() -> None:
    """Reset VmHWM to the memory in use, so that reading the data does not count."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return

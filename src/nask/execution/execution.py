"""How to run, which never changes the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from joblib.parallel import get_active_backend

from nask.exceptions import MemoryLimitError
from nask.execution.progress import Progress, track
from nask.execution.resources import readable_bytes
from nask.execution.threads import in_threads

T = TypeVar("T")
# Some 20 ms of work, as long as starting threads takes.
PAIRS_PER_THREAD = 2_000_000
EXACT_ADVICE = "use fewer threads or dtype='float32'"


@dataclass(frozen=True)
class Execution:
    """How to run, which never changes the result.

    Parameters
    ----------
    n_jobs : int or None
        Threads, in joblib's convention.
    memory_limit : int or None
        Bytes that one computation may take.
    progress : bool or callable
        Whether to show a bar, or a function told ``(done, total)``.
    """

    n_jobs: int | None = None
    memory_limit: int | None = None
    progress: Progress = False

    @property
    def n_threads(self) -> int:
        """Threads of this process to compute with.

        A joblib backend of other processes or machines has no say: tasks share their arrays.
        """
        backend, default = get_active_backend(prefer="threads", require="sharedmem")
        n_jobs: int = backend.effective_n_jobs(default if self.n_jobs is None else self.n_jobs)
        return n_jobs

    def run(self, tasks: Iterable[Any], n_pairs: float) -> Iterator[Any]:
        """Do joblib's tasks in threads, and pass on what they return, in order.

        Where there are so few pairs of nodes to compare that starting threads would take longer,
        one after the other.
        """
        n_threads = min(self.n_threads, 1 + int(n_pairs / PAIRS_PER_THREAD))
        if n_threads > 1:
            return in_threads(tasks, n_threads)
        return (function(*arguments, **options) for function, arguments, options in tasks)

    def track(self, steps: Iterable[T], total: int) -> Iterable[T]:
        """Pass the steps on and report how many are done."""
        return track(steps, total, self.progress)

    def check_memory(self, needed: int, what: str, advice: str = EXACT_ADVICE) -> None:
        """Raise before the work begins where it would not fit."""
        if self.memory_limit is not None and needed > self.memory_limit:
            raise MemoryLimitError(
                f"{what} takes {readable_bytes(needed)}, but memory_limit allows "
                f"{readable_bytes(self.memory_limit)}. Raise memory_limit, or {advice}."
            )

"""How to run, which never changes the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from joblib import delayed
from joblib.parallel import get_active_backend

from nask.exceptions import MemoryLimitError
from nask.execution import cluster
from nask.execution.progress import Progress, track
from nask.execution.resources import readable_bytes
from nask.execution.threads import in_threads

T = TypeVar("T")
Place = TypeVar("Place")
Result = TypeVar("Result")
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

    def run_ranges(
        self, work: Callable[[int, int], Result], n: int, step: int, n_pairs: float
    ) -> Iterator[Result]:
        """Call ``work(first, last)`` for ranges of n things, ``step`` at a time, as :meth:`run`.

        Examples
        --------
        >>> list(Execution().run_ranges(range, 5, 2, n_pairs=0))
        [range(0, 2), range(2, 4), range(4, 5)]
        """
        starts = range(0, n, step)
        return self.run((delayed(work)(i, min(i + step, n)) for i in starts), n_pairs)

    @property
    def n_remote(self) -> int:
        """Threads of the Dask cluster that joblib is told to use; 0 where work stays here."""
        client = cluster.active_client()
        return 0 if client is None else cluster.n_threads(client)

    def map(
        self, work: Callable[[Place], Result], places: Iterable[Place], n_pairs: float = 0.0
    ) -> Iterator[tuple[Place, Result]]:
        """Call ``work(place)`` for every place, and pass on each place with its result.

        On the Dask cluster that joblib is told to use, as results come, or in threads of this
        process, in order.

        Parameters
        ----------
        work : callable
            It travels to each worker once, with all the arrays it holds; tasks carry places only.
        places : iterable
            Taken as they are needed.
        n_pairs : float
            Pairs of nodes to compare in all, as in :meth:`run`. With 0, one place after the
            other in this process: for work that has threads of its own.

        Examples
        --------
        >>> list(Execution().map(str.upper, "ab"))
        [('a', 'A'), ('b', 'B')]
        """
        client = cluster.active_client()
        if client is not None:
            return cluster.run(client, work, places)
        return self.run((delayed(_placed)(work, place) for place in places), n_pairs)

    def in_task(self) -> Execution:
        """How to run a task of :meth:`map`, asked where it runs.

        On a worker it has one thread and, without a limit, its share of the worker's memory.
        """
        quiet = replace(self, progress=False)
        if not cluster.in_worker():
            return quiet
        return replace(quiet, n_jobs=1, memory_limit=self.memory_limit or cluster.task_memory())

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


def _placed(work: Callable[[Place], Result], place: Place) -> tuple[Place, Result]:
    return place, work(place)

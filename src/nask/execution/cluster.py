"""Work on the workers of a Dask cluster: its data travels once, results come as they are ready."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

from joblib import parallel_config
from joblib.parallel import get_active_backend

from nask.exceptions import ClusterError
from nask.optional import require

Place = TypeVar("Place")
Result = TypeVar("Result")

# Tasks handed out ahead for each thread of the cluster: none waits for the next, and the scheduler
# never holds more than a few of a million.
AHEAD = 4
# How often a task may vanish together with the data of its workers.
ATTEMPTS = 5
WAIT_SECONDS = 60
# Of the memory a worker has for a thread; the rest is for the data and the interpreter.
MEMORY_SHARE = 0.5


@contextmanager
def connected(scheduler: Any = None) -> Iterator[Any]:
    """Let a Dask scheduler's workers do the work of the block; give its client, or None.

    The cluster is told to joblib, where :class:`nask.execution.execution.Execution` finds it.

    Parameters
    ----------
    scheduler : str, distributed.Client or None
        An address such as "tcp://host:8786", the name of a scheduler file (.json), or a client,
        which stays open. None: the cluster of ``joblib.parallel_config("dask")`` where that is in
        force.

    Examples
    --------
    >>> with connected() as client:
    ...     print(client)
    None
    """
    if scheduler is None:
        yield active_client()
        return
    named = isinstance(scheduler, (str, os.PathLike))
    client = _client(os.fspath(scheduler)) if named else scheduler
    try:
        with parallel_config("dask", client=client):
            yield client
    finally:
        if named:
            client.close()


def active_client() -> Any:
    """Return the Dask client that joblib is told to use, or None.

    None inside a task of a worker too, where all threads have work already.
    """
    backend, _ = get_active_backend()
    if type(backend).__name__ != "DaskDistributedBackend" or in_worker():
        return None
    return backend.client


def run(
    client: Any, work: Callable[[Place], Result], places: Iterable[Place]
) -> Iterator[tuple[Place, Result]]:
    """Call ``work(place)`` for every place, and pass on the results as they come.

    Parameters
    ----------
    client : distributed.Client
    work : callable
        It travels to each worker once, with all the arrays it holds; tasks carry places only.
        What a worker was doing when it died is done by another.
    places : iterable
        Taken as they are needed.
    """
    dask, distributed = require("dask", "dask"), require("distributed", "dask")
    data, todo = _sent(client, work), iter(places)
    running: dict[Any, tuple[Place, int]] = {}
    completed = distributed.as_completed(loop=client.loop)

    def submit(some: list[Place], attempt: int = 1) -> None:
        # All at once: of tasks that come one by one the scheduler gives the first to the worker
        # that has the data. Without a warning where a place is large: each is sent once.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            futures = client.map(_call, some, work=data, pure=False)
        running.update(
            (future, (place, attempt)) for future, place in zip(futures, some, strict=True)
        )
        completed.update(futures)

    def fill() -> None:
        # Asked for every time, since workers come and go.
        submit(list(islice(todo, max(0, AHEAD * n_threads(client) - len(running)))))

    try:
        fill()
        for batch in completed.batches():
            for future in batch:
                place, attempt = running.pop(future)
                try:
                    result = future.result()
                except CancelledError as error:
                    # The last worker that had the data, or the result, is gone.
                    if attempt == ATTEMPTS:
                        raise _deadly(error) from None
                    if data.status != "finished" or attempt > 1:
                        data = _sent(client, work)
                    submit([place], attempt + 1)
                except distributed.KilledWorker as error:
                    raise _deadly(error) from None
                else:
                    yield place, result
            fill()
    finally:
        client.cancel(list(running))


def n_threads(client: Any) -> int:
    """Threads of all workers that are there now, or 1 where there are none yet."""
    return max(1, sum(map(int, client.nthreads().values())))


def in_worker() -> bool:
    """Tell whether this is a task of a worker.

    Examples
    --------
    >>> in_worker()
    False
    """
    return _worker() is not None


def task_memory() -> int | None:
    """Return the bytes a task may take on this worker; None elsewhere, or where there is no limit.

    Examples
    --------
    >>> task_memory() is None
    True
    """
    worker = _worker()
    limit = worker.memory_manager.memory_limit if worker is not None else None
    return int(MEMORY_SHARE * limit / worker.state.nthreads) if limit else None


def _call(place: Place, work: Callable[[Place], Result]) -> Result:
    return work(place)


def _deadly(error: BaseException) -> ClusterError:
    return ClusterError(
        "Workers died one after the other on the same task, most likely for want of memory "
        f"({error}). Give the workers more memory, or choose a smaller chunk."
    )


def _sent(client: Any, work: Any) -> Any:
    """Send to one worker, from which the others get it with their first task."""
    for _ in range(ATTEMPTS):
        _wait_for_workers(client)
        try:
            return client.scatter(work, hash=False)
        except (KeyError, OSError) as error:  # a worker died on the way
            last = error
    raise _deadly(last)


def _wait_for_workers(client: Any) -> None:
    try:
        client.wait_for_workers(1, timeout=WAIT_SECONDS)
    except TimeoutError:
        address = client.scheduler.address
        raise ClusterError(
            f"The scheduler at {address} had no worker for {WAIT_SECONDS} s. Start some with: "
            f"dask worker {address}"
        ) from None


def _worker() -> Any:
    """The worker whose task this is, or None."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.get_worker()
    except ValueError:
        return None


def _client(scheduler: str) -> Any:
    distributed = require("distributed", "dask")
    try:
        if scheduler.endswith(".json"):
            return distributed.Client(scheduler_file=scheduler, set_as_default=False)
        return distributed.Client(scheduler, set_as_default=False)
    except (OSError, ValueError) as error:
        problem = str(error)
    # A client that could not connect keeps a thread busy until it is collected.
    gc.collect()
    raise ClusterError(
        f"There is no Dask scheduler at {scheduler}: {problem} Start one with: dask scheduler"
    )

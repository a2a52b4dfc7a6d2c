"""Threads: our own for compiled code that releases Python's lock, and one alone for BLAS.

joblib's threads take 30 ms to end, and its main thread wakes a hundred times per second to look
for results, on a core that computes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

# Results per thread that wait to be taken: enough that none is idle while a longer task ends.
AHEAD = 4


def in_threads(tasks: Iterable[Any], n_threads: int) -> Iterator[Any]:
    """Yield the results of joblib's tasks, in order; the tasks run in threads.

    If one fails, or no more results are asked for, no further task is begun.

    Examples
    --------
    >>> from joblib import delayed
    >>> list(in_threads((delayed(pow)(2, k) for k in range(5)), 2))
    [1, 2, 4, 8, 16]
    """
    pool = ThreadPoolExecutor(n_threads)
    begun: deque[Future[Any]] = deque()
    try:
        for function, arguments, options in tasks:
            begun.append(pool.submit(function, *arguments, **options))
            if len(begun) > AHEAD * n_threads:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which the linear algebra library uses one thread.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with one_blas_thread():
    ...     {own["num_threads"] for own in threadpool_info() if own["user_api"] == "blas"}
    {1}
    """
    limited: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limited


@cache
def _libraries() -> Any:
    """Find the libraries to limit, once: the search takes milliseconds."""
    return ThreadpoolController()

"""Tasks in threads of our own, for work in compiled code that does without Python's lock.

joblib's threads take 30 ms to end, and its main thread wakes a hundred times a second to look for
results, on a core that computes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

# Results that wait to be taken, a thread: enough that none is idle while a longer task ends.
AHEAD = 4


def in_threads(tasks: Iterable[Any], n_threads: int) -> Iterator[Any]:
    """Do joblib's tasks in so many threads, and pass on what they return, in order.

    Where one fails, or no more results are asked for, no further task is begun.

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

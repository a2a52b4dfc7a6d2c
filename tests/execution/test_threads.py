"""Tasks in threads: their order, how far they run ahead, and how they end."""

import os
import threading

import pytest
from joblib import delayed, parallel_config
from threadpoolctl import threadpool_info, threadpool_limits

from nask.execution.execution import PAIRS_PER_THREAD, Execution
from nask.execution.threads import AHEAD, in_threads, one_blas_thread

MANY = 1000
DEADLINE = 30


def fails_at(k, limit):
    if k == limit:
        raise ValueError("task")
    return k


def test_results_come_in_order_where_a_later_task_ends_first():
    later = threading.Event()

    def task(k):
        if k == 0:
            assert later.wait(DEADLINE)
        if k == 1:
            later.set()
        return k

    assert list(in_threads((delayed(task)(k) for k in range(9)), 2)) == list(range(9))


def test_few_tasks_are_begun_before_their_results_are_taken():
    begun = []
    results = in_threads((delayed(begun.append)(k) for k in range(MANY)), 2)
    for taken in range(1, 4):
        next(results)
        assert len(begun) <= AHEAD * 2 + taken
    results.close()
    assert len(begun) < MANY


def test_an_error_is_passed_on_and_ends_the_work():
    begun = []

    def tasks():
        for k in range(MANY):
            begun.append(k)
            yield delayed(fails_at)(k, 5)

    results, n_before = in_threads(tasks(), 2), threading.active_count()
    with pytest.raises(ValueError, match="task"):
        list(results)
    assert len(begun) < MANY
    assert threading.active_count() == n_before


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_tasks_that_share_arrays_stay_in_this_process(backend):
    execution = Execution(n_jobs=2)
    with parallel_config(backend=backend):
        tasks = [delayed(os.getpid)() for _ in range(4)]
        done = set(execution.run(tasks, PAIRS_PER_THREAD))
    assert done == {os.getpid()}


def test_linear_algebra_gets_one_thread_and_then_as_many_as_before():
    def threads():
        return {own["num_threads"] for own in threadpool_info() if own["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        if threads() != {2}:
            pytest.skip("BLAS has one thread anyway")
        with one_blas_thread():
            assert threads() == {1}
        assert threads() == {2}

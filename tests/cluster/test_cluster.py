"""Work on a cluster: everything once, the arrays sent once, whatever happens to workers."""

import os
import signal

import joblib
import numpy as np
import pytest

import nask
from cluster_work import (
    Deadly,
    Failing,
    Memory,
    Payload,
    count_comparisons,
    forget_arrivals,
    n_arrived,
)
from nask.exceptions import ClusterError
from nask.execution.cluster import active_client, connected, run, task_memory
from nask.execution.execution import Execution


def kill(client, n):
    """Kill some workers, whose nannies start new ones."""
    for pid in list(client.run(os.getpid).values())[:n]:
        os.kill(pid, signal.SIGKILL)


def test_every_place_comes_back_once_and_the_work_travels_once(client):
    client.run(forget_arrivals)
    results = dict(run(client, Payload(), range(50)))
    assert {place: square for place, (square, _, _) in results.items()} == {
        place: place**2 for place in range(50)
    }
    # A process unpickles the work once; the other 48 tasks find it there.
    assert {n for _, _, n in results.values()} == {1}
    assert len({pid for _, pid, _ in results.values()}) == 2


@pytest.mark.parametrize("n_killed", [1, 2])
def test_workers_that_die_in_the_middle(client, n_killed):
    results = []
    for place, (square, _, _) in run(client, Payload(), range(60)):
        results.append((place, square))
        if len(results) == 5:
            kill(client, n_killed)
    assert sorted(results) == [(place, place**2) for place in range(60)]


def test_an_error_of_the_work_is_raised(client):
    with pytest.raises(ValueError, match="no 0"):
        list(run(client, Failing(), [0]))


def test_work_that_kills_every_worker_ends(local_cluster, monkeypatch):
    monkeypatch.setattr("nask.execution.cluster.ATTEMPTS", 2)
    with (
        local_cluster(n_workers=1) as cluster,
        connected(cluster.scheduler_address) as client,
        pytest.raises(ClusterError, match=r"Workers died .* memory"),
    ):
        list(run(client, Deadly(), [0]))


def test_places_are_taken_as_they_are_needed(client):
    taken = []

    def places():
        for place in range(1000):
            taken.append(place)
            yield place

    work = run(client, Payload(), places())
    next(work)
    work.close()
    assert len(taken) < 100


def test_no_scheduler_there():
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(ClusterError, match=r"no Dask scheduler at tcp://127\.0\.0\.1:1: Timed out"),
        connected("tcp://127.0.0.1:1"),
    ):
        pass


def test_no_workers(local_cluster, monkeypatch):
    monkeypatch.setattr("nask.execution.cluster.WAIT_SECONDS", 0.1)
    with (
        local_cluster(n_workers=0) as empty,
        connected(empty.scheduler_address) as client,
        pytest.raises(ClusterError, match=r"had no worker for 0\.1 s\. .* dask worker tcp://"),
    ):
        list(run(client, str, [1]))


def test_a_client_by_address_by_file_and_as_it_is(client, tmp_path):
    client.write_scheduler_file(tmp_path / "scheduler.json")
    for scheduler in (client.scheduler.address, str(tmp_path / "scheduler.json"), client):
        with connected(scheduler) as found:
            assert dict(run(found, Payload(), [3]))[3][0] == 9
            # The workers do what the executor maps, and not this process.
            [(place, (square, pid, _))] = Execution().map(Payload(), [3])
            assert (place, square) == (3, 9)
            assert pid in client.run(os.getpid).values()
            assert Execution().n_remote == 2
    assert client.status == "running"
    assert Execution().n_remote == 0


def test_a_task_has_one_thread_and_its_share_of_memory(client):
    here = Execution(n_jobs=2, progress=True)
    assert here.in_task() == Execution(n_jobs=2)
    with connected(client):
        [(_, there)] = Execution().map(Execution.in_task, [Execution(n_jobs=2)])
        [(_, share)] = Execution().map(Memory(), [0])
        [(_, limited)] = Execution().map(Execution.in_task, [Execution(memory_limit=10**6)])
    assert there == Execution(n_jobs=1, memory_limit=share)
    assert limited == Execution(n_jobs=1, memory_limit=10**6)
    # Of each of two workers with one thread, half of what it has.
    memory = [worker["memory_limit"] for worker in client.scheduler_info()["workers"].values()]
    assert {int(limit / 2) for limit in memory} == {share}
    assert task_memory() is None


@pytest.mark.parametrize("engine", ["pairwise", "distinct", "explicit"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_joblibs_dask_computes_a_gram_matrix(client, graphs, engine, dtype):
    expansion = "ball" if engine == "explicit" else "nested"
    options = {"n_hops": 2, "engine": engine, "dtype": dtype, "expansion": expansion}
    local = nask.NASK(**options).fit(graphs[:60])
    client.run(count_comparisons)
    with joblib.parallel_config("dask", client=client):
        assert active_client() is client
        spread = nask.NASK(**options).fit(graphs[:60])
        found = spread.fit_transform(graphs[:60])
        new = spread.transform(graphs[60:])
        hops = spread.hop_grams(graphs[60:])
    assert active_client() is None
    # Three comparisons, each sent to each of two workers once.
    assert set(client.run(n_arrived).values()) == {3}
    tolerance = {"rtol": 1e-12 if dtype == "float64" else 1e-5, "strict": True}
    np.testing.assert_allclose(found, local.transform(graphs[:60]), **tolerance)
    np.testing.assert_allclose(found, found.T, **tolerance)
    np.testing.assert_allclose(new, local.transform(graphs[60:]), **tolerance)
    np.testing.assert_allclose(hops, local.hop_grams(graphs[60:]), **tolerance)


def test_joblibs_dask_fills_a_matrix_larger_than_memory(client, graphs, tmp_path):
    options = {"n_hops": 2, "engine": "pairwise", "gram": "rbf"}
    expected = nask.NASK(**options).fit_transform(graphs)
    with joblib.parallel_config("dask", client=client):
        limited = nask.NASK(**options, memory_limit="60KB", gram_folder=tmp_path)
        found = limited.fit_transform(graphs)
    assert isinstance(found, np.memmap)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
@pytest.mark.parametrize("engine", ["pairwise", "distinct"])
def test_other_backends_of_joblib_leave_the_threads_alone(graphs, backend, engine, monkeypatch):
    monkeypatch.setattr("nask.execution.execution.PAIRS_PER_THREAD", 1)
    expected = nask.NASK(n_hops=2, engine=engine).fit_transform(graphs)
    with joblib.parallel_config(backend, n_jobs=2):
        found = nask.NASK(n_hops=2, engine=engine, n_jobs=2).fit_transform(graphs)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("level", ["graph", "node"])
def test_joblibs_dask_computes_features(client, graphs, level, monkeypatch):
    monkeypatch.setattr("nask.kernels.feature_work.BATCH_BYTES", 100_000)
    features = nask.NASKFeatures(n_components=64, n_hops=2, level=level)
    expected = features.fit_transform(graphs)
    steps = []
    features.set_params(verbose=lambda *step: steps.append(step))
    with joblib.parallel_config("dask", client=client):
        found = features.transform(graphs)
    np.testing.assert_array_equal(found, expected, strict=True)
    assert len(steps) > 3

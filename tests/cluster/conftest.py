"""A real cluster on this machine, shared by all tests here."""

import logging
from functools import partial

import pytest

import nask


@pytest.fixture(scope="package")
def local_cluster():
    """Start a cluster of worker processes."""
    distributed = pytest.importorskip("distributed")
    return partial(
        distributed.LocalCluster,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",  # any free port
        silence_logs=logging.CRITICAL,
    )


@pytest.fixture(scope="package")
def cluster(local_cluster):
    """Two workers, of which none has data taken away that it may want again.

    A worker that was killed comes back, however long that takes on a busy machine.
    """
    import dask

    settings = {
        "distributed.scheduler.active-memory-manager.start": False,
        "distributed.deploy.lost-worker-timeout": "1h",
    }
    with (
        dask.config.set(settings),
        local_cluster(n_workers=2) as cluster,
    ):
        yield cluster


@pytest.fixture
def client(cluster):
    """A client of two live workers; a test may kill them."""
    import distributed

    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        yield client
        client.wait_for_workers(2, timeout=60)


@pytest.fixture(scope="session")
def graphs():
    """90 molecules: 15 tiles of 20 x 20."""
    return nask.load_dataset("MUTAG").graphs[:90]

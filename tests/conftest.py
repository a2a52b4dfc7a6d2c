"""Settings shared by all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import nask

settings.register_profile(
    "nask", deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("nask")

# What these fixtures start or read takes seconds: processes, a cluster, real benchmark sets.
SLOW_FIXTURES = {"benchmark_set", "cluster", "local_cluster", "process"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if SLOW_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker("slow")


@pytest.fixture(scope="session")
def mutag() -> nask.Dataset:
    return nask.load_dataset("MUTAG")


@pytest.fixture(scope="session")
def cuneiform() -> nask.Dataset:
    return nask.load_dataset("Cuneiform")


@pytest.fixture
def rdkit_reasons():
    """Skip a test of why RDKit cannot read something where its version does not tell."""
    base = pytest.importorskip("rdkit.rdBase")
    if not hasattr(base, "CaptureErrorLog"):
        pytest.skip("this version of RDKit does not tell why it cannot read a molecule")


@pytest.fixture
def benchmark_set():
    """A function that loads a real benchmark set, or skips the test where it is not at hand."""

    def load(name: str) -> nask.Dataset:
        folders = os.environ.get("NASK_DATA", "").split(os.pathsep)
        if not any((Path(folder) / f"{name}.zip").exists() for folder in folders if folder):
            pytest.skip(f"{name}.zip is not in a folder named by the variable NASK_DATA")
        return nask.load_dataset(name)

    return load

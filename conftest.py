"""What the tests and the doctests of the whole project share."""

import os

# Before numpy and torch are imported: tests run side by side, one process per core, and the threads
# of every process on top of that would fight over the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Ignore what torch_geometric does while it is imported, in a test or a doctest alike."""
    config.addinivalue_line(
        "filterwarnings", "ignore:`torch.jit.script` is deprecated:DeprecationWarning"
    )

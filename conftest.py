"""What the tests and the doctests of the whole project share."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Ignore what torch_geometric does while it is imported, in a test or a doctest alike."""
    config.addinivalue_line(
        "filterwarnings", "ignore:`torch.jit.script` is deprecated:DeprecationWarning"
    )

"""POT, the package of optimal transport, without what it would bring along."""

from __future__ import annotations

import os
from typing import Any


def import_pot() -> Any:
    """Return POT without the frameworks it would import in turn, which take seconds and memory.

    Examples
    --------
    >>> ot = import_pot()
    >>> float(ot.emd2([0.5, 0.5], [1.0], [[1.0], [3.0]]))
    2.0
    """
    before = dict(os.environ)
    try:
        for backend in ("PYTORCH", "JAX", "TENSORFLOW", "CUPY"):
            os.environ[f"POT_BACKEND_DISABLE_{backend}"] = "1"
        import ot  # type: ignore[import-untyped]
    finally:
        for name in set(os.environ) - set(before):
            del os.environ[name]
    return ot

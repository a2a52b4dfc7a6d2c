"""Where a result was made: versions of packages, and the machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGES = ("nask", "numpy", "scipy", "scikit-learn", "numba")


def environment() -> dict[str, Any]:
    """Return versions and the kind of machine; nothing that names a person or a host.

    Examples
    --------
    >>> sorted(environment())
    ['cores', 'processor', 'python', 'system', 'versions']
    """
    return {
        "versions": {package: version(package) for package in PACKAGES},
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()

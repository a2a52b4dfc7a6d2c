"""Numbers every layer needs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# Below this float64 loses digits: a self-similarity so small counts as 0.
TINY = float(np.finfo(np.float64).tiny)


def inverse_root(own: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """1 / sqrt(k(x, x)) for normalising, and 0 for what is similar to nothing, itself included.

    Examples
    --------
    >>> inverse_root(np.array([4.0, 0.0]))
    array([0.5, 0. ])
    """
    root = np.zeros(own.shape)
    positive = own >= TINY
    root[positive] = 1 / np.sqrt(own[positive], dtype=np.float64)
    return root

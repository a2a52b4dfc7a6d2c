"""How many folds fit into memory at a time."""

from __future__ import annotations

from collections.abc import Sequence

from joblib import effective_n_jobs

from nask.evaluation.splits import Split
from nask.execution.resources import free_memory

# Share of the free memory that all running folds may take.
SHARE = 0.5


def folds_at_a_time(
    n_jobs: int | None, n_items: int, splits: Sequence[Split], itemsize: int
) -> int:
    """Return the number of processes asked for, or as many as half of the free memory holds.

    A fold holds three Gram matrices: one of all graphs or nodes, and two of its training set.

    Parameters
    ----------
    n_jobs : int or None
        Processes asked for, in joblib's convention.
    n_items : int
        All graphs or nodes of the set.
    splits : sequence of Split
        The largest training set among them counts.
    itemsize : int
        Bytes per number of a Gram matrix.

    Examples
    --------
    >>> import numpy as np
    >>> split = Split(0, 0, np.arange(90), np.arange(90, 100))
    >>> folds_at_a_time(2, 100, [split], 8)
    2
    >>> folds_at_a_time(2, 10**7, [split], 8)  # one always runs
    1
    """
    asked = int(effective_n_jobs(n_jobs))
    n_train = max(len(split.train) for split in splits)
    bytes_per_fold = itemsize * (n_items**2 + 2 * n_train**2)
    return max(1, min(asked, int(SHARE * free_memory()) // bytes_per_fold))

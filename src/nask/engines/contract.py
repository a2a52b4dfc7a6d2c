"""What every engine answers: prepare a batch once, then compare it with others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from nask.exceptions import MemoryLimitError
from nask.graph.batch import GraphBatch
from nask.progress import Progress, track
from nask.stars.spec import StarSpec

T = TypeVar("T")


@dataclass(frozen=True)
class Execution:
    """How to run, which never changes the result.

    Parameters
    ----------
    n_jobs : int or None
        Threads, in joblib's convention.
    memory_limit : int or None
        Bytes that one computation may take.
    progress : bool or callable
        Whether to show a bar, or a function told ``(done, total)``.
    """

    n_jobs: int | None = None
    memory_limit: int | None = None
    progress: Progress = False

    def track(self, steps: Iterable[T], total: int) -> Iterable[T]:
        """Pass the steps on and report how many are done."""
        return track(steps, total, self.progress)

    def check_memory(self, needed: int, what: str) -> None:
        """Raise before the work begins where it would not fit."""
        if self.memory_limit is not None and needed > self.memory_limit:
            raise MemoryLimitError(
                f"{what} takes {_readable(needed)}, but memory_limit allows "
                f"{_readable(self.memory_limit)}. Raise memory_limit, use fewer threads or "
                "dtype='float32', or compare fewer graphs at a time with transform."
            )


def _readable(n_bytes: int) -> str:
    """A number of bytes in the unit a reader would use.

    Examples
    --------
    >>> _readable(440), _readable(2_500_000)
    ('440 B', '2.5 MB')
    """
    for size, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{n_bytes} B"


@dataclass(frozen=True, eq=False)
class Prepared:
    """A batch with all that an engine needs of it alone.

    Parameters
    ----------
    batch : GraphBatch
    spec : StarSpec
    hop_self : ndarray of shape (n_hops, n_graphs)
        K_h(G, G) of each graph.
    """

    batch: GraphBatch
    spec: StarSpec
    hop_self: npt.NDArray[np.float64]


PreparedT = TypeVar("PreparedT", bound=Prepared)


class Engine(ABC, Generic[PreparedT]):
    """One way to compute the kernel."""

    name: str

    @abstractmethod
    def prepare(self, batch: GraphBatch, spec: StarSpec, execution: Execution) -> PreparedT:
        """Compute what depends on one batch alone, its self-terms included."""

    @abstractmethod
    def grams(
        self,
        rows: PreparedT,
        columns: PreparedT,
        combinations: npt.NDArray[np.float64],
        execution: Execution,
    ) -> npt.NDArray[np.floating]:
        """Weighted sums of the hops' Gram matrices, all from one pass.

        Parameters
        ----------
        rows, columns : Prepared
            Where both are the same object the result is symmetric, and half the work will do.
        combinations : ndarray of shape (n_combinations, n_hops)
            The weight of each hop in each result.

        Returns
        -------
        ndarray of shape (n_combinations, rows, columns)
        """

"""What every engine answers: prepare a batch once, then compare it with others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from nask.arrays import Positions
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.stars.spec import StarSpec
from nask.storage.window import Window


@dataclass(frozen=True, eq=False)
class Prepared(ABC):
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

    @abstractmethod
    def take(self, graphs: Positions) -> Self:
        """Some of the graphs, in the order given, without computing anything again."""


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
        window: Window,
    ) -> npt.NDArray[np.floating]:
        """Weighted sums of the hops' Gram matrices, or of a window of them, all from one pass.

        Parameters
        ----------
        rows, columns : Prepared
        combinations : ndarray of shape (n_combinations, n_hops)
            The weight of each hop in each result.
        execution : Execution
            Its ``memory_limit`` is for the result and the work on this window.
        window : Window
            The graphs to compare. Where both batches are the same object and the window is on the
            diagonal the result is symmetric, and half the work will do.

        Returns
        -------
        ndarray of shape (n_combinations, rows of the window, columns of the window)
        """

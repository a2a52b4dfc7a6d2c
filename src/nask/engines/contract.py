"""The contract of every engine: prepare a batch once, then compare it with others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from nask.arrays import Float64, Floats, Positions
from nask.execution.execution import Execution
from nask.graph.batch import GraphBatch
from nask.stars.spec import StarSpec
from nask.storage.window import Window


@dataclass(frozen=True, eq=False)
class Prepared(ABC):
    """A batch with all that an engine computes from it alone.

    Parameters
    ----------
    hop_self : ndarray of shape (n_hops, n_graphs)
        K_h(G, G) of each graph.
    """

    batch: GraphBatch
    spec: StarSpec
    hop_self: Float64

    @abstractmethod
    def take(self, graphs: Positions) -> Self:
        """Return the prepared batch of some graphs, in the order given, without computing anew."""


PreparedT = TypeVar("PreparedT", bound=Prepared)


class Engine(ABC, Generic[PreparedT]):
    """One way to compute the kernel."""

    name: str

    @abstractmethod
    def prepare(self, batch: GraphBatch, spec: StarSpec, execution: Execution) -> PreparedT:
        """Compute what depends on one batch alone, including K_h(G, G) of each graph."""

    @abstractmethod
    def grams(
        self,
        rows: PreparedT,
        columns: PreparedT,
        combinations: Float64,
        execution: Execution,
        window: Window,
    ) -> Floats:
        """Return weighted sums of the hops' Gram matrices in a window, all from one pass.

        Parameters
        ----------
        combinations : ndarray of shape (n_combinations, n_hops)
            The weight of each hop in each result.
        execution : Execution
            Its ``memory_limit`` is for the result and the working memory together.
        window : Window
            The graphs to compare. The result is symmetric, and takes half the work, if both batches
            are the same object and the window is on the diagonal.

        Returns
        -------
        ndarray of shape (n_combinations, rows of the window, columns of the window)
        """

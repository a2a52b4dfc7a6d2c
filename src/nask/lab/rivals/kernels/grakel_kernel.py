"""What the kernels that GraKeL computes share."""

from __future__ import annotations

import copy
import warnings
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from nask.arrays import Float64
from nask.graph.attributed_graph import AttributedGraph
from nask.lab.rivals.kernels.base import NormalisedKernel
from nask.numeric import inverse_root


class GraKeLKernel(NormalisedKernel):
    """A kernel that GraKeL computes, normalised to K(G, G) = 1.

    A graph without nodes has K = 0 with every graph, itself included; GraKeL would fail on it. The
    same holds for a graph with K(G, G) = 0, where GraKeL would return NaN. A subclass says in
    ``_learn`` what it needs to know of the training graphs, in ``_grakel`` which kernel of GraKeL
    it is, and in ``_convert`` how that kernel takes graphs.
    """

    def _fit(self, graphs: Sequence[AttributedGraph]) -> None:
        self._learn(graphs)
        self.filled_ = _filled(graphs)
        self.kernel_ = self._grakel()
        self.diagonal_ = np.zeros(0)
        if self.filled_.any():
            with quiet():
                self.kernel_.fit(self._convert(_chosen(graphs, self.filled_)))
                self.diagonal_ = np.atleast_1d(self._copy().diagonal())

    def _compare(self, graphs: Sequence[AttributedGraph] | None) -> Float64:
        filled = self.filled_ if graphs is None else _filled(graphs)
        result = np.zeros((len(filled), len(self.filled_)))
        if not (filled.any() and self.filled_.any()):
            return result
        kernel = self._copy()
        with quiet():
            if graphs is None:
                found, diagonal = self._training_gram(kernel), self.diagonal_
            else:
                found = kernel.transform(self._convert(_chosen(graphs, filled)))
                diagonal = np.atleast_1d(kernel.diagonal()[1])
        scale = np.outer(inverse_root(diagonal), inverse_root(self.diagonal_))
        result[np.ix_(filled, self.filled_)] = found * scale
        return result

    def _training_gram(self, kernel: Any) -> Any:
        return gram_of_fitted(kernel)

    def _copy(self) -> Any:
        """Return the fitted kernel of GraKeL, to be used once: it stores each call in itself."""
        return copy.copy(self.kernel_)

    @abstractmethod
    def _learn(self, graphs: Sequence[AttributedGraph]) -> None:
        """Set the fitted attributes that ``_grakel`` and ``_convert`` use."""

    @abstractmethod
    def _grakel(self) -> Any:
        """Return the kernel of GraKeL, not fitted and not normalised."""

    @abstractmethod
    def _convert(self, graphs: Sequence[AttributedGraph]) -> list[Any]:
        """Return graphs, each of which has nodes, as GraKeL takes them."""


def gram_of_fitted(kernel: Any) -> Any:
    """Return the matrix between the graphs that a kernel of GraKeL was fitted on."""
    # GraKeL has no public way to it: fit_transform would do all the work of fit again.
    return kernel._calculate_kernel_matrix()


@contextmanager
def quiet() -> Iterator[None]:
    """Ignore warnings about GraKeL's own calls of functions that numpy and scipy will remove."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", FutureWarning)
        yield


def _filled(graphs: Sequence[AttributedGraph]) -> Any:
    return np.array([graph.n_nodes > 0 for graph in graphs], dtype=bool)


def _chosen(graphs: Sequence[AttributedGraph], mask: Any) -> list[AttributedGraph]:
    return [graph for graph, chosen in zip(graphs, mask, strict=True) if chosen]

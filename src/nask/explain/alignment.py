"""Which stars of one graph match which of another: the matrix behind one kernel value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Float64
from nask.engines.pairwise.shares import ComparedStars
from nask.exceptions import InputError
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graph
from nask.kernels.nask import NASK
from nask.numeric import inverse_root
from nask.optional import named


class Match(NamedTuple):
    """A node of one graph, a node of the other, and what their stars have of the kernel."""

    node: int
    other: int
    share: float


@dataclass(frozen=True, eq=False, repr=False)
class Alignment:
    """The shares of all pairs of stars in the kernel between two graphs. Made by :func:`align`.

    Parameters
    ----------
    graphs : (AttributedGraph, AttributedGraph)
    hops : ndarray of shape (n_hops, n_nodes, n_nodes of the other)
        weight_h * kappa_h, normalised as the kernel is.
    value : float
        The linear kernel between the graphs: the sum of all shares.
    """

    graphs: tuple[AttributedGraph, AttributedGraph]
    hops: Float64
    value: float

    def __repr__(self) -> str:
        n, m = self.hops.shape[1:]
        return f"Alignment({n} x {m} stars, kernel {self.value:.4g})"

    @property
    def matrix(self) -> Float64:
        """The share of each pair of stars in the kernel, over all hops, (n, m)."""
        return np.asarray(self.hops.sum(axis=0))

    def matches(self) -> list[Match]:
        """Pair the nodes of both graphs, each at most once, so that the sum of shares is largest.

        The pairs with the largest shares come first.
        """
        shares = self.matrix
        rows, columns = linear_sum_assignment(shares, maximize=True)
        order = np.argsort(-shares[rows, columns], kind="stable")
        return [
            Match(int(v), int(w), float(shares[v, w]))
            for v, w in zip(rows[order], columns[order], strict=True)
        ]

    def plot(self, **options: Any) -> Any:
        """Draw both graphs and their matches; the options are those of ``nask.plots.alignment``."""
        return named("nask.plots:alignment")(self, **options)


def align(kernel: Any, graph: Any, other: Any) -> Alignment:
    """Tell which stars of two graphs are alike, and how much each pair has of their kernel.

    Parameters
    ----------
    kernel : NASK, NASKClassifier or NASKRegressor
        Fitted. Of a Gaussian form the linear kernel is shared out, of which it is a function.
    graph, other : graph

    Returns
    -------
    Alignment

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs
    >>> kernel = nask.NASK(n_hops=2).fit(graphs)
    >>> found = align(kernel, graphs[0], graphs[1])
    >>> found.matrix.shape, bool(np.isclose(found.matrix.sum(), kernel(graphs[:1], graphs[1:2])))
    ((17, 13), True)
    >>> len(found.matches())
    13
    """
    own = getattr(kernel, "kernel_", kernel)
    if not isinstance(own, NASK):
        raise InputError(
            f"align takes a fitted NASK, NASKClassifier or NASKRegressor. Got an object of type "
            f"{type(kernel).__name__}."
        )
    check_is_fitted(own)
    graphs = (as_graph(item, own.molecules_) for item in (graph, other))
    return _aligned(own, *graphs, compare=True)


def align_known(kernel: NASK, graph: AttributedGraph, other: AttributedGraph) -> Alignment:
    """As :func:`align`, of graphs that were held against the schema before: no warning again."""
    return _aligned(kernel, graph, other, compare=False)


def _aligned(
    kernel: NASK, graph: AttributedGraph, other: AttributedGraph, *, compare: bool
) -> Alignment:
    execution, fitted, graphs = kernel.execution(), kernel.fitted_, (graph, other)
    # Encoded together, so that a category unseen in training has one code in both.
    both = fitted.stars_of(graphs, execution, compare=compare)
    rows, columns = both.take(np.array([0])), both.take(np.array([1]))
    hops = ComparedStars.of(rows, columns).pairs(execution) * fitted.form.hop_weights[:, None, None]
    if fitted.form.normalize:
        scale = inverse_root(fitted.form.raw_self(both.hop_self))
        hops = hops * (scale[0] * scale[1])
    return Alignment(graphs, hops, float(hops.sum()))

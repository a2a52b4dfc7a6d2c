"""GH: the GraphHopper kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nask.arrays import Float64
from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.lab.rivals.encoding import NodeEncoder
from nask.lab.rivals.kernels.base import (
    KernelClassifier,
    NormalisedKernel,
    with_gaussian_forms,
)
from nask.lab.rivals.kernels.hopper_nodes import HopperNodes
from nask.numeric import inverse_root

GRID = with_gaussian_forms({"node_kernel": ["linear", "gaussian"]})
# Rows are float32, whose sums of products have errors of 1e-14 of their terms where they cancel.
SMALLEST_SHARE = 1e-10


@dataclass(kw_only=True, eq=False, repr=False)
class GH(NormalisedKernel):
    r"""GraphHopper kernel: shortest paths of the same length, compared node by node.

    .. math::

        K(G, G') = \sum_{\pi, \pi' : |\pi| = |\pi'|} \sum_{i} k(\pi_i, \pi'_i)
                 = \sum_{v, v'} \langle M(v), M(v') \rangle k(v, v'),

    over all shortest paths of both graphs, those of a single node included, where M(v)_{ij}
    counts the paths of j edges that have v at position i; divided by
    :math:`\sqrt{K(G, G) K(G', G')}`.

    Parameters
    ----------
    node_kernel : {"linear", "gaussian"}, default="gaussian"
        k(v, v') = <x, x'> or exp(-||x - x'||^2 / d) of the rows x of d numbers.

    Notes
    -----
    The rows have z-scores of numerical attributes and one-hot categories, so that a Gaussian k is
    the product of one on numbers and, as in the paper, one on labels, which is
    exp(-2 / d) in place of 0 for different labels. A missing number is the mean, a missing or
    unseen category is all zeros. Attributes of edges are left out.

    A graph without nodes has K = 0 with every graph, itself included, and so has a graph whose
    linear K(G, G) is 0.

    GraKeL has this kernel too, but fails on nodes without neighbours. Its loops run over
    positions and lengths for each pair of nodes. Here v is on a shortest path from u to w where
    D(u, v) + D(v, w) = D(u, w), and the numbers of shortest paths to v and from v are multiplied.

    References
    ----------
    Feragen, A., Kasenburg, N., Petersen, J., de Bruijne, M. and Borgwardt, K. Scalable kernels
    for graphs with continuous attributes. NeurIPS 2013.

    Examples
    --------
    >>> import nask
    >>> path = nask.AttributedGraph(3, [(0, 1), (1, 2)], {"x": [1.0, 2.0, 3.0]})
    >>> pair = nask.AttributedGraph(2, [(0, 1)], {"x": [1.0, 3.0]})
    >>> GH().fit_transform([path, pair]).round(3)
    array([[1.   , 0.675], [0.675, 1.   ]])
    """

    node_kernel: Literal["linear", "gaussian"] = "gaussian"

    def _fit(self, graphs: Sequence[AttributedGraph]) -> None:
        if self.node_kernel not in ("linear", "gaussian"):
            expected = "'linear' or 'gaussian'"
            raise ParameterError.expected("node_kernel", "GH", expected, self.node_kernel)
        self.encoder_ = NodeEncoder().fit(graphs)
        self.nodes_ = self._nodes(graphs)
        self.diagonal_ = self._diagonal(self.nodes_)

    def _compare(self, graphs: Sequence[AttributedGraph] | None) -> Float64:
        if graphs is None:
            nodes, diagonal = self.nodes_, self.diagonal_
        else:
            nodes = self._nodes(graphs)
            diagonal = self._diagonal(nodes)
        gram = np.zeros((len(nodes), len(self.nodes_)))
        for a, rows in nodes.tiles():
            for b, columns in self.nodes_.tiles():
                if graphs is not None or a.start >= b.start:
                    gram[a, b] = self._between(rows, columns)
        if graphs is None:
            gram = np.tril(gram) + np.tril(gram, -1).T
        return gram * np.outer(inverse_root(diagonal), inverse_root(self.diagonal_))

    def _nodes(self, graphs: Sequence[AttributedGraph]) -> HopperNodes:
        return HopperNodes.of(graphs, self.encoder_.transform(graphs))

    def _diagonal(self, nodes: HopperNodes) -> Float64:
        """Return K(G, G); 0 where linear terms cancel and only rounding is left."""
        result = np.zeros(len(nodes))
        for i in range(len(nodes)):
            own = nodes.take(slice(i, i + 1))
            width = own.width
            terms = (own.counts(width) @ own.counts(width).T) * self._similarity(own, own)
            if terms.sum() > SMALLEST_SHARE * np.abs(terms).sum():
                result[i] = terms.sum()
        return result

    def _between(self, a: HopperNodes, b: HopperNodes) -> Float64:
        """Return the sums over the nodes of each graph, for all pairs of graphs."""
        width = min(a.width, b.width)
        terms = (a.counts(width) @ b.counts(width).T) * self._similarity(a, b)
        return np.asarray(a.membership() @ terms @ b.membership().T)

    def _similarity(self, a: HopperNodes, b: HopperNodes) -> Float64:
        """Return k for all pairs of nodes."""
        x, y = a.rows, b.rows
        if self.node_kernel == "linear":
            return x @ y.T
        distances = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1) - 2 * x @ y.T
        return np.asarray(np.exp(-np.maximum(distances, 0) / x.shape[1]))


class GHClassifier(KernelClassifier):
    """A support vector machine on :class:`GH`; see :class:`KernelClassifier` for its parameters."""

    kernel_type = GH
    default_grid = GRID

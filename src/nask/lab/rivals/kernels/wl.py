"""WL-VH: the Weisfeiler-Lehman subtree kernel."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from grakel import VertexHistogram, WeisfeilerLehman

from nask.graph.attributed_graph import AttributedGraph
from nask.lab.rivals.kernels.base import KernelClassifier, with_gaussian_forms
from nask.lab.rivals.kernels.grakel_graphs import labelled
from nask.lab.rivals.kernels.grakel_kernel import GraKeLKernel, gram_of_fitted
from nask.lab.rivals.kernels.labels import NodeLabels

GRID = with_gaussian_forms({"n_iter": [1, 2, 3, 4, 5]})


@dataclass(kw_only=True, eq=False, repr=False)
class WL(GraKeLKernel):
    r"""Weisfeiler-Lehman kernel with vertex histograms, as GraKeL computes it.

    In each of h rounds a node's label becomes a new label for the pair of its own and the sorted
    labels of its neighbours. With c_i(G) the counts of the labels of round i,

    .. math:: K(G, G') = \sum_{i=0}^{h} \langle c_i(G), c_i(G') \rangle,

    divided by :math:`\sqrt{K(G, G) K(G', G')}`.

    Parameters
    ----------
    n_iter : int, default=5
        The number of rounds h, at least 1.

    Notes
    -----
    The kernel knows one label per node. Here it is all categorical attributes of the node
    together, a missing value as one more category. Numerical attributes are left out, as in the
    paper. Without categorical attributes all labels are equal at first, so that round 1 counts
    degrees. Attributes of edges are left out.

    References
    ----------
    Shervashidze, N., Schweitzer, P., van Leeuwen, E. J., Mehlhorn, K. and Borgwardt, K. M.
    Weisfeiler-Lehman graph kernels. Journal of Machine Learning Research 12, 2011.

    Examples
    --------
    >>> import nask
    >>> path = nask.AttributedGraph(3, [(0, 1), (1, 2)])
    >>> triangle = nask.AttributedGraph(3, [(0, 1), (1, 2), (0, 2)])
    >>> WL(n_iter=1).fit_transform([path, triangle]).round(3)
    array([[1.   , 0.756], [0.756, 1.   ]])
    """

    n_iter: int = 5

    least = (("n_iter", 1),)

    def _learn(self, graphs: Sequence[AttributedGraph]) -> None:
        self.labels_ = NodeLabels.fit(graphs)

    def _grakel(self) -> Any:
        return WeisfeilerLehman(n_iter=self.n_iter, base_graph_kernel=VertexHistogram)

    def _convert(self, graphs: Sequence[AttributedGraph]) -> list[Any]:
        return labelled(graphs, [own.tolist() for own in self.labels_.transform(graphs)])

    def _training_gram(self, kernel: Any) -> Any:
        return np.sum([gram_of_fitted(level) for level in kernel.X.values()], axis=0)

    def _copy(self) -> Any:
        kernel = super()._copy()
        # One histogram per round; these store their calls in themselves, too.
        kernel.X = {k: copy.copy(level) for k, level in kernel.X.items()}
        return kernel


class WLClassifier(KernelClassifier):
    """A support vector machine on :class:`WL`; see :class:`KernelClassifier` for its parameters."""

    kernel_type = WL
    default_grid = GRID

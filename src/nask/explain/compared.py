"""A graph compared with the training graphs star by star, and its kernel with them in any form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nask.arrays import Float64
from nask.engines.pairwise.prepared import PairwisePrepared
from nask.engines.pairwise.shares import star_sums
from nask.execution.execution import Execution
from nask.graph.attributed_graph import AttributedGraph
from nask.kernels.fitted import FittedKernel
from nask.kernels.forms import Form
from nask.numeric import inverse_root


class GramRow(NamedTuple):
    """The kernel between one graph and the training graphs, as a sum over stars and a rest.

    K(G, G_i) = rest_i + slope_i * sum over hops of weight_h * sum over stars of kappa_h

    Parameters
    ----------
    values, rest, slope : ndarray of shape (n_graphs,)
        K itself; the part that no star has; and what a unit of the sum over stars is worth.
    """

    values: Float64
    rest: Float64
    slope: Float64


@dataclass(frozen=True, eq=False)
class ComparedGraph:
    """One graph compared with the training graphs of a kernel, star by star.

    Parameters
    ----------
    graph : AttributedGraph
    kernel : FittedKernel
    stars : PairwisePrepared
        The stars of the graph.
    sums : ndarray of shape (n_hops, n_nodes, n_graphs)
        kappa_h between the star of a node and all stars of a training graph, added up.
    """

    graph: AttributedGraph
    kernel: FittedKernel
    stars: PairwisePrepared
    sums: Float64

    @classmethod
    def of(
        cls, graph: AttributedGraph, kernel: FittedKernel, execution: Execution
    ) -> ComparedGraph:
        """Compare all stars of a graph with those of the training graphs."""
        stars = kernel.stars_of([graph], execution)
        return cls(graph, kernel, stars, star_sums(stars, kernel.stars, execution))

    def row(self, form: Form, unit: float | None) -> GramRow:
        r"""The kernel with every training graph, in a form.

        A linear kernel is x = slope * sum over stars, the slope being that of normalisation. The
        Gaussian form is a function g of x. Its Aumann-Shapley value shares out g(x) - g(0) in
        proportion: the slope is multiplied by (g(x) - g(0)) / x, and g(0), the kernel with a graph
        unlike everything, is the rest.

        Parameters
        ----------
        form : Form
        unit : float or None
            Mean squared distance between training graphs, of a Gaussian form.
        """
        training = self.kernel.stars
        slope = np.ones(self.sums.shape[2])
        if form.normalize:
            slope = inverse_root(form.raw_self(training.hop_self))
            slope = slope * inverse_root(form.raw_self(self.stars.hop_self))
        x = slope * (form.hop_weights @ self.sums.sum(axis=1))
        if form.gram == "linear" or unit is None:
            return GramRow(x, np.zeros_like(x), slope)
        both = form.own(self.stars.hop_self) + form.own(training.hop_self)
        rest = np.exp(-form.scale / unit * both)
        values = np.exp(-form.scale / unit * np.maximum(both - 2 * x, 0.0))
        per_unit = np.divide(values - rest, x, out=np.zeros_like(x), where=x != 0)
        return GramRow(np.where(x != 0, values, rest), rest, slope * per_unit)

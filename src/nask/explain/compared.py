"""A graph compared with the training graphs, star by star."""

from __future__ import annotations

from dataclasses import dataclass

from nask.arrays import Float64
from nask.engines.pairwise.prepared import PairwisePrepared
from nask.engines.pairwise.shares import star_sums
from nask.execution.execution import Execution
from nask.explain.gram_row import GramRow
from nask.graph.attributed_graph import AttributedGraph
from nask.kernels.fitted import FittedKernel
from nask.kernels.forms import Form


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
        """The kernel with every training graph, in a form."""
        training = self.kernel.stars.hop_self
        return GramRow.of(form, unit, self.sums.sum(axis=1), self.stars.hop_self, training)

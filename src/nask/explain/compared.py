"""A graph compared with the training graphs, star by star."""

from __future__ import annotations

from dataclasses import dataclass

from nask.arrays import Float64
from nask.engines.pairwise.shares import ComparedStars
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
    stars : ComparedStars
        Those of the graph, and those of the training graphs.
    sums : ndarray of shape (n_hops, n_nodes, n_graphs)
        kappa_h between the star of a node and all stars of a training graph, added up.
    """

    graph: AttributedGraph
    kernel: FittedKernel
    stars: ComparedStars
    sums: Float64

    @classmethod
    def of(
        cls, graph: AttributedGraph, kernel: FittedKernel, execution: Execution
    ) -> ComparedGraph:
        """Compare all stars of a graph with those of the training graphs."""
        stars = ComparedStars.of(kernel.stars_of([graph], execution), kernel.stars)
        return cls(graph, kernel, stars, stars.sums(execution))

    def row(self, form: Form, unit: float | None) -> GramRow:
        """The kernel with every training graph, in a form."""
        own, training = self.stars.rows.hop_self, self.stars.columns.hop_self
        return GramRow.of(form, unit, self.sums.sum(axis=1), own, training)

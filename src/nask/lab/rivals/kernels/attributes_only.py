"""A Gaussian kernel on sums of attributes and on size, which does not use the edges' ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from nask.arrays import Float64
from nask.graph.attributed_graph import AttributedGraph
from nask.lab.rivals.encoding import NodeEncoder
from nask.lab.rivals.kernels.base import GraphKernel, KernelClassifier
from nask.tuning.grid import Grid

GRID: Grid = {"scale": (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)}

ROUNDING = 1e-6


@dataclass(kw_only=True, eq=False, repr=False)
class AttributeSums(GraphKernel):
    """A Gaussian kernel on the summed attributes of a graph's nodes.

    K(G, G') = exp(-scale ‖s(G) - s(G')‖² / m), where s(G) has the sum over nodes of the rows of
    :class:`nask.lab.rivals.encoding.NodeEncoder` (categories one-hot, numbers z-scored) and the
    numbers of nodes and edges, each column z-scored over the training graphs, and m is the mean
    squared distance between two training graphs.

    A kernel that is no more accurate has learned nothing from the structure.

    Parameters
    ----------
    scale : float, default=1.0

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> AttributeSums().fit(mutag.graphs).transform(mutag.graphs[:2]).shape
    (2, 188)
    """

    scale: float = 1.0

    form = ("scale",)
    positive = ("scale",)

    def _fit(self, graphs: Sequence[AttributedGraph]) -> None:
        self.encoder_ = NodeEncoder().fit(graphs)
        sums = self._sums(graphs)
        deviation = sums.std(axis=0)
        # Rows are float32: a column of sums that differ by rounding only must not be scaled up.
        varies = deviation > ROUNDING * np.abs(sums).max(axis=0, initial=1.0)
        self.mean_, self.deviation_ = sums.mean(axis=0), np.where(varies, deviation, 1.0)
        self.training_ = (sums - self.mean_) / self.deviation_
        n = len(graphs)
        total = float(cdist(self.training_, self.training_, "sqeuclidean").sum())
        self.unit_ = total / (n * (n - 1)) if total > ROUNDING else 1.0

    def _compare(self, graphs: Sequence[AttributedGraph] | None) -> Float64:
        rows = self.training_
        if graphs is not None:
            rows = (self._sums(graphs) - self.mean_) / self.deviation_
        squares: Float64 = cdist(rows, self.training_, "sqeuclidean") / self.unit_
        return squares

    def finish(self, compared: Float64, unit: float | None = None) -> Float64:
        """Return the kernel from squared distances."""
        gram: Float64 = np.exp(-self.scale * compared)
        return gram

    def _sums(self, graphs: Sequence[AttributedGraph]) -> Float64:
        sizes = np.array([(graph.n_nodes, graph.n_edges) for graph in graphs], dtype=np.float64)
        schema = self.encoder_.schema_
        if not schema.nodes and not schema.features:
            return sizes
        sums = [rows.sum(axis=0, dtype=np.float64) for rows in self.encoder_.transform(graphs)]
        return np.hstack([np.array(sums), sizes])


class AttributesOnlyClassifier(KernelClassifier):
    """A support vector machine on :class:`AttributeSums`.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = AttributesOnlyClassifier().fit(mutag.graphs[::2], mutag.y[::2])
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.75)
    True
    """

    kernel_type = AttributeSums
    default_grid = GRID

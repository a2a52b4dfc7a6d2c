"""Wasserstein Weisfeiler-Lehman kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import ot  # type: ignore[import-untyped]
from joblib import delayed
from scipy.spatial.distance import cdist

from nask.arrays import Array, Float64
from nask.execution.processes import in_processes
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.lab.rivals.encoding import NodeEncoder
from nask.lab.rivals.kernels.base import GraphKernel, KernelClassifier
from nask.lab.rivals.kernels.mixed_nodes import has_numbers
from nask.lab.rivals.kernels.wl_embedding import wl_embeddings
from nask.stars.colours import node_colours
from nask.tuning.grid import Grid

GRID: Grid = {
    "n_iter": (0, 1, 2, 3),
    "gamma": (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1),
}

# Points of a graph, one row each, and their weights.
Cloud = tuple[Array, Float64]
# Enough to reach the optimum for graphs of thousands of nodes; POT would stop at 10^5.
MOST_STEPS = 10**8


@dataclass(kw_only=True, eq=False, repr=False)
class WWL(GraphKernel):
    """Wasserstein distance between the Weisfeiler-Lehman embeddings of two graphs' nodes.

    K(G, G') = exp(-gamma W(G, G')), where W is the least cost of moving the nodes of G, each with
    weight 1 / n, to those of G'.

    - Categories only: a node is embedded as its H + 1 colours after 0, ..., H rounds of
      Weisfeiler-Lehman, and the cost of a move is the share of colours that differ. This kernel
      is positive definite.
    - With numerical attributes: a node is embedded as its vector and the averages of
      :func:`nask.lab.rivals.kernels.wl_embedding.wl_embeddings`, and the cost is the Euclidean
      distance. The paper leaves open whether this kernel is positive definite.

    The vector of a node has its numerical attributes, z-scored over the training graphs, and its
    categories one-hot. Attributes of edges are not used.

    Parameters
    ----------
    n_iter : int, default=2
        H.
    gamma : float, default=0.1
    n_jobs : int, default=None
        Processes.

    References
    ----------
    Togninalli, Ghisu, Llinares-López, Rieck, Borgwardt, "Wasserstein Weisfeiler-Lehman graph
    kernels", NeurIPS 2019.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> WWL().fit_transform(mutag.graphs[:3]).round(2)
    array([[1.  , ..., ...],
           [..., 1.  , ...],
           [..., ..., 1.  ]])
    """

    n_iter: int = 2
    gamma: float = 0.1
    n_jobs: int | None = None

    form = ("gamma",)
    least = (("n_iter", 0),)
    positive = ("gamma",)

    def finish(self, compared: Float64, unit: float | None = None) -> Float64:
        """Return the kernel from distances."""
        gram: Float64 = np.exp(-self.gamma * compared)
        return gram

    def _fit(self, graphs: Sequence[AttributedGraph]) -> None:
        self.encoder_ = NodeEncoder().fit(graphs)
        self.is_continuous_ = has_numbers(self.encoder_.schema_)
        self.training_ = list(graphs)

    def _compare(self, graphs: Sequence[AttributedGraph] | None) -> Float64:
        new = [] if graphs is None else list(graphs)
        # Colours are numbered anew each time, for all graphs together.
        clouds = self._clouds([*self.training_, *new])
        training = clouds[: len(self.training_)]
        metric = "euclidean" if self.is_continuous_ else "hamming"
        if graphs is not None:
            others = clouds[len(training) :]
            tasks = (delayed(_distances)(cloud, training, metric) for cloud in others)
            rows = list(in_processes(tasks, self.n_jobs))
            return np.array(rows).reshape(len(others), len(training))
        tasks = (
            delayed(_distances)(cloud, training[:i], metric) for i, cloud in enumerate(training)
        )
        distances = np.zeros((len(training), len(training)))
        for i, row in enumerate(in_processes(tasks, self.n_jobs)):
            distances[i, :i] = distances[:i, i] = row
        return distances

    def _clouds(self, graphs: Sequence[AttributedGraph]) -> list[Cloud]:
        if self.is_continuous_:
            vectors: list[Any] = list(self.encoder_.transform(graphs))
            embeddings: list[Any] = wl_embeddings(graphs, vectors, self.n_iter)
        else:
            batch = GraphBatch.encode(graphs, self.encoder_.schema_)
            levels = list(islice(node_colours(batch), self.n_iter + 1))
            embeddings = np.split(np.column_stack(levels), batch.nodes.ptr[1:-1])
        return [_merged(rows) for rows in embeddings]


class WWLClassifier(KernelClassifier):
    """A support vector machine on :class:`WWL`.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = WWLClassifier(grid={"gamma": [1, 10]}).fit(mutag.graphs[::4], mutag.y[::4])
    >>> bool(model.score(mutag.graphs[1::4], mutag.y[1::4]) > 0.7)
    True
    """

    kernel_type = WWL
    default_grid = GRID


def _merged(rows: Array) -> Cloud:
    """Merge nodes of equal embedding into one point with their total weight: the same distance,
    sooner."""
    points, counts = np.unique(rows, axis=0, return_counts=True)
    return points, counts / max(len(rows), 1)


def _distances(cloud: Cloud, others: Sequence[Cloud], metric: str) -> Float64:
    """Return Wasserstein distances, infinite between a graph without nodes and one with nodes."""
    points, weights = cloud
    result = np.empty(len(others))
    for j, (their_points, their_weights) in enumerate(others):
        if not len(points) or not len(their_points):
            result[j] = 0.0 if len(points) == len(their_points) else np.inf
            continue
        cost = cdist(points, their_points, metric)
        result[j] = ot.emd2(
            weights,
            their_weights,
            cost,
            numItermax=MOST_STEPS,
            center_dual=False,
            check_marginals=False,
        )
    return result

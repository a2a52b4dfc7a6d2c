"""ML: the multiscale Laplacian kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from nask.arrays import Float64
from nask.graph.attributed_graph import AttributedGraph
from nask.lab.rivals.encoding import NodeEncoder
from nask.lab.rivals.kernels.base import (
    KernelClassifier,
    NormalisedKernel,
    with_gaussian_forms,
)
from nask.lab.rivals.kernels.laplacian_gaussians import Gaussians

GRID = with_gaussian_forms({"n_levels": [1, 3], "gamma": [0.01, 0.1, 1.0]})
# Directions of less than this share of the largest variance are rounding.
SMALLEST_SHARE = 1e-9


@dataclass(kw_only=True, eq=False, repr=False)
class ML(NormalisedKernel):
    r"""Multiscale Laplacian kernel: graphs as Gaussians, whose node features come from Gaussians
    of neighbourhoods.

    With features U of the nodes and the Laplacian L, a graph has the covariance
    :math:`S = U^T (L + \eta I)^{-1} U + \gamma I`, and two graphs compare by the Bhattacharyya
    kernel of their Gaussians,

    .. math:: k(G, G') = \frac{|(S^{-1} / 2 + S'^{-1} / 2)^{-1}|^{1/2}}{|S|^{1/4} |S'|^{1/4}}.

    At level 0 nodes are compared by <x, x'> of their rows of numbers; at level l by k of the
    subgraphs within l edges, whose U are the features of level l - 1. K is k of the whole graphs,
    with the features of the last level. K(G, G) = 1.

    Parameters
    ----------
    n_levels : int, default=3
        The number of levels above 0.
    eta, gamma : float, default=0.01
        Weights of the identity in the Laplacian and in the covariance.
    rank : int, default=10
        Largest number of features per level.
    n_samples : int, default=50
        Number of training nodes per level. Features come from the kernel of these instead of all
        nodes.
    random_state : int, default=0
        Seed of the choice of these nodes.

    Notes
    -----
    Rows have z-scores of numerical attributes and one-hot categories, whose <x, x'> is the paper's
    delta of labels. A missing number is the mean, a missing or unseen category is all zeros.
    Attributes of edges are left out. The directions come from ``n_samples`` nodes drawn by their
    position, so for a set with more nodes the result depends on their order, as on the seed.

    GraKeL has this kernel too. It computes the covariance of a neighbourhood anew for each sample
    it is compared with, and leaves out the halves in k, so that its levels above 0 are weaker by
    2^(-rank/2). The two agree at level 0.

    References
    ----------
    Kondor, R. and Pan, H. The multiscale Laplacian graph kernel. NeurIPS 2016.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> ML(n_levels=1, gamma=0.1).fit_transform(mutag.graphs[:2]).round(3)
    array([[1.   , 0.176], [0.176, 1.   ]])
    """

    n_levels: int = 3
    eta: float = 0.01
    gamma: float = 0.01
    rank: int = 10
    n_samples: int = 50
    random_state: int = 0

    least = (("n_levels", 0), ("rank", 1), ("n_samples", 1))
    positive = ("eta", "gamma")

    def _fit(self, graphs: Sequence[AttributedGraph]) -> None:
        self.encoder_ = NodeEncoder().fit(graphs)
        rng = np.random.default_rng(self.random_state)
        nodes = [(i, v) for i, graph in enumerate(graphs) for v in range(graph.n_nodes)]
        features = self._rows(graphs)
        self.levels_: list[Level] = []
        for radius in range(self.n_levels + 1):
            n_samples = min(len(nodes), self.n_samples)
            sample = [nodes[k] for k in rng.choice(len(nodes), n_samples, replace=False)]
            level = self._level(radius, sample, graphs, features)
            self.levels_.append(level)
            features = self._features(level, graphs, features)
        self.gaussians_ = self._whole(graphs, features)

    def _compare(self, graphs: Sequence[AttributedGraph] | None) -> Float64:
        if graphs is not None:
            features = self._rows(graphs)
            for level in self.levels_:
                features = self._features(level, graphs, features)
            return self._whole(graphs, features).compare(self.gaussians_)
        gram = self.gaussians_.compare(self.gaussians_)
        return np.asarray(np.tril(gram) + np.tril(gram, -1).T)

    def _features(
        self, level: Level, graphs: Sequence[AttributedGraph], features: list[Float64]
    ) -> list[Float64]:
        """Return the features of a level from those of the level below."""
        return [
            self._kernel(level, graph, own) @ level.mixing
            for graph, own in zip(graphs, features, strict=True)
        ]

    def _rows(self, graphs: Sequence[AttributedGraph]) -> list[Float64]:
        return [own.astype(np.float64) for own in self.encoder_.transform(graphs)]

    def _level(
        self,
        radius: int,
        sample: list[tuple[int, int]],
        graphs: Sequence[AttributedGraph],
        features: list[Float64],
    ) -> Level:
        """Return the level whose features come from the kernel of the sampled nodes."""
        reference: Float64 | Gaussians
        if radius == 0:
            rows = [features[i][v] for i, v in sample]
            reference = np.array(rows).reshape(len(rows), self.encoder_.n_columns_)
            gram = reference @ reference.T
        else:
            by_graph: dict[int, list[int]] = {}
            for i, v in sample:
                by_graph.setdefault(i, []).append(v)
            # What is reached from where is found once per graph, not once per node.
            found = {
                i: dict(zip(nodes, balls(graphs[i], features[i], radius, nodes), strict=True))
                for i, nodes in by_graph.items()
            }
            subgraphs = [found[i][v] for i, v in sample]
            reference = self._gaussians(subgraphs, features[0].shape[1])
            gram = reference.compare(reference)
        values, vectors = np.linalg.eigh((gram + gram.T) / 2)
        values, vectors = values[::-1][: self.rank], vectors[:, ::-1][:, : self.rank]
        kept = values > SMALLEST_SHARE * values.max(initial=0.0)
        return Level(radius, reference, vectors[:, kept] / np.sqrt(values[kept]))

    def _kernel(self, level: Level, graph: AttributedGraph, features: Float64) -> Float64:
        """Return the kernel between the nodes of a graph and those of the sample."""
        if isinstance(level.reference, Gaussians):
            subgraphs = list(balls(graph, features, level.radius, range(graph.n_nodes)))
            return self._gaussians(subgraphs, features.shape[1]).compare(level.reference)
        return features @ level.reference.T

    def _whole(self, graphs: Sequence[AttributedGraph], features: list[Float64]) -> Gaussians:
        whole = [
            (adjacency(graph).toarray(), own) for graph, own in zip(graphs, features, strict=True)
        ]
        return self._gaussians(whole, self.levels_[-1].mixing.shape[1])

    def _gaussians(self, graphs: list[tuple[Float64, Float64]], rank: int) -> Gaussians:
        return Gaussians.of(graphs, rank, self.eta, self.gamma)


@dataclass(frozen=True, eq=False)
class Level:
    """A kernel between nodes, and features that have it as their inner product.

    Parameters
    ----------
    radius : int
        Of the neighbourhoods that are compared; at 0 nodes are compared by their rows.
    reference : ndarray or Gaussians
        The rows, or neighbourhoods, of the sampled nodes.
    mixing : ndarray of shape (n_samples, n_features)
        Maps the kernel between a node and the sample to the node's features.
    """

    radius: int
    reference: Float64 | Gaussians
    mixing: Float64


def balls(
    graph: AttributedGraph, features: Float64, radius: int, nodes: Iterable[int]
) -> Iterator[tuple[Float64, Float64]]:
    """Yield the subgraphs within some edges of nodes: adjacency matrices and rows of features.

    Parameters
    ----------
    features : ndarray of shape (n_nodes, n_columns)
    radius : int
        Largest distance from the centre, in edges; at least 1.
    nodes : iterable of int
        The centres, one per subgraph.

    Examples
    --------
    >>> import nask
    >>> path = nask.AttributedGraph(4, [(0, 1), (1, 2), (2, 3)])
    >>> [(matrix, rows)] = balls(path, np.arange(4.0)[:, None], 1, [0])
    >>> matrix.tolist(), rows.ravel().tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [0.0, 1.0])
    """
    edges = adjacency(graph)
    near = edges + sparse.eye_array(graph.n_nodes, format="csr")
    reach = near
    for _ in range(radius - 1):
        reach = reach @ near
    matrix = edges.toarray()
    for v in nodes:
        inside = np.sort(reach.indices[reach.indptr[v] : reach.indptr[v + 1]])
        yield matrix[np.ix_(inside, inside)], features[inside]


def adjacency(graph: AttributedGraph) -> Any:
    """Return the adjacency matrix, a csr_array."""
    ends = np.concatenate([graph.edges, graph.edges[:, ::-1]]).T
    shape = (graph.n_nodes, graph.n_nodes)
    return sparse.csr_array((np.ones(ends.shape[1]), tuple(ends)), shape=shape)


class MLClassifier(KernelClassifier):
    """A support vector machine on :class:`ML`; see :class:`KernelClassifier` for its parameters."""

    kernel_type = ML
    default_grid = GRID

"""RetGK: graphs as distributions of their nodes' return probabilities and attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.spatial.distance import pdist

from nask.arrays import Float64, Index
from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.lab.rivals.kernels.base import GraphKernel, KernelClassifier
from nask.lab.rivals.kernels.mixed_nodes import MixedEncoder, MixedNodes
from nask.lab.rivals.kernels.node_clouds import NodeClouds, mean_similarities, own_similarities
from nask.lab.rivals.kernels.return_probabilities import return_probabilities, shortening
from nask.tuning.grid import Grid

GRID: Grid = {"p": [1, 2], "gamma": [1 / 64, 1 / 8, 1.0]}
# Largest numbers of nodes and of graphs that the medians are taken of.
MEDIAN_NODES, MEDIAN_GRAPHS = 2000, 200
# Distances below this are 0 except for rounding: their squares are differences of numbers up to
# 1, exact to 1e-15.
NEGLIGIBLE = 1e-7


@dataclass(kw_only=True, eq=False, repr=False)
class RetGK(GraphKernel):
    r"""Kernel of return probabilities of random walks, RetGK_I of the paper.

    The structural role of a node is :math:`r(v) = (P^1(v, v), \ldots, P^S(v, v))`, the
    probabilities that a random walk from v is back after 1, ..., S steps. Two nodes are compared by

    .. math::
        \kappa(u, v) = e^{-\|r(u) - r(v)\| / \sigma} \; e^{-\|x(u) - x(v)\| / \sqrt{d}} \;
        [l(u) = l(v)]

    with their d numerical attributes x and categorical ones l. A graph is the mean embedding of
    its nodes, and

    .. math::
        k(G, H) = \exp\left(-\gamma \left(\frac{MMD(G, H)}{m}\right)^p\right), \qquad
        MMD^2(G, H) = \overline{\kappa}(G, G) + \overline{\kappa}(H, H) - 2 \overline{\kappa}(G, H),

    where the bar is the mean over all pairs of nodes, :math:`\sigma` the median distance of
    training nodes' roles and m the median MMD of training graphs. Positive definite for p of 1
    and 2, by Schoenberg's theorem.

    Parameters
    ----------
    n_steps : int, default=50
        S.
    p : {1, 2}, default=1
        A Laplacian or a Gaussian kernel of the distance.
    gamma : float, default=1.0
    self_loops : bool, default=True
        Whether a walk may stay, as if each node were its own neighbour too. Otherwise a walk on a
        bipartite graph never returns after an odd number of steps. At a node without neighbours a
        walk stays in either case.
    random_state : int, default=0
        Seed of the choice of nodes and graphs for the medians, where there are more than 2000
        nodes or 200 graphs.
    n_jobs : int, default=None
        Threads over tiles, in joblib's convention; the result is the same.

    Notes
    -----
    S, the three factors, both medians, the scale sqrt(d) and the self-loops are those of the
    authors' experiments, as are the final kernels: p = 1 and gamma = 1; for ENZYMES p = 2 and
    gamma = 1/64.
    Mixed attributes: the factors are multiplied, as above. Numerical attributes are standardised
    here, a missing number is the mean, and missing categories are alike. A graph without nodes
    has the embedding 0. Attributes of edges are not used.

    References
    ----------
    Zhang, Wang, Xiang, Huang, Nehorai, "RetGK: graph kernels based on return probabilities of
    random walks", NeurIPS 2018.

    Examples
    --------
    >>> import nask
    >>> triangle = nask.AttributedGraph(3, [(0, 1), (1, 2), (0, 2)])
    >>> path = nask.AttributedGraph(3, [(0, 1), (1, 2)])
    >>> star = nask.AttributedGraph(4, [(0, 1), (0, 2), (0, 3)])
    >>> RetGK().fit_transform([triangle, path, star]).round(2)
    array([[1.  , 0.37, 0.28],
           [0.37, 1.  , 0.37],
           [0.28, 0.37, 1.  ]])
    """

    n_steps: int = 50
    p: int = 1
    gamma: float = 1.0
    self_loops: bool = True
    random_state: int = 0
    n_jobs: int | None = None

    form = ("p", "gamma")
    least = (("n_steps", 1),)
    positive = ("gamma",)

    def _fit(self, graphs: Sequence[AttributedGraph]) -> None:
        self.encoder_ = MixedEncoder(graphs)
        self.nodes_ = self.encoder_.encode(graphs)
        self.roles_ = self._roles(self.nodes_)
        draw = np.random.default_rng(self.random_state)
        sample = _some(len(self.roles_), MEDIAN_NODES, draw)
        self.sigma_ = _median(pdist(self.roles_[sample]))
        clouds = self._clouds(self.nodes_, self.roles_)
        self.own_ = own_similarities(clouds)
        sample = _some(len(graphs), MEDIAN_GRAPHS, draw)
        means = mean_similarities(clouds.take(sample), n_jobs=self.n_jobs)
        distances = _distances(self.own_[sample], self.own_[sample], means)
        self.median_ = _median(distances[np.triu_indices(len(sample), 1)])

    def _compare(self, graphs: Sequence[AttributedGraph] | None) -> Float64:
        # New graphs are labelled together with the training graphs, so no labels are stored.
        nodes, roles, own, n_train = self.nodes_, self.roles_, self.own_, len(self.own_)
        if graphs is None:
            means = mean_similarities(self._clouds(nodes, roles), n_jobs=self.n_jobs)
        else:
            new = self.encoder_.encode(graphs)
            both = self._clouds(nodes.union(new), np.concatenate([roles, self._roles(new)]))
            mine = both.take(np.arange(n_train, both.n_graphs))
            means = mean_similarities(mine, both.take(np.arange(n_train)), self.n_jobs)
            own = own_similarities(mine)
        distances = _distances(own, self.own_, means)
        if graphs is None:
            np.fill_diagonal(distances, 0.0)
        return distances / self.median_

    def finish(self, compared: Float64, unit: float | None = None) -> Float64:
        """Return exp(-gamma x^p) of each entry."""
        if self.p not in (1, 2):
            raise ParameterError.expected("p", type(self).__name__, "1 or 2", self.p)
        return np.exp(-self.gamma * compared**self.p)

    def _roles(self, nodes: MixedNodes) -> Float64:
        ptr, endpoints = nodes.ptr, nodes.batch.endpoints
        found = return_probabilities(ptr, endpoints, self.n_steps, self.self_loops)
        return found @ shortening(self.n_steps)

    def _clouds(self, nodes: MixedNodes, roles: Float64) -> NodeClouds:
        positions = [roles / self.sigma_]
        if nodes.vectors.shape[1]:
            positions.append(nodes.vectors / np.sqrt(nodes.vectors.shape[1]))
        return NodeClouds(tuple(positions), nodes.labels(), nodes.ptr)


def _distances(own: Float64, their_own: Float64, means: Float64) -> Float64:
    """Return the MMD, from mean similarities."""
    squares = own[:, None] + their_own - 2 * means
    return np.sqrt(np.where(squares > NEGLIGIBLE**2, squares, 0.0))


def _some(n_items: int, most: int, draw: np.random.Generator) -> Index:
    """Return all items, or a random choice of ``most``, in their order."""
    if n_items <= most:
        return np.arange(n_items)
    return np.sort(draw.choice(n_items, most, replace=False))


def _median(distances: Float64) -> float:
    """Return the median, or the mean where half of the distances are 0, or 1 where all are."""
    distances = np.where(distances > NEGLIGIBLE, distances, 0.0)
    if not distances.any():
        return 1.0
    return float(np.median(distances)) or float(distances.mean())


class RetGKClassifier(KernelClassifier):
    """A support vector machine on :class:`RetGK`; see :class:`KernelClassifier` for parameters.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = RetGKClassifier().fit(mutag.graphs[::2], mutag.y[::2])
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.75)
    True
    """

    kernel_type: ClassVar[type[GraphKernel]] = RetGK
    default_grid: ClassVar[Grid] = GRID

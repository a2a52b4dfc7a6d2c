"""The kernel between the nodes of one graph as a scikit-learn transformer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Floats
from nask.graph.chosen_nodes import node_positions
from nask.graph.schema import Schema
from nask.io.coerce import as_graph
from nask.kernels.fitted_nodes import FittedNodeKernel
from nask.kernels.parameters import NodeKernelParameters


@dataclass(kw_only=True, eq=False, repr=False)
class NodeNASK(TransformerMixin, NodeKernelParameters):
    r"""The Neighborhood-Aware Star Kernel between the nodes of one graph.

    Two nodes compare by their stars at every hop,

    .. math:: \kappa(v, v') = \sum_{h=1}^H weight_h \, \kappa_h(v, v')

    where :math:`\kappa_h` is that of :class:`nask.NASK`, which sums it over all pairs of nodes of
    two graphs. P between all nodes and its successor are held in memory, so this is for graphs of
    up to some tens of thousands of nodes; sparse ``node_features`` stay sparse, but not with
    ``similarity="euclidean"``.

    Parameters
    ----------
    restart : float or None, default=None
        Compares the surroundings of two nodes: the mean of :math:`\kappa(u, u')` over the nodes u
        and u' where random walks from v and v' end. A walk stays or goes to a neighbour, each as
        likely. Before every step it ends with this probability, after ten steps at the latest.
        Where neighbours tend to be of one class and the classes of few nodes are known, values
        such as 0.1 or 0.3 can be far more accurate. None, as 1, compares v and v' themselves. It
        takes the kernel between all nodes, also if few are asked for.
    **kernel parameters
        Those of :class:`nask.NASK`, with the same defaults, except ``engine`` and ``gram_folder``:
        there is one engine, and no file. What is said there of graphs, such as ``normalize`` and
        ``gram``, holds for nodes here. Where ``memory_limit`` does not suffice, an error is raised.

    Attributes
    ----------
    fitted_ : FittedNodeKernel
        All that was learned.
    schema_ : Schema
        Attributes, ranges and categories of the training graph.
    n_nodes_ : int
        Number of nodes of the training graph.
    mean_squared_distance_ : float
        Between two different nodes of it; with ``gram="rbf"`` only.

    Examples
    --------
    >>> import nask
    >>> colours = {"colour": ["red", "blue", "red", "blue"]}
    >>> path = nask.AttributedGraph(4, [(0, 1), (1, 2), (2, 3)], colours)
    >>> kernel = nask.NodeNASK(n_hops=2)
    >>> kernel.fit_transform(path).shape
    (4, 4)
    >>> pair = nask.AttributedGraph(2, [(0, 1)], {"colour": ["red", "blue"]})
    >>> kernel.transform(pair, nodes=[0]).shape
    (1, 4)
    """

    def fit(self, graph: Any, y: Any = None) -> Self:
        """Learn the schema of the training graph.

        Parameters
        ----------
        graph : graph
            An :class:`AttributedGraph`, a networkx graph or PyG ``Data``.
        y : ignored
        """
        self._fit(graph)
        if self.gram == "rbf":
            self._training_gram()
        return self

    def fit_transform(self, graph: Any, y: Any = None, **fit_params: Any) -> Floats:
        """Fit, and return the kernel between the nodes of the graph, (n, n)."""
        self._fit(graph)
        return self._training_gram()

    def transform(self, graph: Any, nodes: Any = None) -> Floats:
        """Kernel between nodes of a graph and the n nodes of the training graph, (m, n).

        Parameters
        ----------
        graph : graph
            The training graph or another one, which is read with the training schema. No star
            reaches from one graph into the other.
        nodes : array of int, or of bool, default=None
            Which nodes of ``graph``, by their positions or by a mask; all by default.
        """
        check_is_fitted(self)
        graph = as_graph(graph)
        chosen = None if nodes is None else node_positions(nodes, graph.n_nodes, "nodes")
        return self.fitted_.gram(graph, chosen, None, self.execution())

    def hop_grams(self, graph: Any = None) -> Floats:
        """Kernel of each hop between the m nodes of a graph and the training nodes, (n_hops, m, n).

        All come from one pass, before hop weights, normalisation and the form of the Gram. By
        default the graph is the training graph, as it is for an equal one.
        """
        check_is_fitted(self)
        other = None if graph is None else as_graph(graph)
        return self.fitted_.hop_grams(other, self.execution())

    @property
    def schema_(self) -> Schema:
        """Attributes, ranges and categories of the training graph."""
        return self.fitted_.schema

    @property
    def n_nodes_(self) -> int:
        """Number of nodes of the training graph."""
        return self.fitted_.n_nodes

    @property
    def mean_squared_distance_(self) -> float:
        """Between two different training nodes; with ``gram="rbf"`` only."""
        if self.fitted_.unit is None:
            raise AttributeError("Only a kernel with gram='rbf' has a mean squared distance.")
        return self.fitted_.unit

    def _fit(self, graph: Any) -> None:
        self.check_parameters()
        self.fitted_ = FittedNodeKernel.fit(self, as_graph(graph))

    def _training_gram(self) -> Floats:
        self.fitted_, gram = self.fitted_.training_gram(None, self.execution())
        return gram

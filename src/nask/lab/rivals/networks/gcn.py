"""Graph convolutional networks, of graphs and of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from torch import nn
from torch.nn import functional
from torch_geometric.nn import GCNConv

from nask.lab.rivals.networks.graph_network import GraphNetwork
from nask.lab.rivals.networks.layers import InputLinear, NodeLayers, SumPooled
from nask.lab.rivals.networks.node_network import NodeNetwork


@dataclass(kw_only=True, eq=False, repr=False)
class GCNClassifier(GraphNetwork):
    """The graph convolutional network: a weighted mean of a node and its neighbours.

    ::

        H <- ReLU(D^-1/2 (A + I) D^-1/2 H W + b),  D the degrees of A + I

    The nodes are summed after the last layer.

    Its parameters are those of :class:`GraphNetwork`.

    References
    ----------
    T. N. Kipf, M. Welling: Semi-Supervised Classification with Graph Convolutional Networks.
    ICLR 2017.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = GCNClassifier(max_epochs=10, grid={}).fit(mutag.graphs[::2], mutag.y[::2])
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.67)
    True
    """

    def build(self, n_inputs: int, n_classes: int) -> nn.Module:
        """Return a new network with these parameters."""
        widths = [n_inputs] + [self.hidden] * (self.n_layers - 1)
        layers = [GCNConv(width, self.hidden) for width in widths]
        return SumPooled(layers, self.hidden, n_classes, self.dropout)


@dataclass(kw_only=True, eq=False, repr=False)
class GCNNodeClassifier(NodeNetwork):
    """The graph convolutional network, of the nodes of one graph; see :class:`GCNClassifier`.

    Its parameters are those of :class:`NodeNetwork`.

    Examples
    --------
    >>> import nask
    >>> network = nask.lab.make_social_network(300)
    >>> model = GCNNodeClassifier(grid={}).fit(network.graph, network.y, network.train)
    >>> bool(model.score(network.graph, network.y, network.test) > 0.6)
    True
    """

    def build(self, n_inputs: int, n_classes: int) -> nn.Module:
        """Return a new network with these parameters."""
        widths = [n_inputs] + [self.hidden] * (self.n_layers - 1) + [n_classes]
        layers = [GCNConv(before, after) for before, after in pairwise(widths)]
        layers[0].lin = InputLinear(*widths[:2])
        return NodeLayers(layers, functional.relu, self.dropout)

"""Graph neural networks with Kolmogorov-Arnold updates, of graphs and of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

from torch import nn
from torch_geometric.nn import BatchNorm, GCNConv, GINConv

from nask.lab.rivals.networks.graph_network import GraphNetwork
from nask.lab.rivals.networks.kan_layer import KANLayer
from nask.lab.rivals.networks.layers import NodeLayers, SummedEveryLayer
from nask.lab.rivals.networks.network import GRID, Grid, Network
from nask.lab.rivals.networks.node_network import NodeNetwork
from nask.lab.rivals.networks.sparse_kan import RowKANLayer


@dataclass(kw_only=True, eq=False, repr=False)
class _Splines(Network):
    """Parameters of the splines. It comes after the base of a network, whose defaults win."""

    grid_size: int = 4
    spline_order: int = 3

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range; called by ``fit``."""
        super().check_parameters()
        self._check_integer("grid_size", 1, 64)
        self._check_integer("spline_order", 1, 5)

    def _splines(self) -> dict[str, Any]:
        return {"grid_size": self.grid_size, "spline_order": self.spline_order}


@dataclass(kw_only=True, eq=False, repr=False)
class KAGNNClassifier(GraphNetwork, _Splines):
    """KAGIN: the graph isomorphism network with Kolmogorov-Arnold networks for perceptrons.

    ::

        h_v <- KAN(h_v + sum of h_u over the neighbours u of v)

    with a KAN of two layers: ``y_j = sum_i phi_ij(x_i)``, a trainable function on every
    connection, see :class:`KANLayer`. The nodes are summed after every layer, the input
    included, and one more Kolmogorov-Arnold layer takes all these sums to the classes.

    Parameters
    ----------
    hidden : int, default=32
        Units per layer. A layer of 32 has twice the weights of a linear map from 64 to 64.
    grid_size : int, default=4
        Intervals of the grid of the splines.
    spline_order : int, default=3
        Degree of the splines.
    **parameters
        The others are those of :class:`GraphNetwork`.

    Notes
    -----
    A spline is 0 beyond the ends of its grid. Batch normalisation, without a scale of its own,
    comes before every Kolmogorov-Arnold layer and brings its inputs to the grid, which reaches
    three standard deviations to either side. Other programs move the grid to the inputs from time
    to time.

    References
    ----------
    R. Bresson, G. Nikolentzos, G. Panagopoulos, M. Chatzianastasis, J. Pang, M. Vazirgiannis:
    KAGNNs: Kolmogorov-Arnold Networks meet Graph Learning. arXiv:2406.18380, 2024.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = KAGNNClassifier(max_epochs=10, grid={}).fit(mutag.graphs[::2], mutag.y[::2])
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.7)
    True
    """

    hidden: int = 32

    def build(self, n_inputs: int, n_classes: int) -> nn.Module:
        """Return a new network with these parameters."""
        hidden, splines = self.hidden, self._splines()
        widths = [n_inputs] + [hidden] * self.n_layers
        layers = [
            GINConv(nn.Sequential(_kan(width, hidden, splines), _kan(hidden, hidden, splines)))
            for width in widths[:-1]
        ]
        return SummedEveryLayer(layers, _kan(sum(widths), n_classes, splines), self.dropout)


@dataclass(kw_only=True, eq=False, repr=False)
class KAGNNNodeClassifier(NodeNetwork, _Splines):
    """KAGCN: the graph convolutional network with Kolmogorov-Arnold layers for linear maps.

    ::

        H <- D^-1/2 (A + I) D^-1/2 KAN(H),  D the degrees of A + I

    with the functions of one :class:`KANLayer` on every connection; see :class:`KAGNNClassifier`.

    Parameters
    ----------
    grid_size : int, default=4
        Intervals of the grid of the splines.
    spline_order : int, default=3
        Degree of the splines.
    **parameters
        The others are those of :class:`NodeNetwork`.

    Notes
    -----
    The functions of the first layer are 0 at 0, see :class:`RowKANLayer`. For words whose row
    sums to 1 they are nearly straight lines. Layer normalisation brings the inputs of the other
    layers to the grid: with one step per epoch, the running means of batch normalisation would
    lag behind.

    Examples
    --------
    >>> import nask
    >>> network = nask.lab.make_social_network(300)
    >>> model = KAGNNNodeClassifier(grid={}).fit(network.graph, network.y, network.train)
    >>> bool(model.score(network.graph, network.y, network.test) > 0.6)
    True
    """

    default_grid: ClassVar[Grid] = GRID

    def build(self, n_inputs: int, n_classes: int) -> nn.Module:
        """Return a new network with these parameters."""
        dropout, splines = self.dropout, self._splines()
        widths = [n_inputs] + [self.hidden] * (self.n_layers - 1) + [n_classes]
        layers = [GCNConv(before, after) for before, after in pairwise(widths)]
        layers[0].lin = RowKANLayer(n_inputs, widths[1], dropout, **splines)
        for layer, (before, after) in zip(layers[1:], pairwise(widths[1:]), strict=True):
            norm = nn.LayerNorm(before, elementwise_affine=False)
            layer.lin = nn.Sequential(nn.Dropout(dropout), norm, KANLayer(before, after, **splines))
        # Each layer has dropout of its own, and a Kolmogorov-Arnold layer needs no activation.
        return NodeLayers(layers, nn.Identity(), dropout=0.0)


def _kan(n_inputs: int, n_outputs: int, splines: dict[str, Any]) -> nn.Module:
    # The last batch of an epoch may be one graph, or one node, which has no variance.
    norm = BatchNorm(n_inputs, affine=False, allow_single_element=True)
    return nn.Sequential(norm, KANLayer(n_inputs, n_outputs, **splines))

"""Graph attention networks, of graphs and of nodes."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn
from torch.nn import functional
from torch_geometric.nn import GATConv

from nask.kernels.parameters import is_integer
from nask.lab.rivals.networks.graph_network import GraphNetwork
from nask.lab.rivals.networks.layers import InputLinear, NodeLayers, SumPooled
from nask.lab.rivals.networks.network import Network
from nask.lab.rivals.networks.node_network import NodeNetwork


@dataclass(kw_only=True, eq=False, repr=False)
class _Heads(Network):
    """The parameter that both classifiers add."""

    heads: int = 8

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range; called by ``fit``."""
        super().check_parameters()
        self._check(
            is_integer(self.heads) and self.heads >= 1 and self.hidden % self.heads == 0,
            "heads",
            f"an int of 1 or more that divides hidden ({self.hidden})",
        )


@dataclass(kw_only=True, eq=False, repr=False)
class GATClassifier(GraphNetwork, _Heads):
    """The graph attention network: a mean of a node and its neighbours with learned weights.

    ::

        h_v <- ReLU(sum of a_vu W h_u over u in N(v) and v itself)
        a_vu = softmax over u of LeakyReLU(a . [W h_v, W h_u])

    Several heads, each with weights of its own, share the hidden units. The nodes are summed
    after the last layer. ``dropout`` is applied to the weights a_vu, too.

    Parameters
    ----------
    heads : int, default=8
        Must divide ``hidden``.
    **parameters
        Those of :class:`GraphNetwork`.

    References
    ----------
    P. Velickovic et al.: Graph Attention Networks. ICLR 2018.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = GATClassifier(max_epochs=10, grid={}).fit(mutag.graphs[::2], mutag.y[::2])
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.67)
    True
    """

    def build(self, n_inputs: int, n_classes: int) -> nn.Module:
        """Return a new network with these parameters."""
        widths = [n_inputs] + [self.hidden] * (self.n_layers - 1)
        layers = [_attention(width, self.hidden, self.heads, self.dropout) for width in widths]
        return SumPooled(layers, self.hidden, n_classes, self.dropout, loops=True)


@dataclass(kw_only=True, eq=False, repr=False)
class GATNodeClassifier(NodeNetwork, _Heads):
    """The graph attention network, of the nodes of one graph; see :class:`GATClassifier`.

    As in the paper, ELU replaces ReLU and the last layer has one head.

    Parameters
    ----------
    heads : int, default=8
        Must divide ``hidden``.
    dropout : float, default=0.6
    **parameters
        Those of :class:`NodeNetwork`.

    Examples
    --------
    >>> import nask
    >>> network = nask.lab.make_social_network(300)
    >>> model = GATNodeClassifier(grid={}).fit(network.graph, network.y, network.train)
    >>> bool(model.score(network.graph, network.y, network.test) > 0.6)
    True
    """

    dropout: float = 0.6

    def build(self, n_inputs: int, n_classes: int) -> nn.Module:
        """Return a new network with these parameters."""
        widths = [n_inputs] + [self.hidden] * (self.n_layers - 1)
        layers = [_attention(w, self.hidden, self.heads, self.dropout) for w in widths[:-1]]
        layers.append(_attention(widths[-1], n_classes, 1, self.dropout))
        layers[0].lin = InputLinear(n_inputs, self.hidden if self.n_layers > 1 else n_classes)
        return NodeLayers(layers, functional.elu, self.dropout, loops=True)


def _attention(n_inputs: int, width: int, heads: int, dropout: float) -> nn.Module:
    layer: nn.Module = GATConv(
        n_inputs, width // heads, heads, dropout=dropout, add_self_loops=False
    )
    return layer

"""The graph isomorphism network."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn
from torch_geometric.nn import BatchNorm, GINConv

from nask.lab.rivals.networks.graph_network import GraphNetwork
from nask.lab.rivals.networks.layers import SummedEveryLayer


@dataclass(kw_only=True, eq=False, repr=False)
class GINClassifier(GraphNetwork):
    """GIN-0: the sum of a node and its neighbours, through a perceptron of two layers.

    ::

        h_v <- MLP(h_v + sum of h_u over the neighbours u of v)

    Batch normalisation follows each linear map. The nodes are summed after every layer and at the
    input, and one linear map takes all these sums to the classes, as in the paper.

    Its parameters are those of :class:`GraphNetwork`.

    References
    ----------
    K. Xu, W. Hu, J. Leskovec, S. Jegelka: How Powerful are Graph Neural Networks? ICLR 2019.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = GINClassifier(max_epochs=30, learning_rate=0.02, grid={})
    >>> model = model.fit(mutag.graphs[::2], mutag.y[::2])
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.75)
    True
    """

    def build(self, n_inputs: int, n_classes: int) -> nn.Module:
        """Return a new network with these parameters."""
        widths = [n_inputs] + [self.hidden] * self.n_layers
        layers = [GINConv(_perceptron(width, self.hidden)) for width in widths[:-1]]
        return SummedEveryLayer(layers, nn.Linear(sum(widths), n_classes), self.dropout)


def _perceptron(n_inputs: int, hidden: int) -> nn.Module:
    """Return two linear maps, each followed by batch normalisation and ReLU."""
    first = nn.Linear(n_inputs, hidden), _norm(hidden), nn.ReLU()
    return nn.Sequential(*first, nn.Linear(hidden, hidden), _norm(hidden), nn.ReLU())


def _norm(width: int) -> nn.Module:
    # The last batch of an epoch may be one graph of one node, which has no variance.
    norm: nn.Module = BatchNorm(width, allow_single_element=True)
    return norm

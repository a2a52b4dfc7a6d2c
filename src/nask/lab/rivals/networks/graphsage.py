"""The network that samples and aggregates."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn
from torch_geometric.nn import SAGEConv

from nask.lab.rivals.networks.graph_network import GraphNetwork
from nask.lab.rivals.networks.layers import SumPooled


@dataclass(kw_only=True, eq=False, repr=False)
class GraphSAGEClassifier(GraphNetwork):
    """GraphSAGE with the mean aggregator, over all neighbours.

    ::

        h_v <- ReLU(W h_v + U (mean of h_u over the neighbours u of v) + b)

    The paper samples neighbours, which graphs of this size do not need, and scales rows to unit
    length, which is left out. The nodes are summed after the last layer.

    Its parameters are those of :class:`GraphNetwork`.

    References
    ----------
    W. Hamilton, R. Ying, J. Leskovec: Inductive Representation Learning on Large Graphs.
    NeurIPS 2017.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = GraphSAGEClassifier(max_epochs=30, learning_rate=0.05, grid={})
    >>> model = model.fit(mutag.graphs[::2], mutag.y[::2])
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.7)
    True
    """

    def build(self, n_inputs: int, n_classes: int) -> nn.Module:
        """Return a new network with these parameters."""
        widths = [n_inputs] + [self.hidden] * (self.n_layers - 1)
        layers = [SAGEConv(width, self.hidden) for width in widths]
        return SumPooled(layers, self.hidden, n_classes, self.dropout)

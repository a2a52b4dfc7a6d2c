"""The graph isomorphism network."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import BatchNorm, GINConv

from nask.lab.rivals.networks.batching import Batch
from nask.lab.rivals.networks.graph_network import GraphNetwork


@dataclass(kw_only=True, eq=False, repr=False)
class GINClassifier(GraphNetwork):
    """GIN-0: the sum of a node and its neighbours, through a perceptron of two layers.

    ::

        h_v <- MLP(h_v + sum of h_u over the neighbours u of v)

    Batch normalisation follows each linear map. The nodes are summed after every layer and at the
    input, and one linear map takes all these sums to the classes, as in the paper.

    Parameters
    ----------
    **parameters
        Those of :class:`GraphNetwork`.

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
        return GIN(n_inputs, self.hidden, n_classes, self.n_layers, self.dropout)


class GIN(nn.Module):
    """The network of :class:`GINClassifier`."""

    def __init__(
        self, n_inputs: int, hidden: int, n_classes: int, n_layers: int, dropout: float
    ) -> None:
        super().__init__()
        widths = [n_inputs] + [hidden] * n_layers
        self.layers = nn.ModuleList(
            GINConv(
                nn.Sequential(
                    nn.Linear(width, hidden), _norm(hidden), nn.ReLU(), nn.Linear(hidden, hidden)
                )
            )
            for width in widths[:-1]
        )
        self.norms = nn.ModuleList(_norm(hidden) for _ in self.layers)
        self.output = nn.Linear(sum(widths), n_classes)
        self.dropout = dropout

    def forward(self, batch: Batch) -> Tensor:
        """Logits of each graph, (n_graphs, n_classes)."""
        x = batch.x
        sums = [batch.sums(x)]
        for layer, norm in zip(self.layers, self.norms, strict=True):
            x = functional.relu(norm(layer(x, batch.edges)))
            x = functional.dropout(x, self.dropout, self.training)
            sums.append(batch.sums(x))
        logits: Tensor = self.output(torch.cat(sums, dim=1))
        return logits


def _norm(width: int) -> nn.Module:
    # The last batch of an epoch may be one graph of one node, which has no variance.
    norm: nn.Module = BatchNorm(width, allow_single_element=True)
    return norm

"""The kernel graph neural network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import BatchNorm

from nask.graph.attributed_graph import AttributedGraph
from nask.lab.rivals.networks.batching import Batch
from nask.lab.rivals.networks.ego_graphs import EgoGraphs, ego_graphs
from nask.lab.rivals.networks.graph_network import GraphNetwork
from nask.lab.rivals.networks.walk_filters import WalkFilters, egos_of

OUTPUT_UNITS = 64
# Of running means: an epoch of a small set has five steps, and must be judged after them.
MOMENTUM = 0.3


@dataclass(kw_only=True, eq=False, repr=False)
class KerGNNClassifier(GraphNetwork):
    """KerGNN: the graph around each node, compared with trainable graphs by a graph kernel.

    ::

        h_v <- ReLU(BN(k(G_v, H_1), ..., k(G_v, H_n)))

    where G_v is induced by the ``ego_size`` nodes nearest to v within ``n_hops`` hops, with the
    current h as numbers of its nodes, H_i are trainable graph filters and k is the random walk
    kernel of :class:`WalkFilters`. The nodes are summed after every layer, the input included,
    and a perceptron with one hidden layer takes all these sums to the classes.

    Parameters
    ----------
    hidden : int, default=16
        Filters per layer, and numbers per node that they see.
    n_hops : int, default=2
    ego_size : int, default=10
        Largest number of nodes in an ego graph, the node itself included.
    filter_size : int, default=6
        Nodes per filter.
    n_steps : int, default=2
        Largest number of steps of a walk.
    **parameters
        The others are those of :class:`GraphNetwork`.

    Notes
    -----
    What the paper leaves open, or to its search, is decided as follows. A linear map and a ReLU
    bring the numbers of a node to ``hidden`` before they meet the filters. Sums over nodes are
    normalised by batch before the perceptron of 64 hidden units. Where more nodes are equally near
    than fit, those with the smaller numbers are taken, so a network on large neighbourhoods
    depends on the order of nodes. Walks of all lengths have the same weight.

    References
    ----------
    A. Feng, C. You, S. Wang, L. Tassiulas: KerGNNs: Interpretable Graph Neural Networks with
    Graph Kernels. AAAI 2022.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = KerGNNClassifier(max_epochs=30, grid={}).fit(mutag.graphs[::2], mutag.y[::2])
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.7)
    True
    """

    hidden: int = 16
    n_hops: int = 2
    ego_size: int = 10
    filter_size: int = 6
    n_steps: int = 2

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range; called by ``fit``."""
        super().check_parameters()
        for name in ("n_hops", "ego_size", "filter_size", "n_steps"):
            self._check_integer(name, 1)
        # Ego graphs are computed once for all candidates.
        fixed = [name for name in ("n_hops", "ego_size") if name in (self.grid or {})]
        self._check(not fixed, "grid", "one that varies neither n_hops nor ego_size")

    def _lookup(self, graphs: Sequence[AttributedGraph]) -> EgoGraphs:
        sizes = np.array([graph.n_nodes for graph in graphs], dtype=np.int64)
        starts = np.cumsum(sizes) - sizes
        edges = [graph.edges + start for graph, start in zip(graphs, starts, strict=True)]
        return ego_graphs(np.concatenate(edges), int(sizes.sum()), self.n_hops, self.ego_size)

    def build(self, n_inputs: int, n_classes: int) -> nn.Module:
        """Return a new network with these parameters."""
        return KerGNN(
            n_inputs,
            self.hidden,
            n_classes,
            self.n_layers,
            self.dropout,
            filter_size=self.filter_size,
            n_steps=self.n_steps,
        )


class KerGNN(nn.Module):
    """The network of :class:`KerGNNClassifier`."""

    def __init__(
        self,
        n_inputs: int,
        hidden: int,
        n_classes: int,
        n_layers: int,
        dropout: float,
        *,
        filter_size: int,
        n_steps: int,
    ) -> None:
        super().__init__()
        widths = [n_inputs] + [hidden] * n_layers
        self.maps = nn.ModuleList(nn.Linear(width, hidden) for width in widths[:-1])
        self.layers = nn.ModuleList(
            WalkFilters(hidden, hidden, filter_size, n_steps) for _ in self.maps
        )
        # The last batch of an epoch may be one graph of one node, which has no variance.
        self.norms = nn.ModuleList(
            BatchNorm(hidden, allow_single_element=True, momentum=MOMENTUM) for _ in self.maps
        )
        self.output = nn.Sequential(
            BatchNorm(sum(widths), allow_single_element=True, momentum=MOMENTUM),
            nn.Linear(sum(widths), OUTPUT_UNITS),
            nn.ReLU(),
            nn.Linear(OUTPUT_UNITS, n_classes),
        )
        self.dropout = dropout

    def forward(self, batch: Batch) -> Tensor:
        """Logits of each graph, (n_graphs, n_classes)."""
        egos = egos_of(batch)
        x = batch.x
        sums = [batch.sums(x)]
        for to_numbers, layer, norm in zip(self.maps, self.layers, self.norms, strict=True):
            x = functional.relu(norm(layer(to_numbers(x).relu(), egos)))
            x = functional.dropout(x, self.dropout, self.training)
            sums.append(batch.sums(x))
        logits: Tensor = self.output(torch.cat(sums, dim=1))
        return logits

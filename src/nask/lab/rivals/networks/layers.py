"""Layers that several networks share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from nask.lab.rivals.networks.batching import Batch


class SumPooled(nn.Module):
    """Layers with ReLU between them, the sum over the nodes of a graph, one linear map.

    Parameters
    ----------
    layers : iterable of Module
        Each maps the rows of all nodes, given the edges, to new rows.
    width : int
        Length of the last rows.
    loops : bool
        Whether the layers expect an edge from each node to itself.
    """

    def __init__(
        self,
        layers: Iterable[nn.Module],
        width: int,
        n_classes: int,
        dropout: float,
        loops: bool = False,
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.output = nn.Linear(width, n_classes)
        self.dropout = dropout
        self.loops = loops

    def forward(self, batch: Batch) -> Tensor:
        """Logits of each graph, (n_graphs, n_classes)."""
        x = batch.x
        edges = with_loops(batch.edges, len(x)) if self.loops else batch.edges
        for layer in self.layers:
            x = functional.relu(layer(x, edges))
            x = functional.dropout(x, self.dropout, self.training)
        logits: Tensor = self.output(batch.sums(x))
        return logits


class SummedEveryLayer(nn.Module):
    """Sums over the nodes of a graph, at the input and after every layer, through one last map.

    Parameters
    ----------
    layers : iterable of Module
        Each maps the rows of all nodes, given the edges, to new rows.
    output : Module
        Maps all the sums of a graph, side by side, to its logits.
    """

    def __init__(self, layers: Iterable[nn.Module], output: nn.Module, dropout: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.output = output
        self.dropout = dropout

    def forward(self, batch: Batch) -> Tensor:
        """Logits of each graph, (n_graphs, n_classes)."""
        x = batch.x
        sums = [batch.sums(x)]
        for layer in self.layers:
            x = functional.dropout(layer(x, batch.edges), self.dropout, self.training)
            sums.append(batch.sums(x))
        logits: Tensor = self.output(torch.cat(sums, dim=1))
        return logits


class NodeLayers(nn.Module):
    """Layers with an activation between them and dropout before each, for the nodes of one graph.

    Parameters
    ----------
    layers : list of Module
        Each maps the rows of all nodes, given the edges, to new rows; the last to logits.
    loops : bool
        Whether the layers expect an edge from each node to itself.
    """

    def __init__(
        self,
        layers: Iterable[nn.Module],
        activation: Callable[[Tensor], Tensor],
        dropout: float,
        loops: bool = False,
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.activation = activation
        self.dropout = dropout
        self.loops = loops

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        """Logits of each node, (n_nodes, n_classes)."""
        edges = with_loops(edges, x.shape[0]) if self.loops else edges
        for position, layer in enumerate(self.layers):
            if position:
                x = self.activation(x)
            x = layer(any_dropout(x, self.dropout, self.training), edges)
        return x


def with_loops(edges: Tensor, n_nodes: int) -> Tensor:
    """Add an edge from each node to itself.

    The layers of torch_geometric can do this too, but do it at every call, and search for loops
    that are already there. Graphs of nask have none.

    Examples
    --------
    >>> with_loops(torch.tensor([[0, 1], [1, 0]]), 2).tolist()
    [[0, 1, 0, 1], [1, 0, 0, 1]]
    """
    nodes = torch.arange(n_nodes)
    return torch.cat([edges, torch.stack([nodes, nodes])], dim=1)


class InputLinear(nn.Module):
    """A linear map without a constant, for rows that may be sparse.

    Examples
    --------
    >>> import scipy
    >>> layer = InputLinear(3, 2)
    >>> torch.equal(layer(torch.eye(3)), layer.weight)
    True
    >>> torch.equal(layer(sparse_rows(scipy.sparse.eye_array(3, dtype="f"))), layer.weight)
    True
    """

    def __init__(self, n_inputs: int, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_inputs, width))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Rows of ``width`` numbers."""
        # Ten times as fast as a dense product for the words of Citeseer.
        product: Tensor = torch.sparse.mm(x, self.weight) if x.is_sparse else x @ self.weight
        return product


def sparse_rows(rows: Any) -> Tensor:
    """Return the rows of a sparse matrix of scipy as a sparse tensor."""
    listed = rows.tocoo()
    positions = torch.from_numpy(np.stack([listed.row, listed.col]).astype(np.int64))
    return _sparse(positions, torch.from_numpy(listed.data), torch.Size(rows.shape))


def any_dropout(x: Tensor, share: float, training: bool) -> Tensor:
    """Apply dropout to rows; if they are sparse, to the numbers that are stored.

    Examples
    --------
    >>> import scipy
    >>> x = sparse_rows(scipy.sparse.eye_array(100, dtype="f"))
    >>> sorted(set(any_dropout(x, 0.5, training=True).to_dense().flatten().tolist()))
    [0.0, 2.0]
    """
    if not training or not share:
        return x
    if not x.is_sparse:
        return functional.dropout(x, share)
    return _sparse(x.indices(), functional.dropout(x.values(), share), x.shape)


def _sparse(positions: Tensor, values: Tensor, shape: torch.Size) -> Tensor:
    return torch.sparse_coo_tensor(
        positions, values, shape, is_coalesced=True, check_invariants=False
    )

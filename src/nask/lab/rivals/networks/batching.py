"""Many graphs as tensors, and mini-batches of them, found by arithmetic on positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.nn import global_add_pool

from nask.arrays import Index
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.lab.rivals.encoding import NodeEncoder


@dataclass(frozen=True, eq=False)
class Batch:
    """Some graphs, as a network sees them.

    Parameters
    ----------
    x : Tensor of shape (n_nodes, n_inputs)
        Numbers of each node.
    edges : Tensor of shape (2, 2 n_edges)
        Each edge in both directions, as positions in ``x``, sorted by its second row.
    graph_of_node : Tensor of shape (n_nodes,)
    nodes : Tensor of shape (n_nodes,)
        Positions of the nodes among those of all graphs that the batch was drawn from.
    lookup : object
        What the estimator's ``_lookup`` returned for all those graphs; ``nodes`` are positions
        in it.
    """

    x: Tensor
    edges: Tensor
    graph_of_node: Tensor
    n_graphs: int
    nodes: Tensor
    lookup: Any = None

    def sums(self, rows: Tensor) -> Tensor:
        """Return the sum of the rows of each graph's nodes, (n_graphs, width)."""
        total: Tensor = global_add_pool(rows, self.graph_of_node, self.n_graphs)
        return total


@dataclass(frozen=True, eq=False)
class GraphTensors:
    """All graphs of a collection, concatenated once.

    Parameters
    ----------
    x : Tensor of shape (n_nodes, n_inputs)
    edges : Tensor of shape (2, 2 n_edges)
        As in :class:`Batch`, positions in ``x``.
    node_ptr, edge_ptr : Tensor of shape (n_graphs + 1,)
        Where the nodes and the directed edges of each graph start.
    lookup : object
        Passed on to every batch.

    Examples
    --------
    >>> import nask
    >>> graphs = [nask.AttributedGraph(n, [(0, 1)]) for n in (2, 3, 4)]
    >>> tensors = GraphTensors.of(graphs, NodeEncoder().fit(graphs))
    >>> batch = tensors.batch(torch.tensor([2, 0]))
    >>> batch.edges.tolist(), batch.graph_of_node.tolist(), batch.nodes.tolist()
    ([[1, 0, 5, 4], [0, 1, 4, 5]], [0, 0, 0, 0, 1, 1], [5, 6, 7, 8, 0, 1])
    """

    x: Tensor
    edges: Tensor
    node_ptr: Tensor
    edge_ptr: Tensor
    lookup: Any = None

    @classmethod
    def of(
        cls, graphs: Sequence[AttributedGraph], encoder: NodeEncoder, lookup: Any = None
    ) -> GraphTensors:
        """Encode graphs under what the encoder learned from the training graphs."""
        batch = GraphBatch.encode(graphs, encoder.schema_)
        x = torch.from_numpy(encoder.encode(graphs, batch).toarray())
        edges = both_directions(batch.endpoints)
        node_ptr = torch.from_numpy(batch.nodes.ptr.copy())
        return cls(x, edges, node_ptr, torch.from_numpy(2 * batch.edges.ptr), lookup)

    def batch(self, graphs: Tensor) -> Batch:
        """Return the batch of the graphs at these positions, in the order given."""
        nodes, node_starts, graph_of_node = _ranges(self.node_ptr, graphs)
        edges, _, graph_of_edge = _ranges(self.edge_ptr, graphs)
        shift = (node_starts - self.node_ptr[graphs])[graph_of_edge]
        return Batch(
            self.x[nodes],
            self.edges[:, edges] + shift,
            graph_of_node,
            len(graphs),
            nodes,
            self.lookup,
        )

    def batches(self, graphs: Tensor, size: int) -> Iterator[tuple[Tensor, Batch]]:
        """Yield the positions of up to ``size`` graphs at a time, and their batch."""
        for chosen in torch.split(graphs, size):
            yield chosen, self.batch(chosen)


def both_directions(endpoints: Index) -> Tensor:
    """Return each edge in both directions, as two rows of positions, sorted by the second row.

    Examples
    --------
    >>> both_directions(np.array([[0, 2], [0, 1]])).tolist()
    [[2, 1, 0, 0], [0, 0, 1, 2]]
    """
    directed = np.concatenate([endpoints, endpoints[:, ::-1]])
    order = np.argsort(directed[:, 1], kind="stable")
    return torch.from_numpy(np.ascontiguousarray(directed[order].T))


def _ranges(ptr: Tensor, graphs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the positions of the elements of some graphs, where each graph starts among them,
    and the graph of each element."""
    first = ptr[graphs]
    sizes = ptr[graphs + 1] - first
    stops = sizes.cumsum(0)
    starts = stops - sizes
    owner = torch.repeat_interleave(torch.arange(len(graphs)), sizes)
    positions = torch.arange(len(owner)) + (first - starts)[owner]
    return positions, starts, owner

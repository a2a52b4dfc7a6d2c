"""The kernel graph convolutional network: a kernel between nodes, learned from triplets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, cast

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn
from torch.nn import functional

from nask.arrays import Float64
from nask.lab.rivals.networks.layers import InputLinear
from nask.lab.rivals.networks.network import Grid
from nask.lab.rivals.networks.node_network import NodeNetwork
from nask.lab.rivals.networks.propagation import (
    adjacency,
    as_tensor,
    once_per_tensor,
    smoothing,
    symmetric_product,
)


@dataclass(kw_only=True, eq=False, repr=False)
class KernelGCNNodeClassifier(NodeNetwork):
    """KernelGCN: compare all pairs of nodes in two neighbourhoods, by a kernel that is learned.

    ::

        k(u, v) = sum over p, q of  c_up c_vq <g(x_p), g(x_q)>  =  <f_u, f_v>
        f       = sum over hops h = 0..H of  w_h (Â^H * M_h) g(x),    Â = D^(-1/2) (A + I) D^(-1/2)

    M_h is 1 where two nodes are h hops apart and 0 elsewhere, ``*`` multiplies entry by entry, g
    is a perceptron, and the weights w_h of hops are learned with it. So the weight c_up of a node
    p near u is that of the H-step walks that end there, times the weight of its distance.

    The kernel is normalised. It is learned so that nodes of one class are more alike than nodes
    of two classes: for a triplet of u and v of one class and z of another, the loss is
    max(0, k(u, z) - k(u, v) + margin). Its mean over triplets, times ``triplet_weight``, is added
    to the cross entropy of the logits f + b, which also predict.

    Parameters
    ----------
    n_layers : int, default=2
        Linear maps in g, with ReLU and dropout between them.
    hidden : int, default=16
    dropout : float, default=0.5
    weight_decay : float, default=5e-4
    max_epochs : int, default=200
    patience : int, default=50
        The authors train for 200 epochs without a stop. On Cora the last epochs are the best.
    n_hops : int, default=2
        H. All pairs of nodes at that distance or less are stored, 12 bytes per pair.
    margin : float, default=0.1
    triplet_weight : float, default=0.1
    n_triplets : int, default=10000
        Triplets drawn per epoch, the same number for each class of u.
    **parameters
        The others are those of :class:`NodeNetwork`.

    Notes
    -----
    Two hops, one unit per class in the last map of g, the sum of the two losses with its weight,
    the margin and the number of triplets are as in the authors' own program. There M_H is 1 for
    all pairs, which gives the same f with other values of w_h.

    References
    ----------
    Y. Tian, L. Zhao, X. Peng, D. Metaxas: Rethinking Kernel Methods for Node Representation
    Learning on Graphs. NeurIPS 2019.

    Examples
    --------
    >>> import nask
    >>> path = nask.AttributedGraph(6, [(i, i + 1) for i in range(5)], {"age": [1, 2, 3, 7, 8, 9]})
    >>> y = ["young", "young", None, None, "old", "old"]
    >>> model = KernelGCNNodeClassifier(max_epochs=50, n_triplets=100).fit(path, y)
    >>> model.predict(path, [0, 5]).tolist()
    ['young', 'old']
    >>> kernel = model.node_kernel(path)
    >>> bool(kernel[0, 1] > kernel[0, 5])
    True
    """

    hidden: int = 16
    dropout: float = 0.5
    weight_decay: float = 5e-4
    max_epochs: int = 200
    patience: int = 50
    n_hops: int = 2
    margin: float = 0.1
    triplet_weight: float = 0.1
    n_triplets: int = 10_000

    default_grid: ClassVar[Grid] = {"learning_rate": (0.01,)}

    def build(self, n_inputs: int, n_classes: int) -> nn.Module:
        """Return a new network with these parameters."""
        widths = [n_inputs] + [self.hidden] * (self.n_layers - 1) + [n_classes]
        return KernelGCN(widths, self.n_hops, self.dropout)

    def loss(self, network: nn.Module, logits: Tensor, target: Tensor) -> Tensor:
        """Return the cross entropy plus the weighted loss of triplets."""
        classification = functional.cross_entropy(logits, target)
        if not self.triplet_weight:
            return classification
        ranking = triplet_loss(
            logits - cast(Tensor, network.bias), target, self.margin, self.n_triplets
        )
        return classification + self.triplet_weight * ranking

    def node_kernel(self, graph: Any, nodes: Any = None) -> Float64:
        """Return the learned kernel k(u, v) / sqrt(k(u, u) k(v, v)) between nodes of a graph.

        Parameters
        ----------
        graph : graph
        nodes : array of int, default=None
            Which nodes; all by default.
        """
        rows = (self._logits(graph, nodes) - cast(Tensor, self.network_.bias).detach()).double()
        unit = np.asarray(functional.normalize(rows).numpy())
        return np.asarray(unit @ unit.T)

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range; called by ``fit``."""
        super().check_parameters()
        for name, least in (("n_hops", 0), ("n_triplets", 1)):
            self._check_integer(name, least)
        for name in ("margin", "triplet_weight"):
            self._check_not_negative(name)


class KernelGCN(nn.Module):
    """The network of :class:`KernelGCNNodeClassifier`."""

    def __init__(self, widths: Sequence[int], n_hops: int, dropout: float) -> None:
        super().__init__()
        self.maps = nn.ModuleList()
        for before, after in pairwise(widths):
            linear = InputLinear(before, after)
            nn.init.xavier_uniform_(linear.weight, gain=nn.init.calculate_gain("relu"))
            self.maps.append(linear)
        self.hop_weights = nn.Parameter(torch.ones(n_hops + 1))
        self.bias = nn.Parameter(torch.zeros(widths[-1]))
        self.dropout = dropout

    def represent(self, x: Tensor, edges: Tensor) -> Tensor:
        """The vectors f whose products are the kernel, (n_nodes, n_classes)."""
        g = self.maps[0](x)
        for linear in self.maps[1:]:
            g = linear(functional.dropout(functional.relu(g), self.dropout, self.training))
        hops = hop_matrices(edges, len(x), len(self.hop_weights) - 1)
        weighted = zip(self.hop_weights, hops, strict=True)
        return torch.stack([w * symmetric_product(hop, g) for w, hop in weighted]).sum(dim=0)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        """Logits of each node, (n_nodes, n_classes)."""
        return self.represent(x, edges) + self.bias


@once_per_tensor
def hop_matrices(edges: Tensor, n_nodes: int, n_hops: int) -> list[Tensor]:
    """Split the power Â^H by distance: its entries between nodes 0, 1, ..., H hops apart.

    Examples
    --------
    >>> edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> own, near, far = (matrix.to_dense() for matrix in hop_matrices(edges, 3, 2))
    >>> (far > 0).int().tolist()
    [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    """
    left = sparse.csr_array(sparse.eye_array(n_nodes))
    step = smoothing(edges, n_nodes)
    for _ in range(n_hops):
        left = left @ step
    reach = adjacency(edges, n_nodes) + sparse.eye_array(n_nodes)
    ball = sparse.csr_array(sparse.eye_array(n_nodes))
    matrices = []
    for _ in range(n_hops):
        inside = left.multiply(ball)
        matrices.append(as_tensor(inside))
        left = sparse.csr_array(left - inside)
        left.eliminate_zeros()
        ball = sparse.csr_array(ball @ reach > 0, dtype=np.float64)
    return [*matrices, as_tensor(left)]


def triplet_loss(rows: Tensor, target: Tensor, margin: float, n_triplets: int) -> Tensor:
    """Mean of max(0, k(u, z) - k(u, v) + margin) over random u and v of a class, z of another.

    Parameters
    ----------
    rows : Tensor of shape (n, width)
        k is the cosine of two rows.
    target : Tensor of shape (n,)
        Class of each row.
    n_triplets : int
        How many to draw: the same number for each class of u, at least one.

    Examples
    --------
    One node per class leaves one triplet per class: k(u, v) = 1, k(u, z) = 0.6.

    >>> rows, target = torch.tensor([[1.0, 0.0], [0.6, 0.8]]), torch.tensor([0, 1])
    >>> round(float(triplet_loss(rows, target, 0.5, 10)), 4)
    0.1
    """
    rows = functional.normalize(rows)
    classes: Tensor = torch.unique(target)
    if len(classes) < 2:
        return rows.sum() * 0.0
    count = max(1, n_triplets // len(classes))
    losses = []
    for code in classes:
        same, other = (torch.nonzero(mask).ravel() for mask in (target == code, target != code))
        u, v = rows[same[torch.randint(len(same), (2, count))]]
        z = rows[other[torch.randint(len(other), (count,))]]
        losses.append(functional.relu((u * (z - v)).sum(dim=1) + margin))
    return torch.cat(losses).mean()

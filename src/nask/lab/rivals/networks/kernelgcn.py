"""The kernel graph convolutional network: a kernel between nodes, learned from triplets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt
import torch
from scipy import sparse
from torch import Tensor, nn
from torch.nn import functional

from nask.kernels.parameters import is_integer, is_number
from nask.lab.rivals.networks.layers import InputLinear
from nask.lab.rivals.networks.node_base import NodeNetwork
from nask.lab.rivals.networks.propagation import (
    adjacency,
    as_tensor,
    once_a_tensor,
    smoothing,
    symmetric_product,
)

KERNELGCN_GRID: Mapping[str, Sequence[Any]] = {"learning_rate": (0.01,)}


@dataclass(kw_only=True, eq=False, repr=False)
class KernelGCNNodeClassifier(NodeNetwork):
    """KernelGCN: compare all pairs of nodes in two neighbourhoods, by a kernel that is learned.

    ::

        k(u, v) = sum over p, q of  c_up c_vq <g(x_p), g(x_q)>  =  <f_u, f_v>
        f       = sum over hops h = 0..H of  w_h (Â^H * M_h) g(x),    Â = D^(-1/2) (A + I) D^(-1/2)

    M_h has a 1 where two nodes are h hops apart, ``*`` goes entry by entry, g is a perceptron and
    the weights w_h of hops are learned with it. So a node p in the neighbourhood of u has the
    weight c_up of the H-step walks that end there, times that of its distance.

    The kernel is normalised, and learned so that nodes of one class are more alike than nodes of
    two: for a triplet of u and v of one class and z of another the loss is
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
        The authors train for 200 epochs without a stop; on Cora the best are the last ones.
    n_hops : int, default=2
        H. All pairs of nodes of that distance or less are held, at 12 bytes a pair.
    margin : float, default=0.1
    triplet_weight : float, default=0.1
    n_triplets : int, default=10000
        Triplets drawn in each epoch, as many for each class of u.
    **parameters
        The others of :class:`NodeNetwork`.

    Notes
    -----
    Two hops, one unit a class in the last map of g, the sum of the two losses with its weight, the
    margin and the number of triplets are as in the authors' own program. There M_H is 1 for all
    pairs, with other values of w_h for the same f.

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

    _takes_sparse: ClassVar[bool] = True
    _grid: ClassVar[Mapping[str, Sequence[Any]]] = KERNELGCN_GRID

    def _network(self, n_inputs: int, n_classes: int) -> nn.Module:
        widths = [n_inputs] + [self.hidden] * (self.n_layers - 1) + [n_classes]
        return KernelGCN(widths, self.n_hops, self.dropout)

    def _loss(self, network: nn.Module, logits: Tensor, target: Tensor) -> Tensor:
        classification = functional.cross_entropy(logits, target)
        if not self.triplet_weight:
            return classification
        ranking = triplet_loss(
            logits - cast(Tensor, network.bias), target, self.margin, self.n_triplets
        )
        return classification + self.triplet_weight * ranking

    def node_kernel(self, graph: Any, nodes: Any = None) -> npt.NDArray[np.float64]:
        """The learned kernel k(u, v) / sqrt(k(u, u) k(v, v)) between nodes of a graph.

        Parameters
        ----------
        graph : graph
        nodes : array of int, default=None
            Which nodes; all by default.
        """
        rows = (self._logits(graph, nodes) - cast(Tensor, self.network_.bias).detach()).double()
        unit = np.asarray(functional.normalize(rows).numpy())
        return np.asarray(unit @ unit.T)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, least in (("n_hops", 0), ("n_triplets", 1)):
            value = getattr(self, name)
            expected = f"an int in the range [{least}, inf)"
            self._check(is_integer(value) and value >= least, name, expected)
        for name in ("margin", "triplet_weight"):
            value = getattr(self, name)
            self._check(is_number(value) and value >= 0, name, "a float in the range [0, inf)")


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


@once_a_tensor
def hop_matrices(edges: Tensor, n_nodes: int, n_hops: int) -> list[Tensor]:
    """The power Â^H in parts: its entries between nodes 0, 1, ..., H hops apart.

    Examples
    --------
    >>> edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> own, near, far = (part.to_dense() for part in hop_matrices(edges, 3, 2))
    >>> (far > 0).int().tolist()
    [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    """
    left = sparse.csr_array(sparse.eye_array(n_nodes))
    step = smoothing(edges, n_nodes)
    for _ in range(n_hops):
        left = left @ step
    reach = adjacency(edges, n_nodes) + sparse.eye_array(n_nodes)
    ball = sparse.csr_array(sparse.eye_array(n_nodes))
    parts = []
    for _ in range(n_hops):
        part = left.multiply(ball)
        parts.append(as_tensor(part))
        left = sparse.csr_array(left - part)
        left.eliminate_zeros()
        ball = sparse.csr_array(ball @ reach > 0, dtype=np.float64)
    return [*parts, as_tensor(left)]


def triplet_loss(rows: Tensor, target: Tensor, margin: float, n_triplets: int) -> Tensor:
    """Mean of max(0, k(u, z) - k(u, v) + margin) over random u and v of a class, z of another.

    Parameters
    ----------
    rows : Tensor of shape (n, width)
        k is the cosine of two rows.
    target : Tensor of shape (n,)
        Class of each row.
    margin : float
    n_triplets : int
        How many to draw, the same number for each class of u and one at least.

    Examples
    --------
    One node a class leaves one triplet a class: k(u, v) = 1, k(u, z) = 0.6.

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
        same, other = (torch.nonzero(part).ravel() for part in (target == code, target != code))
        u, v = rows[same[torch.randint(len(same), (2, count))]]
        z = rows[other[torch.randint(len(other), (count,))]]
        losses.append(functional.relu((u * (z - v)).sum(dim=1) + margin))
    return torch.cat(losses).mean()

"""The adaptive kernel graph neural network."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted
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
    symmetric_product,
)

# Steps of the share of dropout.
STEPS = 2**16


@dataclass(kw_only=True, eq=False, repr=False)
class AKGNNNodeClassifier(NodeNetwork):
    """AKGNN: each layer learns how to mix a node's own state with those of its neighbours.

    ::

        h_0     = leaky ReLU(x W + b)
        A*_k    = (2 lambda_k - 2) / lambda_k I  +  2 / lambda_k A,    lambda_k = 1 + ReLU(theta_k)
        h_k+1   = D*_k^-1 A*_k h_k                                     D*_k: the row sums of A*_k
        logits  = [h_1, ..., h_K] V + c

    lambda_k stands for the largest eigenvalue of the Laplacian. At lambda_k = 1 a layer is the
    mean of the neighbours, which keeps low frequencies only. The larger it is, the closer the
    layer is to the identity, which keeps all frequencies. Training starts at lambda_k = 2, where
    a node weighs as much as each of its neighbours. Layers have no other parameters.

    Parameters
    ----------
    n_layers : int, default=6
    hidden : int, default=64
    dropout : float, default=0.6
        In training, of h_0, of each h_k and, again, of the input of the last map.
    weight_decay : float, default=5e-4
    max_epochs : int, default=500
    patience : int, default=100
        The paper's own, longer than for other networks: with so much dropout the loss on Cora is
        lowest after 100 to 250 epochs.
    **parameters
        The others are those of :class:`NodeNetwork`.

    Attributes
    ----------
    lambdas_ : ndarray of shape (n_layers,)
        The learned lambda_k.

    Notes
    -----
    The division of A*_k by its row sums, leaky ReLU and where dropout is applied are as in the
    authors' own program. Without the division each layer would double constant rows. A node
    without neighbours keeps its state, for any lambda_k.

    References
    ----------
    M. Ju, S. Hou, Y. Fan, J. Zhao, L. Zhao, Y. Ye: Adaptive Kernel Graph Neural Network. AAAI 2022.

    Examples
    --------
    >>> import nask
    >>> path = nask.AttributedGraph(6, [(i, i + 1) for i in range(5)], {"age": [1, 2, 3, 7, 8, 9]})
    >>> y = ["young", "young", None, None, "old", "old"]
    >>> model = AKGNNNodeClassifier(n_layers=2, max_epochs=50).fit(path, y)
    >>> model.predict(path, [0, 5]).tolist()
    ['young', 'old']
    >>> model.lambdas_.shape
    (2,)
    """

    n_layers: int = 6
    dropout: float = 0.6
    learning_rate: float = 0.05
    weight_decay: float = 5e-4
    max_epochs: int = 500
    patience: int = 100

    default_grid: ClassVar[Grid] = {"learning_rate": (0.01, 0.05)}

    def build(self, n_inputs: int, n_classes: int) -> nn.Module:
        """Return a new network with these parameters."""
        return AKGNN(n_inputs, self.hidden, n_classes, self.n_layers, self.dropout)

    @property
    def lambdas_(self) -> Float64:
        """The learned lambda_k, one per layer."""
        check_is_fitted(self)
        return np.asarray(cast(Tensor, self.network_.lambdas).detach().double().numpy())


class AKGNN(nn.Module):
    """The network of :class:`AKGNNNodeClassifier`."""

    def __init__(
        self, n_inputs: int, hidden: int, n_classes: int, n_layers: int, dropout: float
    ) -> None:
        super().__init__()
        self.encoder = InputLinear(n_inputs, hidden)
        self.bias = nn.Parameter(torch.empty(hidden))
        # The published settings belong to the usual first weights of a linear map, not Glorot's.
        bound = 1 / math.sqrt(n_inputs)
        for parameter in (self.encoder.weight, self.bias):
            nn.init.uniform_(parameter, -bound, bound)
        self.theta = nn.Parameter(torch.ones(n_layers))
        self.output = nn.Linear(n_layers * hidden, n_classes)
        self.dropout = dropout

    @property
    def lambdas(self) -> Tensor:
        """Largest eigenvalue that each layer assumes, at least 1."""
        return 1 + functional.relu(self.theta)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        """Logits of each node, (n_nodes, n_classes)."""
        h = self._dropped(functional.leaky_relu(self.encoder(x) + self.bias))
        layers = []
        for lambda_k in self.lambdas:
            h = self._dropped(propagate(h, edges, lambda_k))
            layers.append(h)
        logits: Tensor = self.output(self._dropped(torch.cat(layers, dim=1)))
        return logits

    def _dropped(self, h: Tensor) -> Tensor:
        return quick_dropout(h, self.dropout, self.training)


def quick_dropout(rows: Tensor, share: float, training: bool) -> Tensor:
    """Set a random share of numbers to 0, from 16 random bits per number.

    The share is rounded to a multiple of 2^-16. torch's own dropout draws other random numbers from
    the same seed, so with it the recorded results could not be reproduced; it also takes four times
    as long.

    Parameters
    ----------
    rows : Tensor
        Contiguous.
    share : float
        Share of the numbers that are set to 0; the others are divided by 1 - share.
    training : bool
        If False, the rows are returned as they are.

    Examples
    --------
    >>> sorted(set(quick_dropout(torch.ones(30, 30), 0.75, training=True).flatten().tolist()))
    [0.0, 4.0]
    """
    if not training or not share:
        return rows
    # At least one number in 65536 is kept, so that none is divided by 0.
    dropped = min(round(share * STEPS), STEPS - 1)
    count = rows.numel()
    words = torch.empty((count + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
    bits = words.view(torch.int16)[:count].view(rows.shape)
    return rows * ((bits >= dropped - STEPS // 2) * (STEPS / (STEPS - dropped)))


@once_per_tensor
def _neighbours(edges: Tensor, n_nodes: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the adjacency matrix, the degrees, and 1 for each node without edges, else 0."""
    matrix = adjacency(edges, n_nodes)
    degrees = torch.from_numpy(matrix.sum(axis=1).astype(np.float32))[:, None]
    return as_tensor(matrix), degrees, (degrees == 0).float()


def propagate(h: Tensor, edges: Tensor, lambda_k: Tensor) -> Tensor:
    """One layer, D*^-1 A* h.

    Examples
    --------
    >>> edges = torch.tensor([[0, 1], [1, 0]])
    >>> h = torch.tensor([[1.0], [3.0], [5.0]])
    >>> [propagate(h, edges, torch.tensor(value)).ravel().tolist() for value in (1.0, 2.0, 4.0)]
    [[3.0, 1.0, 5.0], [2.0, 2.0, 5.0], [1.5, 2.5, 5.0]]
    """
    matrix, degrees, alone = _neighbours(edges, len(h))
    # Both weights of A* times lambda / 2, which cancels in the division by the row sums.
    own = lambda_k - 1 + alone
    return (own * h + symmetric_product(matrix, h)) / (own + degrees)

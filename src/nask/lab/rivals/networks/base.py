"""The base of neural networks that classify graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor
from torch.nn import functional

from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graphs
from nask.kernels.parameters import is_integer
from nask.lab.rivals.encoding import NodeEncoder
from nask.lab.rivals.networks.batching import Batch, GraphTensors
from nask.lab.rivals.networks.parameters import NetworkParameters
from nask.lab.rivals.networks.training import Outcome, apart, held_out, train
from nask.learning.targets import class_codes, training_data

# Graphs at a time where no gradient is kept.
AT_ONCE = 128


@dataclass(kw_only=True, eq=False, repr=False)
class GraphNetwork(NetworkParameters):
    """A graph neural network with scikit-learn's contract; subclasses say which.

    A tenth of the training graphs, drawn by class, is held out. Every candidate of the grid is
    trained on the others until the loss on the held-out graphs has not fallen for ``patience``
    epochs, and keeps the weights of its best epoch. The candidate that is most accurate on the
    held-out graphs, the loss breaking ties, is the network that predicts: it is not trained again
    on all graphs, as there would be nothing left to tell when to stop.

    A subclass defines ``_network(n_inputs, n_classes)``: a module whose ``forward`` takes a
    :class:`Batch` and returns logits (n_graphs, n_classes). It may define ``_lookup(graphs)``,
    which is called once for the training graphs and once for each list to predict; what it
    returns is ``batch.lookup``.

    Parameters
    ----------
    n_layers : int, default=2
    hidden : int, default=64
        Units of a layer.
    dropout : float, default=0.0
        Share of units that are dropped after each layer in training.
    learning_rate : float, default=0.01
        Of Adam; for a grid that does not vary it.
    weight_decay : float, default=0.0
    max_epochs : int, default=100
    patience : int, default=10
        Epochs without a lower validation loss before training stops.
    batch_size : int, default=32
        Graphs of a training step.
    grid : dict of lists by parameter, default=None
        What to try, all combinations; ``None`` is the grid of the class (three learning rates),
        ``{}`` the parameters as they are.
    random_state : int, default=0
        Of the held-out graphs, the first weights, the order of graphs and dropout.
    verbose : bool or callable, default=False
        ``True`` shows a bar of candidates; a function is called with (done, total).

    Attributes
    ----------
    classes_ : ndarray
    best_params_ : dict
        The chosen values of the grid, and ``epochs``, the number of the best epoch.
    best_score_ : float
        Accuracy on the held-out graphs. Too good by the choice itself.
    n_epochs_ : int
        Epochs that the chosen network was trained for, patience included.
    network_ : torch.nn.Module
    encoder_ : NodeEncoder
        What turns the attributes of nodes into numbers. Attributes of edges are not used.
    """

    batch_size: int = 32

    def _lookup(self, graphs: Sequence[AttributedGraph]) -> Any:
        """Data by node that the network needs beside ``x``; none by default."""
        return None

    def fit(self, X: Any, y: Any) -> Self:
        """Train on graphs and their classes."""
        self._check_parameters()
        graphs, target_classes = training_data(X, y, type(self).__name__)
        self.classes_, codes = class_codes(target_classes)
        self.encoder_ = NodeEncoder().fit(graphs)
        tensors = GraphTensors.of(graphs, self.encoder_, self._lookup(graphs))
        parts = held_out(codes, int(self.random_state))
        learned, validation = (torch.from_numpy(part) for part in parts)
        target = torch.from_numpy(codes)
        judged = list(tensors.batches(validation, AT_ONCE))

        def fitted(network: torch.nn.Module, candidate: Self) -> Outcome:
            def losses() -> Iterator[Tensor]:
                shuffled = learned[torch.randperm(len(learned))]
                for part, batch in tensors.batches(shuffled, candidate.batch_size):
                    # Graphs without any node teach nothing that a network could use.
                    if len(batch.x):
                        yield functional.cross_entropy(network(batch), target[part])

            def judge() -> tuple[float, float]:
                return accuracy_and_loss(network, judged, target)

            return train(network, losses, judge, candidate._schedule())

        self._choose(self.encoder_.n_columns_, fitted, "Training networks")
        return self

    def _logits(self, X: Any) -> Tensor:
        check_is_fitted(self)
        graphs = as_graphs(X)
        tensors = GraphTensors.of(graphs, self.encoder_, self._lookup(graphs))
        with apart(), torch.no_grad():
            every = torch.arange(len(graphs))
            return torch.cat([self.network_(b) for _, b in tensors.batches(every, AT_ONCE)])

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Most probable class of each graph."""
        return np.asarray(self.classes_[self._logits(X).argmax(dim=1).numpy()])

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Probability of each class, (m, n_classes), as the network has it."""
        return np.asarray(self._logits(X).double().softmax(dim=1).numpy())

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Logits: (m,) for two classes, positive for the second; (m, n_classes) otherwise."""
        return decisions(self._logits(X))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check(
            is_integer(self.batch_size) and self.batch_size >= 1,
            "batch_size",
            "an int in the range [1, inf)",
        )


def accuracy_and_loss(
    network: torch.nn.Module, batches: Sequence[tuple[Tensor, Batch]], target: Tensor
) -> tuple[float, float]:
    """Share of graphs whose class is found, and mean cross entropy."""
    hits, loss, count = 0, 0.0, 0
    for part, batch in batches:
        logits = network(batch)
        hits += int((logits.argmax(dim=1) == target[part]).sum())
        loss += float(functional.cross_entropy(logits, target[part], reduction="sum"))
        count += len(part)
    return hits / count, loss / count


def decisions(logits: Tensor) -> npt.NDArray[np.float64]:
    """Logits in scikit-learn's convention: their difference where there are two classes."""
    values: npt.NDArray[np.float64] = logits.double().numpy()
    return values[:, 1] - values[:, 0] if values.shape[1] == 2 else values

"""The base of networks that classify graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn
from torch.nn import functional

from nask.arrays import Array, Float64
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graphs
from nask.lab.rivals.encoding import NodeEncoder
from nask.lab.rivals.networks.batching import Batch, GraphTensors
from nask.lab.rivals.networks.network import Lesson, Network, decisions, probabilities
from nask.lab.rivals.networks.training import apart, held_out
from nask.learning.targets import class_codes, training_data

# Graphs at a time where no gradient is kept.
AT_ONCE = 128


@dataclass(kw_only=True, eq=False, repr=False)
class GraphNetwork(Network):
    """A graph neural network that classifies graphs; subclasses say which.

    A tenth of the training graphs, drawn by class, is held out. Every candidate of the grid is
    trained on the others until the loss on the held-out graphs has not fallen for ``patience``
    epochs, and keeps the weights of its best epoch. The candidate that is most accurate on the
    held-out graphs predicts; the loss breaks ties. It is not trained again on all graphs: nothing
    would be left to tell when to stop.

    A subclass defines ``build(n_inputs, n_classes)``: a module whose ``forward`` takes a
    :class:`Batch` and returns logits (n_graphs, n_classes). It may define ``_lookup(graphs)``,
    which is called once for the training graphs and once for each list to predict. Its result is
    ``batch.lookup``.

    Parameters
    ----------
    n_layers : int, default=2
    hidden : int, default=64
        Units per layer.
    dropout : float, default=0.0
        Share of units that are dropped after each layer in training.
    learning_rate : float, default=0.01
        Of Adam; used where the grid does not vary it.
    weight_decay : float, default=0.0
    max_epochs : int, default=100
    patience : int, default=10
        Epochs without a lower validation loss before training stops.
    batch_size : int, default=32
        Graphs per training step.
    grid : dict of lists by parameter, default=None
        Values to try, in all combinations. ``None`` is the grid of the class (three learning
        rates), ``{}`` the parameters as they are.
    random_state : int, default=0
        Seed of the held-out graphs, the first weights, the order of graphs and dropout.
    verbose : bool or callable, default=False
        ``True`` shows a bar of candidates; a function is called with (done, total).

    Attributes
    ----------
    classes_ : ndarray
    best_params_ : dict
        The chosen values of the grid, and ``epochs``, the number of the best epoch.
    best_score_ : float
        Accuracy on the held-out graphs. It is too high, because it was chosen by.
    n_epochs_ : int
        Epochs that the chosen network was trained for, patience included.
    network_ : torch.nn.Module
    encoder_ : NodeEncoder
        What turns the attributes of nodes into numbers. Attributes of edges are not used.
    """

    batch_size: int = 32

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range; called by ``fit``."""
        super().check_parameters()
        self._check_integer("batch_size", 1)

    def _lookup(self, graphs: Sequence[AttributedGraph]) -> Any:
        """Return data by node that the network needs in addition to ``x``; none by default."""
        return None

    def fit(self, X: Any, y: Any) -> Self:
        """Train on graphs and their classes."""
        self.check_parameters()
        graphs, target_classes = training_data(X, y, type(self).__name__)
        self.classes_, codes = class_codes(target_classes)
        self.encoder_ = NodeEncoder().fit(graphs)
        tensors = GraphTensors.of(graphs, self.encoder_, self._lookup(graphs))
        learned, validation = map(torch.from_numpy, held_out(codes, int(self.random_state)))
        target = torch.from_numpy(codes)
        judged = list(tensors.batches(validation, AT_ONCE))

        def lesson(network: nn.Module, candidate: Self) -> Lesson:
            def losses() -> Iterator[Tensor]:
                shuffled = learned[torch.randperm(len(learned))]
                for chosen, batch in tensors.batches(shuffled, candidate.batch_size):
                    # Graphs without any node teach nothing that a network could use.
                    if len(batch.x):
                        yield functional.cross_entropy(network(batch), target[chosen])

            def judge() -> tuple[float, float]:
                return accuracy_and_loss(network, judged, target)

            return losses, judge

        self._choose(self.encoder_.n_columns_, lesson)
        return self

    def _logits(self, X: Any) -> Tensor:
        check_is_fitted(self)
        graphs = as_graphs(X)
        tensors = GraphTensors.of(graphs, self.encoder_, self._lookup(graphs))
        with apart(), torch.no_grad():
            every = torch.arange(len(graphs))
            return torch.cat([self.network_(b) for _, b in tensors.batches(every, AT_ONCE)])

    def predict(self, X: Any) -> Array:
        """Return the most probable class of each graph."""
        return self._most_probable(self._logits(X))

    def predict_proba(self, X: Any) -> Float64:
        """Return the probability of each class, (m, n_classes), as the network has it."""
        return probabilities(self._logits(X))

    def decision_function(self, X: Any) -> Float64:
        """Return logits: (m,) for two classes, positive for the second; else (m, n_classes)."""
        return decisions(self._logits(X))


def accuracy_and_loss(
    network: nn.Module, batches: Sequence[tuple[Tensor, Batch]], target: Tensor
) -> tuple[float, float]:
    """Return the share of graphs whose class is found, and the mean cross entropy."""
    hits, loss, count = 0, 0.0, 0
    for chosen, batch in batches:
        logits = network(batch)
        hits += int((logits.argmax(dim=1) == target[chosen]).sum())
        loss += float(functional.cross_entropy(logits, target[chosen], reduction="sum"))
        count += len(chosen)
    return hits / count, loss / count

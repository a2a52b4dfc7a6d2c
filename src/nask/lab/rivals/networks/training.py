"""Training of one network: Adam, early stopping on held-out loss, weights of the best epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from nask.arrays import Index, Positions

HELD_OUT = 0.1


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to learn."""

    learning_rate: float
    weight_decay: float
    max_epochs: int
    patience: int


@dataclass(frozen=True)
class Outcome:
    """The best epoch of one training.

    Parameters
    ----------
    accuracy, loss : float
        On the validation set, after that epoch.
    epoch : int
        Its number, from 1; 0 where no epoch had a finite loss.
    n_epochs : int
        Number of epochs in all.
    """

    accuracy: float
    loss: float
    epoch: int
    n_epochs: int

    def better_than(self, other: Outcome | None) -> bool:
        """Tell whether this outcome is better: by accuracy, then by loss."""
        return other is None or (self.accuracy, -self.loss) > (other.accuracy, -other.loss)


def train(
    network: torch.nn.Module,
    losses: Callable[[], Iterator[Tensor]],
    judge: Callable[[], tuple[float, float]],
    schedule: Schedule,
) -> Outcome:
    """Train a network in place and leave it, in evaluation mode, with its best weights.

    Parameters
    ----------
    losses : callable
        Goes once over the training set and yields the loss of each mini-batch.
    judge : callable
        Returns accuracy and loss on the validation set.
    """
    optimizer = torch.optim.Adam(
        network.parameters(),
        lr=schedule.learning_rate,
        weight_decay=schedule.weight_decay,
        fused=True,
    )
    best = Outcome(0.0, float("inf"), 0, 0)
    weights = _weights(network)
    epoch = 0
    for epoch in range(1, schedule.max_epochs + 1):
        network.train()
        for loss in losses():
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        network.eval()
        with torch.no_grad():
            accuracy, held_out_loss = judge()
        if held_out_loss < best.loss:
            best = Outcome(accuracy, held_out_loss, epoch, epoch)
            weights = _weights(network)
        elif epoch - best.epoch >= schedule.patience:
            break
    network.load_state_dict(weights)
    network.eval()
    return Outcome(best.accuracy, best.loss, best.epoch, epoch)


def _weights(network: torch.nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in network.state_dict().items()}


def held_out(codes: Positions, random_state: int) -> tuple[Index, Index]:
    """Divide positions at random into a training set and a tenth to validate on, by class.

    The only member of a class goes to training. Where every class has one member only, all are in
    both sets.

    Examples
    --------
    >>> train, validation = held_out(np.array([0] * 20 + [1] * 10 + [2]), 0)
    >>> len(train), (validation < 20).sum(), (validation == 30).sum()
    (28, np.int64(2), np.int64(0))
    """
    shuffled = np.random.default_rng(random_state).permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    several = by_class[np.bincount(codes)[codes[by_class]] > 1]
    if not len(several):
        return np.sort(by_class), np.sort(by_class)
    # Evenly spaced, at least two apart: each class in proportion, and never a whole class.
    count = max(1, round(HELD_OUT * len(several)))
    steps = (np.arange(count) + 0.5) * len(several) / count
    validation = np.sort(several[steps.astype(np.int64)])
    return np.setdiff1d(by_class, validation), validation


@contextmanager
def apart() -> Iterator[None]:
    """Use one thread, and restore the state of torch's random numbers in the end.

    Folds run in processes of their own; sums over more threads would depend on their number.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.set_num_threads(threads)

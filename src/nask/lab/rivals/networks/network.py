"""What all networks share: parameters and their checks, the choice in a grid, predictions."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import ParameterGrid
from torch import Tensor, nn

from nask.arrays import Array, Float64
from nask.exceptions import ParameterError, did_you_mean
from nask.execution.progress import Progress, track
from nask.io.coerce import TakesGraphs
from nask.kernels.parameters import POSITIVE, ChecksParameters, is_number, is_positive
from nask.lab.rivals.networks.training import Outcome, Schedule, apart, train
from nask.messages import quoted

Grid = Mapping[str, Sequence[Any]]
# The learning rates of the paper's protocol.
GRID: Grid = {"learning_rate": (0.001, 0.005, 0.01)}
# Losses of the mini-batches of one epoch; accuracy and loss on the validation set.
Lesson = tuple[Callable[[], Iterator[Tensor]], Callable[[], tuple[float, float]]]


@dataclass(kw_only=True, eq=False, repr=False)
class Network(ChecksParameters, TakesGraphs, ClassifierMixin, BaseEstimator):
    """A neural network with scikit-learn's contract; see :class:`GraphNetwork` for parameters."""

    n_layers: int = 2
    hidden: int = 64
    dropout: float = 0.0
    learning_rate: float = 0.01
    weight_decay: float = 0.0
    max_epochs: int = 100
    patience: int = 10
    grid: Grid | None = None
    random_state: int = 0
    verbose: Progress = False

    default_grid: ClassVar[Grid] = GRID

    @abstractmethod
    def build(self, n_inputs: int, n_classes: int) -> nn.Module:
        """Return a new network with the parameters of this estimator."""

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range; called by ``fit``."""
        for name in ("n_layers", "hidden", "max_epochs", "patience"):
            self._check_integer(name, 1)
        self._check(
            is_number(self.dropout) and 0 <= self.dropout < 1,
            "dropout",
            "a float in the range [0, 1)",
        )
        self._check(is_positive(self.learning_rate), "learning_rate", POSITIVE)
        self._check_not_negative("weight_decay")
        self._check_integer("random_state", 0)
        self._check_verbose(self.verbose)
        self._check_grid()

    def _check_grid(self) -> None:
        if self.grid is None:
            return
        listed = isinstance(self.grid, Mapping) and all(
            isinstance(values, Sequence) and not isinstance(values, str) and len(values)
            for values in self.grid.values()
        )
        self._check(listed, "grid", "None, or a dict of lists of values by parameter")
        known = self.get_params(deep=False)
        for name in self.grid:
            if name not in known or name in ("grid", "random_state", "verbose"):
                raise ParameterError(
                    f"The 'grid' parameter of {type(self).__name__} names {quoted(name)}, which is "
                    f"no parameter that can be chosen. {did_you_mean(name, known)}"
                )

    def candidates(self) -> list[tuple[dict[str, Any], Self]]:
        """Return each setting of the grid, and this estimator with it."""
        found = []
        for values in ParameterGrid(dict(self.default_grid if self.grid is None else self.grid)):
            candidate = copy.copy(self).set_params(grid={}, **values)
            candidate.check_parameters()
            found.append((dict(values), candidate))
        return found

    def _choose(self, n_inputs: int, lesson: Callable[[nn.Module, Self], Lesson]) -> None:
        """Train one network per candidate, each from the same seed, and keep the best.

        ``lesson(network, candidate)`` says what to learn and how to judge it.
        """
        candidates = self.candidates()
        best: Outcome | None = None
        with apart():
            for values, candidate in track(
                candidates, len(candidates), self.verbose, description="Training networks"
            ):
                torch.default_generator.manual_seed(int(self.random_state))
                network = candidate.build(n_inputs, len(self.classes_))
                schedule = Schedule(
                    float(candidate.learning_rate),
                    float(candidate.weight_decay),
                    candidate.max_epochs,
                    candidate.patience,
                )
                outcome = train(network, *lesson(network, candidate), schedule)
                if outcome.better_than(best):
                    best = outcome
                    self.network_ = network
                    self.best_params_ = {**values, "epochs": outcome.epoch}
                    self.best_score_, self.n_epochs_ = outcome.accuracy, outcome.n_epochs

    def _most_probable(self, logits: Tensor) -> Array:
        return np.asarray(self.classes_[logits.argmax(dim=1).numpy()])


def probabilities(logits: Tensor) -> Float64:
    """Softmax of logits, in float64.

    Examples
    --------
    >>> probabilities(torch.tensor([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """
    return np.asarray(logits.double().softmax(dim=1).numpy())


def decisions(logits: Tensor) -> Float64:
    """Logits in scikit-learn's convention: their difference where there are two classes.

    Examples
    --------
    >>> decisions(torch.tensor([[1.0, 3.0]])).tolist()
    [2.0]
    """
    values: Float64 = logits.double().numpy()
    return values[:, 1] - values[:, 0] if values.shape[1] == 2 else values

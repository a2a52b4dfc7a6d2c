"""Parameters of all networks, their checks, and the choice among the candidates of a grid."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import ParameterGrid

from nask.exceptions import ParameterError, did_you_mean
from nask.execution.progress import Progress, track
from nask.kernels.parameters import POSITIVE, is_integer, is_number, is_positive
from nask.lab.rivals.networks.training import Outcome, Schedule, apart
from nask.messages import quoted

# The learning rates of the paper's protocol.
GRID: Mapping[str, Sequence[Any]] = {"learning_rate": (0.001, 0.005, 0.01)}
Grid = Mapping[str, Sequence[Any]]


@dataclass(kw_only=True, eq=False, repr=False)
class NetworkParameters(ClassifierMixin, BaseEstimator):
    """What classifiers of graphs and of nodes share; see :class:`GraphNetwork`."""

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

    _grid: ClassVar[Grid] = GRID

    @abstractmethod
    def _network(self, n_inputs: int, n_classes: int) -> torch.nn.Module:
        """Return a new network with the parameters of this estimator."""

    def _check(self, valid: bool, name: str, expected: str) -> None:
        if not valid:
            raise ParameterError.expected(name, type(self).__name__, expected, getattr(self, name))

    def _check_parameters(self) -> None:
        """Raise on the first parameter outside its range; called by ``fit``."""
        for name in ("n_layers", "hidden", "max_epochs", "patience"):
            value = getattr(self, name)
            self._check(is_integer(value) and value >= 1, name, "an int in the range [1, inf)")
        self._check(
            is_number(self.dropout) and 0 <= self.dropout < 1,
            "dropout",
            "a float in the range [0, 1)",
        )
        self._check(is_positive(self.learning_rate), "learning_rate", POSITIVE)
        self._check(
            is_number(self.weight_decay) and self.weight_decay >= 0,
            "weight_decay",
            "a float in the range [0, inf)",
        )
        self._check(
            is_integer(self.random_state) and self.random_state >= 0,
            "random_state",
            "an int in the range [0, inf)",
        )
        self._check(
            callable(self.verbose) or isinstance(self.verbose, (bool, int)),
            "verbose",
            "a bool, an int or a function of (done, total)",
        )
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
        """Each setting of the grid, and this estimator with it."""
        found = []
        for values in ParameterGrid(dict(self._grid if self.grid is None else self.grid)):
            candidate = copy.copy(self).set_params(grid={}, **values)
            candidate._check_parameters()
            found.append((dict(values), candidate))
        return found

    def _schedule(self) -> Schedule:
        return Schedule(
            float(self.learning_rate), float(self.weight_decay), self.max_epochs, self.patience
        )

    def _choose(
        self, n_inputs: int, train: Callable[[torch.nn.Module, Self], Outcome], description: str
    ) -> None:
        """Train one network a candidate, each from the same seed, and keep the best."""
        candidates = self.candidates()
        best: Outcome | None = None
        with apart():
            for values, candidate in track(
                candidates, len(candidates), self.verbose, description=description
            ):
                torch.default_generator.manual_seed(int(self.random_state))
                network = candidate._network(n_inputs, len(self.classes_))
                outcome = train(network, candidate)
                if outcome.better_than(best):
                    best = outcome
                    self.network_ = network
                    self.best_params_ = {**values, "epochs": outcome.epoch}
                    self.best_score_, self.n_epochs_ = outcome.accuracy, outcome.n_epochs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

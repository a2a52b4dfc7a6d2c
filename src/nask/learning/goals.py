"""What ridge regressions learn, and how well settings of them do it where they have not learned.

A goal is the one place that tells classes from numbers: the search above it is the same for both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from nask.arrays import Array, Float64, Mask, Positions
from nask.choices import Multiclass
from nask.learning.auc import auc_parts
from nask.learning.calibration import Calibration, scaling_factors
from nask.learning.class_weights import CodeWeight, weight_of_items
from nask.learning.confusion import score_parts
from nask.learning.decisions import best_class
from nask.learning.held_out import (
    Problem,
    class_scores,
    confidence_of,
    one_against_one,
    one_against_rest,
)
from nask.learning.number_scores import BY_ONE_ERROR, item_losses, score_of_numbers
from nask.learning.scores import ACCURACY, R2, Score, brier_losses

# Of two classes, each is the rest of the other; numbers have one function.
ONE_SCHEME: tuple[Multiclass, ...] = ("ovr",)


class Goal(ABC):
    """The truth about some items, as problems for ridge regressions and as a judge of answers."""

    score: Score
    sample_weight: Float64 | None

    @property
    @abstractmethod
    def truth(self) -> Array:
        """Classes by their number, or numbers, of all items."""

    @property
    @abstractmethod
    def n_scores(self) -> int:
        """How many values an answer has for each item."""

    @property
    @abstractmethod
    def has_schemes(self) -> bool:
        """Whether several classes are to be told apart, for which there are several ways."""

    @abstractmethod
    def part(self, items: Any) -> Self:
        """The goal of some of the items."""

    @abstractmethod
    def problems(self, scheme: Multiclass) -> Sequence[Problem]:
        """What functions are learned from."""

    @property
    def depends_on_fold(self) -> bool:
        """Whether weights of items depend on which items are for training."""
        return False

    @abstractmethod
    def weights(self, known: Mask | None = None) -> Float64:
        """How much each item counts in learning; ``known`` are the items for training."""

    @abstractmethod
    def answers(self, decisions: Float64, scheme: Multiclass) -> Float64:
        """Scores of classes, or one number, (..., n_scores), from the values of functions."""

    @abstractmethod
    def kept(self, answers: Float64) -> Array:
        """What the score needs of answers about all items, (n_folds, n, n_scores), by fold."""

    @abstractmethod
    def values(self, kept: Array, judged: Mask) -> Float64:
        """Score of each of several methods on the judged items.

        Parameters
        ----------
        kept : ndarray of shape (n_methods, ...)
        judged : ndarray of bool of shape (n,)
        """

    @abstractmethod
    def parts(self, kept: Array, judged: Mask) -> Array | None:
        """What each judged item adds to the score of each method, (n_methods, n_judged).

        Parts order methods as the scores do; None where they tell no standard error.
        """

    @property
    def dtype(self) -> type[np.floating]:
        """Precision in which answers are stored: scores of classes lie around -1 to 1."""
        return np.float32

    @property
    def bytes_kept(self) -> int:
        """Bytes of what is kept of one answer about all items."""
        return int(self.kept(np.zeros((1, len(self.truth), self.n_scores))).nbytes)

    def _counts(self, judged: Mask) -> Float64:
        """How much each judged item counts in the score."""
        n = int(np.count_nonzero(judged))
        return np.ones(n) if self.sample_weight is None else self.sample_weight[judged]


@dataclass(frozen=True, eq=False)
class ClassGoal(Goal):
    """Classes.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Class of each item, numbered from 0.
    n_classes : int
    class_weight : dict by number, "balanced" or None
    score : Score
        What decides which settings are good.
    sample_weight : ndarray of shape (n,), optional

    Examples
    --------
    >>> goal = ClassGoal(np.array([0, 1, 1]), 2)
    >>> kept = goal.kept(np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]]))
    >>> goal.values(kept, np.ones(3, dtype=bool)).round(2)
    array([0.67])
    """

    codes: Positions
    n_classes: int
    class_weight: CodeWeight = None
    score: Score = ACCURACY
    sample_weight: Float64 | None = None

    @property
    def truth(self) -> Array:
        """The class of each item, by its number."""
        return self.codes

    @property
    def n_scores(self) -> int:
        """One score for each class."""
        return self.n_classes

    @property
    def has_schemes(self) -> bool:
        """Whether there are more than two classes."""
        return self.n_classes > 2

    @property
    def depends_on_fold(self) -> bool:
        """Balanced weights are those of a training set."""
        return self.class_weight == "balanced"

    def part(self, items: Any) -> ClassGoal:
        """The goal of some of the items."""
        own = None if self.sample_weight is None else self.sample_weight[items]
        return replace(self, codes=self.codes[items], sample_weight=own)

    def problems(self, scheme: Multiclass) -> Sequence[Problem]:
        """Each class against the rest, or against each other one."""
        make = one_against_rest if scheme == "ovr" else one_against_one
        return make(self.codes, self.n_classes)

    def weights(self, known: Mask | None = None) -> Float64:
        """Weights of items times those of their classes."""
        return weight_of_items(
            self.class_weight, self.codes, self.n_classes, self.sample_weight, known
        )

    def answers(self, decisions: Float64, scheme: Multiclass) -> Float64:
        """Scores of classes."""
        return class_scores(decisions, scheme, self.n_classes)

    def kept(self, answers: Float64) -> Array:
        """Who is right, as bits; or predicted classes, decisions of two classes, or all scores."""
        if self._counts_rights:
            return np.packbits(best_class(answers) == self.codes, axis=1)
        if self.score.needs == "classes":
            return best_class(answers).astype(np.min_scalar_type(self.n_classes))
        kept = answers if self.score.needs == "probabilities" else answers[..., 1]
        return kept.astype(np.float32)

    def values(self, kept: Array, judged: Mask) -> Float64:
        """Score of each method, from what was kept."""
        parts = self.parts(kept, judged)
        if parts is not None:
            return np.asarray(parts.mean(axis=1))
        truth = self.codes[judged]
        outputs = self._outputs(kept[:, judged], judged)
        return np.array([self.score.of(truth, own, self.n_classes) for own in outputs])

    def parts(self, kept: Array, judged: Mask) -> Array | None:
        """Whether each item is right, or its part in another score."""
        if self._counts_rights:
            return np.unpackbits(kept, axis=1, count=len(judged)).astype(bool)[:, judged]
        truth, own, counts = self.codes[judged], kept[:, judged], self._counts(judged)
        if self.score.needs == "classes":
            return score_parts(self.score.name, truth, own, self.n_classes, counts)
        if self.score.name == "roc_auc":
            return auc_parts(truth == 1, own.astype(np.float64), counts)
        if self.score.name not in ("neg_log_loss", "neg_brier_score"):
            return None
        probabilities = self._outputs(own, judged)
        if self.score.name == "neg_log_loss":
            least = np.finfo(np.float64).eps
            true = np.take_along_axis(probabilities, truth[None, :, None], axis=2)[..., 0]
            return _of_mean(np.log(np.maximum(true, least)), counts)
        return _of_mean(-brier_losses(truth, probabilities), counts)

    @property
    def _counts_rights(self) -> bool:
        return self.score == ACCURACY and self.sample_weight is None

    def _outputs(self, kept: Array, judged: Mask) -> Float64:
        """Decisions, or probabilities with the factor that suits each method best."""
        found = kept.astype(np.float64)
        if self.score.needs != "probabilities":
            return found
        factors = scaling_factors(found, self.codes[judged], self._counts(judged))
        scaled = found * factors[:, None, None]
        powers = np.exp(scaled - scaled.max(axis=2, keepdims=True))
        return np.asarray(powers / powers.sum(axis=2, keepdims=True))


@dataclass(frozen=True, eq=False)
class NumberGoal(Goal):
    """Numbers on a scale.

    Parameters
    ----------
    numbers : ndarray of shape (n,)
    score : Score
        What decides which settings are good.
    sample_weight : ndarray of shape (n,), optional

    Examples
    --------
    >>> goal = NumberGoal(np.array([1.0, 2.0, 3.0]))
    >>> kept = goal.kept(np.array([[[1.0], [2.0], [4.0]]]))
    >>> everything = np.ones(3, dtype=bool)
    >>> goal.values(kept, everything), 0 - goal.parts(kept, everything)
    (array([0.5]), array([[0., 0., 1.]]))
    """

    numbers: Float64
    score: Score = R2
    sample_weight: Float64 | None = None

    n_scores: int = field(default=1, init=False)
    has_schemes: bool = field(default=False, init=False)

    @property
    def truth(self) -> Array:
        """The numbers."""
        return self.numbers

    def part(self, items: Any) -> NumberGoal:
        """The goal of some of the items."""
        own = None if self.sample_weight is None else self.sample_weight[items]
        return replace(self, numbers=self.numbers[items], sample_weight=own)

    def problems(self, scheme: Multiclass) -> Sequence[Problem]:
        """One function, of all items."""
        return [Problem(np.arange(len(self.numbers)), self.numbers[:, None])]

    def weights(self, known: Mask | None = None) -> Float64:
        """Weights of items."""
        return np.ones(len(self.numbers)) if self.sample_weight is None else self.sample_weight

    @property
    def dtype(self) -> type[np.floating]:
        """Numbers may lie far from 0."""
        return np.float64

    def answers(self, decisions: Float64, scheme: Multiclass) -> Float64:
        """The value of the function."""
        return decisions

    def kept(self, answers: Float64) -> Array:
        """The predicted numbers."""
        return answers[..., 0].copy()

    def values(self, kept: Array, judged: Mask) -> Float64:
        """Score of each method, from its predictions."""
        own = self._counts(judged)
        return score_of_numbers(self.score.name, self.numbers[judged], kept[:, judged], own)

    def parts(self, kept: Array, judged: Mask) -> Array | None:
        """The loss of each item; of R2, its squared error."""
        if self.score.name in BY_ONE_ERROR:
            return None
        own = self._counts(judged)
        return _of_mean(
            -item_losses(self.score.name, self.numbers[judged], kept[:, judged], own), own
        )


def _of_mean(values: Float64, weights: Float64) -> Float64:
    """Parts of items in a weighted mean of their values, whose plain mean it is."""
    if (weights == 1).all():
        return values
    mean = np.average(values, axis=1, weights=weights)[:, None]
    return np.asarray(mean + values.shape[1] / weights.sum() * weights * (values - mean))


def probabilities_of(goal: Goal, left_out: Float64, answers: Float64, train: Mask) -> Float64:
    """Probabilities of classes, with the factor that suits the decisions about training items.

    Parameters
    ----------
    goal : ClassGoal
    left_out : ndarray of shape (n, n_classes)
        Scores by functions that have not learned from the item.
    answers : ndarray of shape (m, n_classes)
        Scores of other items.
    train : ndarray of bool of shape (n,)
        The items whose scores decide.
    """
    own = None if goal.sample_weight is None else goal.sample_weight[train]
    held_out = confidence_of(left_out[train])
    calibration = Calibration.scaled(held_out, goal.truth[train], own)
    if calibration is None:
        raise ValueError("A class with a single training item has no probability.")
    return calibration.probabilities(confidence_of(answers))

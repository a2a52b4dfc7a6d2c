"""Settings that were tried, how they did, and those whose mean decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from nask.arrays import Array, Float64, Floats
from nask.choices import Multiclass
from nask.learning.decisions import DecisionFunctions
from nask.learning.likeness import Likeness
from nask.tuning.sweeps import Candidate, Sweep


@dataclass(frozen=True, eq=False)
class Trial:
    """A setting, and how it did where it had not learned.

    Parameters
    ----------
    sweep, candidate, alpha, multiclass
        What it is.
    kept : mapping of int to ndarray
        What the score needs of its answers about all items, for each fold it was tried in: which
        ones it classified rightly, as bits, or more (:meth:`nask.learning.goals.Goal.kept`).
    scores : mapping of int to ndarray of shape (n_tests, n_scores)
        Of the test items of each of these folds: of classes, or a number.
    functions : DecisionFunctions, optional
        Those that were learned, where there is one training set.
    left_out : ndarray of shape (n_train, n_scores), optional
        Scores of its items, left out one by one.
    unit : float, optional
        The unit of distance of a Gaussian form, where there is one training set.
    """

    sweep: Sweep
    candidate: Candidate
    alpha: float
    multiclass: Multiclass
    kept: Mapping[int, Array]
    scores: Mapping[int, Floats]
    functions: DecisionFunctions | None = None
    left_out: Floats | None = None
    unit: float | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of what is varied."""
        n_classes = next(iter(self.scores.values())).shape[1]
        scheme = {"multiclass": self.multiclass} if n_classes > 2 else {}
        return {**self.candidate.parameters, "alpha": self.alpha, **scheme}


class Found(NamedTuple):
    """What a trial finds; see :class:`Trial`."""

    kept: Mapping[int, Array]
    scores: Mapping[int, Floats]
    functions: DecisionFunctions | None = None
    left_out: Floats | None = None


class Choice(NamedTuple):
    """The settings whose mean decides.

    Parameters
    ----------
    best : Trial
        The one with the highest score; the earlier of several.
    trials : list of Trial
        All that are as good, as far as their errors tell.
    score : float
        That of the best: accuracy, if no other was asked for.
    likeness : Likeness, optional
        How far the training graphs are from each other, by the kernel of the best.
    held_out : ndarray of shape (n, n_scores), optional
        What is found of each training item, where it had no part even in the choice.
    """

    best: Trial
    trials: list[Trial]
    score: float
    likeness: Likeness | None = None
    held_out: Float64 | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """Those of the best, and how many settings are averaged."""
        return {**self.best.parameters, "learner": "ridge", "averaged": len(self.trials)}

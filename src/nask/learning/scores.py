"""Scores of predictions by the names that scikit-learn has for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nask.arrays import Array, Float64, Positions
from nask.choices import LearningTask
from nask.exceptions import ParameterError, did_you_mean
from nask.learning.confusion import confusion_matrices, score_of_confusion
from nask.learning.number_scores import score_of_numbers
from nask.messages import quoted

Needs = Literal["classes", "decisions", "probabilities", "numbers"]
"""What a score looks at, beside the truth: predicted classes or numbers, and so on."""

SECOND_CLASS = ("f1", "precision", "recall", "jaccard")
_AVERAGES = ("macro", "micro", "weighted")
_NEEDS: Mapping[Needs, tuple[str, ...]] = {
    "classes": (
        "accuracy",
        "balanced_accuracy",
        *SECOND_CLASS,
        *(f"{name}_{average}" for name in SECOND_CLASS for average in _AVERAGES),
        "matthews_corrcoef",
    ),
    "decisions": ("roc_auc", "average_precision"),
    "probabilities": (
        "neg_log_loss",
        "neg_brier_score",
        "roc_auc_ovr",
        "roc_auc_ovr_weighted",
        "roc_auc_ovo",
        "roc_auc_ovo_weighted",
    ),
    "numbers": (
        "r2",
        "neg_mean_squared_error",
        "neg_root_mean_squared_error",
        "neg_mean_absolute_error",
        "neg_mean_absolute_percentage_error",
        "neg_median_absolute_error",
        "neg_max_error",
        "explained_variance",
        "d2_absolute_error_score",
    ),
}
# Those that tell the second of two classes from the first.
_TWO_CLASSES = (*SECOND_CLASS, *_NEEDS["decisions"])
# Not from 0 to 1, so not shown in percent.
_UNBOUNDED = ("matthews_corrcoef", "neg_log_loss", "neg_brier_score", *_NEEDS["numbers"])


@dataclass(frozen=True)
class Score:
    """A score of predictions; more is better, as everywhere in scikit-learn.

    Parameters
    ----------
    name : str
        As scikit-learn calls its scorer.

    Examples
    --------
    >>> score = Score("balanced_accuracy")
    >>> score.task, score.needs
    ('classify', 'classes')
    >>> score.of(np.array([0, 0, 0, 1]), np.array([0, 0, 0, 0]), n_classes=2)
    0.5
    """

    name: str

    @property
    def needs(self) -> Needs:
        """What it looks at."""
        return next(needs for needs, names in _NEEDS.items() if self.name in names)

    @property
    def task(self) -> LearningTask:
        """Whether it is for classes or for numbers."""
        return "regress" if self.needs == "numbers" else "classify"

    @property
    def is_share(self) -> bool:
        """Whether it is a share, from 0 to 1, which tables show in percent."""
        return self.name not in _UNBOUNDED

    def of(self, truth: Array, output: Array, n_classes: int = 0) -> float:
        """Score what was found beside the truth.

        Parameters
        ----------
        truth : ndarray of shape (n,)
            Classes by their number, or numbers.
        output : ndarray
            Predicted classes by their number, or numbers, (n,); decisions of two classes, positive
            for the second, (n,); or probabilities, (n, n_classes).
        n_classes : int
        """
        if self.needs == "numbers":
            return float(score_of_numbers(self.name, truth, output))
        if self.needs == "classes":
            return float(
                score_of_confusion(self.name, confusion_matrices(truth, output, n_classes))
            )
        return _of_confidence(self.name, truth, np.asarray(output, dtype=np.float64), n_classes)

    def text(self, value: float) -> str:
        """Return a value as tables show it: a share in percent.

        Examples
        --------
        >>> Score("accuracy").text(0.8712), Score("r2").text(0.8712)
        ('87.1', '0.871')
        """
        return f"{100 * value:.1f}" if self.is_share else f"{value:.3f}"

    @property
    def title(self) -> str:
        """What tables and axes call it.

        Examples
        --------
        >>> Score("accuracy").title, Score("roc_auc").title, Score("r2").title
        ('Accuracy in %', 'roc_auc in %', 'R2')
        """
        return f"{self.short} in %" if self.is_share else self.short

    @property
    def short(self) -> str:
        """The same without the unit.

        Examples
        --------
        >>> Score("r2").short
        'R2'
        """
        return {"accuracy": "Accuracy", "r2": "R2"}.get(self.name, self.name)


DEFAULTS: Mapping[LearningTask, Score] = {"classify": Score("accuracy"), "regress": Score("r2")}
ACCURACY, R2 = DEFAULTS["classify"], DEFAULTS["regress"]


def score_names(task: LearningTask, n_classes: int | None = None) -> list[str]:
    """Names of the scores for a task; those for two classes only where there are two.

    Examples
    --------
    >>> score_names("regress")[:2], "roc_auc" in score_names("classify", n_classes=3)
    (['r2', 'neg_mean_squared_error'], False)
    """
    names = [name for needs in _NEEDS for name in _NEEDS[needs] if Score(name).task == task]
    return [name for name in names if n_classes in (None, 2) or name not in _TWO_CLASSES]


def score_named(name: Any, task: LearningTask | None = None, n_classes: int | None = None) -> Score:
    """Return the score of that name; raise, with the list, where it is not for the task.

    Parameters
    ----------
    name : str or None
        None: accuracy, or R2.
    task : {"classify", "regress"}, optional
    n_classes : int, optional

    Examples
    --------
    >>> score_named("roc_auc", "classify", 2), score_named(None, "regress")
    (Score(name='roc_auc'), Score(name='r2'))
    >>> score_named("roc_auc", "classify", 3)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The score 'roc_auc' is for two classes, and here are 3. ...
    >>> score_named("r2", "classify")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The score 'r2' is for numbers on a scale, and here are classes.
    Scores for classes: accuracy, balanced_accuracy, ...
    """
    if name is None:
        return DEFAULTS[task or "classify"]
    known = [*score_names("classify"), *score_names("regress")]
    if not isinstance(name, str) or name not in known:
        hint = did_you_mean(str(name), known)
        there = ", ".join(score_names(task) if task else known)
        raise ParameterError(f"There is no score {quoted(name)}. {hint} Scores: {there}.")
    score = Score(name)
    there = ", ".join(score_names(task, n_classes)) if task else ""
    if task is not None and score.task != task:
        kinds = {"classify": "classes", "regress": "numbers on a scale"}
        raise ParameterError(
            f"The score {quoted(name)} is for {kinds[score.task]}, and here are {kinds[task]}. "
            f"Scores for {kinds[task]}: {there}."
        )
    if n_classes not in (None, 2) and name in _TWO_CLASSES:
        raise ParameterError(
            f"The score {quoted(name)} is for two classes, and here are {n_classes}. Scores for "
            f"more: {there}."
        )
    return score


def _of_confidence(name: str, truth: Positions, output: Float64, n_classes: int) -> float:
    """Score decisions of two classes, or probabilities, by scikit-learn's functions."""
    from sklearn import metrics

    missing = np.setdiff1d(np.arange(n_classes), truth)
    if len(missing) and name.startswith(("roc_auc", "average_precision")):
        raise ParameterError(
            f"The score {quoted(name)} takes test items of every class, and a fold has none of "
            "some class. Use fewer folds, or another score."
        )
    if name == "average_precision":
        return float(metrics.average_precision_score(truth, output))
    if name == "roc_auc":
        return float(metrics.roc_auc_score(truth, output))
    # Rounding in files and in sums must not make them more or less than 1 in all.
    output = output / output.sum(axis=1, keepdims=True)
    labels = np.arange(n_classes)
    if name == "neg_log_loss":
        return -float(metrics.log_loss(truth, output, labels=labels))
    if name == "neg_brier_score":
        return -float(np.mean(brier_losses(truth, output)))
    if n_classes == 2:
        return float(metrics.roc_auc_score(truth, output[:, 1]))
    average = "weighted" if name.endswith("weighted") else "macro"
    way = "ovo" if "ovo" in name else "ovr"
    return float(
        metrics.roc_auc_score(truth, output, multi_class=way, average=average, labels=labels)
    )


def brier_losses(truth: Positions, probabilities: Float64) -> Float64:
    """Squared distance of the probabilities of each item from what is true, along the last axes.

    Of two classes half of it, as in scikit-learn: the error of one of both probabilities.

    Examples
    --------
    >>> brier_losses(np.array([0, 1]), np.array([[1.0, 0.0], [0.5, 0.5]]))
    array([0.  , 0.25])
    """
    exact = np.eye(probabilities.shape[-1])[truth]
    losses: Float64 = ((probabilities - exact) ** 2).sum(axis=-1)
    return losses / 2 if probabilities.shape[-1] == 2 else losses

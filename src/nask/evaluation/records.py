"""What an evaluation found: plain records, one per fold, and their summary."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from nask.arrays import Float64
from nask.choices import Items, LearningTask
from nask.evaluation.record_fields import FOLD, SCORED_FOLD, check_fields
from nask.evaluation.scoring import score_of_fold
from nask.learning.scores import Score, score_named

# The name of the inner score in files before version 3.
INNER, SCORED = "inner_accuracy", 3
# Accuracies that differ by less are the same.
ROUNDING = 1e-12
# Among the parameters of a fold, those that are not the kernel's.
OF_LEARNERS = ("learner", "C", "alpha", "multiclass", "averaged")

# What is told of numbers, by scikit-learn's names, and the sign that makes errors of them.
ERRORS = {
    "r2": (1, "r2"),
    "mae": (-1, "neg_mean_absolute_error"),
    "rmse": (-1, "neg_root_mean_squared_error"),
}


@dataclass(frozen=True)
class FoldRecord:
    """One outer fold: what was chosen on its training set and predicted on its test set.

    Parameters
    ----------
    repeat, fold : int
        Counted from 0.
    accuracy : float or None
        Fraction of the test graphs, or nodes, classified rightly; None of numbers.
    parameters : mapping
        What was chosen on the training set; empty for a method that chooses nothing.
    inner_score : float or None
        Score of the best setting by leave-one-out, on inner folds, or on the validation nodes.
    test : tuple of int
        Positions of the test graphs, or nodes.
    predicted : tuple
        Their predicted classes, or numbers.
    seconds_kernel, seconds_learning : float
        Time for this fold alone, without the Gram matrices that all folds share.
    truth : tuple or None
        The true classes, or numbers; None in a file of version 1, which has none.
    scores : mapping of str to float
        Other scores than accuracy, by scikit-learn's names.
    outputs : tuple or None
        Where a score looks at more than predictions: the decision for the second of two classes
        about each one tested, or a tuple of the probabilities of all classes.
    """

    repeat: int
    fold: int
    accuracy: float | None
    parameters: Mapping[str, Any]
    inner_score: float | None
    test: tuple[int, ...]
    predicted: tuple[Any, ...]
    seconds_kernel: float
    seconds_learning: float
    truth: tuple[Any, ...] | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    outputs: tuple[Any, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON can hold it.

        That of a fold with accuracy alone is the same as before there were other scores.
        """
        found = asdict(self)
        if not self.scores:
            # The name and the place that it has in files of version 2.
            found = {INNER if k == "inner_score" else k: v for k, v in found.items()}
            del found["scores"]
        return {
            name: value
            for name, value in found.items()
            if value is not None or name not in ("accuracy", "truth", "outputs")
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any], version: int) -> FoldRecord:
        """Read what :meth:`to_json` returned; raise ValueError if a figure cannot be right.

        Parameters
        ----------
        record : mapping
        version : int
            Of the file. In one of version 1 the true classes may be missing; scores other than
            accuracy came with version 3.
        """
        if version < SCORED:
            check_fields(record, FOLD, optional=("truth",) if version == 1 else ())
        else:
            check_fields(record, SCORED_FOLD, optional=("accuracy", "outputs"))
        tuples = {k: tuple(record[k]) for k in ("test", "predicted", "truth") if k in record}
        if "outputs" in record:
            tuples["outputs"] = tuple(
                tuple(own) if isinstance(own, list) else own for own in record["outputs"]
            )
        fields = {"accuracy": None, **record, **tuples}
        if INNER in fields:
            fields["inner_score"] = fields.pop(INNER)
        found = cls(**fields)
        found.check()
        return found

    def check_accuracy(self, truth: Sequence[Any]) -> None:
        """Raise ValueError unless the accuracy is that of the predictions."""
        if self.accuracy is None:
            return
        n_right = sum(bool(p == t) for p, t in zip(self.predicted, truth, strict=True))
        if not math.isclose(self.accuracy, n_right / len(truth), abs_tol=ROUNDING):
            raise ValueError(
                f"has accuracy {self.accuracy}, but {n_right} of its {len(truth)} predictions are "
                "right"
            )

    def check(self) -> None:
        """Raise ValueError where a figure cannot be right."""
        for name in ("predicted", "truth", "outputs"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self.test):
                raise ValueError(f"has {len(self.test)} tested, but {len(values)} in {name!r}")
        if len(set(self.test)) < len(self.test):
            raise ValueError("tests the same twice")
        if self.accuracy is None:
            return
        if self.truth is not None:
            self.check_accuracy(self.truth)
            return
        # Without the true classes, only this is sure: a whole number of predictions is right.
        n_right = self.accuracy * len(self.test)
        if abs(n_right - round(n_right)) > ROUNDING * len(self.test):
            raise ValueError(
                f"has accuracy {self.accuracy}, which {len(self.test)} predictions cannot have"
            )


@dataclass(frozen=True)
class Evaluation:
    """How well a method did on a dataset, and how that came about.

    Parameters
    ----------
    dataset, method : str
        Another split than folds is named as a dataset of its own, such as "Cora@public" or
        "PTC_MR@grouped".
    records : tuple of FoldRecord
        Sorted by repeat and fold.
    folds, repeats, random_state : int
        The protocol; repeats are those that were finished.
    inner : int or None
        Inner folds; None where parameters were chosen on validation nodes.
    strict : bool
        Whether ranges and categories of attributes came from each training fold; else from the
        whole (unlabelled) set.
    majority : float
        Share of the largest class; NaN of numbers.
    n_items : int
        Number of graphs or nodes; of a public split, those of its test set.
    seconds_kernel, seconds_learning : float
        Time spent comparing graphs, and on all else that was done fold by fold, summed over
        folds. With several processes, wall-clock time is shorter.
    environment : mapping
        Versions of packages, and the machine.
    items : {"graphs", "nodes"}
        What was classified.
    timeout : float or None
        Seconds after which the run was ended, if it was. Such a run has no figures.
    scoring : str
        The score that counts: accuracy or R2, if no other was asked for.
    classes : tuple of str
        By number; none of numbers.

    Examples
    --------
    >>> import nask
    >>> model = nask.TunedNASKClassifier(grid={"n_hops": [1, 2], "C": [1, 10]})
    >>> result = nask.evaluate(model, "MUTAG", folds=3, repeats=2, inner=2)
    >>> result.folds, result.repeats, len(result.records)
    (3, 2, 6)
    >>> bool(0.75 < result.accuracy_mean < 0.95), bool(result.majority < 0.67)
    (True, True)
    """

    dataset: str
    method: str
    records: tuple[FoldRecord, ...]
    folds: int
    repeats: int
    inner: int | None
    random_state: int
    strict: bool
    majority: float
    n_items: int
    seconds_kernel: float
    seconds_learning: float
    environment: Mapping[str, Any]
    items: Items = "graphs"
    timeout: float | None = None
    scoring: str = "accuracy"
    classes: tuple[str, ...] = ()

    @property
    def score(self) -> Score:
        """The score that counts."""
        return Score(self.scoring)

    @property
    def task(self) -> LearningTask:
        """Whether classes were predicted, or numbers."""
        return self.score.task

    def scores(self, name: str | None = None) -> Float64:
        """Score of each fold: the one that counts, or another.

        Parameters
        ----------
        name : str, optional
            As scikit-learn calls it, such as "balanced_accuracy" or "neg_mean_absolute_error".

        Examples
        --------
        >>> import nask
        >>> result = nask.evaluate("majority", "MUTAG", folds=3, repeats=1)
        >>> result.scores("balanced_accuracy")
        array([0.5, 0.5, 0.5])
        """
        own = (
            self.score if name is None else score_named(name, self.task, len(self.classes) or None)
        )
        return np.array([score_of_fold(r, own, self.classes) for r in self.records])

    def with_score(self, name: str) -> Evaluation:
        """Return the same run with another score that counts, found from its records."""
        return replace(
            self,
            scoring=name,
            records=tuple(
                replace(record, scores={**record.scores, name: float(value)})
                for record, value in zip(self.records, self.scores(name), strict=True)
            ),
        )

    @property
    def score_mean(self) -> float:
        """Mean over repeats of the mean score over folds; NaN after a timeout."""
        return float(np.mean(self._repeat_means(self.scores()))) if self.records else math.nan

    @property
    def score_std_repeats(self) -> float:
        """Standard deviation of the mean score over repeats; 0 for a single repeat."""
        return float(np.std(self._repeat_means(self.scores()))) if self.records else math.nan

    @property
    def score_std_folds(self) -> float:
        """Standard deviation of the score over all folds."""
        return float(np.std(self.scores())) if self.records else math.nan

    @property
    def accuracy_mean(self) -> float:
        """Mean over repeats of the mean over folds, as a fraction; NaN after a timeout."""
        return float(np.mean(self._repeat_means(self._accuracies())))

    @property
    def accuracy_std_repeats(self) -> float:
        """Standard deviation of the mean accuracy over repeats; 0 for a single repeat."""
        return float(np.std(self._repeat_means(self._accuracies())))

    @property
    def accuracy_std_folds(self) -> float:
        """Standard deviation of the accuracy over all folds."""
        return float(np.std(self._accuracies()))

    def most_chosen(self) -> dict[str, Any]:
        """Return the parameters of the kernel that most folds chose; none after a timeout."""
        kernels = [
            {k: v for k, v in r.parameters.items() if k not in OF_LEARNERS} for r in self.records
        ]
        texts = [json.dumps(kernel) for kernel in kernels]
        [(most, _)] = Counter(texts).most_common(1) or [("{}", 0)]
        chosen: dict[str, Any] = json.loads(most)
        return chosen

    def to_json(self) -> dict[str, Any]:
        """Return the summary as JSON can hold it, with the chosen parameters of every fold.

        After a timeout figures are None.
        """
        kinds = ("mean", "std_repeats", "std_folds")
        figures = {}
        if self.task == "classify":
            names = [f"accuracy_{kind}" for kind in kinds]
            figures = {name: getattr(self, name) if self.records else None for name in names}
        if self.scoring != "accuracy":
            figures["scoring"] = self.scoring
            for kind in kinds:
                figures[f"score_{kind}"] = getattr(self, f"score_{kind}") if self.records else None
        if self.task == "regress":
            for name, values in self.errors().items():
                figures[f"{name}_mean"] = float(values.mean()) if self.records else None
                figures[f"{name}_std_folds"] = float(values.std()) if self.records else None
        return {
            "dataset": self.dataset,
            "method": self.method,
            **figures,
            "timeout": self.timeout,
            **({"majority": self.majority} if self.task == "classify" else {}),
            f"n_{self.items}": self.n_items,
            "folds": self.folds,
            "repeats": self.repeats,
            "inner": self.inner,
            "random_state": self.random_state,
            "attribute_ranges": "training fold" if self.strict else "whole set",
            "seconds_kernel": self.seconds_kernel,
            "seconds_learning": self.seconds_learning,
            "params": [dict(record.parameters) for record in self.records],
            "environment": dict(self.environment),
        }

    def errors(self) -> dict[str, Float64]:
        """Return R2, mean absolute error and root mean squared error of each fold, of numbers."""
        return {name: sign * self.scores(score) for name, (sign, score) in ERRORS.items()}

    def __repr__(self) -> str:
        text = self.score.text
        unit = " %" if self.score.is_share else ""
        deviation = f" ± {text(self.score_std_folds)} over {len(self.records)} folds"
        if self.repeats > 1:
            deviation = f" ± {text(self.score_std_repeats)} over {self.repeats} repeats"
        elif len(self.records) == 1:
            deviation = ""
        found = f"{text(self.score_mean)}{unit}{deviation}"
        if self.scoring != "accuracy":
            found = f"{self.score.short} {found}"
        if self.timeout is not None:
            found = f"TIMEOUT after {self.timeout:g} s"
        majority = f"; majority class {100 * self.majority:.1f} %"
        return (
            f"Evaluation({self.method} on {self.dataset}: {found}"
            f"{majority if self.task == 'classify' else ''})"
        )

    def _accuracies(self) -> Float64:
        """Of each fold; NaN of numbers and after a timeout."""
        known = [record.accuracy for record in self.records if record.accuracy is not None]
        return np.array(known or [math.nan])

    def _repeat_means(self, values: Float64) -> list[float]:
        repeats = np.array([record.repeat for record in self.records])
        if len(values) != len(repeats):
            return [math.nan]
        return [float(np.mean(values[repeats == repeat])) for repeat in range(self.repeats)]

"""What an evaluation found: plain records, one per fold, and their summary."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from nask.choices import Items
from nask.evaluation.record_fields import FOLD, check_fields

# Accuracies that differ by less are the same.
ROUNDING = 1e-12
# Among the parameters of a fold, those that are not the kernel's.
OF_LEARNERS = ("learner", "C", "alpha", "multiclass", "averaged")


@dataclass(frozen=True)
class FoldRecord:
    """One outer fold: what was chosen on its training set and predicted on its test set.

    Parameters
    ----------
    repeat, fold : int
        Counted from 0.
    accuracy : float
        Fraction of the test graphs, or nodes, classified rightly.
    parameters : mapping
        What was chosen on the training set; empty for a method that chooses nothing.
    inner_accuracy : float or None
        Accuracy of the best setting by leave-one-out, on inner folds, or on the validation nodes.
    test : tuple of int
        Positions of the test graphs, or nodes.
    predicted : tuple
        Their predicted classes.
    seconds_kernel, seconds_learning : float
        Time for this fold alone, without the Gram matrices that all folds share.
    truth : tuple or None
        The true classes of the test graphs, or nodes; None in a file of version 1, which has none.
    """

    repeat: int
    fold: int
    accuracy: float
    parameters: Mapping[str, Any]
    inner_accuracy: float | None
    test: tuple[int, ...]
    predicted: tuple[Any, ...]
    seconds_kernel: float
    seconds_learning: float
    truth: tuple[Any, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON can hold it."""
        found = asdict(self)
        if self.truth is None:
            del found["truth"]
        return found

    @classmethod
    def from_json(cls, record: Mapping[str, Any], version: int) -> FoldRecord:
        """Read what :meth:`to_json` returned; raise ValueError if a figure cannot be right.

        Parameters
        ----------
        record : mapping
        version : int
            Of the file; in one of version 1 the true classes may be missing.
        """
        check_fields(record, FOLD, optional=("truth",) if version == 1 else ())
        tuples = {k: tuple(record[k]) for k in ("test", "predicted", "truth") if k in record}
        found = cls(**{**record, **tuples})
        found.check()
        return found

    def check_accuracy(self, truth: Sequence[Any]) -> None:
        """Raise ValueError unless the accuracy is that of the predictions."""
        n_right = sum(bool(p == t) for p, t in zip(self.predicted, truth, strict=True))
        if not math.isclose(self.accuracy, n_right / len(truth), abs_tol=ROUNDING):
            raise ValueError(
                f"has accuracy {self.accuracy}, but {n_right} of its {len(truth)} predictions are "
                "right"
            )

    def check(self) -> None:
        """Raise ValueError where a figure cannot be right."""
        for name in ("predicted", "truth"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self.test):
                raise ValueError(f"has {len(self.test)} tested, but {len(values)} in {name!r}")
        if len(set(self.test)) < len(self.test):
            raise ValueError("tests the same twice")
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
    """The accuracy of a method on a dataset, and how it came about.

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
        Share of the largest class.
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

    @property
    def accuracy_mean(self) -> float:
        """Mean over repeats of the mean over folds, as a fraction; NaN after a timeout."""
        return float(np.mean(self._repeat_means())) if self.records else math.nan

    @property
    def accuracy_std_repeats(self) -> float:
        """Standard deviation of the mean accuracy over repeats; 0 for a single repeat."""
        return float(np.std(self._repeat_means())) if self.records else math.nan

    @property
    def accuracy_std_folds(self) -> float:
        """Standard deviation of the accuracy over all folds."""
        accuracies = [record.accuracy for record in self.records]
        return float(np.std(accuracies)) if accuracies else math.nan

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

        After a timeout accuracies are None.
        """
        figures = {
            name: getattr(self, name) if self.records else None
            for name in ("accuracy_mean", "accuracy_std_repeats", "accuracy_std_folds")
        }
        return {
            "dataset": self.dataset,
            "method": self.method,
            **figures,
            "timeout": self.timeout,
            "majority": self.majority,
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

    def __repr__(self) -> str:
        deviation = f" ± {100 * self.accuracy_std_folds:.1f} over {len(self.records)} folds"
        if self.repeats > 1:
            deviation = f" ± {100 * self.accuracy_std_repeats:.1f} over {self.repeats} repeats"
        elif len(self.records) == 1:
            deviation = ""
        found = f"{100 * self.accuracy_mean:.1f} %{deviation}"
        if self.timeout is not None:
            found = f"TIMEOUT after {self.timeout:g} s"
        return (
            f"Evaluation({self.method} on {self.dataset}: {found}; "
            f"majority class {100 * self.majority:.1f} %)"
        )

    def _repeat_means(self) -> list[float]:
        return [
            float(np.mean([record.accuracy for record in self.records if record.repeat == repeat]))
            for repeat in range(self.repeats)
        ]

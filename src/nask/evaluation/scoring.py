"""Scores of folds, found from what their records hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from nask.arrays import Array
from nask.exceptions import ParameterError
from nask.learning.scores import ACCURACY, Score
from nask.messages import quoted


class Scored(Protocol):
    """What a record has that scores are found from."""

    @property
    def accuracy(self) -> float | None: ...  # noqa: D102
    @property
    def scores(self) -> Mapping[str, float]: ...  # noqa: D102
    @property
    def predicted(self) -> tuple[Any, ...]: ...  # noqa: D102
    @property
    def truth(self) -> tuple[Any, ...] | None: ...  # noqa: D102
    @property
    def outputs(self) -> tuple[Any, ...] | None: ...  # noqa: D102


def score_of_fold(record: Scored, score: Score, classes: Sequence[str]) -> float:
    """Return a score of a fold: the recorded one, or what its predictions come to.

    Parameters
    ----------
    record : FoldRecord
    score : Score
    classes : sequence of str
        By number; none of numbers.
    """
    if score == ACCURACY and record.accuracy is not None:
        return record.accuracy
    return (
        record.scores[score.name]
        if score.name in record.scores
        else found_score(record, score, classes)
    )


def found_score(record: Scored, score: Score, classes: Sequence[str]) -> float:
    """Return a score of a fold, computed from its predictions, or outputs, and the truth."""
    if record.truth is None:
        raise ParameterError(
            "These records hold no true classes, so that no other score than accuracy can be told. "
            "Evaluate again, into another folder."
        )
    if score.needs == "numbers":
        return score.of(np.array(record.truth, dtype=np.float64), np.array(record.predicted))
    truth = numbers_of(record.truth, classes)
    if score.needs == "classes":
        predicted = numbers_of(record.predicted, classes)
        # One more where a class was predicted that is none.
        return score.of(truth, predicted, max(len(classes), int(predicted.max()) + 1))
    outputs = None if record.outputs is None else np.array(record.outputs, dtype=np.float64)
    if outputs is not None and score.needs == "decisions" and outputs.ndim == 2:
        outputs = outputs[:, 1]
    if outputs is None or (score.needs == "probabilities" and outputs.ndim == 1):
        raise ParameterError(
            f"The score {quoted(score.name)} takes {score.needs}, which these records do not hold. "
            f"Evaluate with scoring={score.name!r} (nask evaluate --scoring {score.name}), into "
            "another folder."
        )
    return score.of(truth, outputs, len(classes))


def numbers_of(labels: Sequence[Any], classes: Sequence[str]) -> Array:
    """Return the numbers of classes; of one that is none of them, a number beyond."""
    number = {name: code for code, name in enumerate(classes)}
    return np.array([number.get(str(label), len(classes)) for label in labels], dtype=np.intp)

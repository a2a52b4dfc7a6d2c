"""One outer fold: learn from its training set, then predict its test set."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from nask.arrays import Array, Positions
from nask.evaluation.records import ERRORS, FoldRecord
from nask.evaluation.scoring import found_score
from nask.evaluation.splits import Split
from nask.evaluation.tasks import Task
from nask.exceptions import ParameterError
from nask.execution.progress import Progress, track
from nask.io.node_dataset import NO_CLASS
from nask.learning.decisions import best_class, most_confident
from nask.learning.goals import Goal
from nask.learning.held_out import confidence_of
from nask.learning.path import confidences
from nask.learning.scores import ACCURACY, Score
from nask.messages import quoted
from nask.tuning.inner_folds import one_split
from nask.tuning.screening import finalists
from nask.tuning.sweeps import Candidate, Sweep
from nask.tuning.trials import Choice

# Of the scores of test items that are kept until settings have been chosen.
BYTES_OF_SCORES = 2**30
CaughtWarning = tuple[str, type[Warning]]


def with_warnings(
    fold: Callable[..., FoldRecord], *arguments: Any
) -> tuple[FoldRecord, list[CaughtWarning]]:
    """Run a fold; return its record and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        record = fold(*arguments)
    return record, [(str(warning.message), warning.category) for warning in caught]


def fold_of_shared(
    method: Any,
    sweeps: Sequence[Sweep],
    stacks: Sequence[Array],
    classes: Array,
    codes: Positions,
    split: Split,
    seconds_before: float = 0.0,
    score: Score = ACCURACY,
) -> FoldRecord:
    """Choose an SVM and fit it, both from rows of Gram matrices of the whole set.

    Parameters
    ----------
    method : TunedClassifier
        Its ``svm_judge`` chooses.
    sweeps : sequence of Sweep
        The candidates of this fold.
    stacks : sequence of ndarray
        The Gram matrices of all graphs or nodes, one stack per sweep.
    classes : ndarray of shape (n_classes,)
    codes : ndarray of shape (n,)
        The class of each graph or node, as its number in ``classes``.
    split : Split
    seconds_before : float
        Spent on choosing the candidates.
    score : Score
        What is recorded.
    """
    start = time.perf_counter()
    rows, splits = split.train, None
    if split.validation is not None:
        rows, splits = one_split(split.train, split.validation)
    judge = method.svm_judge(method.goal(codes[rows], classes), classes, splits=splits)
    stack_of = {id(sweep): stack for sweep, stack in zip(sweeps, stacks, strict=True)}
    for sweep in sweeps:
        judge.enter(sweep, stack_of[id(sweep)], rows)
    chosen = judge.best
    gram = chosen.sweep.gram(stack_of[id(chosen.sweep)], chosen.candidate)
    weights = method.class_weight_by_code(classes)
    [confidence] = confidences(gram, codes, split.train, split.test, [chosen.C], weights)
    seconds = time.perf_counter() - start + seconds_before
    outputs = confidence if score.needs == "decisions" else None
    answer = Answer(classes[most_confident(confidence)], outputs)
    own = chosen.parameters, chosen.score, 0.0, seconds
    return fold_record(split, classes[codes], answer, score, classes, *own)


class Answer(NamedTuple):
    """What a method says of the items tested.

    Parameters
    ----------
    predicted : ndarray
        Classes, or numbers.
    outputs : ndarray, optional
        Decisions of two classes, or probabilities, where the score needs them.
    """

    predicted: Array
    outputs: Array | None = None


class RidgeFold(NamedTuple):
    """A fold that ridge regressions were chosen and judged for.

    Parameters
    ----------
    record : FoldRecord
    finalists : list of Candidate
        The kernels that SVMs are tried with in this fold.
    """

    record: FoldRecord
    finalists: list[Candidate]


def ridge_folds(
    method: Any,
    sweeps: Sequence[Sweep],
    kept: Sequence[Sequence[Candidate]] | None,
    stacks: Sequence[Array],
    task: Task,
    splits: Sequence[Split],
    score: Score,
    progress: Progress,
    description: str,
) -> Iterator[RidgeFold]:
    """Choose ridge regressions and predict, for many folds at once.

    Every Gram matrix of the whole set is inverted once per penalty; what each fold would learn
    without its test set follows exactly (:mod:`nask.learning.held_out`).

    Parameters
    ----------
    method : TunedModel
    sweeps : sequence of Sweep
    kept : sequence of sequence of Candidate, or None
        What each split may choose among; all where None.
    stacks : sequence of ndarray
        The Gram matrices of all graphs or nodes, one stack per sweep.
    task : Task
    splits : sequence of Split
        Some of those of the task.
    score : Score
        What is recorded.
    progress : bool or callable
    description : str
        The text beside the bar.
    """
    # A public split may leave out nodes that have a class.
    known = np.union1d(splits[0].train, splits[0].test)
    place = np.empty(len(task.target), dtype=np.intp)
    place[known] = np.arange(len(known))
    goal = method.goal(task.target[known], task.classes)
    for first, some in _groups(sweeps, splits, goal):
        start = time.perf_counter()
        few = None if kept is None else kept[first : first + len(some)]
        judge, rows = _judge_of(method, task, goal, known, place, few, some)
        for sweep, stack in track(
            zip(sweeps, stacks, strict=True), len(sweeps), progress, description
        ):
            judge.enter(sweep, stack, rows)
        choices = [judge.choose(fold) for fold in range(len(some))]
        seconds = (time.perf_counter() - start) / len(some)
        for fold, (split, choice) in enumerate(zip(some, choices, strict=True)):
            own = choice.parameters, choice.score, 0.0, seconds
            answer = _answer(judge, fold, choice, task.classes, score)
            record = fold_record(split, task.labels, answer, score, task.classes, *own)
            yield RidgeFold(record, finalists(judge, fold))


def _answer(judge: Any, fold: int, choice: Choice, classes: Array | None, score: Score) -> Answer:
    """What the chosen settings say of the test items of a fold."""
    scores = judge.scores(fold, choice)
    if classes is None:
        return Answer(scores[:, 0])
    predicted = classes[best_class(scores)]
    if score.needs == "decisions":
        return Answer(predicted, confidence_of(scores))
    if score.needs == "probabilities":
        return Answer(predicted, judge.probabilities(fold, choice))
    return Answer(predicted)


def _judge_of(
    method: Any,
    task: Task,
    goal: Goal,
    known: Positions,
    place: Positions,
    kept: Sequence[Sequence[Candidate]] | None,
    splits: Sequence[Split],
) -> tuple[Any, Positions]:
    """The judge of some splits, and the rows of the Gram matrices that it sees."""
    [first, *_] = splits
    if first.validation is not None:
        shown = np.concatenate([first.train, first.validation])
        rows = np.concatenate([shown, first.test])
        own = method.goal(task.target[shown], task.classes)
        return method.judge_on_validation(own, len(first.train)), rows
    tests = [place[split.test] for split in splits]
    return method.judge(goal, tests, kept), known


def _groups(
    sweeps: Sequence[Sweep], splits: Sequence[Split], goal: Goal
) -> Iterator[tuple[int, Sequence[Split]]]:
    """Splits that are judged together, and the number of the first one.

    As many as what is kept of all settings fits into memory: the scores of test items and, of
    other scores than accuracy, what they need of all items.
    """
    n_settings = sum(
        len(own.alpha) * (len(own.multiclass) if goal.has_schemes else 1)
        for sweep in sweeps
        for own in sweep.candidates
    )
    itemsize = np.dtype(goal.dtype).itemsize
    per_setting = itemsize * goal.n_scores * max(len(split.test) for split in splits)
    if goal.score != ACCURACY:
        per_setting += goal.bytes_kept
    n_together = max(1, BYTES_OF_SCORES // (max(1, n_settings) * per_setting))
    for first in range(0, len(splits), n_together):
        yield first, splits[first : first + n_together]


def fold_of_its_own(method: Any, task: Task, split: Split, score: Score = ACCURACY) -> FoldRecord:
    """Fit on the training graphs as if there were no others.

    Parameters
    ----------
    method : estimator
        Cloned, never fitted itself.
    task : Task
    split : Split
    score : Score
        What is recorded.
    """
    start = time.perf_counter()
    graphs, y = task.data, task.y
    fitted = clone(method).fit([graphs[i] for i in split.train], y[split.train])
    tested = [graphs[i] for i in split.test]
    answer = Answer(fitted.predict(tested), outputs_of(fitted, score, task.classes, tested))
    return _fitted_record(split, task, fitted, answer, score, start)


def nodes_of_their_own(
    method: Any, task: Task, split: Split, score: Score = ACCURACY
) -> FoldRecord:
    """Fit on the network and the classes of the training nodes; other classes are hidden.

    A method whose ``fit`` takes ``validation`` also gets the classes of the validation nodes.

    Parameters
    ----------
    method : estimator
        Cloned, never fitted itself.
    task : Task
        Of a network, with the training and the test nodes.
    split : Split
    score : Score
        What is recorded.
    """
    start = time.perf_counter()
    graph, y = task.data, task.y
    given = {"train": split.train}
    if split.validation is not None and "validation" in signature(method.fit).parameters:
        given["validation"] = split.validation
    known = np.full_like(y, None if y.dtype == object else NO_CLASS)
    for nodes in given.values():
        known[nodes] = y[nodes]
    fitted = clone(method).fit(graph, known, **given)
    where = {"nodes": split.test}
    outputs = outputs_of(fitted, score, task.classes, graph, **where)
    answer = Answer(fitted.predict(graph, **where), outputs)
    return _fitted_record(split, task, fitted, answer, score, start)


def outputs_of(
    fitted: Any, score: Score, classes: Array | None, *where: Any, **nodes: Any
) -> Array | None:
    """What a score looks at beside predictions: decisions of two classes, or probabilities.

    Parameters
    ----------
    fitted : classifier
    score : Score
    classes : ndarray or None
    *where, **nodes
        What is asked about.
    """
    if classes is None or score.needs in ("classes", "numbers"):
        return None
    if score.needs == "decisions" and hasattr(fitted, "decision_function"):
        return np.asarray(fitted.decision_function(*where, **nodes), dtype=np.float64)
    if not hasattr(fitted, "predict_proba"):
        raise ParameterError(
            f"The score {quoted(score.name)} takes {score.needs}, and {type(fitted).__name__} has "
            "no method for them. Choose a score of predicted classes, such as balanced_accuracy."
        )
    found = np.asarray(fitted.predict_proba(*where, **nodes), dtype=np.float64)
    return found[:, 1] if score.needs == "decisions" else found


def _fitted_record(
    split: Split, task: Task, fitted: Any, answer: Answer, score: Score, start: float
) -> FoldRecord:
    kernel = getattr(fitted, "seconds_kernel_", 0.0)
    return fold_record(
        split,
        task.labels,
        answer,
        score,
        task.classes,
        getattr(fitted, "best_params_", {}),
        getattr(fitted, "best_score_", None),
        kernel,
        time.perf_counter() - start - kernel,
    )


def fold_record(
    split: Split,
    y: Array,
    answer: Answer,
    score: Score,
    classes: Array | None,
    parameters: Mapping[str, Any],
    inner_score: float | None,
    kernel: float,
    learning: float,
) -> FoldRecord:
    """Make the record of a fold, with its scores.

    Parameters
    ----------
    split : Split
    y : ndarray of shape (n,)
        The truth about all graphs or nodes.
    answer : Answer
        About those tested.
    score : Score
        What is recorded, beside accuracy, or beside R2 and the mean errors of numbers.
    classes : ndarray or None
    parameters : mapping
        What was chosen.
    inner_score : float or None
    kernel, learning : float
        Seconds.
    """
    truth, predicted = y[split.test], np.asarray(answer.predicted)
    outputs = None
    if answer.outputs is not None:
        told = answer.outputs.tolist()
        outputs = tuple(tuple(own) if isinstance(own, list) else own for own in told)
    record = FoldRecord(
        repeat=split.repeat,
        fold=split.fold,
        accuracy=None if classes is None else float(np.mean(predicted == truth)),
        parameters=parameters,
        inner_score=inner_score,
        test=tuple(split.test.tolist()),
        predicted=tuple(predicted.tolist()),
        seconds_kernel=kernel,
        seconds_learning=learning,
        truth=tuple(truth.tolist()),
        outputs=outputs,
    )
    if score == ACCURACY:
        return record
    names = [score.name] if classes is not None else [*(own for _, own in ERRORS.values())]
    labels = [] if classes is None else [str(label) for label in classes.tolist()]
    each = dict.fromkeys([*names, score.name])
    found = {name: found_score(record, Score(name), labels) for name in each}
    return replace(record, scores=found)

"""The folds of a method: from Gram matrices that they share, or each on its own."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import delayed
from sklearn.base import clone

from nask.arrays import Array
from nask.evaluation.folds import (
    CaughtWarning,
    RidgeFold,
    fold_of_its_own,
    fold_of_shared,
    nodes_of_their_own,
    ridge_folds,
    with_warnings,
)
from nask.evaluation.journal import Journal
from nask.evaluation.memory import folds_at_a_time
from nask.evaluation.records import FoldRecord
from nask.evaluation.splits import Split
from nask.evaluation.stacks import shared_stacks
from nask.evaluation.tasks import Task
from nask.exceptions import FormatError
from nask.execution.processes import in_processes
from nask.execution.progress import Progress
from nask.learning.scores import Score
from nask.tuning.screening import Screened, is_screened, screen
from nask.tuning.sweeps import Candidate, Sweep, cut_to


def run_folds(
    method: Any,
    task: Task,
    score: Score,
    pending: Sequence[Split],
    strict: bool,
    grams: Path,
    journal: Journal,
    n_jobs: int | None,
    progress: Progress,
) -> Iterator[FoldRecord]:
    """Evaluate the folds that are left, in the order in which they are done."""
    if strict or not hasattr(method, "sweeps"):
        fold = fold_of_its_own if task.items == "graphs" else nodes_of_their_own
        tasks = (delayed(with_warnings)(fold, method, task, split, score) for split in pending)
        return _retold(in_processes(tasks, n_jobs, ordered=False))
    bar = not callable(progress) and progress
    method = clone(method).set_params(n_jobs=n_jobs)
    sweeps, kept = _candidates(method, task, journal, bar)
    text = f"{task.name}: Gram matrices"
    n_items = len(task.y)
    stacks = shared_stacks(sweeps, task.data, n_items, grams, journal, n_jobs, bar, text)
    of_split = {id(split): k for k, split in enumerate(task.splits)}
    places = [of_split[id(split)] for split in pending]
    n_train = max(len(split.train) for split in pending)
    learner = method.learner_for(n_train)
    # What each fold has kept of a large set; of any other, SVMs go on with what ridge regressions
    # find best.
    few = None if kept is None else [kept[place] for place in places]
    ridge: Iterable[RidgeFold] = ()
    if method.judges_ridge(n_train):
        text = f"{task.name}: settings"
        ridge = ridge_folds(method, sweeps, few, stacks, task, pending, score, bar, text)
    if learner == "ridge":
        return (fold.record for fold in ridge)
    judged = list(ridge)
    spent = [0.0] * len(pending)
    if few is None:
        few = [fold.finalists for fold in judged]
        spent = [fold.record.seconds_learning for fold in judged]
    itemsize = max((stack.itemsize for stack in stacks), default=8)
    n_processes = folds_at_a_time(n_jobs, n_items, pending, itemsize)
    tasks = (
        delayed(with_warnings)(
            fold_of_shared,
            method,
            *_of_split(sweeps, stacks, own),
            *(task.classes, task.target, split, seconds, score),
        )
        for own, split, seconds in zip(few, pending, spent, strict=True)
    )
    svm = _retold(in_processes(tasks, n_processes, ordered=False))
    return svm if learner == "svm" else better_folds([fold.record for fold in judged], svm)


def better_folds(ridge: Iterable[FoldRecord], svm: Iterable[FoldRecord]) -> Iterator[FoldRecord]:
    """Of the same folds of two learners, those of the one that did better in its training set.

    Examples
    --------
    >>> from dataclasses import replace
    >>> record = FoldRecord(0, 0, 0.0, {}, 0.8, (3,), (1,), 0.0, 0.0, (0,))
    >>> other = replace(record, inner_score=0.9, predicted=(0,), accuracy=1.0)
    >>> [found.accuracy for found in better_folds([record], [other])]
    [1.0]
    """
    by_place = {(record.repeat, record.fold): record for record in ridge}
    for record in svm:
        other = by_place[record.repeat, record.fold]
        yield max(other, record, key=_inner_score)


def _inner_score(record: FoldRecord) -> float:
    return -np.inf if record.inner_score is None else record.inner_score


def _candidates(
    method: Any, task: Task, journal: Journal, progress: Progress
) -> tuple[Sequence[Sweep], list[list[Candidate]] | None]:
    """The passes over all data, and, of a large set, the candidates that each split has kept."""
    sweeps = method.sweeps_of(task.data)
    # As in a fit: what counts are training items, of which a public split has few.
    n_classes = 1 if task.classes is None else len(task.classes)
    if not is_screened(max(len(split.train) for split in task.splits), n_classes):
        return sweeps, None
    # A sample takes minutes, of large graphs an hour; of other splits it says other things.
    if len(journal.kept) != len(task.splits):
        journal.note_kept(_kept(method, sweeps, task, progress))
    n_candidates = sum(len(sweep.candidates) for sweep in sweeps)
    if any(number >= n_candidates for few in journal.kept for number in few):
        raise FormatError(
            f"{journal.path} has a line 'kept' with a number beyond the {n_candidates} candidates "
            "of this search. Delete that line; what it says is computed again."
        )
    found = Screened.of(sweeps, journal.kept)
    return found.sweeps, found.kept


def _kept(method: Any, sweeps: Sequence[Sweep], task: Task, progress: Progress) -> list[list[int]]:
    """The candidates that each split keeps after a look at a sample."""
    known = task.known
    place = np.empty(len(task.target), dtype=np.intp)
    place[known] = np.arange(len(known))
    # All splits, not those that are left: a run that goes on has the same passes.
    others = [np.setdiff1d(known, split.train) for split in task.splits]
    tests = [place[own] for own in others]
    goal = method.goal(task.target[known], task.classes)
    return screen(method, sweeps, task.data, known, goal, tests, progress)


def _of_split(
    sweeps: Sequence[Sweep], stacks: Sequence[Array], few: Sequence[Candidate]
) -> tuple[list[Sweep], list[Array]]:
    """The passes with the candidates of one split, and their stacks."""
    cut = [cut_to(sweep, few) for sweep in sweeps]
    both = [(sweep, stack) for sweep, stack in zip(cut, stacks, strict=True) if sweep.candidates]
    return [sweep for sweep, _ in both], [stack for _, stack in both]


def _retold(
    folds: Generator[tuple[FoldRecord, list[CaughtWarning]], None, None],
) -> Iterator[FoldRecord]:
    """Repeat the warnings of folds, which may have run in other processes, in this one."""
    try:
        for record, caught in folds:
            for text, category in caught:
                warnings.warn(text, category, stacklevel=2)
            yield record
    finally:
        with warnings.catch_warnings():
            # joblib warns of folds that were running, or not collected, when the run stopped.
            warnings.filterwarnings("ignore", r"\d+ tasks (have|which)", UserWarning)
            folds.close()

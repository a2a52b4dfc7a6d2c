"""Nested cross-validation: parameters are chosen on training sets, each test fold is predicted
once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, nullcontext
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from sklearn.base import clone

from nask.choices import Items, SplitName
from nask.datasets.registry import load_dataset
from nask.evaluation.class_sizes import LEAST_TO_CHOOSE
from nask.evaluation.environment import environment
from nask.evaluation.fingerprint import fingerprint
from nask.evaluation.journal import Journal
from nask.evaluation.methods import classifies, described, learns, method_name, named_method
from nask.evaluation.records import Evaluation
from nask.evaluation.results import finished_repeats, records_path, summary
from nask.evaluation.run_folds import run_folds
from nask.evaluation.splits import Split
from nask.evaluation.stacks import remove_stacks
from nask.evaluation.tasks import Task, make_task
from nask.evaluation.time_limit import run_within
from nask.exceptions import FormatError, ParameterError
from nask.execution.progress import Progress, track
from nask.io.dataset import Dataset
from nask.io.node_dataset import NodeDataset
from nask.io.target import can_be_classes
from nask.kernels.parameters import POSITIVE, is_positive
from nask.learning.scores import ACCURACY, DEFAULTS, Score, score_named
from nask.messages import quoted
from nask.storage.scratch import scratch_folder
from nask.tuning.screening import LARGEST_RIDGE

T = TypeVar("T")


def evaluate(
    model: Any,
    dataset: Dataset | NodeDataset | str | os.PathLike[str],
    *,
    scoring: str | None = None,
    split: SplitName = "folds",
    folds: int | None = None,
    repeats: int | None = None,
    inner: int | None = None,
    random_state: int = 0,
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    grams: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    progress: Progress = False,
    drop_rare: int | None = None,
) -> Evaluation:
    """Estimate how well a method predicts classes, or numbers, of graphs or nodes it has not seen.

    Outer folds are the same for every method; those of classes are stratified. The method chooses
    its parameters on the training set alone, and predicts the test set once.

    Nodes are those of one network. Their kernel sees the whole network with the attributes of all
    nodes, as is usual (the transductive setting); it never sees the classes of test nodes.

    Parameters
    ----------
    model : str or estimator
        "nask", the name of a rival (``nask.lab.rivals.catalogue``), the name of a kernel with
        "-svm", whose learner is an SVM instead of ridge regressions, or "-best", whose learner
        is chosen on each training set, or any classifier or regressor with ``fit`` and ``predict``
        on lists of graphs; for a network, a classifier with ``fit(graph, y, train)`` and
        ``predict(graph, nodes)``. By name, classes get a classifier, and numbers a regressor. A
        model that chooses its own parameters has to do so in ``fit``, as
        :class:`TunedNASKClassifier` does.
    dataset : Dataset, NodeDataset, name of one, or path
        With one class per graph, or per node, or one number per graph
        (:meth:`nask.Dataset.learning_task`). Nodes without a class are used neither for learning
        nor for testing.
    scoring : str, optional
        The score that counts: accuracy, or R2 of numbers, by default; or what scikit-learn calls
        another one, such as "balanced_accuracy", "f1_macro", "roc_auc", "neg_log_loss" or
        "neg_mean_absolute_error". Of two classes, the second is the positive one. A model with a
        parameter ``scoring`` that is None chooses by this score, too.
    split : {"folds", "grouped", "public", "planetoid"}, default="folds"
        "grouped": folds that keep isomorphic graphs together, so that none of them is learned
        from and tested. "public": the split that comes with a network: learn from its training
        nodes, choose parameters on its validation nodes, as is usual (on inner folds of the
        training nodes where there are none), and predict its test nodes once. "planetoid" is an
        older name of it, for records that were begun under that name.
    folds, repeats : int, default=10
        Outer folds, and how often all of them are drawn anew; nodes are drawn once by default.
    inner : int, default=5
        Inner folds of SVMs and networks; 3 for nodes by default.
    random_state : int, default=0
        Seed of all splits; repeat r is drawn with ``random_state + r``.
    strict : bool, default=False
        Whether ranges and categories of attributes come from each training set alone. By default
        they come from the whole set, without its labels, as in published results of graph
        kernels, and so does the unit of distance of a Gaussian Gram matrix. Then Gram matrices
        are computed once for all folds. The same holds for rival kernels, whose means, deviations
        and medians of attributes come from the whole set too. Any other model is always fitted on
        the training set alone. Not for nodes.
    out : path of a folder, optional
        Keeps one line of JSON per fold in ``<dataset>--<method>.jsonl``, written as soon as the
        fold is done. Called again with the same arguments, a run continues where that file ends.
    grams : path of a folder, optional
        Keeps the Gram matrices that folds share. Another run on the same data finds them there:
        with another learner, split, number of repeats or seed. By default they are deleted when
        all folds are done.
    n_jobs : int, default=None
        Folds evaluated at a time, in processes, and threads of the kernel. Fewer folds run at a
        time if their matrices would take more than half of the free memory.
    time_limit : float, optional
        Seconds of wall-clock time that the run may take, with all Gram matrices and folds. It
        runs in a process of its own, which is ended when the time is used up; the time to start
        the process counts. Called again with ``out`` and a limit that is no larger, the answer is
        the same. With a larger limit, or none, the run continues from the finished folds, and the
        seconds of the earlier limit count as used. The seconds of a run that was stopped in
        another way do not count.
    progress : bool or callable, default=False
        ``True`` shows progress bars; a function is called with (done, total) folds.
    drop_rare : int, optional
        Leave out graphs, or nodes, of classes that have fewer members than this. By default such
        a class is kept: if it has fewer members than there are folds, with a warning, since some
        test sets have none of it.

    Returns
    -------
    Evaluation
        If the time limit ended the run, the evaluation of the repeats that were finished; if
        none was, ``timeout`` is the limit.

    Examples
    --------
    >>> import nask
    >>> model = nask.TunedNASKClassifier(grid={"gamma": [0.1, 1.0]})
    >>> nask.evaluate(model, "MUTAG", folds=3, repeats=1)
    Evaluation(nask on MUTAG: 8... % ± ... over 3 folds; majority class 66.5 %)
    """
    if time_limit is not None and not is_positive(time_limit):
        raise ParameterError.expected("time_limit", "evaluate", POSITIVE, time_limit)
    data: Dataset | NodeDataset
    data = dataset if isinstance(dataset, (Dataset, NodeDataset)) else load_dataset(dataset)
    if drop_rare is not None:
        data = data.without_rare_classes(drop_rare)
    items: Items = "nodes" if isinstance(data, NodeDataset) else "graphs"
    method = _named(model, data, items) if isinstance(model, str) else clone(model)
    own = method.get_params(deep=False)
    least = LEAST_TO_CHOOSE if "inner" in own else 1
    task = make_task(data, split, folds, repeats, inner, random_state, least)
    _check_fits(method, task, strict)
    n_classes = None if task.classes is None else len(task.classes)
    score = score_named(scoring, task.kind, n_classes)
    settings: dict[str, Any] = {"inner": task.inner, "random_state": random_state}
    if own.get("scoring") is None and score != DEFAULTS[task.kind]:
        settings["scoring"] = score.name
    method.set_params(**{k: v for k, v in settings.items() if k in own and v is not None})
    _check_chooses(method, score, task)
    label = method_name(method)
    strict = task.items == "graphs" and (strict or not hasattr(method, "sweeps"))
    identity = {
        "dataset": task.name,
        "content": fingerprint(data),
        **task.sizes(),
        "method": label,
        "model": described(method),
        "folds": task.folds,
        "inner": task.inner,
        "random_state": random_state,
        "strict": strict,
        "nask": environment()["versions"]["nask"],
        **({"items": "nodes", "split": split} if task.items == "nodes" else {}),
        **({} if score == ACCURACY else {"scoring": score.name}),
    }
    with nullcontext(out) if out is not None else scratch_folder() as folder:
        place = Path(folder).expanduser()
        if os.path.exists(place) and not os.path.isdir(place):
            raise ParameterError(f"{place} is a file: expected a folder for results.")
        journal = Journal(records_path(place, task.name, label), identity)
        kept = None if grams is None else Path(grams).expanduser()
        work = (method, task, score, strict, journal, kept, n_jobs)
        if _pending(task, journal):
            if time_limit is None:
                _finish(*work, progress)
            elif time_limit > (journal.timeout or 0.0):
                journal = _finish_within(float(time_limit), work, identity, progress)
    return summary(journal, min(task.repeats, finished_repeats(journal)))


def _finish(
    method: Any,
    task: Task,
    score: Score,
    strict: bool,
    journal: Journal,
    kept: Path | None,
    n_jobs: int | None,
    progress: Progress,
) -> None:
    """Evaluate the folds that are not in the journal; delete Gram matrices that are not kept."""
    grams, pending = kept or _grams(journal), _pending(task, journal)
    with journal.alone():
        journal.note_environment(environment())
        done = run_folds(method, task, score, pending, strict, grams, journal, n_jobs, progress)
        for record in _tracked(done, task, journal, progress):
            journal.note_fold(record)
        if kept is None:
            remove_stacks(grams)


def _finish_within(
    seconds: float, work: tuple[Any, ...], identity: Mapping[str, Any], progress: Progress
) -> Journal:
    """Evaluate them in a process that is ended when its time is used up; return the journal."""
    _, task, _, _, journal, kept, _ = work
    process = run_within(seconds - (journal.timeout or 0.0), _finish, *work, False)
    # Closed in any case, also if a function that reports progress raises.
    with closing(process):
        for _ in _tracked(_new_folds(process, journal), task, journal, progress):
            pass
    journal = Journal(journal.path, identity)
    with journal.alone():
        if _pending(task, journal):
            journal.note_timeout(seconds)
        elif kept is None:
            remove_stacks(_grams(journal))
    return journal


def _new_folds(process: Iterable[None], journal: Journal) -> Iterator[tuple[int, int]]:
    """Yield the folds that another process adds to the file while it runs."""
    seen = set(journal.folds)
    for _ in chain(process, [None]):
        new = set(Journal(journal.path).folds) - seen
        seen |= new
        yield from new


def _tracked(folds: Iterable[T], task: Task, journal: Journal, progress: Progress) -> Iterator[T]:
    """Report how many of all folds are done."""
    before = len(task.splits) - len(_pending(task, journal))
    return track(folds, len(task.splits), progress, f"{task.name}: folds", start=before)


def _named(name: str, data: Dataset | NodeDataset, items: Items) -> Any:
    """Return the method of that name for the target; where there is none, say what that is."""
    task, why = data.learning_task() if isinstance(data, Dataset) else ("classify", "")
    try:
        return named_method(name, items, task)
    except ParameterError as error:
        if task == "classify" or not isinstance(data, Dataset):
            raise
        classes = (
            " If they are classes, say so: nask evaluate --task classify, or Dataset(..., "
            "task='classify')."
        )
        raise ParameterError(
            f"{error} {data.name} has numbers on a scale, because {why}."
            + classes * can_be_classes(data.y)
        ) from None


def _check_fits(method: Any, task: Task, strict: bool) -> None:
    """Raise if the method, or a parameter, is not for what the task classifies."""
    if classifies(method) != task.items:
        expected = {
            "graphs": "fit(graphs, y), such as TunedNASKClassifier",
            "nodes": "fit(graph, y, train), such as TunedNASKNodeClassifier",
        }
        raise ParameterError(
            f"{type(method).__name__} classifies {classifies(method)}, but in {task.name} "
            f"{task.items} have the classes: expected a model with {expected[task.items]}."
        )
    if learns(method) != task.kind:
        kinds = {"classify": "classes", "regress": "numbers on a scale"}
        hint = {
            "classify": "a classifier, such as TunedNASKClassifier",
            "regress": "a regressor, such as TunedNASKRegressor, or --task classify (Dataset(..., "
            "task='classify')) if they are classes",
        }
        raise ParameterError(
            f"{type(method).__name__} predicts {kinds[learns(method)]}, but {task.name} has "
            f"{kinds[task.kind]}: expected {hint[task.kind]}."
        )
    if strict and task.items == "nodes":
        raise ParameterError(
            f"The 'strict' parameter of evaluate is for sets of graphs: {task.name} is one "
            "network, whose nodes are all seen."
        )


def _check_chooses(method: Any, score: Score, task: Task) -> None:
    """Raise where the search of a method has no probabilities that the score takes."""
    if score.needs != "probabilities" or not hasattr(method, "sweeps"):
        return
    n_train = max(len(split.train) for split in task.splits)
    if method.learner_for(n_train) != "ridge":
        raise ParameterError(
            f"The score {quoted(score.name)} takes probabilities, and an SVM whose parameters are "
            "chosen has none. Choose a score of predicted classes or of decisions, or, of up to "
            f"{LARGEST_RIDGE} training items, the learner 'ridge'."
        )
    if score_named(method.scoring).needs != "probabilities":
        raise ParameterError(
            f"The score {quoted(score.name)} takes probabilities, which a search by "
            f"{quoted(method.scoring)} does not keep. Leave out the model's own scoring."
        )


def _pending(task: Task, journal: Journal) -> list[Split]:
    """List the splits that are not in the journal."""
    return [split for split in task.splits if not _is_done(split, task, journal)]


def _grams(journal: Journal) -> Path:
    """Return the folder of the Gram matrices that folds share."""
    return journal.path.parent / "grams" / journal.path.stem


def _is_done(split: Split, task: Task, journal: Journal) -> bool:
    record = journal.folds.get((split.repeat, split.fold))
    if record is None:
        return False
    if record.test != tuple(split.test.tolist()):
        raise ParameterError(
            f"{journal.path} holds other folds than those drawn now: another version of "
            "scikit-learn may draw them differently. Choose another folder for results."
        )
    try:
        record.check_accuracy(task.y[split.test].tolist())
    except ValueError as error:
        raise FormatError(
            f"Fold {split.fold} of repeat {split.repeat} in {journal.path} {error}. Restore its "
            "line from a copy, or delete that line; what it recorded is computed again."
        ) from error
    return True

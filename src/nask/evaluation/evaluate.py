"""Accuracy by nested cross-validation: parameters chosen on training parts, each test fold touched
once."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import clone

from nask.datasets.registry import load_dataset
from nask.estimators.classifier import class_codes
from nask.evaluation.environment import environment
from nask.evaluation.fingerprint import fingerprint
from nask.evaluation.folds import fold_of_its_own, fold_of_shared
from nask.evaluation.journal import Journal
from nask.evaluation.methods import described, method_name, named_method
from nask.evaluation.records import Evaluation, FoldRecord
from nask.evaluation.results import summary
from nask.evaluation.splits import Split, outer_splits
from nask.evaluation.stacks import remove_stacks, shared_stacks
from nask.exceptions import ParameterError
from nask.io.dataset import Dataset
from nask.kernels.parameters import is_integer
from nask.progress import Progress, track

LEAST = {"folds": 2, "repeats": 1, "inner": 2, "random_state": 0}
# Characters of a dataset's name that do not go into the name of a file.
UNSAFE = r"[^\w.+-]"


def evaluate(
    model: Any,
    dataset: Dataset | str | os.PathLike[str],
    *,
    folds: int = 10,
    repeats: int = 10,
    inner: int = 5,
    random_state: int = 0,
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> Evaluation:
    """Estimate how accurately a method classifies graphs it has not seen.

    Stratified outer folds, the same for every method. The method chooses its parameters on inner
    folds of the training part alone, and meets the test part once.

    Parameters
    ----------
    model : str or estimator
        "nask", or any classifier with ``fit`` and ``predict`` on lists of graphs. A model that
        chooses its own parameters has to do so in ``fit``, as :class:`TunedNASKClassifier` does.
    dataset : Dataset, name of one, or path
        With one class a graph.
    folds, repeats : int, default=10
        Outer folds, and how often all of them are drawn anew.
    inner : int, default=5
        Inner folds, where the model has a parameter of that name.
    random_state : int, default=0
        Seed of all splits; repeat r is drawn with ``random_state + r``.
    strict : bool, default=False
        Whether ranges and categories of attributes come from each training part alone. By default
        they come from the whole set, which is unlabelled, as in published results of graph
        kernels, and so does the unit of distance of a Gaussian Gram; then Gram matrices are
        computed once for all folds. Models other than :class:`TunedNASKClassifier` are always
        fitted on the training part alone.
    out : path of a folder, optional
        Keeps one line of JSON a fold in ``<dataset>--<method>.jsonl``, written as soon as the
        fold is done. Called again with the same arguments, a run goes on where that file ends.
    n_jobs : int, default=None
        Folds evaluated at a time, in processes, and threads of the kernel.
    progress : bool or callable, default=False
        ``True`` shows progress bars; a function is called with (done, total) folds.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import nask
    >>> model = nask.TunedNASKClassifier(grid={"gamma": [0.1, 1.0], "C": [1, 10, 100]})
    >>> nask.evaluate(model, "MUTAG", folds=3, repeats=1, inner=2)
    Evaluation(nask on MUTAG: 8... % ± ... over 3 folds; majority class 66.5 %)
    """
    data = dataset if isinstance(dataset, Dataset) else load_dataset(dataset)
    if not isinstance(data, Dataset) or data.y is None or data.y.ndim != 1:
        raise ParameterError(
            f"{data.name} has no classes of graphs: expected a column y in graphs.csv, or a file "
            f"{data.name}_graph_labels.txt beside the others, or y of Dataset."
        )
    numbers = {"folds": folds, "repeats": repeats, "inner": inner, "random_state": random_state}
    for name, value in numbers.items():
        if not is_integer(value) or value < LEAST[name]:
            expected = f"an int of at least {LEAST[name]}"
            raise ParameterError.expected(name, "evaluate", expected, value)
    method = named_method(model) if isinstance(model, str) else clone(model)
    own = method.get_params(deep=False)
    settings = {"inner": inner, "random_state": random_state}
    method.set_params(**{name: value for name, value in settings.items() if name in own})
    classes, codes = class_codes(np.asarray(data.y))
    splits = list(outer_splits(codes, folds, repeats, random_state))
    label = method_name(method)
    strict = strict or not hasattr(method, "sweeps")
    identity = {
        "dataset": data.name,
        "content": fingerprint(data),
        "classes": {str(c): int(n) for c, n in zip(classes, np.bincount(codes), strict=True)},
        "method": label,
        "model": described(method),
        "folds": folds,
        "inner": inner,
        "random_state": random_state,
        "strict": strict,
        "nask": environment()["versions"]["nask"],
    }
    with tempfile.TemporaryDirectory(prefix="nask-") as scratch:
        place = Path(scratch if out is None else out).expanduser()
        if place.exists() and not place.is_dir():
            raise ParameterError(f"{place} is a file: expected a folder for results.")
        name = f"{re.sub(UNSAFE, '_', data.name)}--{label}"
        journal = Journal(place / f"{name}.jsonl", identity)
        pending = [split for split in splits if not _is_done(split, journal)]
        if pending:
            grams = place / "grams" / name
            with journal.alone():
                journal.note_environment(environment())
                done = _run(
                    method, data, classes, codes, pending, strict, grams, journal, n_jobs, progress
                )
                description, before = f"{data.name}: folds", len(splits) - len(pending)
                for record in track(done, len(splits), progress, description, start=before):
                    journal.note_fold(record)
                remove_stacks(grams)
    return summary(journal, repeats)


def _is_done(split: Split, journal: Journal) -> bool:
    record = journal.folds.get((split.repeat, split.fold))
    if record is not None and record.test != tuple(split.test.tolist()):
        raise ParameterError(
            f"{journal.path} holds other folds than those drawn now: another version of "
            "scikit-learn may draw them differently. Choose another folder for results."
        )
    return record is not None


def _run(
    method: Any,
    data: Dataset,
    classes: npt.NDArray[Any],
    codes: npt.NDArray[np.intp],
    pending: Sequence[Split],
    strict: bool,
    grams: Path,
    journal: Journal,
    n_jobs: int | None,
    progress: Progress,
) -> Iterator[FoldRecord]:
    """Evaluate the folds that are left, in the order in which they are done."""
    run = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    if strict:
        return iter(run(delayed(fold_of_its_own)(method, data.graphs, data.y, s) for s in pending))
    stacks = shared_stacks(
        method.sweeps(),
        data.graphs,
        grams,
        journal,
        n_jobs,
        not callable(progress) and progress,
        f"{data.name}: Gram matrices",
    )
    return iter(run(delayed(fold_of_shared)(method, stacks, classes, codes, s) for s in pending))

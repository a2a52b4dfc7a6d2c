"""Results from records: of one run, or of a folder of runs."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

from nask.evaluation.journal import Journal
from nask.evaluation.records import Evaluation
from nask.exceptions import ParameterError

# Characters of a dataset's name that do not go into the name of a file.
UNSAFE = r"[^\w.+@~-]"


def read_results(folder: str | os.PathLike[str]) -> list[Evaluation]:
    """Read the results that :func:`nask.evaluate` left in a folder, finished repeats only.

    Parameters
    ----------
    folder : path
        With a file ``<dataset>--<method>.jsonl`` for each run.

    Returns
    -------
    list of Evaluation
        Sorted by dataset and method. A run without a finished repeat is left out, unless a time
        limit ended it: then the timeout is its result. So is one that was killed, or had no room
        on the disk, before its first line was there.

    Examples
    --------
    >>> import nask, tempfile
    >>> model = nask.TunedNASKClassifier(grid={"C": [1, 10]})
    >>> out = tempfile.mkdtemp()
    >>> result = nask.evaluate(model, "MUTAG", folds=2, repeats=1, inner=2, out=out)
    >>> read_results(out) == [result]
    True
    """
    place = Path(folder).expanduser()
    if not place.is_dir():
        raise ParameterError(f"{place} is not a folder: expected one that nask.evaluate wrote to.")
    paths = [path for path in sorted(place.glob("*--*.jsonl")) if Journal.is_begun(path)]
    journals = [Journal(path) for path in paths]
    results = [summary(journal, finished_repeats(journal)) for journal in journals]
    return [result for result in results if result.repeats or result.timeout is not None]


def read_finished(path: Path, repeats: int, limit: float | None) -> Evaluation | None:
    """Read a run to which no fold would be added; None if there is none.

    Parameters
    ----------
    path : Path
        The file of records; it need not exist.
    repeats : int
        How many are wanted.
    limit : float or None
        The time limit. If it ended the run, the repeats that were done are the result.
    """
    if not path.exists() or not Journal.is_begun(path):
        return None
    journal = Journal(path)
    n_done = finished_repeats(journal)
    ended = limit is not None and journal.timeout is not None and journal.timeout >= limit
    return summary(journal, n_done) if n_done >= repeats or ended else None


def records_path(folder: Path, dataset: str, method: str) -> Path:
    """Return the file of records of a method on a dataset.

    Examples
    --------
    >>> records_path(Path("results"), "my set", "nask").name
    'my_set--nask.jsonl'
    """
    return folder / f"{re.sub(UNSAFE, '_', dataset)}--{method}.jsonl"


def summary(journal: Journal, repeats: int) -> Evaluation:
    """Return the result of the first ``repeats`` repeats; if there are none, of the timeout."""
    run = journal.run
    records = tuple(
        journal.folds[repeat, fold] for repeat in range(repeats) for fold in range(run["folds"])
    )
    sizes = list(run.get("classes", {}).values())
    return Evaluation(
        dataset=run["dataset"],
        method=run["method"],
        records=records,
        folds=run["folds"],
        repeats=repeats,
        inner=run["inner"],
        random_state=run["random_state"],
        strict=run["strict"],
        majority=max(sizes) / sum(sizes) if sizes else math.nan,
        n_items=sum(sizes) if sizes else run["n_items"],
        seconds_kernel=sum(journal.passes.values()) + sum(r.seconds_kernel for r in records),
        seconds_learning=sum(record.seconds_learning for record in records),
        environment=journal.environment,
        items=run.get("items", "graphs"),
        timeout=None if repeats else journal.timeout,
        scoring=run.get("scoring", "accuracy"),
        classes=tuple(run.get("classes", {})),
    )


def finished_repeats(journal: Journal) -> int:
    """Return the number of complete repeats before the first that lacks a fold."""
    repeat = 0
    while all((repeat, fold) in journal.folds for fold in range(journal.run["folds"])):
        repeat += 1
    return repeat

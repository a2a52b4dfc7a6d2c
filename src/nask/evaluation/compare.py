"""The comparison of several methods: from their results to what differs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from nask.arrays import Float64
from nask.choices import Items
from nask.evaluation.comparison import Cell, Comparison, ComparisonTable
from nask.evaluation.ranking import DECIMALS, Ranking
from nask.evaluation.records import Evaluation, FoldRecord
from nask.evaluation.results import read_results
from nask.evaluation.scoring import score_of_fold
from nask.evaluation.significance import corrected_t_test, holm
from nask.exceptions import InputError, ParameterError, did_you_mean
from nask.learning.scores import ACCURACY, Score, score_named
from nask.messages import listed, quoted

Results = Mapping[tuple[str, str], Evaluation]


def compare(
    results: str | os.PathLike[str] | Iterable[Evaluation],
    reference: str | None = None,
    alpha: float = 0.05,
    scoring: str | None = None,
) -> Comparison:
    """Compare methods on the folds they share.

    On every dataset each method is tested against the best one, or against the reference: by the
    corrected resampled t-test of Nadeau and Bengio over the folds that both have, with Holm's
    correction for the number of tests. Over all datasets, methods get average ranks, the test of
    Friedman and the critical difference of Nemenyi. Sets of graphs and networks are compared
    separately, and so are runs with different scores.

    - Methods may have different numbers of repeats. The mean is over all repeats of a method, a
      test is over the folds that both methods have.
    - A run that was ended before its first repeat has no figure and no test, and shares the last
      rank.
    - The best method is chosen on the same folds on which it is then tested, so others are found
      worse too often. With a reference that is named in advance, the test keeps its level.
    - A method that was not run on one of the datasets is not ranked. Datasets on which only one
      method was run do not count.
    - A public split is a single figure: it has no deviation, no test and no rank.

    Parameters
    ----------
    results : path of a folder, or Evaluations
        The folder :func:`nask.evaluate` wrote to, or what it returned.
    reference : str, optional
        The method to test all others against; by default the best one of each dataset.
    alpha : float, default=0.05
        Level of significance.
    scoring : str, optional
        Compare by this score, found from what records hold, and only what has it: results on
        numbers by R2, for instance. By default, each run counts by its own score.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import nask
    >>> from sklearn.dummy import DummyClassifier
    >>> models = nask.NASKClassifier(n_hops=1), DummyClassifier()
    >>> results = [nask.evaluate(model, "MUTAG", folds=5, repeats=2) for model in models]
    >>> print(nask.compare(results).to_markdown())
    **Accuracy in %, graphs**
    <BLANKLINE>
    | method | MUTAG |
    |---|---:|
    | DummyClassifier | 66.5 ± 0.9 |
    | NASKClassifier | **...** ± ... |
    <BLANKLINE>
    ± is the standard deviation over test folds. Bold is the best of each set; = does not ...
    """
    if not 0 < alpha < 1:
        raise ParameterError.expected("alpha", "compare", "a float in the range (0, 1)", alpha)
    found = _by_name(results)
    if scoring is not None:
        found = _scored(found, scoring)
    methods = {method for _, method in found}
    if reference is not None and reference not in methods:
        hint = did_you_mean(reference, methods)
        raise ParameterError(f"There is no result of the reference {quoted(reference)}. {hint}")
    datasets = [dataset for dataset, _ in found]
    if len(datasets) == len(set(datasets)):
        raise ParameterError(
            "There is nothing to compare: no dataset has results of two methods. Evaluate another "
            f"method on the same folds. Results are there of {listed(sorted(methods))}."
        )
    kinds = sorted(
        {(result.items, result.scoring) for result in found.values()},
        key=lambda kind: (get_args(Items).index(kind[0]), *_order(kind[1])),
    )
    tables = [
        _table(
            items,
            name,
            {k: own for k, own in found.items() if (own.items, own.scoring) == (items, name)},
            reference,
            alpha,
        )
        for items, name in kinds
    ]
    return Comparison(tuple(tables), reference, alpha)


def _by_name(results: str | os.PathLike[str] | Iterable[Evaluation]) -> Results:
    if isinstance(results, (str, os.PathLike)):
        given = read_results(results)
        if not given:
            raise ParameterError(
                f"{os.fspath(results)} has no results with a finished repeat. Write some with "
                "nask.evaluate(..., out=folder), or nask evaluate --out FOLDER."
            )
    else:
        given = list(results)
        if not given:
            raise ParameterError("There are no results: expected those of two methods or more.")
    found: dict[tuple[str, str], Evaluation] = {}
    for result in given:
        if not isinstance(result, Evaluation):
            raise InputError(
                "Expected a folder, or a list of Evaluation as nask.evaluate returns them. Got "
                f"{type(result).__name__} in it."
            )
        name = result.dataset, result.method
        if name in found:
            raise ParameterError(
                f"There are two results of {result.method} on {result.dataset}: expected one."
            )
        found[name] = result
    return found


def _scored(results: Results, name: str) -> Results:
    """Return the results that have classes, or numbers, as the score does, with that score."""
    score = score_named(name)
    found = {
        key: result if result.scoring == name else result.with_score(name)
        for key, result in results.items()
        if result.task == score.task
    }
    if not found:
        raise ParameterError(
            f"The score {quoted(name)} is for other results than these: all of them are on "
            f"{'classes' if score.task == 'regress' else 'numbers'}."
        )
    return found


def _order(name: str) -> tuple[bool, bool, str]:
    """Accuracy first, then other scores of classes, then those of numbers."""
    return name != ACCURACY.name, Score(name).task == "regress", name


def _table(
    items: Items, scoring: str, results: Results, reference: str | None, alpha: float
) -> ComparisonTable:
    datasets = tuple(dict.fromkeys(dataset for dataset, _ in results))
    cells: dict[tuple[str, str], Cell] = {}
    for dataset in datasets:
        own = [result for result in results.values() if result.dataset == dataset]
        cells |= {(dataset, cell.method): cell for cell in _tested(own, reference, alpha)}
    several = [
        dataset
        for dataset in datasets
        if all(result.folds > 1 for result in results.values() if result.dataset == dataset)
        and sum(name == dataset for name, _ in results) > 1
    ]
    names = sorted({method for _, method in results})
    missing = {
        method: tuple(dataset for dataset in several if (dataset, method) not in results)
        for method in names
    }
    ranking = _ranking([method for method in names if not missing[method]], several, cells, alpha)
    ranked = () if ranking is None else ranking.methods
    unranked = {method: missing[method] for method in names if method not in ranked}
    return ComparisonTable(
        items, (*ranked, *unranked), datasets, cells, reference, alpha, ranking, unranked, scoring
    )


def _tested(results: Sequence[Evaluation], reference: str | None, alpha: float) -> list[Cell]:
    """Return the cells of one dataset, tested against the best one or the reference."""
    cells = {result.method: _untested(result) for result in results}
    finished = {result.method: result for result in results if result.timeout is None}
    if not finished:
        return list(cells.values())
    means = {method: round(result.score_mean, DECIMALS) for method, result in finished.items()}
    highest = max(means.values())
    for method, mean in means.items():
        cells[method] = replace(cells[method], best=mean == highest)
    base = reference or min(method for method, mean in means.items() if mean == highest)
    if base in finished:
        tested = {}
        for method, result in finished.items():
            pairs = shared_folds(result, finished[base]) if method != base else []
            if len(pairs) > 1:
                differences, ratio = differences_of(result, finished[base])
                tested[method] = _test(cells[method], base, differences, ratio)
        corrected = holm([cell.p for cell in tested.values() if cell.p is not None])
        for cell, p in zip(tested.values(), corrected, strict=True):
            cells[cell.method] = replace(cell, p=p, tie=p > alpha)
    return list(cells.values())


def _untested(result: Evaluation) -> Cell:
    if result.timeout is not None:
        return Cell(result.dataset, result.method, None, None, 0, result.timeout)
    n_folds = len(result.records)
    std = result.score_std_folds if n_folds > 1 else None
    return Cell(result.dataset, result.method, result.score_mean, std, n_folds, None)


def shared_folds(one: Evaluation, other: Evaluation) -> list[tuple[FoldRecord, FoldRecord]]:
    """Return the pairs of folds that both have; raise unless their test sets are equal."""
    theirs = {(record.repeat, record.fold): record for record in other.records}
    pairs = [
        (record, theirs[record.repeat, record.fold])
        for record in one.records
        if (record.repeat, record.fold) in theirs
    ]
    for mine, their in pairs:
        if mine.test != their.test:
            raise ParameterError(
                f"{one.method} and {other.method} were not tested on the same folds of "
                f"{one.dataset}: fold {mine.fold} of repeat {mine.repeat} has other items. "
                f"{one.method} has {one.folds} folds with seed {one.random_state}, {other.method} "
                f"{other.folds} with seed {other.random_state}. Evaluate one of them again with "
                "the folds and the seed of the other, on the same data, or leave it out."
            )
    return pairs


def _test(cell: Cell, base: str, differences: Float64, ratio: float) -> Cell:
    return replace(
        cell,
        against=base,
        n_shared=len(differences),
        difference=float(differences.mean()),
        p=corrected_t_test(differences, ratio),
    )


def differences_of(one: Evaluation, other: Evaluation) -> tuple[Float64, float]:
    """Differences of scores on shared folds, and the mean of n_test / n_train.

    The training set of a fold is all that is not in its test set.

    Parameters
    ----------
    one, other : Evaluation
        With the same score.
    """
    pairs = shared_folds(one, other)
    differences = np.array(
        [
            score_of_fold(mine, one.score, one.classes)
            - score_of_fold(their, other.score, other.classes)
            for mine, their in pairs
        ]
    )
    ratios = [len(mine.test) / (one.n_items - len(mine.test)) for mine, _ in pairs]
    return differences, float(np.mean(ratios))


def _ranking(
    methods: Sequence[str],
    datasets: Sequence[str],
    cells: Mapping[tuple[str, str], Cell],
    alpha: float,
) -> Ranking | None:
    if len(methods) < 2 or len(datasets) < 2:
        return None
    means = [[cells[dataset, method].mean for method in methods] for dataset in datasets]
    accuracies = [[-np.inf if mean is None else mean for mean in row] for row in means]
    return Ranking.of(methods, datasets, accuracies, alpha)

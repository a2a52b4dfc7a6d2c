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
from nask.evaluation.significance import corrected_t_test, holm
from nask.exceptions import InputError, ParameterError, did_you_mean
from nask.messages import listed, quoted

Results = Mapping[tuple[str, str], Evaluation]


def compare(
    results: str | os.PathLike[str] | Iterable[Evaluation],
    reference: str | None = None,
    alpha: float = 0.05,
) -> Comparison:
    """Compare methods on the folds they share.

    On every dataset each method is tested against the best one, or against the reference: by the
    corrected resampled t-test of Nadeau and Bengio over the folds that both have, with Holm's
    correction for the number of tests. Over all datasets, methods get average ranks, the test of
    Friedman and the critical difference of Nemenyi. Sets of graphs and networks are compared
    separately.

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
    groups = {
        items: {name: result for name, result in found.items() if result.items == items}
        for items in get_args(Items)
    }
    tables = [_table(items, group, reference, alpha) for items, group in groups.items() if group]
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


def _table(items: Items, results: Results, reference: str | None, alpha: float) -> ComparisonTable:
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
        items, (*ranked, *unranked), datasets, cells, reference, alpha, ranking, unranked
    )


def _tested(results: Sequence[Evaluation], reference: str | None, alpha: float) -> list[Cell]:
    """Return the cells of one dataset, tested against the best one or the reference."""
    cells = {result.method: _untested(result) for result in results}
    finished = {result.method: result for result in results if result.timeout is None}
    if not finished:
        return list(cells.values())
    means = {method: round(result.accuracy_mean, DECIMALS) for method, result in finished.items()}
    highest = max(means.values())
    for method, mean in means.items():
        cells[method] = replace(cells[method], best=mean == highest)
    base = reference or min(method for method, mean in means.items() if mean == highest)
    if base in finished:
        tested = {}
        for method, result in finished.items():
            pairs = shared_folds(result, finished[base]) if method != base else []
            if len(pairs) > 1:
                tested[method] = _test(cells[method], base, pairs, result.n_items)
        corrected = holm([cell.p for cell in tested.values() if cell.p is not None])
        for cell, p in zip(tested.values(), corrected, strict=True):
            cells[cell.method] = replace(cell, p=p, tie=p > alpha)
    return list(cells.values())


def _untested(result: Evaluation) -> Cell:
    if result.timeout is not None:
        return Cell(result.dataset, result.method, None, None, 0, result.timeout)
    n_folds = len(result.records)
    std = result.accuracy_std_folds if n_folds > 1 else None
    return Cell(result.dataset, result.method, result.accuracy_mean, std, n_folds, None)


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


def _test(
    cell: Cell, base: str, pairs: Sequence[tuple[FoldRecord, FoldRecord]], n_items: int
) -> Cell:
    differences, ratio = differences_of(pairs, n_items)
    return replace(
        cell,
        against=base,
        n_shared=len(pairs),
        difference=float(differences.mean()),
        p=corrected_t_test(differences, ratio),
    )


def differences_of(
    pairs: Sequence[tuple[FoldRecord, FoldRecord]], n_items: int
) -> tuple[Float64, float]:
    """Differences of accuracies on shared folds, and the mean of n_test / n_train.

    The training set of a fold is all that is not in its test set.

    Parameters
    ----------
    pairs : sequence of (FoldRecord, FoldRecord)
        As :func:`shared_folds` returns them.
    n_items : int
        Number of graphs or nodes.
    """
    differences = np.array([mine.accuracy - their.accuracy for mine, their in pairs])
    ratios = [len(mine.test) / (n_items - len(mine.test)) for mine, _ in pairs]
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

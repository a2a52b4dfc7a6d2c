"""A league as a page of Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from scipy import stats

from nask.evaluation.league import League, league, with_best_learner
from nask.evaluation.records import Evaluation
from nask.evaluation.twins import Twins

GROUPED = "@grouped"


def league_page(
    results: Iterable[Evaluation], reference: str, twins: Mapping[str, Twins] | None = None
) -> str:
    """Return all tables of a league, with what their columns mean.

    Parameters
    ----------
    results : iterable of Evaluation
        Kernels with both learners ("wl" and "wl-svm"); those on grouped folds too.
    reference : str
        The method that all others are compared with.
    twins : mapping of str to Twins, optional
        Isomorphic graphs of each set.
    """
    given = [own for own in results if own.items == "graphs"]
    plain = [own for own in given if GROUPED not in own.dataset]
    grouped = [own for own in given if GROUPED in own.dataset]
    found = league(with_best_learner(plain), reference)
    both_learners = any(own.method.endswith("-svm") for own in plain)
    parts = [
        "## Standings",
        standings_table(found),
        _standings_legend(found, both_learners),
        "## Accuracy on every set",
        accuracy_table(found),
        "## Differences",
        differences_table(found),
    ]
    if both_learners:
        parts += ["## Learners", learner_table(plain)]
    if twins:
        parts += ["## Isomorphic graphs", twins_table(twins)]
    if {own.dataset for own in grouped}:
        apart = with_best_learner(grouped)
        names = {own.dataset.removesuffix(GROUPED) for own in apart}
        same = [own for own in with_best_learner(plain) if own.dataset in names]
        parts += ["## Folds that keep isomorphic graphs together", grouped_table(same, apart)]
    return "\n\n".join(parts) + "\n"


def standings_table(found: League) -> str:
    """Return one line per method, the first on top."""
    rows = []
    for place, own in enumerate(found.standings, start=1):
        low, high = own.rank_interval
        row = [
            f"{place}",
            f"**{own.method}**" if own.method == found.reference else own.method,
            _percent(own.accuracy),
            f"{own.rank:.2f}",
            f"{low:.1f} to {high:.1f}",
            f"{100 * own.first:.0f} %",
        ]
        if own.method == found.reference:
            row += [""] * 4
        else:
            needed = "none enough" if math.isinf(own.sets_needed) else f"{own.sets_needed:.0f}"
            row += [
                f"{own.wins} / {own.ties} / {own.losses}",
                f"{own.ahead}",
                _signed(own.difference, own.error),
                needed,
            ]
        rows.append(row)
    headings = [
        "place", "method", "mean accuracy %", "average rank", "95 % of draws", "first",
        f"{found.reference} better / tie / worse", "ahead on", f"{found.reference} minus it",
        "sets needed",
    ]  # fmt: skip
    return _table(headings, rows)


def _standings_legend(found: League, both_learners: bool) -> str:
    learner = "Every kernel has ridge regressions."
    if both_learners:
        learner = (
            "Every kernel that was run with both learners has the one that did better in the "
            "training set of each fold."
        )
    text = (
        f"{len(found.datasets)} sets. {learner} The average rank is over sets; draws are "
        "collections of as many sets, drawn from these with repetition, and *first* is the share "
        "of them with no better method. Better, tie and worse are by the corrected resampled "
        "t-test of each set, at level 0.05; *ahead on* counts the sets on which "
        f"{found.reference} has the higher accuracy. The difference is the mean over sets, ± its "
        "standard error over sets. *Sets needed* is how many sets like these it would take for "
        "the difference of the two average ranks to be significant (paired t-test, level 0.05, "
        "power 0.8)."
    )
    if found.unranked:
        missing = "; ".join(f"{name} ({', '.join(s)})" for name, s in found.unranked.items())
        text += f" Not ranked, since results on these sets are missing: {missing}."
    return text


def accuracy_table(found: League) -> str:
    """Return one line per set, one column per method; the best in bold."""
    methods = [*(own.method for own in found.standings), *found.unranked]
    rows = []
    for dataset in found.datasets:
        means = {
            method: found.results[dataset, method].accuracy_mean
            for method in methods
            if (dataset, method) in found.results
        }
        best = np.nanmax(list(means.values()))
        cells = []
        for method in methods:
            mean = means.get(method)
            text = "" if mean is None else "TIMEOUT" if math.isnan(mean) else _percent(mean)
            cells.append(f"**{text}**" if mean == best else text)
        own = found.results[dataset, found.reference]
        rows.append([dataset, f"{own.n_items}", f"{own.repeats} x {own.folds}", *cells])
    return _table(["set", "graphs", "folds", *methods], rows)


def differences_table(found: League) -> str:
    """Return the reference minus each other method on every set, with corrected errors."""
    methods = [own.method for own in found.standings if own.method != found.reference]
    rows = []
    for dataset in found.datasets:
        cells = []
        for method in methods:
            duel = found.duels.get((dataset, method))
            text = "" if duel is None else _signed(duel.difference, duel.error)
            cells.append(f"**{text}**" if duel is not None and duel.outcome else text)
        rows.append([dataset, *cells])
    legend = (
        f"{found.reference} minus each method, in percentage points, on shared folds, ± the "
        "standard error corrected for the overlap of training sets; bold: significant at level "
        "0.05, without a correction for the number of tests."
    )
    return f"{_table(['set', *methods], rows)}\n\n{legend}"


def learner_table(results: Sequence[Evaluation]) -> str:
    """Return for every kernel what its learners give, over the sets that both were run on."""
    by_name = {(own.dataset, own.method): own for own in results if own.timeout is None}
    best = {(own.dataset, own.method): own for own in with_best_learner(results)}
    rows = []
    for method in sorted({name for _, name in by_name if not name.endswith("-svm")}):
        sets = [d for d, name in by_name if name == method and (d, f"{method}-svm") in by_name]
        if not sets:
            continue
        columns = [
            np.array([source[d, name].accuracy_mean for d in sets])
            for source, name in ((by_name, method), (by_name, f"{method}-svm"), (best, method))
        ]
        ridge, svm, _ = columns
        gap = ridge - svm
        error = float(stats.sem(gap)) if len(gap) > 1 else math.nan
        chosen = [
            record.parameters.get("learner") != "svm"
            for d in sets
            for record in best[d, method].records
        ]
        rows.append(
            [
                method,
                f"{len(sets)}",
                *(_percent(float(own.mean())) for own in columns),
                _signed(float(gap.mean()), error),
                f"{int((gap > 0).sum())} / {int((gap < 0).sum())}",
                f"{100 * np.mean(chosen):.0f} %",
            ]
        )
    headings = [
        "kernel", "sets", "ridge %", "SVM %", "chosen inside %", "ridge minus SVM",
        "ridge ahead / behind", "folds that chose ridge",
    ]  # fmt: skip
    return _table(headings, rows)


def twins_table(twins: Mapping[str, Twins]) -> str:
    """Return one line per set: how many of its graphs are there twice."""
    rows = [
        [name, f"{own.graphs}", *(_share(n, own.graphs) for n in own[1:])]
        for name, own in twins.items()
    ]
    headings = [
        "set", "graphs", "isomorphic to another", "to one of another class",
        "to another, apart from numbers",
    ]  # fmt: skip
    return _table(headings, rows)


def grouped_table(plain: Sequence[Evaluation], grouped: Sequence[Evaluation]) -> str:
    """Return the accuracies on grouped folds, and how far they lie from those on plain folds."""
    before = {(own.dataset, own.method): own.accuracy_mean for own in plain}
    after = {(own.dataset.removesuffix(GROUPED), own.method): own for own in grouped}
    methods = sorted({method for _, method in after})
    rows = []
    for dataset in dict.fromkeys(name for name, _ in after):
        cells = []
        for method in methods:
            own = after.get((dataset, method))
            mean = math.nan if own is None else own.accuracy_mean
            gap = mean - before.get((dataset, method), math.nan)
            cells.append("" if math.isnan(mean) else f"{_percent(mean)} ({100 * gap:+.1f})")
        rows.append([dataset, *cells])
    legend = (
        "Accuracy in % on folds that never separate isomorphic graphs, and in brackets the "
        "difference to ordinary folds."
    )
    return f"{_table(['set', *methods], rows)}\n\n{legend}"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _signed(value: float, error: float) -> str:
    return f"{100 * value:+.1f}" + ("" if math.isnan(error) else f" ± {100 * error:.1f}")


def _share(n: int, total: int) -> str:
    return "0" if not n else f"{n} ({100 * n / total:.0f} %)"

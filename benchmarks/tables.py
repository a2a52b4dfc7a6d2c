"""Records as the tables of the page."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from cases import BALL, DATASETS, HOPPER, METHODS, NESTED, PROPAGATION, THREADS, WWL
from generated import power_law
from records import Record, Records
from targets import TARGETS

from nask.lab.experiments.paper import claims
from nask.lab.experiments.runtime import SETS

# Seconds of one Gram matrix that the paper (arXiv:2511.11245) claims, by method and set.
CLAIMED = {
    method: {name: float(claims("runtime")[own, name]) for name in SETS}
    for method, own in ((NESTED, "nask"), (PROPAGATION, "pk"), (WWL, "wwl"), (HOPPER, "gh"))
}
USUAL_HOPS = 3


def gram_of(records: Records, method: str, dataset: str) -> Record | None:
    """Return the record of a method with both threads; nask has one number of hops per set."""
    parameters = {"n_jobs": THREADS} if method in (NESTED, BALL) else {}
    record: Record | None = records.find("gram", dataset, method, **parameters)
    return record


def target_table(records: Records) -> str:
    """Each target, what was measured, and whether it is met."""
    rows = [
        (target.subject, target.quantity, target.goal, *target.verdict(records))
        for target in TARGETS
    ]
    return table(("what", "measured as", "target", "measured", ""), rows, "llrrl")


def time_table(records: Records) -> str:
    """Seconds, and in brackets how many times those of nested nask on the set."""

    def cell(record: Record, own: Record | None) -> str:
        seconds, unit = record.seconds(), None if own is None else own.seconds()
        if seconds is None:
            return _no_end(record, unit)
        times = f" ({number(seconds / unit)} x)" if unit and own is not record else ""
        return f"{_sign(record)}{number(seconds)}{times}{_note(record)}"

    return _method_table(records, cell)


def cpu_table(records: Records) -> str:
    """CPU seconds of all threads."""

    def cell(record: Record, own: Record | None) -> str:
        seconds = record.seconds("cpu_seconds")
        return "" if seconds is None else f"{_sign(record)}{number(seconds)}{_note(record)}"

    return _method_table(records, cell)


def memory_table(records: Records) -> str:
    """Peak memory of the process, and in brackets what it added to that before the Gram."""

    def cell(record: Record, own: Record | None) -> str:
        result = record.result
        if "peak_mb" not in result:
            return ""
        added = result["peak_mb"] - result["before_mb"]
        return f"{result['peak_mb']:.0f} (+{added:.0f}){_note(record)}"

    return _method_table(records, cell)


def claim_table(records: Records) -> str:
    """Seconds measured here and those the paper claims, method by method."""
    names = {NESTED: "nask nested", PROPAGATION: "propagation", WWL: "WWL", HOPPER: "GraphHopper"}
    rows = []
    for dataset in SETS:
        if gram_of(records, NESTED, dataset):
            cells = [dataset]
            for method, claimed in CLAIMED.items():
                record = gram_of(records, method, dataset)
                seconds = None if record is None else record.seconds()
                here = "" if record is None or seconds is None else _sign(record) + number(seconds)
                cells += [here, f"{claimed[dataset]:.3g}"]
            rows.append(cells)
    headings = [text for name in names.values() for text in (name, "paper")]
    return table(["set", *headings], rows, "l" + "r" * len(headings))


def scaling_table(records: Records, work: str = "scaling") -> str:
    """Seconds for each size, and what they grow with."""
    rows = []
    for record in scaling_records(records, work):
        points = record.result["points"]
        measured = ", ".join(f"{x}: {number(y)}" for x, y in points)
        rows.append((record.case.subject, measured, growth(record)))
    return table(("varied", "value: seconds", "growth"), rows, "llr")


def growth(record: Record) -> str:
    """The exponent of a power law; of threads, how much faster the most are than one."""
    points = record.result["points"]
    if record.case.subject == "threads":
        return f"{points[0][1] / points[-1][1]:.2f} x faster"
    return f"exponent {power_law(points)[0]:.2f}"


def first_call_table(records: Records) -> str:
    """Seconds to import the package, of the first call and of later ones in the same process."""
    found = [r for r in records if r.case.work == "first call" and not r.failed]
    rows = [
        (r.case.subject, *(f"{r.result[name]:.2f}" for name in ("import", "first", "later")))
        for r in found
    ]
    return table(("set", "import", "first call", "later calls"), rows, "lrrr")


def scaling_records(records: Records, work: str = "scaling") -> list[Record]:
    """Those that have points."""
    return [r for r in records if r.case.work == work and not r.failed]


def accuracy_table(record: Record) -> str:
    """Accuracies of the exact kernel and of features, seed by seed."""
    result = record.result
    rows = [("exact", f"{result['exact']:.1f}", "", "", f"{result['exact_seconds']:.1f}")]
    for n in record.case.options["components"]:
        accuracies, errors, seconds = zip(*result[str(n)], strict=True)
        each = ", ".join(f"{value:.1f}" for value in accuracies)
        mean, error = statistics.mean(accuracies), statistics.mean(errors)
        rows.append(
            (f"{n}", f"{mean:.1f}", each, f"{error:.2f}", f"{statistics.median(seconds):.1f}")
        )
    headings = ("columns", "accuracy %", "by seed", "error of K %", "seconds")
    return table(headings, rows, "lrlrr")


def linear_table(records: Records) -> str:
    """A linear SVM by our solver and by LinearSVC: time, and who comes nearer to the optimum."""
    rows = []
    # By subject and number of columns: seconds of LinearSVC per row, of the last size it has.
    per_row: dict[tuple[str, int], float] = {}
    for record in scaling_records(records, "linear solvers"):
        result, options = record.result, record.case.options
        kind, n_rows = (record.case.subject, options["n_columns"]), options["n_rows"]
        own = statistics.median(result["cpu_seconds"]["ours"])
        if "LinearSVC" in result["cpu_seconds"]:
            other = statistics.median(result["cpu_seconds"]["LinearSVC"])
            per_row[kind] = other / n_rows
            found = result["objective"]
            excess = f"{100 * (found['LinearSVC'] / found['ours'] - 1):+.4f} %"
            cells = [number(other), f"{ratio(result, 'LinearSVC')} x", excess]
        else:
            other = per_row.get(kind, float("nan")) * n_rows
            cells = [f"≈ {number(other)}", f"≈ {number(other / own)} x", ""]
        size = f"{n_rows:,} x {options['n_columns']:,}"
        rows.append((record.case.subject, size, f"{result['n_classes']}", number(own), *cells))
    headings = (
        "rows of", "rows x columns", "classes", "ours", "LinearSVC", "times ours",
        "its objective above ours",
    )  # fmt: skip
    return table(headings, rows, "lrrrrrr")


def path_table(records: Records) -> str:
    """A search's fits by our path over C and by one SVC per C."""
    rows = []
    for record in scaling_records(records, "path solvers"):
        result = record.result
        seconds = [number(statistics.median(own)) for own in result["cpu_seconds"].values()]
        sizes = (f"{result['n_graphs']}", f"{record.case.options['n_penalties']}")
        times, same = f"{ratio(result, 'SVC')} x", f"{100 * result['same']:.1f} %"
        rows.append((record.case.subject, *sizes, *seconds, times, same))
    headings = ("set", "graphs", "penalties", "path", "SVC", "times the path", "same predictions")
    return table(headings, rows, "lrrrrrr")


def ridge_table(records: Records) -> str:
    """All folds and leave-one-out decisions from one inverse, and from one per fold."""
    rows = []
    for record in scaling_records(records, "ridge solvers"):
        result = record.result
        seconds = [number(statistics.median(own)) for own in result["cpu_seconds"].values()]
        sizes = f"{result['n_graphs']}", f"{result['n_folds']}"
        times = f"{ratio(result, 'per fold')} x"
        rows.append((record.case.subject, *sizes, *seconds, times, f"{result['gap']:.0e}"))
    headings = (
        "set", "graphs", "folds", "one inverse", "one per fold", "times ours",
        "largest difference",
    )  # fmt: skip
    return table(headings, rows, "lrrrrrr")


def ratio(result: dict[str, Any], peer: str) -> str:
    """How many times our CPU seconds the peer takes, by the median over turns."""
    turns = zip(result["cpu_seconds"][peer], result["cpu_seconds"]["ours"], strict=True)
    return number(statistics.median(theirs / ours for theirs, ours in turns))


def number(value: float) -> str:
    """Two significant digits, and all those before the point.

    >>> number(0.0678), number(4.26), number(27.4), number(1234.5)
    ('0.068', '4.3', '27', '1234')
    """
    if value >= 10:
        return f"{value:.0f}"
    digits = 1
    while value and round(value, digits) < 10 ** (1 - digits):
        digits += 1
    return f"{value:.{digits}f}"


def table(headings: Iterable[str], rows: Iterable[Sequence[str]], alignment: str) -> str:
    """A table of Markdown, its columns "l" for left or "r" for right."""
    lines = [headings, ("---:" if side == "r" else "---" for side in alignment), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _method_table(records: Records, cell: Callable[[Record, Record | None], str]) -> str:
    """One row per set, one column per method, of those that were measured."""
    found = {(d, m): gram_of(records, m, d) for d in datasets(records) for m in METHODS}
    methods = [m for m in METHODS if any(r and key[1] == m for key, r in found.items())]
    rows = []
    for dataset in datasets(records):
        cells = [(found[dataset, method], found[dataset, NESTED]) for method in methods]
        rows.append([dataset, *(cell(r, own) if r else "" for r, own in cells)])
    return table(["set", *methods], rows, "l" + "r" * len(methods))


def datasets(records: Records) -> list[str]:
    """The sets of which some Gram matrix was measured, in order."""
    measured = {record.case.subject for record in records if record.case.work == "gram"}
    return [name for name in (*DATASETS, "Cuneiform") if name in measured]


def _sign(record: Record) -> str:
    return "≈ " if record.extrapolation > 1 else ""


def _note(record: Record) -> str:
    notes = []
    hops = record.case.options["parameters"].get("n_hops", USUAL_HOPS)
    if hops != USUAL_HOPS:
        notes.append(f"{hops} hops")
    if record.extrapolation > 1:
        notes.append(f"of {record.result['n_graphs']} graphs")
    return "".join(f", {note}" for note in notes)


def _no_end(record: Record, unit: float | None) -> str:
    if record.failed:
        return f"failed: {record.result['failed']}"
    limit: float = record.result["none_in"]
    times = f" (> {number(limit / unit)} x)" if unit else ""
    return f"none in {limit:g} s{times}"

"""Tables of accuracy: methods in rows, sets in columns, the paper's figure under each of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nask.evaluation.compare import compare
from nask.evaluation.comparison import ComparisonTable
from nask.evaluation.comparison_legend import mark
from nask.evaluation.records import Evaluation
from nask.lab.experiments.evaluated import Evaluated, View
from nask.lab.experiments.experiment import Report, Results
from nask.lab.experiments.paper import claims, mean_of
from nask.lab.perturbations.labels import labels_only
from nask.lab.rivals.catalogue import KERNEL_RIVALS

# The row of NASK as the paper has it, with an SVM, and that of the default learner.
REFERENCE, DEFAULT = "nask", "nask, ridge"
# Sets of thousands of graphs, or of hundreds of thousands of nodes: folds are drawn once.
LARGE = ("NCI1", "DD")
# Records of kernels on the sets as they are, which the league uses too, and all others.
OF_KERNELS, OF_OTHERS = "league", "accuracy"
LABELS = View("labels", labels_only)


def graph_cells(sets: Sequence[str], methods: Sequence[str]) -> list[Evaluated]:
    """Return all methods on all sets of graphs; kernels have SVMs, as in the paper.

    A set named with "~labels" has its categorical attributes only.
    """
    return [_cell(method, column) for column in sets for method in (DEFAULT, REFERENCE, *methods)]


def _cell(row: str, column: str) -> Evaluated:
    name, _, labels = column.partition("~")
    kernel = row in (REFERENCE, *KERNEL_RIVALS)
    method = "nask" if row == DEFAULT else f"{row}-svm" if kernel else row
    plain = (kernel or row == DEFAULT) and not labels
    return Evaluated(
        row=row,
        column=column,
        dataset=name,
        method=method,
        folder=OF_KERNELS if plain else OF_OTHERS,
        # Networks are trained once per fold: with three learning rates that takes hours as it is.
        repeats=1 if name in LARGE or not (kernel or row == DEFAULT) else 10,
        views=(LABELS,) if labels else (),
    )


def accuracy_report(experiment: str, results: Results) -> Report:
    """Return the table of an experiment, and how NASK's figures stand to the paper's."""
    paper = claims(experiment)
    there = list(results.values())
    lines = []
    if {own.method for own in there if own.method != REFERENCE} and REFERENCE in {
        own.method for own in there
    }:
        for table in compare(there, reference=REFERENCE).tables:
            lines += _table(table, paper)
    lines += ["", *claims_met(paper, there)]
    return Report("\n".join(lines).strip() + "\n")


def _table(table: ComparisonTable, paper: Mapping[tuple[str, str], str | float]) -> list[str]:
    order = list(dict.fromkeys(column for _, column in paper))
    columns = sorted(table.datasets, key=lambda own: [*order, own].index(own))
    heading = ["method", *columns, "average rank"]
    lines = [f"| {' | '.join(heading)} |", "|---|" + "---:|" * (len(heading) - 1)]
    for method in table.methods:
        rank = table.rank(method)
        cells = [_figure(table, column, method, paper) for column in columns]
        cells.append("" if rank is None else f"{rank:.1f}")
        lines.append(f"| {' | '.join([method, *cells])} |")
    return [*lines, "", " ".join(table.legend())]


def _figure(
    table: ComparisonTable, column: str, method: str, paper: Mapping[tuple[str, str], str | float]
) -> str:
    cell = table.cells.get((column, method))
    if cell is None:
        figure = "not run"
    elif cell.mean is None or cell.std is None:
        figure = "TIMEOUT"
    else:
        mean = f"{100 * cell.mean:.1f}"
        figure = f"**{mean}**" if cell.best else mean
        figure = f"{figure} ± {100 * cell.std:.1f} {mark(cell)}".rstrip()
    claim = paper.get((method, column))
    return f"{figure}<br>*{claim}*" if claim else figure


def claims_met(
    paper: Mapping[tuple[str, str], str | float], results: Sequence[Evaluation]
) -> list[str]:
    """Say on which sets the paper's figure of NASK was reached."""
    reached: list[str] = []
    below: list[str] = []
    for own in results:
        claim = mean_of(paper.get((REFERENCE, own.dataset)))
        if own.method != REFERENCE or claim is None or not own.records:
            continue
        difference = 100 * own.accuracy_mean - claim
        text = f"{own.dataset} ({difference:+.1f})"
        (reached if difference >= 0 else below).append(text)
    if not reached and not below:
        return ["No set for which the paper has a figure has complete records of NASK with an SVM."]
    return [
        f"NASK with an SVM reaches the paper's figure on {', '.join(reached) or 'no set'}"
        + (f", and stays below it on {', '.join(below)}." if below else ".")
    ]

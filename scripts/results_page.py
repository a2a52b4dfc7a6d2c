"""Rewrite the table and the picture of docs/results.md from the records in results/svm/."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from claims import claimed

import nask
from nask import plots
from nask.evaluation.comparison import ComparisonTable
from nask.evaluation.comparison_legend import mark
from nask.evaluation.records import Evaluation

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "results.md"
BEGIN, END = "<!-- {} by scripts/results_page.py -->", "<!-- end of {} -->"

# In the order of the tables: those that all methods were run on, then those of NASK alone.
GRAPH_SETS = ("MUTAG", "PTC_MR", "BZR", "COX2", "ENZYMES", "Synthie", "SYNTHETICnew")
NODE_SETS = ("Cora", "Citeseer")
ORDER = (*GRAPH_SETS, "PROTEINS_full", "PROTEINS", "NCI1", "DD", *NODE_SETS, "Pubmed")

VARIED = (
    "gamma", "gamma_star", "n_hops", "degree", "use_edges", "gram", "gram_scale", "normalize", "C",
)  # fmt: skip


def row(result: Evaluation) -> str:
    name = result.dataset
    repeats = f"± {100 * result.accuracy_std_repeats:.1f}" if result.repeats > 1 else ""
    folds = f" ± {100 * result.accuracy_std_folds:.1f}" if len(result.records) > 1 else ""
    cells = (
        name,
        f"{result.n_items}{' nodes' * (result.items == 'nodes')}",
        f"{100 * result.majority:.1f}",
        f"**{100 * result.accuracy_mean:.1f}**{folds}",
        repeats,
        f"{result.repeats} x {result.folds}",
        "validation nodes" if result.inner is None else f"{result.inner}",
        claimed(name, result.method),
        f"{result.seconds_kernel:.0f}",
        f"{result.seconds_learning:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def chosen(result: Evaluation) -> str:
    """Each parameter with the values that folds chose, the most frequent first."""
    cells = [result.dataset]
    for name in VARIED:
        values = [r.parameters[name] for r in result.records if name in r.parameters]
        counts = Counter(_text(value) for value in values).most_common()
        cells.append(", ".join(f"{value} ({100 * n / len(values):.0f})" for value, n in counts))
    return f"| {' | '.join(cells)} |"


def _text(value: object) -> str:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return f"{value:g}" if number else str(value).lower()


def rivals(table: ComparisonTable) -> str:
    """All methods on all sets: one row per method, what the paper reports under each figure."""
    headings = ["method", *table.datasets, "average rank"]
    lines = [f"| {' | '.join(headings)} |", "|---|" + "---:|" * (len(headings) - 1)]
    for method in table.methods:
        rank = table.rank(method)
        cells = [_cell(table, dataset, method) for dataset in table.datasets]
        cells.append("" if rank is None else f"{rank:.1f}")
        lines.append(f"| {' | '.join([method, *cells])} |")
    return "\n".join([*lines, "", " ".join(table.legend())])


def _cell(table: ComparisonTable, dataset: str, method: str) -> str:
    cell = table.cells.get((dataset, method))
    if cell is None:
        figure = ""
    elif cell.mean is None or cell.std is None:
        figure = "TIMEOUT"
    else:
        mean = f"{100 * cell.mean:.1f}"
        figure = f"**{mean}**" if cell.best else mean
        figure = f"{figure} ± {100 * cell.std:.1f} {mark(cell)}".rstrip()
    paper = claimed(dataset, method)
    return f"{figure}<br>*{paper}*" if paper else figure


def own(results: list[Evaluation]) -> str:
    """The results of NASK on every set, and what its folds chose."""
    headings = (
        "set", "graphs or nodes", "largest class %", "accuracy % ± over folds", "± over repeats",
        "repeats x folds", "chosen on inner folds", "paper's claim", "kernel s", "learning s",
    )  # fmt: skip
    heading = f"| {' | '.join(headings)} |"
    lines = [heading, "|---|" + "---:|" * (len(headings) - 1), *map(row, results)]
    lines += ["", "What folds chose, with shares in % of those where the parameter matters:", ""]
    names = f"| set | {' | '.join(VARIED)} |"
    return "\n".join([*lines, names, "|---|" + "---|" * len(VARIED), *map(chosen, results)])


def write(page: str, name: str, content: str) -> str:
    """Put content between the marks of that name."""
    begin, end = BEGIN.format(name), END.format(name)
    before, mark, rest = page.partition(begin)
    _, other, after = rest.partition(end)
    if not mark or not other:
        raise ValueError(f"{PAGE} has no lines {begin!r} and {end!r}.")
    return f"{before}{begin}\n{content}\n{end}{after}"


def main() -> None:
    results = nask.read_results(ROOT / "results" / "svm")
    results.sort(key=lambda result: [*ORDER, result.dataset].index(result.dataset))
    mine = [result for result in results if result.method == "nask"]
    page = PAGE.read_text(encoding="utf-8")
    images = ROOT / "docs" / "images"
    for items, sets in (("graphs", GRAPH_SETS), ("nodes", NODE_SETS)):
        comparison = nask.compare(
            [result for result in results if result.dataset in sets], reference="nask"
        )
        [table] = comparison.tables
        page = write(page, items, rivals(table))
        if items == "graphs":
            picture = plots.critical_difference(comparison).figure
            picture.savefig(images / "critical-difference.png", dpi=120)  # type: ignore[union-attr]
    page = write(page, "nask", own(mine))
    PAGE.write_text(page, encoding="utf-8")
    figure = plots.accuracy(mine).figure
    figure.savefig(images / "accuracy.png", dpi=120)  # type: ignore[union-attr]


if __name__ == "__main__":
    main()

"""Rewrite the table and the picture of docs/results.md from the records in results/."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import nask
from nask import plots

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "results.md"
BEGIN, END = "<!-- made by scripts/results_page.py -->", "<!-- end -->"

# What the paper claims for its kernel (arXiv:2511.11245, Tables 1 to 3).
CLAIMED = {
    "MUTAG": "95.9 ± 3.6",
    "PTC_MR": "76.7 ± 2.6",
    "BZR": "88.8 ± 1.8",
    "COX2": "82.9 ± 1.8",
    "ENZYMES": "78.3 ± 4.1",
    "PROTEINS_full": "81.1 ± 0.9",
    "Synthie": "97.1 ± 0.3",
    "SYNTHETICnew": "97.9 ± 0.3",
    "NCI1": "88.0 ± 4.5",
    "DD": "82.1 ± 0.6",
    "Cora": "89.24 ± 0.31",
    "Citeseer": "80.78 ± 0.28",
    "Pubmed": "89.53 ± 0.01",
}

VARIED = (
    "gamma", "gamma_star", "n_hops", "degree", "use_edges", "gram", "gram_scale", "normalize", "C",
)  # fmt: skip


def row(result: nask.Evaluation) -> str:
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
        CLAIMED.get(name, ""),
        f"{result.seconds_kernel:.0f}",
        f"{result.seconds_learning:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def chosen(result: nask.Evaluation) -> str:
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


def main() -> None:
    results = [r for r in nask.read_results(ROOT / "results") if r.timeout is None]
    results.sort(key=lambda result: [*CLAIMED, result.dataset].index(result.dataset))
    headings = [
        "set",
        "graphs or nodes",
        "largest class %",
        "accuracy % ± over folds",
        "± over repeats",
    ]
    headings += [
        "repeats x folds",
        "chosen on inner folds",
        "paper's claim",
        "kernel s",
        "learning s",
    ]
    heading = f"| {' | '.join(headings)} |"
    table = "\n".join([heading, "|---|" + "---:|" * (len(headings) - 1), *map(row, results)])
    names = f"| set | {' | '.join(VARIED)} |"
    table += "\n\nWhat folds chose, with shares in % of those where the parameter matters:\n\n"
    table += "\n".join([names, "|---|" + "---|" * len(VARIED), *map(chosen, results)])
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")
    figure = plots.accuracy(results).figure
    figure.savefig(ROOT / "docs" / "images" / "accuracy.png", dpi=120)  # type: ignore[union-attr]


if __name__ == "__main__":
    main()

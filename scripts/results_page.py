"""Rewrite the tables and pictures of docs/results.md from the records in results/.

    python scripts/results_page.py

Runs nothing: ``nask reproduce`` does.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from marked import write

from nask.evaluation.compare import compare
from nask.evaluation.comparison_legend import mark
from nask.lab.experiments.accuracy import DEFAULT, REFERENCE
from nask.lab.experiments.catalogue import NAMES, experiment
from nask.lab.experiments.experiment import Experiment, Place, Results, found
from nask.lab.experiments.paper import claims, mean_of

ROOT = Path(__file__).parent.parent
RESULTS, PAGE = ROOT / "results", ROOT / "docs" / "results.md"
SCRIPT = "scripts/results_page.py"
ACCURACIES = [name for name in NAMES if name.startswith("accuracy-")]


def section(own: Experiment, results: Results) -> str:
    """The table of an experiment, its pictures, and where they come from."""
    if not results:
        return "Not run yet."
    report = own.report(results)
    lines = [report.text.strip(), ""]
    for name, figure in report.pictures.items():
        figure.savefig(ROOT / "docs" / "images" / f"{name}.png", dpi=120)
        lines += [f"![{own.title}](images/{name}.png)", ""]
    n_cells = len(own.cells(False))
    lines.append(
        f"`nask reproduce {own.name}`: {len(results)} of {n_cells} cells are there; records as of "
        f"commit {_commit(own)}."
    )
    return "\n".join(lines)


def _commit(own: Experiment) -> str:
    """The last commit that changed the records of an experiment."""
    folders = sorted({str(RESULTS / cell.folder) for cell in own.cells(False)})
    command = ["git", "log", "-1", "--format=%h", "--", *folders]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def answer(results: Mapping[str, Results]) -> str:
    """In a few sentences: does NASK do what its paper claims?"""
    run, complete, reached, first, beaten = 0, 0, [], [], []
    for name in ACCURACIES:
        paper, done = claims(name), list(results[name].values())
        for table in compare(done, reference=REFERENCE).tables if done else ():
            for column in table.datasets:
                own = table.cells.get((column, REFERENCE))
                claim = mean_of(paper.get((REFERENCE, column)))
                if own is None or own.mean is None or claim is None:
                    continue
                run += 1
                there = {m: table.cells.get((column, m)) for m in table.methods}
                cells = {m: cell for m, cell in there.items() if cell is not None}
                rivals = {m: c for m, c in cells.items() if m not in (REFERENCE, DEFAULT)}
                if 100 * own.mean >= claim:
                    reached.append(column)
                if any(at == column and row not in cells for row, at in paper):
                    continue
                complete += 1
                if own.mean >= max(c.mean or 0.0 for c in rivals.values()):
                    first.append(column)
                better = [m for m, cell in rivals.items() if mark(cell) == "+"]
                if better:
                    beaten.append(f"{column} ({', '.join(better)})")
    significant = f"significantly so on {', '.join(beaten)}" if beaten else "nowhere significantly"
    return (
        "Does NASK do what its paper claims? With the paper's protocol, an SVM, and the same folds "
        f"for all methods, it reaches the paper's figure on {_count(reached)} of {run} sets. Of "
        f"the {complete} on which all methods of the paper were run, it has the highest accuracy "
        f"on {_count(first)}, and a rival on the other {complete - len(first)}, {significant}. "
        "The paper claims its figure and the first place on every set."
    )


def _count(sets: Sequence[str]) -> str:
    return f"{len(sets)} ({', '.join(sets)})" if sets else "none"


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    results = {name: found(experiment(name), Place(RESULTS)) for name in NAMES}
    page = write(page, "answer", SCRIPT, answer(results))
    for name in NAMES:
        page = write(page, name, SCRIPT, section(experiment(name), results[name]))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

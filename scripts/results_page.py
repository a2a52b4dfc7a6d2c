"""Rewrite the tables and pictures of docs/results.md from the records in results/.

    python scripts/results_page.py

Runs nothing: ``nask reproduce`` does.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from nask.lab.experiments.accuracy import REFERENCE
from nask.lab.experiments.catalogue import NAMES, experiment
from nask.lab.experiments.experiment import Experiment, Place, Results, found
from nask.lab.experiments.paper import claims, mean_of

ROOT = Path(__file__).parent.parent
RESULTS, PAGE = ROOT / "results", ROOT / "docs" / "results.md"
BEGIN, END = "<!-- {} by scripts/results_page.py -->", "<!-- end of {} -->"
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
    run, reached, first = 0, [], []
    for name in ACCURACIES:
        paper = claims(name)
        for (row, column), own in results[name].items():
            claim = mean_of(paper.get((REFERENCE, column)))
            if row != REFERENCE or claim is None or not own.records:
                continue
            run += 1
            others = [
                other.accuracy_mean
                for (method, place), other in results[name].items()
                if place == column and not method.startswith(REFERENCE) and other.records
            ]
            if 100 * own.accuracy_mean >= claim:
                reached.append(column)
            if own.accuracy_mean >= max(others, default=0.0):
                first.append(column)
    return (
        f"Does NASK do what its paper claims? Mostly not in the figures, partly in the order. With "
        f"the paper's protocol and the same folds for all methods, NASK was run on {run} of the "
        f"paper's sets. It reaches the paper's figure on {len(reached)} of them "
        f"({', '.join(reached) or 'none'}), and has the highest accuracy of all methods on "
        f"{len(first)} ({', '.join(first) or 'none'}); the paper claims that for every set."
    )


def write(page: str, name: str, content: str) -> str:
    """Put content between the marks of that name."""
    begin, end = BEGIN.format(name), END.format(name)
    before, mark, rest = page.partition(begin)
    _, other, after = rest.partition(end)
    if not mark or not other:
        raise ValueError(f"{PAGE} has no lines {begin!r} and {end!r}.")
    return f"{before}{begin}\n{content}\n{end}{after}"


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    results = {name: found(experiment(name), Place(RESULTS)) for name in NAMES}
    page = write(page, "answer", answer(results))
    for name in NAMES:
        page = write(page, name, section(experiment(name), results[name]))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

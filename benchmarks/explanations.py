"""Measure explanations of nask and of rivals on the same folds; rewrite docs/explanations.md.

    NASK_DATA=<folder of zips> python benchmarks/explanations.py

A killed run continues where it stopped. When every chosen case has a record, all are measured anew.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import explanation_tables as tables
from cases import Case
from explained_sets import MEASURED, REAL, SETS
from explaining import GIN, NASK, explanations
from records import Record, Records

from nask.evaluation.environment import environment

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- made by benchmarks/explanations.py -->", "<!-- end -->"
FIRST_PAGE = f"# Explanations\n\n{BEGIN}\n{END}\n"
N_EXPLAINED = 25
# Enough to see that all works.
QUICK = {
    "n_explained": 2,
    "n_graphs": 30,
    "epochs": {GIN: 2, "GNNExplainer": 2, "PGExplainer": 2},
}


def all_cases(seed: int, quick: bool = False) -> list[Case]:
    """Return every case: both models on some folds of every set."""
    given: dict[str, Any] = {"seed": seed, "n_explained": N_EXPLAINED} | (QUICK if quick else {})
    subjects = ("BA-2Motifs", "planted", "MUTAG") if quick else SETS
    return [
        Case("explanations", subject, model, {**given, "fold": fold})
        for subject in subjects
        for fold in range(1 if quick else MEASURED.get(subject, 1))
        for model in (NASK, GIN)
    ]


def measure(case: Case) -> dict[str, Any]:
    """Return the result of a case, or the error it ends with."""
    try:
        return explanations(case.subject, case.method, **case.options)
    except Exception as error:
        return {"failed": " ".join(f"{type(error).__name__}: {error}".split())}


def run(cases: Sequence[Case], known: Sequence[Case], records: Records, n_jobs: int) -> None:
    """Measure the cases that have no record, or all of them if each has one."""
    todo = [case for case in cases if records.lacks(case)] or list(cases)
    records.keep(case for case in known if case not in todo)
    here = environment()
    here["versions"] |= {name: version(name) for name in ("torch", "torch-geometric", "captum")}
    with ProcessPoolExecutor(n_jobs, mp_context=get_context("spawn")) as processes:
        futures = {processes.submit(measure, case): case for case in todo}
        for future in as_completed(futures):
            case, result = futures[future], future.result()
            records.add(Record(case, result, here))
            outcome = result.get("failed") or f"accuracy {result['accuracy']:.3f}"
            print(f"{case}, fold {case.options['fold']}: {outcome}", flush=True)


def write_page(records: Records, page: Path) -> None:
    """Rewrite what is between the markers."""
    page.parent.mkdir(parents=True, exist_ok=True)
    content = page.read_text(encoding="utf-8") if page.exists() else FIRST_PAGE
    before, _, rest = content.partition(BEGIN)
    _, _, after = rest.partition(END)
    made = "\n\n".join(_paragraphs(records))
    page.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}", encoding="utf-8")


def _paragraphs(records: Records) -> Iterable[str]:
    yield "## Targets"
    yield tables.target_table(records)
    yield "## Nodes, where the truth is known"
    yield (
        "Area under the ROC curve of the scores of nodes against the true ones: mean over graphs, "
        "then over folds. Random scores have 0.5. For every method the best of its scores is "
        "reported, signed or absolute, by nodes or by edges; the second table says which."
    )
    yield tables.truth_table(records)
    yield tables.score_table(records)
    yield "## Attributes, where the truth is known"
    yield (
        "On the planted set: whether the two attributes that matter are told from the two that do "
        "not, by their scores summed over a graph; and whether the two attributes of the true "
        "nodes are told from all others of all nodes. Signed or absolute, whichever is better. "
        "PGExplainer has no scores of attributes."
    )
    yield tables.attribute_table(records)
    yield "## Which score of a node"
    yield "The same areas, of all scores that were tried on nask's shares."
    yield tables.candidate_table(records)
    yield "## Fidelity, where it is not"
    for subject in REAL:
        yield f"### {subject}"
        yield tables.fidelity_table(records, subject)
    yield "## The models, and the time of one explanation"
    yield tables.model_table(records)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of sets and folds")
    parser.add_argument("--only", nargs="+", default=[], metavar="TEXT", help="in a case's name")
    parser.add_argument("--page-only", action="store_true", help="measure nothing, write the page")
    parser.add_argument("--quick", action="store_true", help="see that all works, on a few graphs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument(
        "--out", type=Path, help="folder to write to; this project, or a new one with --quick"
    )
    options = parser.parse_args()
    known = all_cases(options.seed, options.quick)
    wanted = [
        case
        for case in known
        if not options.only or any(text in str(case) for text in options.only)
    ]
    new = Path(tempfile.mkdtemp(prefix="nask-explanations-")) if options.quick else ROOT
    out = options.out or new
    records = Records(out / "results" / "explanations.jsonl")
    if not options.page_only:
        run(wanted, known, records, options.jobs)
    page = out / "docs" / "explanations.md"
    write_page(records, page)
    print(f"Wrote {page}")
    failed = [str(record.case) for record in records if record.failed]
    if failed:
        raise SystemExit(f"Failed, and to be measured by the next run: {'; '.join(failed)}.")


if __name__ == "__main__":
    main()

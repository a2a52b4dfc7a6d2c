"""Measure nask and its peers, each case in a fresh process, and rewrite docs/performance.md.

    NASK_DATA=<folder of zips> python benchmarks/run.py

A killed run continues where it stopped. When every chosen case has a record, all are measured anew.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cases import Case, all_cases, quick_cases
from page import write_page
from records import Record, Records

from nask.evaluation.environment import environment
from nask.execution.progress import track

ROOT = Path(__file__).parent.parent
WORKER = Path(__file__).parent / "worker.py"


def measure(case: Case) -> dict[str, Any]:
    """Return the worker's result; or that it did not end in time, or failed."""
    command = [sys.executable, str(WORKER), json.dumps(asdict(case))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == -signal.SIGALRM:
        return {"none_in": case.options["limit"]}
    if done.returncode != 0:
        return {"failed": f"exit status {done.returncode}"}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def chosen(cases: Sequence[Case], only: Sequence[str], skip: Sequence[str]) -> list[Case]:
    """Return the cases whose name has a text of ``only``, if any, and none of ``skip``."""
    return [
        case
        for case in cases
        if (not only or any(text in str(case) for text in only))
        and not any(text in str(case) for text in skip)
    ]


def run(cases: Sequence[Case], known: Sequence[Case], records: Records) -> None:
    """Measure the cases that have no record; all of them if each has one.

    Records of cases that are not known any more are dropped.
    """
    todo = [case for case in cases if records.lacks(case)] or cases
    records.keep(case for case in known if case not in todo)
    here = environment()
    here["versions"] |= {name: version(name) for name in ("grakel", "POT")}
    for case in track(todo, len(todo), progress=True, description="Measuring"):
        record = Record(case, measure(case), here)
        records.add(record)
        print(f"{case}: {_summary(record)}", flush=True)


def _summary(record: Record) -> str:
    if record.case.work != "gram" or "seconds" not in record.result:
        return ", ".join(f"{name} {value}" for name, value in record.result.items())
    return f"{record.seconds():.3g} s, {record.result['peak_mb']:.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[], metavar="TEXT", help="in a case's name")
    parser.add_argument("--skip", nargs="+", default=[], metavar="TEXT", help="in a case's name")
    parser.add_argument("--list", action="store_true", help="print the names of cases and end")
    parser.add_argument("--page-only", action="store_true", help="measure nothing, write the page")
    parser.add_argument("--quick", action="store_true", help="see that all works, on a few graphs")
    parser.add_argument(
        "--out", type=Path, help="folder to write to; this project, or a new one with --quick"
    )
    options = parser.parse_args()
    # An exception, unlike the signal, makes subprocess end the worker too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    known = quick_cases() if options.quick else all_cases()
    cases = chosen(known, options.only, options.skip)
    if options.list:
        print(*cases, sep="\n")
        return
    out = options.out or (Path(tempfile.mkdtemp(prefix="nask-bench-")) if options.quick else ROOT)
    records = Records(out / "results" / "performance.jsonl")
    if not options.page_only:
        run(cases, known, records)
    page = out / "docs" / "performance.md"
    write_page(records, page)
    print(f"Wrote {page}")
    failed = [str(record.case) for record in records if record.failed]
    if failed:
        sys.exit(f"Failed, and to be measured by the next run: {'; '.join(failed)}.")


if __name__ == "__main__":
    main()

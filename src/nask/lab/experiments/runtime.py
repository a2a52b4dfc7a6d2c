"""The time of one Gram matrix, beside other kernels (the paper's table of runtimes).

All kernels run on this machine, on one thread each, with their default parameters; rivals are those
of ``nask.lab``, of which some are faster than the programs of their authors. The paper's times are
from another machine.
"""

from __future__ import annotations

from nask.lab.experiments.experiment import Experiment, Report, Results
from nask.lab.experiments.paper import claims
from nask.lab.experiments.timed import GramTime, TimedGram

NAME = "runtime"
SETS = ("MUTAG", "PTC_MR", "BZR", "ENZYMES", "PROTEINS_full", "NCI1")
METHODS = ("nask", "gh", "pk", "ml", "wwl", "retgk", "rwk")


def cells(quick: bool) -> list[TimedGram]:
    """All kernels on all sets; quick: three on a few graphs of MUTAG."""
    if quick:
        return [_cell(method, "MUTAG").quick() for method in ("nask", "pk", "retgk")]
    return [_cell(method, name) for name in SETS for method in METHODS]


def _cell(method: str, name: str) -> TimedGram:
    return TimedGram(method, name, name, method, folder=NAME)


def report(results: Results) -> Report:
    """The table: our time, how many times that of NASK, and the paper's time in italics."""
    paper = claims(NAME)
    sets = [name for name in SETS if any(column == name for _, column in results)]
    lines = [f"| kernel | {' | '.join(sets)} |", "|---|" + "---:|" * len(sets)]
    for method in METHODS:
        cells = [_figure(results, method, name, paper.get((method, name))) for name in sets]
        lines.append(f"| {method} | {' | '.join(cells)} |")
    lines += [
        "",
        "Processor time of one Gram matrix on one thread; in brackets, how many times that of "
        "NASK; in italics, what the paper reports, on another machine.",
    ]
    return Report("\n".join(lines) + "\n")


def _figure(results: Results, method: str, name: str, claim: str | float | None) -> str:
    own: GramTime | None = results.get((method, name))
    figure = "not run"
    if own is not None:
        figure = f"> {duration(own.seconds)}" if own.timeout else duration(own.seconds)
        nask: GramTime | None = results.get(("nask", name))
        if nask is not None and not nask.timeout and method != "nask":
            ratio = own.seconds / nask.seconds
            times = f"{ratio:.0f} x" if ratio >= 10 else f"{ratio:.2g} x"
            figure += f" (> {times})" if own.timeout else f" ({times})"
    return figure if claim is None else f"{figure}<br>*{duration(float(claim))}*"


def duration(seconds: float) -> str:
    """Return seconds in words.

    Examples
    --------
    >>> duration(0.0123), duration(13.89), duration(222), duration(720.9), duration(13387.2)
    ('0.012 s', '13.9 s', '3.7 min', '12 min', '3.7 h')
    """
    if seconds < 1:
        return f"{seconds:.2g} s"
    if seconds < 120:
        return f"{seconds:.1f} s"
    if seconds < 600:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


EXPERIMENT = Experiment(NAME, "Time of one Gram matrix", "hours, for ML and WWL", cells, report)

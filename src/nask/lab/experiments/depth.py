"""Accuracy and the time of one Gram matrix by the depth of the kernel (a figure of the paper).

The paper has 1 to 5 hops; here they go to 8. Sharpness, form and penalty are chosen on each
training set; the rest is the kernel as the paper has it, without views and degrees.
"""

from __future__ import annotations

from nask import plots
from nask.lab.experiments.evaluated import PAPERS_KERNEL, Evaluated
from nask.lab.experiments.experiment import Cell, Experiment, Report, Results
from nask.lab.experiments.runtime import duration
from nask.lab.experiments.timed import TimedGram

NAME = "depth"
SETS = ("COX2", "ENZYMES", "PROTEINS", "NCI1")
HOPS = range(1, 9)
# The row of times begins with this.
TIME = "time of "


def cells(quick: bool) -> list[Cell]:
    """Every depth on every set, its accuracy and its time; quick: two depths on COX2."""
    if quick:
        return [own.quick() for h in (1, 2) for own in (_accuracy("COX2", h), _time("COX2", h))]
    # The deepest first: its Gram matrices, where they are kept, begin with those of all others.
    deepest = HOPS[::-1]
    return [own(name, h) for name in SETS for h in deepest for own in (_time, _accuracy)]


def _accuracy(name: str, n_hops: int) -> Evaluated:
    return Evaluated(
        row=str(n_hops),
        column=name,
        dataset=name,
        method="nask-svm",
        folder=f"{NAME}/{n_hops}",
        repeats=1,
        values={**PAPERS_KERNEL, "n_hops": (n_hops,)},
    )


def _time(name: str, n_hops: int) -> TimedGram:
    own = {"n_hops": n_hops}
    return TimedGram(f"{TIME}{n_hops}", name, name, "nask", f"{NAME}/time", own)


def report(results: Results) -> Report:
    """A table, and the figure of two panels."""
    sets = [name for name in SETS if any(column == name for _, column in results)]
    hops = [h for h in HOPS if any(row == str(h) for row, _ in results)]
    lines = [f"| hops | {' | '.join(sets)} |", "|---|" + "---:|" * len(sets)]
    for h in hops:
        cells = [_figure(results, h, name) for name in sets]
        lines.append(f"| {h} | {' | '.join(cells)} |")
    lines += ["", "Accuracy in % ± its deviation over folds; processor time of one Gram matrix."]
    curves = _curves(results)
    pictures = {NAME: plots.depth(curves)} if curves else {}
    return Report("\n".join(lines) + "\n", pictures)


def _figure(results: Results, n_hops: int, name: str) -> str:
    own, time = results.get((str(n_hops), name)), results.get((f"{TIME}{n_hops}", name))
    accuracy = "not run" if own is None else "TIMEOUT"
    if own is not None and own.records:
        accuracy = f"{100 * own.accuracy_mean:.1f} ± {100 * own.accuracy_std_folds:.1f}"
    return accuracy if time is None else f"{accuracy}, {duration(time.seconds)}"


def _curves(results: Results) -> list[plots.DepthCurve]:
    """One curve per set, of the depths that have both an accuracy and a time."""
    curves = []
    for name in SETS:
        both = [
            (h, results[str(h), name], results[f"{TIME}{h}", name])
            for h in HOPS
            if (str(h), name) in results and (f"{TIME}{h}", name) in results
        ]
        done = [(h, own, time) for h, own, time in both if own.records]
        if done:
            curves.append(
                plots.DepthCurve(
                    name,
                    [h for h, _, _ in done],
                    [own.accuracy_mean for _, own, _ in done],
                    [time.seconds for _, _, time in done],
                )
            )
    return curves


EXPERIMENT = Experiment(
    NAME, "Accuracy and time by the number of hops", "some hours", cells, report
)

"""Accuracy on perturbed attributes (a figure of the paper's appendix), and beyond it.

The paper adds Gaussian noise to numbers, and sets a random part of the attributes of some nodes to
0. Here they are also masked as missing, which the kernel knows what to do with, and categories are
masked, too; the two most accurate rivals that look at numbers get the same noise. All methods have
SVMs, as in the paper, and ten folds per copy. NASK has one sharpness, of the middle of its grid, so
that a copy takes one pass; hops, form and penalty are chosen on each training set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from nask import plots
from nask.evaluation.records import Evaluation
from nask.lab.experiments.evaluated import PAPERS_KERNEL, Evaluated, View
from nask.lab.experiments.experiment import Experiment, Report, Results
from nask.lab.perturbations.masking import mask_attributes
from nask.lab.perturbations.noise import add_noise

NAME = "robustness"
SETS = ("BZR", "COX2", "PROTEINS_full")
METHODS = ("nask", "retgk", "hgk-wl")
LEVELS = (0.1, 0.2, 0.3)
N_COPIES = 10
GRID = {**PAPERS_KERNEL, "gamma": (0.5,), "gamma_star": (16.0,), "n_hops": (1, 2, 3)}


@dataclass(frozen=True)
class Perturbation:
    """One way to spoil attributes.

    Parameters
    ----------
    title : str
    name : str
        Of its copies, after "~" and before level and seed.
    to : callable
        From a set, a level and a seed to a copy.
    methods : tuple of str
        Those that can deal with it.
    """

    title: str
    name: str
    to: Any
    methods: tuple[str, ...] = ("nask",)

    def view(self, level: float, copy: int) -> View:
        """One copy."""
        return View(f"{self.name}-{level:g}-{copy}", lambda data: self.to(data, level, seed=copy))


PERTURBATIONS = (
    Perturbation("Gaussian noise", "noise", add_noise, METHODS),
    Perturbation("set to 0", "mask-zero-some", partial(mask_attributes, part="some")),
    Perturbation(
        "missing", "mask-missing-some", partial(mask_attributes, to="missing", part="some")
    ),
    Perturbation(
        "categories missing",
        "mask-missing-categorical",
        partial(mask_attributes, to="missing", kinds="categorical"),
    ),
)


def cells(quick: bool) -> list[Evaluated]:
    """All methods on all copies; quick: NASK on two copies of a few graphs of BZR."""
    if quick:
        few = [own for own in _cells() if own.column == "BZR" and own.row.startswith("nask")]
        return [own.quick() for own in few if "copy" not in own.row or "10 %, copy 0" in own.row]
    return list(_cells())


def _cells() -> Iterator[Evaluated]:
    for name in SETS:
        for method in METHODS:
            yield _cell(method, name, method)
        # Copy by copy, so that a run that is stopped has as many of each kind.
        for copy in range(N_COPIES):
            for own in PERTURBATIONS:
                for level in LEVELS:
                    for method in own.methods:
                        row = _row(method, own, level, copy)
                        yield _cell(row, name, method, own.view(level, copy))


def _row(method: str, own: Perturbation, level: float, copy: int) -> str:
    return f"{method}, {own.title}, {100 * level:.0f} %, copy {copy}"


def _cell(row: str, name: str, method: str, *views: View) -> Evaluated:
    grid = GRID if method == "nask" else {}
    # Without a limit: a copy takes seconds, and a process of its own would take as long.
    return Evaluated(row, name, name, f"{method}-svm", NAME, 1, views, grid, limit=None)


def report(results: Results) -> Report:
    """Medians over copies, and boxes."""
    found = list(_found(results))
    lines = [
        "| set | perturbation | method | 0 % | 10 % | 20 % | 30 % |",
        "|---|---|---|" + "---:|" * 4,
    ]
    for name in SETS:
        for own in PERTURBATIONS:
            for method in METHODS:
                at = {
                    x.level: x.accuracies
                    for x in found
                    if (x.dataset, x.perturbation, x.method) == (name, own.title, method)
                }
                if any(level in at for level in LEVELS):
                    figures = [
                        f"{100 * np.median(at[level]):.1f}" if level in at else "not run"
                        for level in (0.0, *LEVELS)
                    ]
                    lines.append(f"| {name} | {own.title} | {method} | {' | '.join(figures)} |")
    n_copies = sorted({len(x.accuracies) for x in found if x.level})
    lines += [
        "",
        "Median accuracy in % over copies, ten folds each; copies per figure: "
        f"{' to '.join(map(str, sorted({n_copies[0], n_copies[-1]}))) if n_copies else 0}.",
    ]
    pictures = {NAME: plots.robustness(found)} if found else {}
    return Report("\n".join(lines) + "\n", pictures)


def _found(results: Results) -> Iterator[plots.PerturbedAccuracies]:
    """Accuracies by perturbation, set, method and level, of the copies that are done."""
    for name in SETS:
        for own in PERTURBATIONS:
            for method in own.methods:
                for level in (0.0, *LEVELS):
                    rows = [_row(method, own, level, copy) for copy in range(N_COPIES)]
                    rows = [method] if level == 0 else rows
                    done: list[Evaluation] = [
                        results[row, name] for row in rows if (row, name) in results
                    ]
                    means = [each.accuracy_mean for each in done if each.records]
                    if means:
                        yield plots.PerturbedAccuracies(own.title, name, method, level, means)


EXPERIMENT = Experiment(NAME, "Accuracy on perturbed attributes", "about a day", cells, report)

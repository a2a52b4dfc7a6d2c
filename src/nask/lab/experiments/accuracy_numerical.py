"""Accuracy on graphs with numerical and mixed attributes (the paper's first table of accuracies).

The paper's SYNTHETIC is compared with SYNTHETICnew: its text leaves open which of the two versions
it has (it gives the number of graphs of another set).
"""

from __future__ import annotations

from nask.lab.experiments.accuracy import accuracy_report, graph_cells
from nask.lab.experiments.evaluated import Evaluated
from nask.lab.experiments.experiment import Experiment, Report, Results

NAME = "accuracy-numerical"
SETS = ("BZR", "COX2", "ENZYMES", "SYNTHETICnew", "Synthie", "PROTEINS_full")
KERNELS = ("pk", "ml", "gh", "hgk-wl", "wwl", "retgk", "rwk", "swwl")
NETWORKS = ("gin", "graphsage")


def cells(quick: bool) -> list[Evaluated]:
    """All methods on all sets; quick: three on two small sets."""
    if quick:
        return [cell.quick() for cell in graph_cells(("BZR", "Synthie"), ("pk", "gin"))]
    return graph_cells(SETS, (*KERNELS, *NETWORKS))


def report(results: Results) -> Report:
    """The table of accuracies."""
    return accuracy_report(NAME, results)


EXPERIMENT = Experiment(
    NAME,
    "Accuracy on graphs with numerical and mixed attributes",
    "about a day",
    cells,
    report,
)

"""Accuracy on graphs with categorical attributes (the paper's second table of accuracies).

ENZYMES and PROTEINS have their labels only. The paper's "WL-VH" is the subtree kernel on labels.
"""

from __future__ import annotations

from nask.lab.experiments.accuracy import accuracy_report, graph_cells
from nask.lab.experiments.evaluated import Evaluated
from nask.lab.experiments.experiment import Experiment, Report, Results

NAME = "accuracy-categorical"
SETS = ("MUTAG", "PTC_MR", "ENZYMES~labels", "PROTEINS~labels", "DD", "NCI1")
KERNELS = ("wl", "pk", "gh", "ml", "wwl", "retgk", "rwk")
NETWORKS = ("gcn", "gin", "graphsage", "kergnn", "kagnn")


def cells(quick: bool) -> list[Evaluated]:
    """All methods on all sets; quick: three on two small sets."""
    if quick:
        few = graph_cells(("MUTAG", "ENZYMES~labels"), ("wl", "gcn"))
        return [cell.quick() for cell in few]
    return graph_cells(SETS, (*KERNELS, *NETWORKS))


def report(results: Results) -> Report:
    """The table of accuracies."""
    return accuracy_report(NAME, results)


EXPERIMENT = Experiment(
    NAME,
    "Accuracy on graphs with categorical attributes",
    "days, most of it for networks and transport kernels on DD and NCI1",
    cells,
    report,
)

"""Accuracy on the nodes of networks (the paper's third table of accuracies).

Ten folds over nodes. Pokec is left out where its files are not at hand: nobody downloads gigabytes
by asking for a table.
"""

from __future__ import annotations

from nask.datasets.registry import available_datasets
from nask.lab.experiments.accuracy import DEFAULT, REFERENCE, accuracy_report
from nask.lab.experiments.evaluated import Evaluated
from nask.lab.experiments.experiment import Experiment, Report, Results

NAME = "accuracy-nodes"
SETS = ("Cora", "Citeseer", "Pubmed")
POKEC = "Pokec"
METHODS = ("gcn", "gat", "kernelgcn", "akgnn", "kagnn")


def cells(quick: bool) -> list[Evaluated]:
    """All methods on all networks; quick: three on some nodes of Cora."""
    if quick:
        return [_cell(row, "Cora").quick() for row in (DEFAULT, REFERENCE, "gcn")]
    sets = (*SETS, POKEC) if POKEC in available_datasets() else SETS
    return [_cell(row, column) for column in sets for row in (DEFAULT, REFERENCE, *METHODS)]


def _cell(row: str, column: str) -> Evaluated:
    method = {DEFAULT: "nask", REFERENCE: "nask-svm"}.get(row, row)
    return Evaluated(row, column, column, method, folder="nodes", repeats=1, items="nodes")


def report(results: Results) -> Report:
    """The table of accuracies."""
    return accuracy_report(NAME, results)


EXPERIMENT = Experiment(NAME, "Accuracy on the nodes of networks", "hours", cells, report)

"""A close look at NCI1 (two figures of the paper).

The stars of 1 to 4 hops around the node with the most neighbours of two graphs that were classified
rightly, the surest of each class, and under them the exact shares of their nodes; and the
probabilities of all test graphs of the first fold, with the errors and a reliability curve. The
model is that of the table of accuracies: an SVM with the parameters that the training set of this
fold chose.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from nask import plots
from nask.graph.attributed_graph import AttributedGraph
from nask.lab.atoms import atom_names
from nask.lab.experiments.accuracy import OF_KERNELS, REFERENCE
from nask.lab.experiments.evaluated import Evaluated
from nask.lab.experiments.experiment import Experiment, Report, Results
from nask.lab.experiments.studied import StudiedFold, StudiedGraph, Study

NAME = "case-study"
SET = "NCI1"


def cells(quick: bool) -> list[StudiedFold]:
    """One: the first fold of NCI1; quick: of a few graphs of it."""
    evaluated = Evaluated(REFERENCE, SET, SET, "nask-svm", OF_KERNELS, repeats=1)
    own = StudiedFold(evaluated, NAME)
    return [own.quick() if quick else own]


def report(results: Results) -> Report:
    """What was chosen and how sure the model is, and the figures."""
    [study] = results.values()
    chosen = ", ".join(f"{name} {value}" for name, value in study.parameters.items())
    lines = [f"Chosen on the training set: {chosen}.", "", *_graphs(study)]
    pictures = {
        f"{NAME}-confidence": plots.confidence(study.truth, study.probabilities, study.classes),
        **{f"{NAME}-class-{own.truth}": _stars(study, own) for own in study.graphs},
    }
    return Report("\n".join(lines) + "\n", pictures)


def _stars(study: Study, own: StudiedGraph) -> Any:
    """The stars of one graph, with the colours that the other graph has for the same atoms."""
    counts = Counter(label for each in study.graphs for label in each.labels)
    names = atom_names(SET, counts)
    return plots.stars(
        AttributedGraph(len(own.labels), own.edges, {"atom": own.labels}, categorical=["atom"]),
        own.core,
        names={label: names[label] for label, _ in counts.most_common()},
        contributions=own.shares,
        title=f"Graph {own.graph} of {SET}, class {own.truth}: stars around node {own.core}, and "
        f"what its nodes say for that class",
    )


def _graphs(study: Study) -> list[str]:
    lines = [
        "| graph | class | probability | nodes | core | neighbours |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for own in study.graphs:
        degree = sum(own.core in edge for edge in own.edges)
        lines.append(
            f"| {own.graph} | {own.truth} | {own.probability:.3f} | {len(own.labels)} | {own.core} "
            f"| {degree} |"
        )
    return lines


EXPERIMENT = Experiment(NAME, "Stars, shares and probabilities on NCI1", "an hour", cells, report)

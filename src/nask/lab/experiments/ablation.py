"""Accuracy of NASK and of variants that lack one of its parts (a table and a figure of the paper).

The paper's variants: random walks instead of stars, one-hot matching or a Euclidean Gaussian
instead of the exponential Gower similarity, and no Weisfeiler-Lehman iteration. Our own questions
beside them: balls instead of nested stars, raw instead of normalised stars, no edge term, a linear
Gram matrix, and star size: the degree as an attribute, and few leaves. All of them, NASK included,
are the kernel as the paper has it but for what is varied: sharpness, hops, form and penalty are
chosen on each training set. They have SVMs, and the first three times ten folds of the tables of
accuracy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nask import plots
from nask.lab.experiments.accuracy import LABELS, REFERENCE, accuracy_report
from nask.lab.experiments.evaluated import PAPERS_KERNEL, Evaluated
from nask.lab.experiments.experiment import Experiment, Report, Results

NAME = "ablation"
# The four sets of the paper's table, then those of its figure; its ENZYMES is that of labels.
SETS = (
    "MUTAG",
    "PTC_MR",
    "BZR",
    "PROTEINS_full",
    "COX2",
    "ENZYMES~labels",
    "Synthie",
    "PROTEINS",
    "DD",
)
CATEGORICAL = ("MUTAG", "PTC_MR", "ENZYMES~labels", "DD")
VARIANTS: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "random walk": {"expansion": ("walk",), "gamma_star": (8.0,)},
    "one-hot": {"similarity": ("one-hot",), "gamma": (1.0,)},
    "Euclidean": {"similarity": ("euclidean",)},
    "no WL iteration": {"n_hops": (1,)},
    "balls": {"expansion": ("ball",), "gamma_star": (8.0,)},
    "raw stars": {"star_norm": (False,)},
    "no edges": {"use_edges": (False,)},
    "linear Gram": {"gram": ("linear",), "gram_scale": (1.0,)},
    "with the degree": {"degree": ("categorical", "numerical")},
    "at most 2 leaves": {"max_leaves": (2,)},
    "at most 4 leaves": {"max_leaves": (4,)},
}
# The first four are the paper's, and have a picture of their own: all together are too many.
OF_PAPER = tuple(VARIANTS)[:4]
PICTURES = {NAME: OF_PAPER, f"{NAME}-more": tuple(VARIANTS)[4:]}


def cells(quick: bool) -> list[Evaluated]:
    """All variants on all sets, those of the paper first; quick: these on MUTAG."""
    of_paper, own = (REFERENCE, *OF_PAPER), tuple(VARIANTS)[len(OF_PAPER) :]
    if quick:
        return [_cell(row, "MUTAG").quick() for row in of_paper]
    return [_cell(row, column) for rows in (of_paper, own) for column in SETS for row in rows]


def _cell(row: str, column: str) -> Evaluated:
    name, _, labels = column.partition("~")
    return Evaluated(
        row=row,
        column=column,
        dataset=name,
        method="nask-svm",
        folder=f"{NAME}/{row.replace(' ', '-')}",
        repeats=3,
        views=(LABELS,) if labels else (),
        values={**PAPERS_KERNEL, **VARIANTS.get(row, {})},
    )


def report(results: Results) -> Report:
    """The table of accuracies, the figure of the paper's appendix, and one of our own variants."""
    numerical = {column for column in SETS if column not in CATEGORICAL}
    pictures = {}
    for name, rows in PICTURES.items():
        done = [
            results[row, column]
            for column in SETS
            for row in (REFERENCE, *rows)
            if (row, column) in results and results[row, column].records
        ]
        if any(own.method in rows for own in done):
            pictures[name] = plots.accuracy(done, numerical=numerical).figure
    return Report(accuracy_report(NAME, results).text, pictures)


EXPERIMENT = Experiment(
    NAME, "Accuracy of variants that lack a part of the kernel", "about a day", cells, report
)

"""``nask demo``: the main job on the data inside the package."""

from __future__ import annotations

import time
from collections import Counter
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from nask.datasets.registry import load_dataset
from nask.evaluation.candidates import candidates
from nask.evaluation.nested import NestedResult, nested_cross_validation

DATASETS = ("MUTAG", "Cuneiform")
GRID = {"gamma": [0.1, 1.0], "gamma_star": [4.0, 16.0]}
N_HOPS = 3
C = (1.0, 10.0, 100.0)
INNER_FOLDS = 3


def demo(
    n_jobs: Annotated[int, typer.Option(help="Threads; -1 takes all cores.")] = -1,
    folds: Annotated[int, typer.Option(min=2, help="Outer folds, at most.")] = 10,
) -> None:
    """Classify the two datasets inside the package: nested cross-validation, accuracy, time."""
    console = Console()
    table = Table(title="NASK, nested cross-validation")
    table.add_column("dataset", no_wrap=True)
    for heading in (
        "graphs", "classes", "folds", "majority\n%", "accuracy\n%", "kernel\ns", "SVM\ns"
    ):  # fmt: skip
        table.add_column(heading, justify="right", no_wrap=True)
    chosen = []
    for name in DATASETS:
        dataset = load_dataset(name)
        start = time.perf_counter()
        grams = list(candidates(dataset.graphs, GRID, n_hops=N_HOPS, n_jobs=n_jobs, verbose=True))
        seconds = time.perf_counter() - start
        labels, counts = np.unique(np.asarray(dataset.y), return_counts=True)
        result = nested_cross_validation(
            grams,
            np.asarray(dataset.y),
            C=C,
            folds=min(folds, int(counts.min())),
            inner=INNER_FOLDS,
            n_jobs=n_jobs,
            progress=True,
        )
        table.add_row(
            dataset.name,
            str(len(dataset.graphs)),
            str(len(labels)),
            str(len(result.folds)),
            f"{100 * counts.max() / counts.sum():.1f}",
            f"{100 * result.mean:.1f} ± {100 * result.std:.1f}",
            f"{seconds:.1f}",
            f"{result.seconds:.1f}",
        )
        chosen.append(f"{name}: {_most_chosen(result)}")
    console.print(table)
    console.print("Chosen most often. " + "; ".join(chosen) + ".")
    console.print(
        f"Chosen on {INNER_FOLDS} inner folds among gamma {GRID['gamma']}, gamma_star "
        f"{GRID['gamma_star']}, hops 1..{N_HOPS}, C {list(C)}; ± is the standard deviation over "
        "test folds. Attribute ranges come from the whole (unlabelled) set. Kernel time includes "
        "compilation on a first run."
    )


def _most_chosen(result: NestedResult) -> str:
    settings = Counter(
        "gamma {gamma:g}, gamma_star {gamma_star:g}, hops {n_hops}, C {C:g}".format(**f.parameters)
        for f in result.folds
    )
    return settings.most_common(1)[0][0]

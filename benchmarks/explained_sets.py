"""The sets that explanations are measured on, and the graphs of a fold that are explained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import nask
from nask.evaluation.splits import outer_splits
from nask.lab import ExplainedDataset, make_ba_2motifs, make_coloured, make_planted

FOLDS = 5
MOTIFS, PLANTED = "BA-2Motifs", "planted"
# Rounds of the colours that are drawn from NCI1, and how many of each.
COLOURS = {1: 2, 2: 2, 3: 2}
COLOURED = tuple(f"NCI1, {r} hops, {k}" for r, n in COLOURS.items() for k in range(1, n + 1))
REAL = ("MUTAG", "ENZYMES", "BZR")
WITH_TRUTH = (MOTIFS, *COLOURED, PLANTED)
SETS = (*WITH_TRUTH, *REAL)
# Folds that are measured, of five; one of the others.
MEASURED = {MOTIFS: 2, PLANTED: 2, "MUTAG": 2}
# Of each set that is drawn.
N_GRAPHS = 400


@dataclass(frozen=True)
class Fold:
    """Graphs to learn from, and graphs to explain.

    Parameters
    ----------
    data : Dataset
    train, test : ndarray of int
        Positions of graphs.
    explained : ndarray of int
        Those of ``test`` whose decision is explained: up to a number, drawn at random, and where
        the truth is known only graphs in which some nodes are true and some are not.
    """

    data: nask.Dataset
    train: Any
    test: Any
    explained: Any

    def graphs(self, positions: Any) -> list[nask.AttributedGraph]:
        """Return the graphs at these positions."""
        return [self.data.graphs[k] for k in positions]

    @property
    def y(self) -> Any:
        """Classes of all graphs."""
        return np.asarray(self.data.y)


def load(name: str, seed: int, n_graphs: int | None = None) -> nask.Dataset:
    """Draw or read a set; at most ``n_graphs`` of those that are drawn."""
    if name in REAL:
        return nask.load_dataset(name)
    draw: dict[str, Callable[..., ExplainedDataset]] = {
        MOTIFS: lambda **given: make_ba_2motifs(n_graphs or N_GRAPHS, **given),
        PLANTED: lambda **given: make_planted(n_graphs or N_GRAPHS, **given),
    }
    if name in draw:
        return draw[name](random_state=seed)
    rounds = int(name.split()[1])
    # Each set has a seed of its own, so that no two draw the same colour by design.
    own = 10 * seed + COLOURED.index(name)
    return make_coloured(
        nask.load_dataset("NCI1"), rounds, n_graphs=n_graphs or N_GRAPHS, random_state=own
    )


def load_fold(
    name: str, seed: int, fold: int, n_explained: int, n_graphs: int | None = None
) -> Fold:
    """Return a fold of a set, both drawn from a seed."""
    data = load(name, seed, n_graphs)
    split = list(outer_splits(np.asarray(data.y), FOLDS, 1, seed))[fold]
    found = split.test
    if isinstance(data, ExplainedDataset):
        mixed = [data.truth[k].any() and not data.truth[k].all() for k in found]
        found = found[np.array(mixed)]
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.permutation(found)[:n_explained])
    return Fold(data, split.train, split.test, chosen)

"""Who goes on: the kernels of large sets after a sample, and those that SVMs are tried with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nask.arrays import Positions
from nask.execution.progress import Progress, track
from nask.graph.attributed_graph import AttributedGraph
from nask.learning.goals import Goal
from nask.tuning.leave_one_out import LeaveOneOut, RidgeJudge
from nask.tuning.sweeps import Candidate, Sweep, cut_to, stacks_of

# Up to so many training graphs or nodes, every setting is judged on all of them,
LARGEST_UNSCREENED = 700
# unless there are more classes: each pair of them has a function of its own in every setting.
MOST_CLASSES = 30
# Beyond, on so many,
SAMPLE = 500
# or, where graphs are large, on as many as have so many nodes: a pass compares each with each.
# Two cores make the 54 passes of the default grid in about 7 minutes then, those of DD.
NODES = 45_000
# But on so many graphs at least.
LEAST = 100
# What goes on to all: settings of the kernel, from the best passes.
KEPT_PASSES, KEPT = 3, 8
# From the best pass alone where the graphs have more nodes than this in all: one pass over the
# 335,000 nodes of DD takes some six minutes of two cores, and folds differ in what they keep.
MANY_NODES = 200_000
# A network of more nodes is screened on those around its sample, as many as this: a pass compares
# each with each, and keeps all of it.
LARGEST_NETWORK = 10_000
AROUND = 6000
# Kernels that SVMs are tried with, where all have been judged by ridge regressions.
FINALISTS = 8
# More training graphs or nodes than this are learned by an SVM: the time of a ridge regression
# grows with the cube of their number.
LARGEST_RIDGE = 6000


@dataclass(frozen=True, eq=False)
class Screened:
    """What is left of a grid.

    Parameters
    ----------
    sweeps : list of Sweep
        The passes that some fold needs, with the candidates that some fold kept.
    kept : list of list of Candidate
        Those that each fold kept; others were not kept for its training set.
    """

    sweeps: list[Sweep]
    kept: list[list[Candidate]]

    @classmethod
    def of(cls, sweeps: Sequence[Sweep], numbers: Sequence[Sequence[int]]) -> Screened:
        """What is left where each fold keeps the candidates with these numbers, of all sweeps."""
        candidates = [own for sweep in sweeps for own in sweep.candidates]
        kept = [[candidates[number] for number in few] for few in numbers]
        some = [own for few in kept for own in few]
        cut = [cut_to(sweep, some) for sweep in sweeps]
        return cls([sweep.trimmed() for sweep in cut if sweep.candidates], kept)


def is_screened(n_train: int, n_classes: int = 1) -> bool:
    """Tell whether a sample decides which settings are judged on all training items.

    Parameters
    ----------
    n_train : int
    n_classes : int, default=1
        1 where numbers are learned.

    Examples
    --------
    >>> is_screened(700, 30), is_screened(701, 2), is_screened(500, 100)
    (False, True, True)
    """
    return n_train > LARGEST_UNSCREENED or n_classes > MOST_CLASSES


def sample_of(n: int, random_state: int, n_nodes: Positions | None = None) -> Positions:
    """Positions to screen on, in order, drawn without a look at targets.

    Parameters
    ----------
    n : int
        How many graphs or nodes there are.
    random_state : int
    n_nodes : ndarray of shape (n,), optional
        Of each graph.

    Examples
    --------
    >>> len(sample_of(4110, 0)), len(sample_of(300, 0))
    (500, 300)
    >>> len(sample_of(4110, 0, np.full(4110, 300))), len(sample_of(4110, 0, np.full(4110, 5000)))
    (150, 100)
    """
    drawn = np.random.default_rng(random_state).choice(n, size=min(n, SAMPLE), replace=False)
    if n_nodes is not None:
        n_within = np.count_nonzero(np.cumsum(n_nodes[drawn]) <= NODES)
        drawn = drawn[: max(LEAST, n_within)]
    return np.sort(drawn)


def screen(
    method: Any,
    sweeps: Sequence[Sweep],
    data: Any,
    items: Positions,
    goal: Goal,
    tests: Sequence[Positions],
    progress: Progress = False,
) -> list[list[int]]:
    """Judge every setting on a sample, and keep the best for the training set of each fold.

    What a fold keeps is decided by the sample without its test items.

    Parameters
    ----------
    method : TunedModel
    sweeps : sequence of Sweep
        All of its grid.
    data : list of AttributedGraph, or AttributedGraph
    items : ndarray
        The graphs or nodes that have a target, as positions in the data.
    goal : Goal
        Of these.
    tests : sequence of ndarray
        Test items of each fold, as positions in ``items``; an empty one for a fit.
    progress : bool or callable

    Returns
    -------
    list of list of int
        The candidates that each fold keeps, by their number among those of all sweeps
        (:meth:`Screened.of`).
    """
    n_nodes = _n_nodes(data, items)
    sample = sample_of(len(items), method.random_state, n_nodes)
    place = np.full(len(items), -1)
    place[sample] = np.arange(len(sample))
    seen = [place[test][place[test] >= 0] for test in tests]
    judge = LeaveOneOut(goal.part(sample), method.n_jobs, True, tests=seen)
    stacks = stacks_of(sweeps, *_compared(data, items[sample]), method.n_jobs)
    for number, stack in track(stacks, len(sweeps), progress, "Screening on a sample"):
        judge.enter(sweeps[number], stack)
    judge.arrange(sweeps)
    dear = _is_large(data) if n_nodes is None else n_nodes.sum() > MANY_NODES
    n_passes = 1 if dear else KEPT_PASSES
    candidates = (own for sweep in sweeps for own in sweep.candidates)
    place_of = {id(own): k for k, own in enumerate(candidates)}
    return [
        [place_of[id(own)] for own in _best(judge, fold, n_passes)] for fold in range(len(tests))
    ]


def _is_large(data: Any) -> bool:
    return isinstance(data, AttributedGraph) and data.n_nodes > LARGEST_NETWORK


def _compared(data: Any, items: Positions) -> tuple[Any, Positions]:
    """What is compared for a sample, and where the sample is in it: around it in a large network.

    Where walks would leave the surroundings of the sample, they stay.
    """
    if not _is_large(data):
        return data, items
    nodes = surroundings(data, items, AROUND)
    return data.induced(nodes), np.searchsorted(nodes, items)


def surroundings(graph: AttributedGraph, nodes: Positions, size: int) -> Positions:
    """Some nodes and those nearest to them, in order.

    Of nodes equally near, those that come first.

    Parameters
    ----------
    graph : AttributedGraph
    nodes : ndarray
        They are all in it, also if they are more than ``size``.
    size : int
        How many nodes there should be; fewer where no more can be reached.

    Examples
    --------
    >>> path = AttributedGraph(6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)])
    >>> surroundings(path, np.array([1]), 4)
    array([0, 1, 2, 3])
    """
    inside = np.zeros(graph.n_nodes, dtype=bool)
    inside[nodes] = True
    while True:
        reached = inside.copy()
        for ends in (graph.edges, graph.edges[:, ::-1]):
            reached[ends[inside[ends[:, 0]], 1]] = True
        new = np.flatnonzero(reached & ~inside)[: max(0, size - int(inside.sum()))]
        if not len(new):
            return np.flatnonzero(inside)
        inside[new] = True


def _n_nodes(data: Any, items: Positions) -> Positions | None:
    """Of each graph; None for the nodes of one network."""
    if isinstance(data, AttributedGraph):
        return None
    return np.array([data[item].n_nodes for item in items])


def _best(judge: RidgeJudge, fold: int, n_passes: int) -> list[Candidate]:
    """The best kernels of the passes that have the best ones."""
    ranked = judge.ranked(fold)
    passes = list(dict.fromkeys(id(sweep) for sweep, _ in ranked))[:n_passes]
    return [candidate for sweep, candidate in ranked if id(sweep) in passes][:KEPT]


def finalists(judge: RidgeJudge, fold: int = 0) -> list[Candidate]:
    """Return the kernels that SVMs are tried with, of those that ridge regressions have judged.

    An SVM takes inner folds to be judged, a ridge regression does not, and a kernel that serves one
    serves the other (``benchmarks/choice.py``).

    Parameters
    ----------
    judge : RidgeJudge
    fold : int
        In whose training set they are the most accurate.
    """
    return [candidate for _, candidate in judge.ranked(fold)[:FINALISTS]]

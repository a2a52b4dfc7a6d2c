"""Large sets: settings are screened on a sample, and a few go on to all graphs or nodes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nask.arrays import Positions
from nask.execution.progress import Progress, track
from nask.tuning.leave_one_out import LeaveOneOut, RidgeJudge
from nask.tuning.sweeps import Candidate, Sweep

# Up to so many training graphs or nodes, every setting is judged on all of them.
LARGEST_UNSCREENED = 700
# Beyond, on so many.
SAMPLE = 500
# What goes on to all: settings of the kernel, from the best passes.
KEPT_PASSES, KEPT = 3, 8
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


def sample_of(n: int, random_state: int) -> Positions:
    """Positions to screen on, in order, drawn without a look at classes.

    Examples
    --------
    >>> len(sample_of(4110, 0)), len(sample_of(300, 0))
    (500, 300)
    """
    size = min(n, SAMPLE)
    return np.sort(np.random.default_rng(random_state).choice(n, size=size, replace=False))


def screen(
    method: Any,
    data: Any,
    items: Positions,
    codes: Positions,
    classes: Any,
    tests: Sequence[Positions],
    progress: Progress = False,
) -> Screened:
    """Judge every setting on a sample, and keep the best for the training set of each fold.

    What a fold keeps is decided by the sample without its test items.

    Parameters
    ----------
    method : TunedClassifier
    data : list of AttributedGraph, or AttributedGraph
    items : ndarray
        The graphs or nodes that have a class, as positions in the data.
    codes : ndarray
        Their classes, by number.
    classes : ndarray
    tests : sequence of ndarray
        Test items of each fold, as positions in ``items``; an empty one for a fit.
    progress : bool or callable
    """
    sample = sample_of(len(items), method.random_state)
    place = np.full(len(items), -1)
    place[sample] = np.arange(len(sample))
    seen = [place[test][place[test] >= 0] for test in tests]
    weights = method.class_weight_by_code(classes)
    judge = LeaveOneOut(codes[sample], len(classes), weights, method.n_jobs, seen)
    sweeps = list(method.sweeps_of(data))
    whole: dict[int, Candidate] = {}
    for sweep in track(sweeps, len(sweeps), progress, "Screening on a sample"):
        coarse = [_coarse(own) for own in sweep.candidates]
        whole |= {id(few): own for few, own in zip(coarse, sweep.candidates, strict=True)}
        stack = sweep.sampled(data, items[sample], n_jobs=method.n_jobs)
        judge.enter(sweep.only(coarse), stack)
    kept = [[whole[id(own)] for own in _best(judge, fold)] for fold in range(len(tests))]
    return Screened(_only(sweeps, [own for some in kept for own in some]), kept)


def _coarse(candidate: Candidate) -> Candidate:
    """The same kernel with every other penalty and one scheme, which is enough to rank kernels."""
    return replace(
        candidate,
        alpha=candidate.alpha[1::2] or candidate.alpha,
        multiclass=candidate.multiclass[:1],
    )


def _best(judge: RidgeJudge, fold: int) -> list[Candidate]:
    """The most accurate candidates of the passes that have the most accurate ones."""
    accuracy = judge.accuracies(fold)
    best: dict[int, float] = {}
    for trial, own in zip(judge.trials, accuracy, strict=True):
        best[id(trial.candidate)] = max(own, best.get(id(trial.candidate), -1.0))
    by_pass: dict[int, list[Candidate]] = {}
    for trial in judge.trials:
        some = by_pass.setdefault(id(trial.sweep), [])
        if not some or some[-1] is not trial.candidate:
            some.append(trial.candidate)

    def order(candidates: Sequence[Candidate]) -> list[Candidate]:
        return sorted(candidates, key=lambda own: -best[id(own)])

    passes = sorted(by_pass.values(), key=lambda some: -max(best[id(own)] for own in some))
    return order([own for some in passes[:KEPT_PASSES] for own in some])[:KEPT]


def _only(sweeps: Sequence[Sweep], kept: Collection[Candidate]) -> list[Sweep]:
    """The passes that have one of these candidates, with these alone."""
    known = {id(own) for own in kept}
    cut = (sweep.only([c for c in sweep.candidates if id(c) in known]) for sweep in sweeps)
    return [sweep for sweep in cut if sweep.candidates]

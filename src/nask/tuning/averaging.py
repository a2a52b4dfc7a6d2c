"""The mean of the settings that are as good as the best, as one model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from nask.arrays import Array, Positions
from nask.estimators.averaged import (
    AveragedClassifier,
    AveragedRegressor,
    GraphGroup,
    Group,
    MemberLikeness,
)
from nask.execution.execution import Execution
from nask.learning.calibration import Calibration
from nask.learning.conformal import Conformity
from nask.learning.decisions import DecisionFunctions
from nask.learning.goals import Goal
from nask.learning.held_out import confidence_of
from nask.learning.likeness import Likeness, Side
from nask.tuning.sweeps import ChosenFunctions
from nask.tuning.trials import Choice, Trial


def averaged(
    choice: Choice,
    kernels: Mapping[int, Any],
    train: Positions | None,
    goal: Goal,
    classes: Array | None,
    n_jobs: int | None,
) -> AveragedClassifier | AveragedRegressor:
    """Return the mean of the chosen ridge regressions as one model.

    Settings that differ in the penalty alone share a kernel, and their functions are added up;
    those of pairs of classes are not, since they are compared first. Kernels that come from the
    same pass make a group.

    Parameters
    ----------
    choice : Choice
        Of trials that have their functions.
    kernels : mapping of int to fitted kernel
        By the identity of the sweep.
    train : ndarray or None
        The training nodes, where they are not all.
    goal : Goal
        What was learned of the training graphs, or nodes.
    classes : ndarray or None
        None of numbers.
    n_jobs : int or None
    """
    groups: list[Group] = []
    likeness = None
    for some in _alike(choice.trials, lambda trial: id(trial.sweep)):
        members: list[ChosenFunctions] = []
        for same in _alike(some, lambda trial: id(trial.candidate)):
            per_class = [trial for trial in same if trial.multiclass == "ovr"]
            apart = [[trial] for trial in same if trial.multiclass == "ovo"]
            for trials in [per_class, *apart] if per_class else apart:
                functions = _share(trials, len(choice.trials))
                first = trials[0]
                members.append((first.candidate, first.unit, first.multiclass, functions))
        sweep = some[0].sweep
        group = sweep.group(kernels[id(sweep)], members, train, goal.n_scores)
        best = [k for k, own in enumerate(members) if own[0] is choice.best.candidate]
        if best and isinstance(group, GraphGroup):
            found = choice.likeness or _likeness(group, best[0], n_jobs)
            likeness = None if found is None else MemberLikeness(len(groups), best[0], found)
        groups.append(group)
    settings = [trial.parameters for trial in choice.trials]
    left_out = [trial.left_out for trial in choice.trials if trial.left_out is not None]
    mean = np.asarray(np.mean(left_out, axis=0, dtype=np.float64))
    # The mean of what was chosen by these very answers is a little too good.
    held_out = mean if choice.held_out is None else choice.held_out
    if classes is None:
        conformity = Conformity.of_numbers(goal.truth, held_out[:, 0])
        return AveragedRegressor(groups, settings, n_jobs, conformity, likeness)
    calibration = Calibration.scaled(confidence_of(mean), goal.truth, goal.sample_weight)
    known = Conformity.of_decisions(calibration, confidence_of(held_out), goal.truth)
    return AveragedClassifier(groups, classes, calibration, settings, n_jobs, known, likeness)


def _likeness(group: GraphGroup, member: int, n_jobs: int | None) -> Likeness | None:
    """How far training graphs are from each other by one kernel, in a pass over them."""
    kernel, own = group.kernel, group.members[member]
    [gram] = kernel.grams_of_forms(kernel.graphs, [own[:2]], Execution(n_jobs=n_jobs))
    return Likeness.fit(gram, Side.of(kernel.graphs, own.form), np.arange(kernel.n_graphs))


def _alike(trials: Sequence[Trial], key: Callable[[Trial], int]) -> Iterable[list[Trial]]:
    """Trials that have something in common, in the order in which it first appears."""
    found: dict[int, list[Trial]] = {}
    for trial in trials:
        found.setdefault(key(trial), []).append(trial)
    return found.values()


def _share(trials: Sequence[Trial], n_all: int) -> DecisionFunctions:
    """The share of functions on one kernel in the mean of all settings."""
    parts = [trial.functions for trial in trials if trial.functions is not None]
    coefficients = np.sum([part.coefficients for part in parts], axis=0) / n_all
    return DecisionFunctions(coefficients, np.sum([p.constants for p in parts], axis=0) / n_all)

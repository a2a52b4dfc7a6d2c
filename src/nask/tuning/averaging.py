"""The mean of the settings that are as good as the best, as one classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nask.arrays import Array, Positions
from nask.estimators.averaged import AveragedClassifier
from nask.learning.calibration import Calibration
from nask.learning.decisions import DecisionFunctions
from nask.learning.ridge import confidence_of
from nask.tuning.leave_one_out import Choice, Trial


def averaged(
    choice: Choice,
    kernels: Mapping[int, Any],
    train: Positions | None,
    codes: Positions,
    classes: Array,
    n_jobs: int | None,
) -> AveragedClassifier:
    """Return the mean of the chosen ridge regressions as one classifier.

    Settings that differ in the penalty or the scheme alone share a kernel, and their functions
    are added up. Kernels that come from the same pass make a group.

    Parameters
    ----------
    choice : Choice
        Of trials that have their functions.
    kernels : mapping of int to fitted kernel
        By the identity of the sweep.
    train : ndarray or None
        The training nodes, where they are not all.
    codes : ndarray
        The classes of what was learned from, by their number.
    classes : ndarray
    n_jobs : int or None
    """
    passes: dict[int, dict[int, list[Trial]]] = {}
    for trial in choice.trials:
        own = passes.setdefault(id(trial.sweep), {})
        own.setdefault(id(trial.candidate), []).append(trial)
    groups = []
    for key, candidates in passes.items():
        sweep = next(trials for trials in candidates.values())[0].sweep
        members = [
            (trials[0].candidate, trials[0].unit, _mean(trials, len(choice.trials)))
            for trials in candidates.values()
        ]
        groups.append(sweep.group(kernels[key], members, train))
    left_out = [trial.left_out for trial in choice.trials if trial.left_out is not None]
    held_out = np.asarray(np.mean(left_out, axis=0, dtype=np.float64))
    calibration = Calibration.scaled(confidence_of(held_out), codes)
    settings = [trial.parameters for trial in choice.trials]
    return AveragedClassifier(groups, classes, calibration, settings, n_jobs)


def _mean(trials: list[Trial], n_all: int) -> DecisionFunctions:
    """The share of one kernel in the mean of all settings."""
    parts = [trial.functions for trial in trials if trial.functions is not None]
    coefficients = np.sum([part[0] for part in parts], axis=0) / n_all
    return DecisionFunctions(coefficients, np.sum([part[1] for part in parts], axis=0) / n_all)

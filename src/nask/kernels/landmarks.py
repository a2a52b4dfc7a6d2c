"""Graphs that stand for all: drawn at random, or far from each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nask.arrays import Float64, Positions
from nask.execution.execution import Execution
from nask.kernels.fitted import FittedKernel

# Graphs among which those far from each other are looked for, per landmark.
CANDIDATES_PER_LANDMARK = 4
# Of kernels in float32.
ROUNDING = 1e-5


def uniform(n_graphs: int, n: int, seed: int) -> Positions:
    """Positions of n graphs, all equally likely, in ascending order.

    Examples
    --------
    >>> uniform(10, 3, seed=0).tolist()
    [5, 6, 9]
    """
    rng = np.random.default_rng(seed)
    return np.sort(rng.choice(n_graphs, min(n, n_graphs), replace=False))


def far_apart(kernel: FittedKernel, n: int, seed: int, execution: Execution) -> Positions:
    """Positions of n training graphs that are far from each other in the kernel's space.

    Each next one is drawn with a chance in proportion to its squared distance from the nearest of
    those before (k-means++). So graphs like those chosen before are seldom chosen, and graphs
    equal to them never; there may be fewer than n then.

    Parameters
    ----------
    kernel : FittedKernel
        Its training graphs are the candidates.
    n : int
    seed : int
    execution : Execution
    """
    rng = np.random.default_rng(seed)
    linear = replace(kernel, form=replace(kernel.form, gram="linear"))
    rows, n_graphs = linear.graphs, linear.n_graphs
    own = linear.own(rows)
    chosen = [int(rng.integers(n_graphs))]
    nearest = np.full(n_graphs, np.inf)
    while True:
        last = chosen[-1]
        column = linear.gram(rows, rows.take(np.array([last])), None, execution)[:, 0]
        distance = own + own[last] - 2 * column
        # What is left of rounding is no distance.
        distance[distance < ROUNDING * (own + own[last])] = 0.0
        nearest = np.minimum(nearest, distance)
        total = float(nearest.sum())
        if len(chosen) == n or total <= 0.0:
            return np.sort(np.array(chosen))
        chosen.append(int(rng.choice(n_graphs, p=nearest / total)))


def whitening(gram: Any, cut: float) -> Float64:
    """The matrix W that makes the products of rows of gram @ W those of gram, (n, rank).

    Eigenvalues that are no larger than ``cut`` times the largest one count as 0: they are rounding,
    or directions that would magnify it.

    Examples
    --------
    >>> gram = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> rows = gram @ whitening(gram, 1e-12)
    >>> rows @ rows.T
    array([[2., 1.],
           [1., 2.]])
    >>> whitening(np.ones((3, 3)), 1e-12).shape
    (3, 1)
    """
    values, vectors = np.linalg.eigh(np.asarray(gram, dtype=np.float64))
    kept = values > cut * max(float(values[-1]), 0.0)
    # The largest first.
    order = np.flatnonzero(kept)[::-1]
    return np.asarray(vectors[:, order] / np.sqrt(values[order]))

"""Sinkhorn conditional gradient: transport at least cost, where the cost has a quadratic term.

Among the plans P whose rows sum to 1 / n and whose columns sum to 1 / m it minimises

    <M, P> + <P, A(P)> + epsilon sum P log P,
    A(P) = local (m K1 P L2 + n L1 P K2) - 2 connectivity C1 P C2 + ridge P.

A step replaces the quadratic term by its tangent, which leaves a problem for Sinkhorn's scaling,
and moves towards the solution of that problem as far as an upper bound allows. So the value never
rises. The gap, by how much the tangent problem would improve, is 0 where P is stationary.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nask.arrays import Float64, Index
from nask.compiled.compiling import compiled, inner

# Entries of exp(-cost / epsilon) below exp(-200) would leave nothing to scale.
LOWEST = -200.0


class Side(NamedTuple):
    """What the quadratic term knows of one of the two graphs: symmetric matrices.

    Parameters
    ----------
    C, K : ndarray of shape (n, n)
    ends : ndarray of shape (n_entries, 2)
        Row and column of the entries of L other than 0.
    entries : ndarray of shape (n_entries,)
    """

    C: Float64
    K: Float64
    ends: Index
    entries: Float64


class Weights(NamedTuple):
    """Weights of the terms."""

    local: float
    connectivity: float
    ridge: float
    epsilon: float


@compiled
def transport(M, first, second, weights, n_steps, n_scalings, tolerance):  # type: ignore[no-untyped-def]
    """Return the least value and its plan, starting from the plan of independence.

    Parameters
    ----------
    M : ndarray of shape (n, m)
    n_steps, n_scalings : int
        Largest number of steps, and of rounds of scaling per step.
    tolerance : float
        The gap, and the error of the sums of a plan, at which to stop.

    Returns
    -------
    value : float
    plan : ndarray of shape (n, m)
    """
    n, m = M.shape
    epsilon = weights.epsilon
    plan = np.full((n, m), 1 / (n * m))
    goal, cost, work = np.empty((n, m)), np.empty((n, m)), np.empty((n, m))
    image, goal_image = np.empty((n, m)), np.empty((n, m))
    scaling, across = np.empty((n, m)), np.empty((m, n))
    u, totals, rows = np.empty(n), np.empty(n), np.empty(n)
    v, log_v, columns = np.empty(m), np.zeros(m), np.empty(m)
    _quadratic(plan, first, second, weights, image, work)
    entropy = -np.log(n * m)
    for _ in range(n_steps):
        for i in range(n):
            for j in range(m):
                cost[i, j] = M[i, j] + 2 * image[i, j]
        _prepare(cost, epsilon, scaling, across, rows, columns)
        _scale(scaling, across, n_scalings, tolerance, log_v, columns, epsilon, u, v, totals)
        goal_entropy = _plan(cost, epsilon, scaling, rows, columns, u, v, log_v, goal)
        slope = epsilon * (goal_entropy - entropy)
        for i in range(n):
            for j in range(m):
                slope += cost[i, j] * (goal[i, j] - plan[i, j])
        if slope > -tolerance:
            break
        _quadratic(goal, first, second, weights, goal_image, work)
        bend = 0.0
        for i in range(n):
            for j in range(m):
                bend += (goal[i, j] - plan[i, j]) * (goal_image[i, j] - image[i, j])
        step = 1.0 if 2 * bend <= -slope else -slope / (2 * bend)
        for i in range(n):
            for j in range(m):
                plan[i, j] += step * (goal[i, j] - plan[i, j])
                image[i, j] += step * (goal_image[i, j] - image[i, j])
        entropy = goal_entropy if step == 1.0 else _entropy(plan)
    value = epsilon * entropy
    for i in range(n):
        for j in range(m):
            value += (M[i, j] + image[i, j]) * plan[i, j]
    return value, plan


@inner
def _quadratic(plan, first, second, weights, out, work):  # type: ignore[no-untyped-def]
    """Put A(plan) into ``out``."""
    n, m = plan.shape
    for i in range(n):
        for j in range(m):
            out[i, j] = weights.ridge * plan[i, j]
    if weights.connectivity > 0:
        work[:] = 0.0
        _add_product(1.0, first.C, plan, work)
        _add_product(-2 * weights.connectivity, work, second.C, out)
    if weights.local > 0:
        work[:] = 0.0
        for i in range(n):
            for k in range(len(second.entries)):
                row, column = second.ends[k]
                work[i, column] += plan[i, row] * second.entries[k]
        _add_product(weights.local * m, first.K, work, out)
        work[:] = 0.0
        for k in range(len(first.entries)):
            row, column = first.ends[k]
            for j in range(m):
                work[row, j] += first.entries[k] * plan[column, j]
        _add_product(weights.local * n, work, second.K, out)


@inner
def _add_product(scale, left, right, out):  # type: ignore[no-untyped-def]
    """Add scale * left @ right to ``out``, four rows of ``right`` at a time."""
    n, width = left.shape
    m = right.shape[1]
    whole = width - width % 4
    for i in range(n):
        for k in range(0, whole, 4):
            a, b = scale * left[i, k], scale * left[i, k + 1]
            c, d = scale * left[i, k + 2], scale * left[i, k + 3]
            for j in range(m):
                out[i, j] += a * right[k, j] + b * right[k + 1, j]
                out[i, j] += c * right[k + 2, j] + d * right[k + 3, j]
        for k in range(whole, width):
            a = scale * left[i, k]
            for j in range(m):
                out[i, j] += a * right[k, j]


@inner
def _prepare(cost, epsilon, scaling, across, rows, columns):  # type: ignore[no-untyped-def]
    """Put exp(-cost / epsilon), up to factors of rows and columns, into ``scaling``."""
    n, m = cost.shape
    # Without the least of each row, then of each column, none is without an entry of 1.
    columns[:] = np.inf
    for i in range(n):
        rows[i] = np.inf
        for j in range(m):
            rows[i] = min(rows[i], cost[i, j])
        for j in range(m):
            columns[j] = min(columns[j], cost[i, j] - rows[i])
    for i in range(n):
        for j in range(m):
            scaling[i, j] = np.exp(max((rows[i] + columns[j] - cost[i, j]) / epsilon, LOWEST))
            # Stored twice, so that both sums run along rows of memory.
            across[j, i] = scaling[i, j]


@inner
def _scale(scaling, across, n_scalings, tolerance, log_v, columns, epsilon, u, v, totals):  # type: ignore[no-untyped-def]
    """Find factors u and v of rows and columns; those of columns start from ``log_v``."""
    n, m = scaling.shape
    for j in range(m):
        v[j] = np.exp(min(max(log_v[j] - columns[j] / epsilon, LOWEST), -LOWEST))
    u[:] = 0.0
    for _ in range(n_scalings):
        totals[:] = 0.0
        for j in range(m):
            for i in range(n):
                totals[i] += v[j] * across[j, i]
        error = 0.0
        for i in range(n):
            error += abs(u[i] * totals[i] - 1 / n)
            u[i] = 1 / (n * totals[i])
        if error < tolerance:
            break
        v[:] = 0.0
        for i in range(n):
            for j in range(m):
                v[j] += u[i] * scaling[i, j]
        for j in range(m):
            v[j] = 1 / (m * v[j])


@inner
def _plan(cost, epsilon, scaling, rows, columns, u, v, log_v, goal):  # type: ignore[no-untyped-def]
    """Put the scaled plan into ``goal`` and return its sum P log P; ``log_v`` is the next start."""
    n, m = cost.shape
    for j in range(m):
        log_v[j] = np.log(v[j])
    entropy = 0.0
    for i in range(n):
        log_u = np.log(u[i])
        for j in range(m):
            goal[i, j] = u[i] * scaling[i, j] * v[j]
            exponent = max((rows[i] + columns[j] - cost[i, j]) / epsilon, LOWEST)
            entropy += goal[i, j] * (log_u + exponent + log_v[j])
    for j in range(m):
        log_v[j] += columns[j] / epsilon
    return entropy


@inner
def _entropy(plan):  # type: ignore[no-untyped-def]
    """Sum of P log P."""
    total = 0.0
    for i in range(plan.shape[0]):
        for j in range(plan.shape[1]):
            if plan[i, j] > 0:
                total += plan[i, j] * np.log(plan[i, j])
    return total

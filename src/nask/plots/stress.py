"""Where the nodes of a connected graph are drawn: as far apart as the paths between them say."""

from __future__ import annotations

from typing import Any

import numpy as np

from nask.arrays import Float64
from nask.plots.pivots import centred, parted, pivot_positions

# All pairs of 1000 nodes take about two seconds; the time grows with the square.
MOST_PAIRED = 1000
MOST_STEPS, SMALLEST_GAIN = 200, 1e-4


def stress_positions(adjacency: Any) -> Float64:
    """Positions whose distances are close to the lengths of shortest paths.

    They lessen the stress ``sum_{i<j} (|x_i - x_j| - d_ij)^2 / d_ij^2`` by majorization, from
    classical scaling on. Above 1000 nodes, paths to 100 pivots decide (`pivot_positions`): their
    time is almost linear. The long side of the picture is horizontal.

    Parameters
    ----------
    adjacency : csr_array of shape (n_nodes, n_nodes)
        Symmetric and connected; what is stored is an edge.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> path = csr_array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> x, y = stress_positions(path).T
    >>> np.abs(x).round(3).tolist(), np.abs(y).round(3).tolist()
    ([1.0, 0.0, 1.0], [0.0, 0.0, 0.0])
    """
    from scipy.sparse.csgraph import shortest_path

    n = adjacency.shape[0]
    if n == 1:
        return np.zeros((1, 2))
    if n <= MOST_PAIRED:
        paths = shortest_path(adjacency, unweighted=True, directed=False)
        # Majorization would never part nodes that start at one place.
        return turned(majorized(parted(classical_scaling(paths), digits=6), paths))
    return turned(pivot_positions(adjacency))


def classical_scaling(paths: Float64) -> Float64:
    """First two principal coordinates of nodes with these distances.

    Examples
    --------
    >>> np.abs(classical_scaling(np.array([[0.0, 3.0], [3.0, 0.0]]))).round(3).tolist()
    [[1.5, 0.0], [1.5, 0.0]]
    """
    from scipy.linalg import eigh

    n = len(paths)
    values, vectors = eigh(centred(paths), subset_by_index=(max(n - 2, 0), n - 1))
    points = np.zeros((n, 2))
    points[:, : len(values)] = (vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1]
    return points


def majorized(points: Float64, paths: Float64) -> Float64:
    """Points moved until their stress no longer falls.

    One step solves ``L_w X' = L_X X``, where ``L_w`` is the Laplacian of the weights
    ``w_ij = d_ij^-2`` and ``L_X`` that of ``w_ij d_ij / |x_i - x_j|``; no step adds stress.
    """
    from scipy.spatial.distance import cdist

    n = len(points)
    # A node has no distance to itself: its weight is 0.
    root = 1 / np.where(paths > 0, paths, np.inf)
    # The Laplacian leaves the mean open; with 1/n added the mean is that of the points, 0.
    solve = np.linalg.inv(np.diag(np.sum(root**2, axis=1)) - root**2 + 1 / n)
    points = points - points.mean(axis=0)
    before = np.inf
    for _ in range(MOST_STEPS):
        apart = cdist(points, points)
        stress = float(np.sum((root * apart - (root > 0)) ** 2))
        if before - stress <= SMALLEST_GAIN * stress:
            break
        before = stress
        pulls = np.divide(root, apart, out=np.zeros_like(apart), where=apart > 0)
        points = solve @ (pulls.sum(axis=1)[:, None] * points - pulls @ points)
    return points


def turned(points: Float64) -> Float64:
    """Points turned such that they spread most from left to right, with the longer tail right.

    Examples
    --------
    >>> turned(np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 5.0]])).round(3).tolist()
    [[-2.0, 0.0], [-1.0, 0.0], [3.0, 0.0]]
    """
    points = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(points.T @ points)
    result: Float64 = points @ axes[:, ::-1]
    tails = np.sum(result**3, axis=0)
    # Rounding must not decide which way a symmetric picture points.
    return np.where(tails < -1e-9 * np.abs(result**3).sum(axis=0), -result, result)

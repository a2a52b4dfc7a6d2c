"""Where the nodes of a large graph are drawn, in almost linear time: paths to a few pivots."""

from __future__ import annotations

from typing import Any

import numpy as np

from nask.arrays import Float64, Index

N_PIVOTS = 100
# Each step takes about 15 ms for 4000 nodes.
STEPS, N_NEAREST = 60, 8
# Between any two nodes, in lengths of an edge: how near pushes leave them is up to rounding errors.
LEAST = 0.01
GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))


def pivot_positions(adjacency: Any) -> Float64:
    """Positions of the nodes of a connected graph, with edges about 1 long.

    Classical scaling of the shortest paths to pivots places them roughly; near ones are then
    pushed apart, and edges pulled to length 1.

    Parameters
    ----------
    adjacency : csr_array of shape (n_nodes, n_nodes)
        Symmetric and connected, with two nodes or more; what is stored is an edge.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> star = csr_array([[0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]])
    >>> hub, *leaves = pivot_positions(star)
    >>> [round(float(np.linalg.norm(leaf - hub)), 1) for leaf in leaves]
    [1.0, 1.0, 1.0]
    """
    return separated(relaxed(parted(pivot_scaling(adjacency), digits=1), adjacency))


def pivot_scaling(adjacency: Any) -> Float64:
    """Coordinates of classical scaling from the distances to pivots that lie far apart.

    Each pivot is the node that is farthest from those before it. The mean edge has length 1.
    """
    from scipy.sparse.csgraph import dijkstra

    n = adjacency.shape[0]
    to_pivots = np.empty((n, min(N_PIVOTS, n)))
    nearest = np.full(n, np.inf)
    # The first is a node of the highest degree: the numbering of nodes seldom matters then.
    pivot = int(np.argmax(np.diff(adjacency.indptr)))
    for column in range(to_pivots.shape[1]):
        to_pivots[:, column] = dijkstra(adjacency, directed=False, unweighted=True, indices=pivot)
        np.minimum(nearest, to_pivots[:, column], out=nearest)
        pivot = int(np.argmax(nearest))
    inner = centred(to_pivots)
    _, directions = np.linalg.eigh(inner.T @ inner)
    points: Float64 = inner @ directions[:, :-3:-1]
    ends = adjacency.tocoo()
    lengths = np.linalg.norm(points[ends.row] - points[ends.col], axis=1)
    return points / (lengths.mean() or 1.0)


def relaxed(points: Float64, adjacency: Any) -> Float64:
    """Points after some steps away from near ones, up to distance 1, and along their edges."""
    from scipy.spatial import KDTree

    n = len(points)
    ends = adjacency.tocoo()
    degrees = np.maximum(np.bincount(ends.row, minlength=n), 1)
    k = min(N_NEAREST, n - 1)
    for _ in range(STEPS):
        apart, near = KDTree(points).query(points, k=k + 1)
        # Of each, the first is the point itself.
        away = points[:, None] - points[near[:, 1:]]
        pushes = np.sum(_longer_by(away, np.maximum(1 - apart[:, 1:], 0)), axis=1)
        along = points[ends.col] - points[ends.row]
        strains = _longer_by(along, np.linalg.norm(along, axis=1) - 1)
        pulls = [np.bincount(ends.row, strains[:, axis], minlength=n) / degrees for axis in (0, 1)]
        points = points + pushes / k + np.column_stack(pulls) / 2
    return points


def separated(points: Float64, least: float = LEAST) -> Float64:
    """Points of which near pairs were pushed apart, to that distance where there is room.

    Examples
    --------
    >>> separated(np.array([[0.0, 0.0], [0.25, 0.0], [3.0, 0.0]]), least=1.0).tolist()
    [[-0.375, 0.0], [0.625, 0.0], [3.0, 0.0]]
    """
    from scipy.spatial import KDTree

    for _ in range(STEPS):
        pairs = KDTree(points).query_pairs(least * (1 - 1e-6), output_type="ndarray")
        if not len(pairs):
            break
        u, v = pairs.T
        away = points[u] - points[v]
        pushes = _longer_by(away, (least - np.linalg.norm(away, axis=1)) / 2)
        ends, both = np.concatenate([u, v]), np.concatenate([pushes, -pushes])
        moved = [np.bincount(ends, both[:, axis], minlength=len(points)) for axis in (0, 1)]
        points = points + np.column_stack(moved)
    return points


def parted(points: Float64, digits: int) -> Float64:
    """Points that are equal when rounded, such as leaves of one node, moved onto small spirals.

    Examples
    --------
    >>> parted(np.zeros((2, 2)), digits=1).round(3).tolist()
    [[0.0, 0.0], [-0.074, 0.068]]
    """
    _, place, counts = np.unique(
        points.round(digits), axis=0, return_inverse=True, return_counts=True
    )
    ranks = np.empty(len(points), dtype=np.int64)
    firsts = np.repeat(np.cumsum(counts) - counts, counts)
    ranks[np.argsort(place, kind="stable")] = np.arange(len(points)) - firsts
    return points + 0.1 * golden_spiral(ranks)


def golden_spiral(ranks: Index) -> Float64:
    """Points of a spiral, all different and evenly spread, by their rank; radius sqrt(rank).

    Examples
    --------
    >>> golden_spiral(np.array([0, 1])).round(3).tolist()
    [[0.0, 0.0], [-0.737, 0.675]]
    """
    angles = GOLDEN_ANGLE * ranks
    points: Float64 = np.sqrt(ranks)[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return points


def centred(distances: Float64) -> Float64:
    """Inner products that follow from distances, with rows and columns whose mean is 0.

    Examples
    --------
    >>> centred(np.array([[0.0, 2.0], [2.0, 0.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    inner = -0.5 * distances**2
    inner += inner.mean() - inner.mean(axis=0) - inner.mean(axis=1)[:, None]
    return inner


def _longer_by(vectors: Float64, lengths: Float64) -> Float64:
    """Vectors of these lengths and directions; 0 where there is no direction."""
    norms = np.linalg.norm(vectors, axis=-1)
    factors = np.divide(lengths, norms, out=np.zeros_like(norms), where=norms > 0)
    longer: Float64 = vectors * factors[..., None]
    return longer

"""Where the nodes of a graph are drawn: its parts side by side, lonely nodes in rows below."""

from __future__ import annotations

import numpy as np

from nask.arrays import Float64
from nask.graph.attributed_graph import AttributedGraph
from nask.plots.pivots import golden_spiral
from nask.plots.stress import stress_positions

# Between parts, and between lonely nodes, in lengths of an edge.
GAP = 1.0
# Width of a picture of many parts, relative to its height.
ASPECT = 2.0


def layout(graph: AttributedGraph) -> Float64:
    """Positions of the nodes, all different and the same in every call.

    Each connected part is drawn by the lengths of its shortest paths (`stress_positions`), with
    edges about 1 long. Parts stand side by side, the tallest first, in rows if they are many.
    Nodes without neighbours stand in rows below them.

    Returns
    -------
    ndarray of shape (n_nodes, 2)

    Examples
    --------
    >>> layout(AttributedGraph(4, [(0, 1)])).round(3).tolist()
    [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = graph.n_nodes
    u, v = graph.edges.T
    ends = np.concatenate([u, v]), np.concatenate([v, u])
    adjacency = csr_array((np.ones(2 * len(u), dtype=np.int8), ends), shape=(n, n))
    _, part_of = connected_components(adjacency, directed=False)
    lonely = np.flatnonzero(graph.degrees() == 0)
    order = np.argsort(part_of, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(part_of[order])) + 1) if n else []
    parts = [part for part in parts if len(part) > 1]

    points = np.zeros((n, 2))
    for part in parts:
        # A graph of one part need not be copied.
        own = adjacency if len(part) == n else adjacency[part][:, part]
        points[part] = stress_positions(own)
        points[part] -= points[part].min(axis=0)
    sizes = np.array([points[part].max(axis=0) for part in parts]).reshape(-1, 2)
    corners, width = shelves(sizes)
    for part, corner in zip(parts, corners, strict=True):
        points[part] += corner
    points[lonely] = _rows(len(lonely), width)
    while len(np.unique(points, axis=0)) < n:
        points += 1e-3 * golden_spiral(np.arange(n))
    return points


def shelves(sizes: Float64) -> tuple[Float64, float]:
    """Lower left corners of boxes on shelves, the tallest first, and the width that they take.

    The first shelf is the uppermost; the lowest stands at height `GAP`.

    Parameters
    ----------
    sizes : ndarray of shape (n_boxes, 2)
        Their widths and heights.

    Examples
    --------
    >>> corners, width = shelves(np.array([[1.0, 1.0], [2.0, 3.0]]))
    >>> corners.tolist(), width
    ([[3.0, 1.0], [0.0, 1.0]], 4.0)
    """
    corners = np.zeros_like(sizes)
    if not len(sizes):
        return corners, 0.0
    widths, heights = (sizes + GAP).T
    fitting = max(float(widths.max()), float(np.sqrt(ASPECT * np.sum(widths * heights))))
    x = top = 0.0
    tallest = 0.0
    for box in np.lexsort([-widths, -heights]):
        if x > 0 and x + widths[box] > fitting * (1 + 1e-9):
            x, top, tallest = 0.0, top - tallest, 0.0
        # The first box of a shelf is its tallest; all stand on the same ground.
        tallest = tallest or heights[box]
        corners[box] = x, top - tallest
        x += widths[box]
    corners[:, 1] += GAP - corners[:, 1].min()
    return corners, float(np.max(corners[:, 0] + sizes[:, 0]))


def _rows(n: int, width: float) -> Float64:
    """Positions of so many lonely nodes in rows of that width, at height 0 and below."""
    columns = max(int(width / GAP) + 1, int(np.ceil(np.sqrt(ASPECT * n))), 10)
    places = np.arange(n)
    return np.column_stack([GAP * (places % columns), GAP * -(places // columns)])

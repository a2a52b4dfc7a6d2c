"""How large a picture of a graph is, and how large its nodes are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64
from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.plots.layout import layout
from nask.plots.molecule import positions_of_atoms

# Inches between nodes that are near each other, and sides of the picture.
NEAR, SMALLEST_SIDE, LARGEST_SIDE, BAR = 0.5, 2.4, 7.0, 1.0
# Radius of a node relative to the distance of near nodes, and to the side of the picture.
RADIUS, SMALLEST_RADIUS, LARGEST_RADIUS = 0.36, 0.004, 0.09
# The shorter side relative to the longer one: a colour bar beside it has room for its numbers.
FLATTEST = 0.45


def as_positions(positions: npt.ArrayLike | None, graph: AttributedGraph) -> Float64:
    """Check the positions of the nodes.

    If none are given, those of RDKit's depiction of a molecule, or those of `layout`.

    Examples
    --------
    >>> as_positions([[0.0, 0.0]], AttributedGraph(2))
    Traceback (most recent call last):
    nask.exceptions.ParameterError: positions must hold two finite numbers per node, of shape
    (2, 2). Got shape (1, 2).
    """
    if positions is None:
        atoms = positions_of_atoms(graph)
        return layout(graph) if atoms is None else atoms
    try:
        points = np.asarray(positions, dtype=np.float64)
    except (TypeError, ValueError):
        points = np.full(0, np.nan)
    finite = np.isfinite(points).all()
    if points.shape != (graph.n_nodes, 2) or not finite:
        got = f"shape {points.shape}" if finite else "NaN, infinite values or no numbers"
        raise ParameterError(
            f"positions must hold two finite numbers per node, of shape ({graph.n_nodes}, 2). "
            f"Got {got}."
        )
    return points


def picture_size(points: Float64, largest: float = LARGEST_SIDE) -> tuple[float, float]:
    """Width and height in inches that suit these positions, with no side above the largest."""
    low, high, _ = frame(points)
    sides = (high - low) / (_near(points) or 1.0) * NEAR
    sides *= min(1.0, largest / sides.max())
    width, height = np.maximum(sides, SMALLEST_SIDE).tolist()
    return width, height


def frame(points: Float64) -> tuple[Float64, Float64, float]:
    """Lower left and upper right corner of the picture, and the radius of a node."""
    if not len(points):
        return np.full(2, -1.0), np.full(2, 1.0), 1.0
    low, high = points.min(axis=0), points.max(axis=0)
    side = float(np.max(high - low)) or 1.0
    near = _near(points) or 0.15 * side
    radius = float(np.clip(RADIUS * near, SMALLEST_RADIUS * side, LARGEST_RADIUS * side))
    margin = np.maximum(1.5 * radius, (FLATTEST * side - (high - low)) / 2)
    return low - margin, high + margin, radius


def _near(points: Float64) -> float:
    """Distance of a node to its nearest one, exceeded by three of four; 0 if there is none."""
    from scipy.spatial import KDTree

    if len(points) < 2:
        return 0.0
    return float(np.quantile(KDTree(points).query(points, k=2)[0][:, 1], 0.25))

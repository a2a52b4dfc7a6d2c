"""Two graphs side by side, with lines between the stars that match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64, Positions
from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.messages import quoted
from nask.numeric import TINY
from nask.optional import require
from nask.plots.frame import BAR, as_positions, picture_size
from nask.plots.graph_drawing import draw_graph
from nask.plots.node_labels import Labels, node_texts
from nask.plots.signed_scale import SignedScale, signed
from nask.plots.style import COLOURS, axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Space between the graphs, relative to the width of both.
SPACE = 0.25
# Inches: two graphs side by side may be wider than one.
WIDEST = 10.0
# How far the ends of the tangents of a line are beside it, relative to its length.
BOW = 0.1
# A colour that the scale of the nodes does not have.
LINE = COLOURS[2]
THINNEST, THICKEST = 0.5, 4.0
FAINTEST, DARKEST = 0.2, 0.8


class Aligned(Protocol):
    """What is drawn of an alignment."""

    @property
    def graphs(self) -> tuple[AttributedGraph, AttributedGraph]:
        """The two graphs."""

    @property
    def matrix(self) -> Float64:
        """Share of each pair of stars in the value of the kernel, of shape (n1, n2)."""


def alignment(
    found: Aligned,
    *,
    most: int = 20,
    labels: Labels = True,
    positions: tuple[npt.ArrayLike | None, npt.ArrayLike | None] = (None, None),
    limit: float | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw two graphs and lines between their matching stars.

    The colour of a node is the share of its star in the value of the kernel. Lines pair each star
    with one of the other graph at most, such that the pairs have the largest sum of shares; the
    wider and darker a line, the larger the share of its pair. The line below the graphs says how
    much of the value the lines hold.

    Parameters
    ----------
    found : Alignment
        What :func:`nask.align` returned.
    most : int, default=20
        How many lines are drawn: those of the largest shares.
    labels, limit, title, ax
        As in :func:`graph`; labels are the name of an attribute, or whether there are any.
    positions : pair of array-like, optional
        Positions of the nodes of each graph.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> pair = AttributedGraph(2, [(0, 1)], {"element": ["C", "O"]}), AttributedGraph(1)
    >>> ax = alignment(SimpleNamespace(graphs=pair, matrix=np.array([[0.25], [0.75]])))
    >>> ax.texts[-1].get_text()
    '1 pair, 75 % of +1'
    """
    graphs = tuple(found.graphs)
    matrix = _as_shares(found.matrix, graphs)
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 0:
        raise ParameterError(f"most must be an integer of 0 or more. Got {quoted(most)}.")
    left, right = (as_positions(own, g) for own, g in zip(positions, graphs, strict=True))
    left, right = side_by_side(left, right)
    points = np.concatenate([left, right])
    shares = np.concatenate([matrix.sum(axis=1), matrix.sum(axis=0)])
    scale = SignedScale.of([shares], limit)
    first, second = strongest_pairs(matrix, most)

    width, height = picture_size(points, WIDEST)
    ax = axes_or_new(ax, width + BAR, height + 0.6)
    draw_graph(ax, _together(graphs), points, scale, shares, texts=_texts(graphs, labels))
    amounts = matrix[first, second]
    sizes = amounts / amounts.max(initial=TINY)
    colours = [(LINE, FAINTEST + (DARKEST - FAINTEST) * size) for size in sizes.tolist()]
    lines = require("matplotlib.collections", "plots").LineCollection(
        arcs(left[first], right[second]),
        colors=colours, linewidths=np.maximum(THICKEST * sizes, THINNEST), zorder=0.5,
        capstyle="round", clip_on=False,
    )  # fmt: skip
    ax.add_collection(lines)
    ax.text(
        0.5, -0.02, _caption(amounts, float(matrix.sum())), transform=ax.transAxes,
        ha="center", va="top", fontsize=8,
    )  # fmt: skip
    scale.add_colour_bar(ax, "Share of the kernel's value")
    if title:
        ax.set_title(title, fontsize=10)
    return ax


def strongest_pairs(matrix: Float64, most: int) -> tuple[Positions, Positions]:
    """Rows and columns of the pairs, one per row and column at most, of the largest sum.

    Of them, those of the largest amounts, as long as these are positive.

    Examples
    --------
    >>> [own.tolist() for own in strongest_pairs(np.array([[2.0, 3.0], [0.0, 2.0]]), 5)]
    [[0, 1], [0, 1]]
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(matrix, maximize=True)
    amounts = matrix[rows, columns]
    order = np.argsort(-amounts, kind="stable")[:most]
    order = order[amounts[order] > 0]
    return rows[order], columns[order]


def arcs(starts: Float64, ends: Float64) -> Float64:
    """Points of a curve between each pair of points, of shape (n_pairs, n_points, 2).

    Curves bow away from the middle, so that they pass by nodes that lie in a row.

    Examples
    --------
    >>> arcs(np.array([[0.0, 1.0]]), np.array([[10.0, 1.0]]))[0, [0, 10, 20]].round(3).tolist()
    [[0.0, 1.0], [5.0, 1.5], [10.0, 1.0]]
    """
    across = ends - starts
    middles = (starts + ends) / 2
    sides = np.where(middles[:, 1:] < 0, -1.0, 1.0)
    controls = middles + BOW * sides * np.column_stack([-across[:, 1], across[:, 0]])
    t = np.linspace(0, 1, 21)[:, None]
    curves: Float64 = (
        (1 - t) ** 2 * starts[:, None] + 2 * t * (1 - t) * controls[:, None] + t**2 * ends[:, None]
    )
    return curves


def side_by_side(left: Float64, right: Float64) -> tuple[Float64, Float64]:
    """Positions of two graphs, the second to the right of the first, at the same height."""
    both = [own - (own.min(axis=0) + own.max(axis=0)) / 2 for own in (left, right) if len(own)]
    widths = [float(np.ptp(own[:, 0])) for own in both]
    space = max(SPACE * sum(widths), 2.0)
    if len(both) < 2:
        return left, right
    return both[0], both[1] + [sum(widths) / 2 + space, 0.0]


def _as_shares(matrix: npt.ArrayLike, graphs: tuple[AttributedGraph, ...]) -> Float64:
    if len(graphs) != 2:
        raise ParameterError(f"An alignment is of two graphs. Got {len(graphs)}.")
    shares = np.asarray(matrix, dtype=np.float64)
    expected = graphs[0].n_nodes, graphs[1].n_nodes
    if shares.shape != expected or not np.isfinite(shares).all():
        got = "NaN or infinite values" if shares.shape == expected else f"shape {shares.shape}"
        raise ParameterError(
            f"The matrix of an alignment must hold a finite number per pair of nodes, of shape "
            f"{expected}. Got {got}."
        )
    return shares


def _together(graphs: tuple[AttributedGraph, ...]) -> AttributedGraph:
    """Both graphs as one, without attributes."""
    first, second = graphs
    edges = np.concatenate([first.edges, second.edges + first.n_nodes])
    return AttributedGraph.from_valid(first.n_nodes + second.n_nodes, edges, {}, {})


def _texts(graphs: tuple[AttributedGraph, ...], labels: Labels) -> list[str] | None:
    own = [node_texts(graph, labels) or [""] * graph.n_nodes for graph in graphs]
    return own[0] + own[1]


def _caption(amounts: Float64, value: float) -> str:
    pairs = "1 pair" if len(amounts) == 1 else f"{len(amounts)} pairs"
    if not value:
        return pairs
    return f"{pairs}, {100 * amounts.sum() / value:.0f} % of {signed(value)}"

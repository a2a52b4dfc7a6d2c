"""A graph as a picture: nodes and edges with the colours of their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64, Mask
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graph
from nask.optional import is_instance, require
from nask.plots.frame import BAR, as_positions, frame, picture_size
from nask.plots.molecule import molecule_positions
from nask.plots.node_labels import Labels, fitted, node_texts
from nask.plots.signed_scale import SignedScale, as_amounts, text_colours
from nask.plots.style import GREY, axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS_PER_INCH = 72
# The least that a title and a colour bar leave of the space of Axes not yet laid out.
DRAWN_SHARE = 0.92
PLAIN, RIM, LINE, PALE = "#E8E8E8", "#404040", "#999999", "#B5B5B5"


class Faded(NamedTuple):
    """Which nodes and edges of a graph are drawn pale."""

    nodes: Mask
    edges: Mask


def graph(
    graph: Any,
    values: npt.ArrayLike | None = None,
    *,
    edge_values: npt.ArrayLike | None = None,
    labels: Labels = True,
    positions: npt.ArrayLike | None = None,
    limit: float | None = None,
    scale_label: str = "Value",
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a graph, its nodes and edges coloured by values: blue below 0, red above.

    Parameters
    ----------
    graph : AttributedGraph, or a graph of networkx, PyTorch Geometric, RDKit or GraKeL
    values : array-like of shape (n_nodes,), optional
        Number of each node. Without numbers the graph is drawn plainly.
    edge_values : array-like of shape (n_edges,), optional
        Number of each edge, in the order of ``AttributedGraph.edges``: its colour, on the scale of
        the nodes, and its width.
    labels : bool, str, sequence or None, default=True
        What is written into nodes: the attribute of that name, or one label per node. By default,
        the first categorical attribute of 20 values at most. Long labels are shortened. Nothing
        is written if it is False or None, or if nodes are too small.
    positions : array-like of shape (n_nodes, 2), optional
        Where nodes are. By default, molecules of RDKit are drawn as RDKit depicts them
        (`molecule_positions`), and other graphs by the lengths of their shortest paths.
    limit : float, optional
        The number with the strongest colour; the largest by default.
    scale_label : str, default="Value"
        What the colour bar says.
    title : str, optional
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import networkx as nx
    >>> ax = graph(nx.path_graph(3), [-1.0, 0.0, 2.0], labels=["a", "b", "c"])
    >>> [text.get_text() for text in ax.texts]
    ['a', 'b', 'c']
    >>> graph(nx.path_graph(3), [1.0, 2.0])
    Traceback (most recent call last):
    nask.exceptions.ParameterError: values must hold one number per node (3). Got shape (2,).
    """
    own = as_graph(graph)
    if positions is None and is_instance(graph, "rdkit", "Mol"):
        positions = molecule_positions(graph)
    points = as_positions(positions, own)
    nodes = None if values is None else as_amounts(values, own.n_nodes, "values", "node")
    edges = None
    if edge_values is not None:
        edges = as_amounts(edge_values, own.n_edges, "edge_values", "edge")
    scale = SignedScale.of([given for given in (nodes, edges) if given is not None], limit)
    texts = node_texts(own, labels)
    coloured = nodes is not None or edges is not None
    width, height = picture_size(points)
    ax = axes_or_new(ax, width + BAR * coloured, height + 0.3 * bool(title))
    draw_graph(ax, own, points, scale, nodes, edges, texts)
    if coloured:
        scale.add_colour_bar(ax, scale_label)
    if title:
        ax.set_title(title, fontsize=10)
    return ax


def draw_graph(
    ax: Axes,
    graph: AttributedGraph,
    points: Float64,
    scale: SignedScale,
    nodes: Float64 | None = None,
    edges: Float64 | None = None,
    texts: list[str] | None = None,
    *,
    fills: Float64 | None = None,
    faded: Faded | None = None,
) -> None:
    """Draw what has been checked into Axes, without a colour bar.

    ``fills`` are colours of the nodes instead of those of their values. Nodes and edges that are
    ``faded`` are pale, without a colour and without a label.
    """
    collections = require("matplotlib.collections", "plots")
    low, high, radius = frame(points)
    ax.set_aspect("equal")
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_axis_off()
    if not graph.n_nodes:
        ax.text(0.0, 0.0, "no nodes", ha="center", va="center", color=GREY)
        return
    diameter = 2 * radius * _points_per_unit(ax)
    thin = float(np.clip(0.06 * diameter, 0.2, 1.0))
    segments = points[graph.edges]
    widths = np.zeros(graph.n_edges)
    if edges is not None:
        thick = float(np.clip(0.4 * diameter, 1.5, 5.0))
        widths = thick * np.minimum(np.abs(edges) / scale.limit, 1)
    # Grey lines below the coloured ones, as their rims: pale edges are edges too.
    greys = np.full(graph.n_edges, LINE, dtype=object)
    rims = np.full(graph.n_nodes, RIM, dtype=object)
    if faded is not None:
        greys[faded.edges], rims[faded.nodes] = PALE, PALE
        # What is not faded is stronger than in a picture where nothing is.
        thin = max(thin, 0.5)
        greys[~faded.edges], widths = RIM, widths + thin * ~faded.edges
    lines = collections.LineCollection(
        segments, colors=greys.tolist(), linewidths=widths + thin, zorder=1
    )
    ax.add_collection(lines)
    if edges is not None:
        coloured = collections.LineCollection(
            segments, colors=scale.colours(edges), linewidths=widths, zorder=1.1
        )
        ax.add_collection(coloured)
    as_colours = require("matplotlib.colors", "plots").to_rgba_array
    if fills is None:
        plain = as_colours([PLAIN] * graph.n_nodes)
        fills = plain if nodes is None else scale.colours(nodes)
    if faded is not None:
        fills = np.where(faded.nodes[:, None], as_colours("white"), fills)
    circles = collections.EllipseCollection(
        2 * radius, 2 * radius, 0, units="xy", offsets=points, offset_transform=ax.transData,
        facecolors=fills, edgecolors=rims.tolist(), linewidths=thin / 2, zorder=2,
    )  # fmt: skip
    ax.add_collection(circles)
    shown, font = fitted(texts or [], diameter)
    # A dollar in a label is a dollar, and not the start of a formula.
    style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "parse_math": False}
    hidden = np.zeros(graph.n_nodes, dtype=bool) if faded is None else faded.nodes
    for text, (x, y), colour, gone in zip(
        shown, points, text_colours(fills), hidden.tolist(), strict=False
    ):
        if text and not gone:
            ax.text(x, y, text, fontsize=font, color=colour, zorder=3, **style)


def _points_per_unit(ax: Axes) -> float:
    """Points, the unit of font sizes, per unit of the positions."""
    box = ax.get_window_extent()
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    pixels = min(box.width / (right - left), box.height / (top - bottom))
    return DRAWN_SHARE * POINTS_PER_INCH / ax.figure.dpi * pixels

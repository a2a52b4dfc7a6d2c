"""Why a graph was judged as it was: the shares of its nodes, edges, hops and attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nask.plots.explained import (
    Explained,
    by_attribute,
    by_hop,
    by_neighbour,
    deviation,
    headline,
)
from nask.plots.frame import BAR, as_positions, picture_size
from nask.plots.graph_drawing import draw_graph
from nask.plots.node_labels import Labels, node_texts
from nask.plots.share_bars import draw_bars
from nask.plots.signed_scale import SignedScale, as_amounts
from nask.plots.style import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Inches of the bars: their width, the height of one, and that of a title.
BARS_WIDTH, BAR_HEIGHT, TITLE_HEIGHT = 3.6, 0.2, 0.4
MOST_COLUMNS = 4
SCALE_LABEL = "Share of the decision, with the intercept"


def explanation(
    why: Explained,
    *,
    labels: Labels = True,
    positions: npt.ArrayLike | None = None,
    limit: float | None = None,
    title: str | None = None,
) -> Figure:
    """Draw an explanation: the graph with its shares, and bars of what they come from.

    Nodes have the shares of the stars around them, with equal parts of the intercept, so that they
    add up to the decision; edges have what theirs differ from the mean edge, on the same scale.
    Bars beside the graph tell how much shares differ from node to node, by hop and by attribute
    (with all edges as one bar), and which training graphs spoke loudest for and against.

    Parameters
    ----------
    why : Explanation
        What ``explain`` of a fitted model returned.
    labels, positions, limit
        As in :func:`graph`.
    title : str, optional
        What is explained, and what it adds up from, by default.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from nask import AttributedGraph
    >>> why = SimpleNamespace(
    ...     graph=AttributedGraph(2, [(0, 1)], {"element": ["C", "O"]}),
    ...     quantity="decision for class 'mutagen'", decision=1.0, intercept=0.25,
    ...     nodes=np.array([0.5, 0.25]), leaning=np.array([0.625, 0.375]), edges=np.array([0.25]),
    ...     hops=np.array([[0.5, 0.0], [0.0, 0.25]]), attributes=np.array([[0.5], [0.0]]),
    ...     attribute_names=["element"], neighbours=[(3, 1.5), (7, -0.75)],
    ... )
    >>> figure = explanation(why)
    >>> figure.get_suptitle()
    "Decision for class 'mutagen': +1 = intercept +0.25 and stars +0.75"
    >>> [tick.get_text() for tick in figure.axes[2].get_yticklabels()]
    ['element', 'edges']
    """
    graph = why.graph
    nodes = as_amounts(why.leaning, graph.n_nodes, "leaning", "node")
    edges = deviation(as_amounts(why.edges, graph.n_edges, "edges", "edge"))
    points = as_positions(positions, graph)
    scale = SignedScale.of([nodes, edges], limit)
    bars = [by_hop(why), by_attribute(why), by_neighbour(why)]
    rooms = [max(len(names), 1) * BAR_HEIGHT + TITLE_HEIGHT for names, _, _ in bars]

    width, height = picture_size(points)
    tall = max(height, sum(rooms)) + TITLE_HEIGHT
    figure = new_figure(width + BAR + BARS_WIDTH, tall, "constrained")
    grid = figure.add_gridspec(3, 2, width_ratios=[width + BAR, BARS_WIDTH], height_ratios=rooms)
    left = figure.add_subplot(grid[:, 0])
    for row, (names, shares, caption) in enumerate(bars):
        # Bars of differences have no sign; those of training graphs have.
        draw_bars(figure.add_subplot(grid[row, 1]), names, shares, caption, row == 2)
    draw_graph(left, graph, points, scale, nodes, edges, node_texts(graph, labels))
    scale.add_colour_bar(left, SCALE_LABEL)
    figure.suptitle(headline(why) if title is None else title, fontsize=10, parse_math=False)
    return figure


def hops(
    why: Explained,
    *,
    labels: Labels = True,
    positions: npt.ArrayLike | None = None,
    limit: float | None = None,
    title: str | None = None,
) -> Figure:
    """Draw what the shares of stars differ from their mean, one panel per hop, on one scale.

    Parameters
    ----------
    why : Explanation
        What ``explain`` of a fitted model returned.
    labels, positions, limit
        As in :func:`graph`.
    title : str, optional
        What is explained, and what it adds up from, by default.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from nask import AttributedGraph
    >>> why = SimpleNamespace(graph=AttributedGraph(2, [(0, 1)]), quantity="predicted value",
    ...                       decision=1.0, intercept=0.25, nodes=np.array([0.5, 0.25]),
    ...                       hops=np.array([[0.5, 0.0], [0.0, 0.25]]))
    >>> [ax.get_title() for ax in hops(why).axes[:2]]
    ['Hop 1', 'Hop 2']
    """
    graph = why.graph
    rows = [as_amounts(own, graph.n_nodes, "hops", "node") for own in np.asarray(why.hops)]
    shares = [deviation(row) for row in rows]
    points = as_positions(positions, graph)
    scale = SignedScale.of(shares, limit)
    texts = node_texts(graph, labels)

    n_rows = max(-(-len(shares) // MOST_COLUMNS), 1)
    columns = max(-(-len(shares) // n_rows), 1)
    width, height = picture_size(points)
    # Four panels side by side are as wide as a page, not four pages.
    smaller = min(1.0, 12.0 / (columns * width))
    figure = new_figure(
        columns * width * smaller + BAR, n_rows * (height * smaller + TITLE_HEIGHT) + TITLE_HEIGHT
    )
    panels = figure.subplots(n_rows, columns, squeeze=False).ravel().tolist()
    for hop, (ax, own) in enumerate(zip(panels, shares, strict=False), start=1):
        draw_graph(ax, graph, points, scale, own, texts=texts)
        ax.set_title(f"Hop {hop}", fontsize=9)
    for ax in panels[len(shares) :]:
        ax.set_axis_off()
    scale.add_colour_bar(panels, "Difference to the mean share")
    figure.suptitle(headline(why) if title is None else title, fontsize=10, parse_math=False)
    return figure

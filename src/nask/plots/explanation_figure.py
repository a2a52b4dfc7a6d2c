"""Why a graph was judged as it was: the shares of its nodes, edges, hops and attributes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64
from nask.graph.attributed_graph import AttributedGraph
from nask.plots.graph_drawing import BAR, as_positions, draw_graph, picture_size
from nask.plots.node_labels import Labels, node_texts
from nask.plots.share_bars import draw_bars, loudest, short
from nask.plots.signed_scale import SignedScale, as_amounts, signed
from nask.plots.style import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Inches of the bars: their width, the height of one, and that of a title.
BARS_WIDTH, BAR_HEIGHT, TITLE_HEIGHT = 3.6, 0.2, 0.4
MOST_NEIGHBOURS = 5
MOST_COLUMNS = 4
SCALE_LABEL = "Share of the decision"


class Explained(Protocol):
    """What is drawn of an explanation; shares and the intercept add up to the decision."""

    @property
    def graph(self) -> AttributedGraph:
        """The graph that was judged."""

    @property
    def decision(self) -> float:
        """The number that is explained."""

    @property
    def intercept(self) -> float:
        """What no node accounts for."""

    @property
    def nodes(self) -> Float64:
        """Share of the star around each node."""

    @property
    def hops(self) -> Float64:
        """The same by hops, of shape (n_hops, n_nodes)."""

    @property
    def attributes(self) -> Float64:
        """Shares of the attributes of each node, of shape (n_nodes, n_attributes)."""

    @property
    def attribute_names(self) -> Sequence[str]:
        """Names of the attributes."""

    @property
    def edges(self) -> Float64:
        """Share of each edge."""

    @property
    def neighbours(self) -> Iterable[tuple[int, float]]:
        """Training graphs that spoke loudest: position and share."""


def explanation(
    why: Explained,
    *,
    labels: Labels = True,
    positions: npt.ArrayLike | None = None,
    limit: float | None = None,
    title: str | None = None,
) -> Figure:
    """Draw an explanation: the graph with its shares, and bars of what they come from.

    Nodes have the shares of the stars around them, edges their own, on one scale. Bars beside the
    graph are the shares of hops, of attributes (with all edges as one bar), and of the training
    graphs that spoke loudest for and against.

    Parameters
    ----------
    why : Explanation
        What ``explain`` of a fitted model returned.
    labels, positions, limit
        As in :func:`graph`.
    title : str, optional
        The class, the decision and what it adds up from, by default.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> why = SimpleNamespace(
    ...     graph=AttributedGraph(2, [(0, 1)], {"element": ["C", "O"]}), target="mutagen",
    ...     decision=1.0, intercept=0.25, nodes=np.array([0.5, 0.25]), edges=np.array([0.25]),
    ...     hops=np.array([[0.5, 0.0], [0.0, 0.25]]), attributes=np.array([[0.5], [0.0]]),
    ...     attribute_names=["element"], neighbours=[(3, 1.5), (7, -0.75)],
    ... )
    >>> figure = explanation(why)
    >>> figure.get_suptitle()
    'Class mutagen: decision +1 = intercept +0.25 and stars +0.75'
    >>> [tick.get_text() for tick in figure.axes[2].get_yticklabels()]
    ['element', 'edges']
    """
    graph = why.graph
    nodes = as_amounts(why.nodes, graph.n_nodes, "nodes", "node")
    edges = as_amounts(why.edges, graph.n_edges, "edges", "edge")
    points = as_positions(positions, graph)
    scale = SignedScale.of([nodes, edges], limit)
    bars = [_by_hop(why), _by_attribute(why, edges), _by_neighbour(why)]
    rooms = [max(len(names), 1) * BAR_HEIGHT + TITLE_HEIGHT for names, _, _ in bars]

    width, height = picture_size(points)
    tall = max(height, sum(rooms)) + TITLE_HEIGHT
    figure = new_figure(width + BAR + BARS_WIDTH, tall, "constrained")
    grid = figure.add_gridspec(3, 2, width_ratios=[width + BAR, BARS_WIDTH], height_ratios=rooms)
    left = figure.add_subplot(grid[:, 0])
    for row, (names, shares, caption) in enumerate(bars):
        draw_bars(figure.add_subplot(grid[row, 1]), names, shares, caption)
    draw_graph(left, graph, points, scale, nodes, edges, node_texts(graph, labels))
    scale.add_colour_bar(left, SCALE_LABEL)
    figure.suptitle(headline(why) if title is None else title, fontsize=10)
    return figure


def hops(
    why: Explained,
    *,
    labels: Labels = True,
    positions: npt.ArrayLike | None = None,
    limit: float | None = None,
    title: str | None = None,
) -> Figure:
    """Draw the shares of stars hop by hop, one panel each, on one scale.

    Parameters
    ----------
    why : Explanation
        What ``explain`` of a fitted model returned.
    labels, positions, limit
        As in :func:`graph`.
    title : str, optional
        The class, the decision and what it adds up from, by default.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> why = SimpleNamespace(graph=AttributedGraph(2, [(0, 1)]), decision=1.0, intercept=0.25,
    ...                       nodes=np.array([0.5, 0.25]), hops=np.array([[0.5, 0.0], [0.0, 0.25]]))
    >>> [ax.get_title() for ax in hops(why).axes[:2]]
    ['Hop 1: +0.5', 'Hop 2: +0.25']
    """
    graph = why.graph
    shares = [as_amounts(own, graph.n_nodes, "hops", "node") for own in np.asarray(why.hops)]
    points = as_positions(positions, graph)
    scale = SignedScale.of(shares, limit)
    texts = node_texts(graph, labels)

    columns = min(len(shares), MOST_COLUMNS)
    rows = -(-len(shares) // columns)
    width, height = picture_size(points)
    # Four panels side by side are as wide as a page, not four pages.
    smaller = min(1.0, 12.0 / (columns * width))
    figure = new_figure(
        columns * width * smaller + BAR, rows * (height * smaller + TITLE_HEIGHT) + TITLE_HEIGHT
    )
    panels = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for hop, (ax, own) in enumerate(zip(panels, shares, strict=False), start=1):
        draw_graph(ax, graph, points, scale, own, texts=texts)
        ax.set_title(f"Hop {hop}: {signed(own.sum())}", fontsize=9)
    for ax in panels[len(shares) :]:
        ax.set_axis_off()
    scale.add_colour_bar(panels, SCALE_LABEL)
    figure.suptitle(headline(why) if title is None else title, fontsize=10)
    return figure


def headline(why: Explained) -> str:
    """Return what was decided, and what it adds up from.

    An explanation of a class has it as ``target``, and the class that it is compared with, if there
    is one, as ``against``.
    """
    # An explanation of a number has neither.
    target, against = getattr(why, "target", None), getattr(why, "against", None)
    stars = float(np.sum(why.nodes))
    decision = (
        f"ecision {signed(why.decision)} = intercept {signed(why.intercept)} and stars "
        f"{signed(stars)}"
    )
    if target is None:
        return f"D{decision}"
    rival = "" if against is None else f" against {short(str(against))}"
    return f"Class {short(str(target))}{rival}: d{decision}"


Bars = tuple[list[str], Float64, str]


def _by_hop(why: Explained) -> Bars:
    shares = np.sum(why.hops, axis=1)
    return [f"hop {hop}" for hop in range(1, len(shares) + 1)], shares, "Stars, by hop"


def _by_attribute(why: Explained, edges: Float64) -> Bars:
    names, shares = list(why.attribute_names), np.sum(why.attributes, axis=0)
    if len(edges):
        names, shares = [*names, "edges"], np.append(shares, edges.sum())
    return *loudest(names, shares), "Attributes of nodes, and edges"


def _by_neighbour(why: Explained) -> Bars:
    """Up to five training graphs on either side: the loudest for first, that against last."""
    pairs = sorted(((float(share), int(at)) for at, share in why.neighbours), reverse=True)
    for_it = [pair for pair in pairs if pair[0] > 0][:MOST_NEIGHBOURS]
    against = [pair for pair in pairs if pair[0] < 0][-MOST_NEIGHBOURS:]
    names = [f"graph {at}" for _, at in for_it + against]
    shares = np.array([share for share, _ in for_it + against])
    return names, shares, "Training graphs that spoke loudest"

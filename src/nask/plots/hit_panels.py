"""A query beside the graphs that were found for it, stars that match in one colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from nask.arrays import Float64, Positions
from nask.exceptions import ParameterError
from nask.graph.attributed_graph import AttributedGraph
from nask.messages import quoted
from nask.optional import require
from nask.plots.frame import as_positions, frame
from nask.plots.graph_drawing import draw_graph
from nask.plots.node_labels import Labels, node_texts
from nask.plots.signed_scale import SignedScale
from nask.plots.style import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Panels side by side; inches of the width of a panel, and of the height of a title.
COLUMNS, PANEL, TITLE = 3, 3.0, 0.3
# Colours are bright enough for dark text.
SATURATION, BRIGHTNESS = 0.6, 0.97
# Stars as alike as this have one colour.
ALIKE = 1 - 1e-9


class Hit(Protocol):
    """What is drawn of a graph that was found."""

    @property
    def id(self) -> Any:
        """Its name."""

    @property
    def similarity(self) -> float:
        """That of graph and query."""

    @property
    def graph(self) -> AttributedGraph:
        """The graph itself."""

    @property
    def stars(self) -> Sequence[Any]:
        """Pairs of nodes whose stars match: ``node`` of the query and ``other`` of the graph."""

    @property
    def likeness(self) -> Float64:
        """How alike stars of the query and of the graph are, from 0 to 1."""


class Found(Protocol):
    """A query and what was found for it."""

    @property
    def query(self) -> AttributedGraph:
        """The graph that others are similar to."""

    @property
    def likeness(self) -> Float64:
        """How alike the stars of the query are with each other."""

    def __getitem__(self, index: slice) -> Sequence[Hit]:
        """Some hits."""


def hits(found: Found, *, most: int = 5, labels: Labels = True, title: str | None = None) -> Figure:
    """Draw a query and the graphs found for it, matching stars in the same colour.

    Each node of the query has a colour; nodes whose stars are alike have the same one. A node of a
    graph that was found has the colour of the node of the query that it matches: a strong one where
    the stars are alike, a pale one where they are less so, and white where it matches none.

    Parameters
    ----------
    found : Hits
        What the ``query`` of a :class:`nask.Index` returned for one graph.
    most : int, default=5
        How many hits are drawn, the best ones.
    labels : bool, str or None
        As in :func:`graph`.
    title : str, optional

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs
    >>> figure = hits(nask.Index(graphs).query(graphs[3]), most=2)
    >>> [ax.get_title() for ax in figure.axes]
    ['query', '1.  3:  1.0000', '2.  79:  0.9999']
    """
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        raise ParameterError(f"most must be an integer of 1 or more. Got {quoted(most)}.")
    shown = list(found[:most])
    if not shown:
        raise ParameterError("There are no hits to draw.")
    graphs = [found.query, *(hit.graph for hit in shown)]
    points = [as_positions(None, graph) for graph in graphs]
    colours = _colours_of(_kinds(found.likeness), points[0])
    fills = [colours, *(_matched(hit, colours) for hit in shown)]
    titles = [
        "query",
        *(f"{n}.  {hit.id}:  {hit.similarity:.4f}" for n, hit in enumerate(shown, 1)),
    ]

    n_columns = min(COLUMNS, len(graphs))
    scale = SignedScale.of([])
    rows = [points[first : first + n_columns] for first in range(0, len(points), n_columns)]
    ratios = [max(map(_ratio, row)) for row in rows]
    height = PANEL * sum(ratios) + TITLE * (len(rows) + bool(title))
    figure = new_figure(n_columns * PANEL, height)
    grid = figure.add_gridspec(len(rows), n_columns, height_ratios=ratios)
    for number, graph in enumerate(graphs):
        row, column = divmod(number, n_columns)
        ax = figure.add_subplot(grid[row, column])
        texts = node_texts(graph, labels)
        draw_graph(ax, graph, points[number], scale, texts=texts, fills=fills[number])
        _fill_panel(ax, ratios[row])
        ax.set_title(titles[number], fontsize=9, parse_math=False)
    if title:
        figure.suptitle(title, fontsize=10)
    return figure


def _ratio(points: Float64) -> float:
    """The height of a drawing relative to its width, 1 at most."""
    low, high, _ = frame(points)
    width, height = (high - low).tolist()
    return float(min(1.0, height / width))


def _fill_panel(ax: Axes, ratio: float) -> None:
    """Widen the frame of a drawing until its height is so many times its width."""
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    width = max(right - left, (top - bottom) / ratio)
    across, up = (left + right) / 2, (bottom + top) / 2
    ax.set_xlim(across - width / 2, across + width / 2)
    ax.set_ylim(up - ratio * width / 2, up + ratio * width / 2)


def _kinds(likeness: Float64) -> Positions:
    """Number of the first node whose star is like that of each node.

    Examples
    --------
    >>> _kinds(np.array([[1.0, 0.2, 1.0], [0.2, 1.0, 0.2], [1.0, 0.2, 1.0]])).tolist()
    [0, 1, 0]
    """
    alike = likeness >= ALIKE
    np.fill_diagonal(alike, True)
    return np.array([int(own.argmax()) for own in alike], dtype=np.intp)


def _colours_of(kinds: Positions, points: Float64) -> Float64:
    """A colour for each node, nodes of one kind alike; round the middle of the drawing."""
    first = np.unique(kinds)
    around = points[first] - points.mean(axis=0) if len(points) else points
    rank = np.argsort(np.argsort(np.arctan2(around[:, 1], around[:, 0]), kind="stable"))
    hues = dict(zip(first.tolist(), (rank / max(1, len(first))).tolist(), strict=True))
    values = np.array([(hues[kind], SATURATION, BRIGHTNESS) for kind in kinds.tolist()])
    to_rgb = require("matplotlib.colors", "plots").hsv_to_rgb
    rgb = to_rgb(values.reshape(-1, 3))
    return np.column_stack([rgb, np.ones(len(rgb))])


def _matched(hit: Hit, colours: Float64) -> Float64:
    """The colours of the nodes of a hit: those of the query's nodes, paler where less alike."""
    fills = np.ones((hit.graph.n_nodes, 4))
    for pair in hit.stars:
        strength = float(hit.likeness[pair.node, pair.other])
        fills[pair.other] = strength * colours[pair.node] + (1 - strength) * 1.0
    return fills

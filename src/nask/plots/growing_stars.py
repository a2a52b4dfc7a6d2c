"""How the star around a node grows with every hop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64, Mask, Positions
from nask.exceptions import ParameterError, did_you_mean
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graph
from nask.messages import quoted
from nask.optional import require
from nask.plots.frame import BAR, as_positions, frame, picture_size
from nask.plots.graph_drawing import RIM, Faded, draw_graph
from nask.plots.node_labels import node_texts
from nask.plots.signed_scale import SignedScale, as_amounts, signed
from nask.plots.style import COLOURS, columns_that_fit, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches: no picture is wider than this, unless titles of panels would overlap; and a title or a
# legend takes some room.
WIDEST, NARROWEST, TITLE = 11.0, 2.0, 0.35
# Ring around the core, relative to the radius of its node.
RING = 1.45


def stars(
    graph: Any,
    core: int | None = None,
    *,
    n_hops: int = 4,
    category: str | None = None,
    names: Mapping[Any, str] | None = None,
    contributions: npt.ArrayLike | None = None,
    positions: npt.ArrayLike | None = None,
    title: str | None = None,
) -> Figure:
    """Draw the stars of 1, 2, ... hops around a node, one panel each.

    The star of h hops has all nodes within h hops of its core, which has a ring, and all edges with
    an end within h - 1 hops. Its nodes have the colours of their categories; what is not in it is
    pale. With contributions, a second row has them as colours, and titles say what the nodes of the
    star add up to.

    Parameters
    ----------
    graph : AttributedGraph, or a graph of networkx, PyTorch Geometric, RDKit or GraKeL
    core : int, optional
        The node in the middle; by default the first of those with the most neighbours.
    n_hops : int, default=4
    category : str, optional
        Name of the categorical attribute that colours nodes; the first one by default.
    names : mapping, optional
        Category to its name in the legend. Colours follow the order of this mapping, so that two
        graphs drawn with one mapping have the same; else the order of how frequent they are.
    contributions : array-like of shape (n_nodes,), optional
        Share of each node in a decision, such as ``leaning`` of an explanation.
    positions : array-like of shape (n_nodes, 2), optional
        As in :func:`graph`.
    title : str, optional

    Examples
    --------
    >>> path = AttributedGraph(4, [(0, 1), (1, 2), (2, 3)], {"element": ["C", "N", "C", "O"]})
    >>> figure = stars(path, n_hops=2, contributions=[0.5, -0.25, 1.0, 2.0])
    >>> [ax.get_title() for ax in figure.axes if ax.get_title()]
    ['1 hop: 3 of 4 nodes', '2 hops: 4 of 4 nodes', 'in the star +1.25 of +3.25',
    'in the star +3.25 of +3.25']
    """
    own = as_graph(graph)
    middle = _as_core(core, own)
    if isinstance(n_hops, bool) or not isinstance(n_hops, (int, np.integer)) or n_hops < 1:
        raise ParameterError(f"n_hops must be an integer of 1 or more. Got {quoted(n_hops)}.")
    attribute = _as_category(category, own)
    fills, legend = category_colours(own, attribute, names)
    points = as_positions(positions, own)
    shares = None
    if contributions is not None:
        shares = as_amounts(contributions, own.n_nodes, "contributions", "node")
    scale = SignedScale.of([] if shares is None else [shares])
    texts = node_texts(own, attribute)
    n_rows = 1 + (shares is not None)

    low, high, _ = frame(points)
    width = max(NARROWEST, min(picture_size(points)[0], (WIDEST - BAR) / n_hops))
    height = width * float(np.divide(*(high - low)[::-1]))
    figure = new_figure(
        n_hops * width + BAR * (shares is not None),
        n_rows * (height + TITLE) + TITLE * (bool(title) + bool(legend)),
    )
    panels = figure.subplots(n_rows, n_hops, squeeze=False)
    away = distances(own, middle)
    for hop in range(1, n_hops + 1):
        inside, faded = _star(own, away, hop)
        first = panels[0, hop - 1]
        draw_graph(first, own, points, scale, texts=texts, fills=fills, faded=faded)
        hops = f"{hop} hop" + ("s" if hop > 1 else "")
        first.set_title(f"{hops}: {int(inside.sum())} of {own.n_nodes} nodes", fontsize=9)
        if shares is not None:
            ax = panels[1, hop - 1]
            draw_graph(ax, own, points, scale, shares, texts=texts, faded=faded)
            within = signed(float(shares[inside].sum()))
            ax.set_title(f"in the star {within} of {signed(float(shares.sum()))}", fontsize=9)
    for ax in panels.ravel():
        _draw_ring(ax, points, middle)
    if legend:
        _draw_legend(figure, legend)
    if shares is not None:
        scale.add_colour_bar(panels[1].tolist(), "Share of the decision")
    if title:
        figure.suptitle(title, fontsize=10, parse_math=False)
    return figure


def distances(graph: AttributedGraph, core: int) -> Float64:
    """Hops from the core to each node; infinite where no path leads.

    Examples
    --------
    >>> distances(AttributedGraph(4, [(0, 1), (1, 2)]), 0).tolist()
    [0.0, 1.0, 2.0, inf]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    u, v = graph.edges.T
    shape = (graph.n_nodes, graph.n_nodes)
    adjacency = csr_array((np.ones(graph.n_edges), (u, v)), shape=shape)
    away: Float64 = dijkstra(adjacency, directed=False, indices=core, unweighted=True)
    return away


def category_colours(
    graph: AttributedGraph, attribute: str | None, names: Mapping[Any, str] | None
) -> tuple[Float64 | None, list[tuple[Any, str]]]:
    """Colours of the nodes by category, and what the legend says of each that is there.

    Without an attribute there is neither. A missing category is white. From the eighth category on
    colours are paler; from the fifteenth on they repeat, and labels tell them apart.

    Examples
    --------
    >>> pair = AttributedGraph(2, [(0, 1)], {"element": ["O", "C"]})
    >>> _, legend = category_colours(pair, "element", {"C": "carbon", "O": "oxygen"})
    >>> [name for _, name in legend]
    ['carbon', 'oxygen']
    """
    if attribute is None:
        return None, []
    values = graph.node_attributes[attribute].values()
    there = [value for value in values if value is not None]
    order = list(names or {})
    # The most frequent first; of equally frequent ones the first to come.
    order += sorted(
        dict.fromkeys(v for v in there if v not in order), key=lambda v: -there.count(v)
    )
    rgba = require("matplotlib.colors", "plots").to_rgba_array(COLOURS)
    palette = np.concatenate([rgba, 0.5 + 0.5 * rgba])
    places = {value: place for place, value in enumerate(order)}
    colours = [
        np.ones(4) if value is None else palette[places[value] % len(palette)] for value in values
    ]
    legend = [
        (palette[place % len(palette)], (names or {}).get(value, str(value)))
        for value, place in places.items()
        if value in there
    ]
    return np.array(colours).reshape(-1, 4), legend


def _as_category(category: str | None, graph: AttributedGraph) -> str | None:
    known = [name for name, own in graph.node_attributes.items() if own.kind == "categorical"]
    if category is not None and category not in known:
        raise ParameterError(
            f"The nodes have no categorical attribute {quoted(category)}. "
            f"{did_you_mean(category, known)}"
        )
    return category or next(iter(known), None)


def _as_core(core: int | None, graph: AttributedGraph) -> int:
    if not graph.n_nodes:
        raise ParameterError("The graph has no nodes, so there is no star to draw.")
    if core is None:
        return int(graph.degrees().argmax())
    whole = isinstance(core, (int, np.integer)) and not isinstance(core, bool)
    if not whole or not 0 <= core < graph.n_nodes:
        raise ParameterError(
            f"core must be a node, an integer from 0 to {graph.n_nodes - 1}. Got {quoted(core)}."
        )
    return int(core)


def _star(graph: AttributedGraph, away: Float64, hop: int) -> tuple[Mask, Faded]:
    """Return which nodes are in the star of so many hops, and what is not in it."""
    ends: Positions = graph.edges
    outside, unmet = away > hop, np.min(away[ends], axis=1, initial=np.inf) > hop - 1
    return ~outside, Faded(outside, unmet)


def _draw_ring(ax: Axes, points: Float64, core: int) -> None:
    _, _, radius = frame(points)
    circle = require("matplotlib.patches", "plots").Circle(
        points[core], RING * radius, fill=False, edgecolor=RIM, linewidth=1.4, zorder=4,
        clip_on=False,
    )  # fmt: skip
    ax.add_patch(circle)


def _draw_legend(figure: Figure, legend: list[tuple[Any, str]]) -> None:
    from matplotlib.lines import Line2D

    dot: dict[str, Any] = {"marker": "o", "markersize": 7}
    dot |= {"markeredgecolor": RIM, "markeredgewidth": 0.4}
    handles = [
        Line2D([], [], linestyle="none", color=colour, label=name, **dot) for colour, name in legend
    ]
    columns = columns_that_fit([name for _, name in legend], figure.get_figwidth())
    box = figure.legend(
        handles=handles, loc="outside lower center", ncols=columns, frameon=False, fontsize="small",
        handletextpad=0.2,
    )  # fmt: skip
    for text in box.get_texts():
        text.set_parse_math(False)

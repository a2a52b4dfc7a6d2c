"""The columns of a dataset as small histograms, side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nask.description.columns import Column
from nask.description.description import Description
from nask.plots.style import COLOURS, GREY, new_figure, tidy_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Panels in a row, inches of one, panels in all, bars of a panel, and characters of a label.
ACROSS, WIDTH, HEIGHT, MOST, BARS, LONGEST = 3, 3.4, 2.2, 48, 12, 16


def description(described: Description) -> Figure:
    """Draw the classes, or the target, and each column of a dataset as a histogram.

    Parameters
    ----------
    described : Description
        What the method ``describe`` of a dataset returned.

    Returns
    -------
    matplotlib Figure
        The first panel is the target; of a set with more than 48 columns, the first ones follow.

    Examples
    --------
    >>> import nask
    >>> figure = description(nask.load_dataset("MUTAG").describe())
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['classes', 'node node_label', 'edge edge_label']
    """
    columns = [*described.columns][:MOST]
    if described.target is not None:
        columns.insert(0, described.target)
    n_panels = len(columns) + bool(described.classes)
    rows = max(1, math.ceil(n_panels / ACROSS))
    across = min(ACROSS, max(1, n_panels))
    figure = new_figure(WIDTH * across, HEIGHT * rows + 0.4, "constrained")
    panels = list(figure.subplots(rows, across, squeeze=False).ravel())
    figure.suptitle(f"{described.name}: {described.items}", fontsize=10)
    if described.classes:
        pairs = [(str(label), size) for label, size in described.classes]
        _draw_bars(panels.pop(0), "classes", pairs, "", COLOURS[1])
    for column in columns:
        _draw_column(panels.pop(0), column)
    for unused in panels:
        unused.remove()
    return figure


def _draw_column(ax: Axes, column: Column) -> None:
    title = f"{column.element} {column.name}"
    missing = f"{100 * column.share_missing:.0f} % missing" if column.missing else ""
    if column.minimum is None or column.maximum is None:
        pairs = [(column.label(value), count) for value, count in column.common]
        rest = column.size - column.missing - sum(count for _, count in pairs)
        pairs += [(_others(column.distinct - len(pairs)), rest)] if rest else []
        _draw_bars(ax, title, pairs, missing, COLOURS[0])
        return
    edges = [
        column.minimum + k * (column.maximum - column.minimum) / len(column.counts)
        for k in range(len(column.counts) + 1)
    ]
    width = (edges[-1] - edges[0]) / len(column.counts) or 1.0
    ax.bar(edges[:-1], column.counts, width, align="edge", color=COLOURS[2])
    if column.dates:
        ends = (column.minimum, column.maximum)
        ax.set_xticks(ends, [column.label(end)[:10] for end in ends])
    else:
        ax.locator_params(axis="x", nbins=4)
    _finish(ax, title, missing)


def _draw_bars(
    ax: Axes, title: str, pairs: list[tuple[str, int]], missing: str, colour: str
) -> None:
    if len(pairs) > BARS:
        rest = pairs[BARS - 1 :]
        pairs = [*pairs[: BARS - 1], (_others(len(rest)), sum(count for _, count in rest))]
    labels = [
        label if len(label) <= LONGEST else f"{label[: LONGEST - 3]}..." for label, _ in pairs
    ]
    ax.bar(range(len(pairs)), [count for _, count in pairs], color=colour)
    long = max(map(len, labels), default=0) > 3 and len(labels) > 3
    turned: dict[str, Any] = {"rotation": 35, "ha": "right"} if long else {}
    ax.set_xticks(range(len(pairs)), labels, **turned)
    _finish(ax, title, missing)


def _others(number: int) -> str:
    return "1 other" if number == 1 else f"{number} others"


def _finish(ax: Axes, title: str, missing: str) -> None:
    ax.set_title(title, loc="left", fontsize=9)
    ax.set_title(missing, loc="right", fontsize=8, color=GREY)
    ax.tick_params(labelsize=7)
    ax.locator_params(axis="y", nbins=4, integer=True)
    tidy_axes(ax)

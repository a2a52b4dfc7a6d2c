"""Records as pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cases import METHODS, NESTED
from generated import FITTED, power_law
from records import Record, Records
from tables import CLAIMED, datasets, gram_of, growth, scaling_records

from nask.plots.style import GREY, add_legend, colour_and_marker, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Dots of one set spread over this share of the space between two sets.
GROUP = 0.7


def time_chart(records: Records) -> Figure:
    """Seconds by set and method as dots; hollow where extrapolated, an arrow where none ended."""
    names = datasets(records)
    figure = new_figure(8.0, 1.0 + 0.62 * len(names))
    ax = figure.add_subplot()
    ax.set_xscale("log")
    for position, method in enumerate(METHODS):
        offset = GROUP * (position / (len(METHODS) - 1) - 0.5)
        found = [(row, gram_of(records, method, name)) for row, name in enumerate(names)]
        drawn = [(row, record) for row, record in found if record and not record.failed]
        colour, _ = colour_and_marker(position)
        for row, record in drawn:
            _draw(ax, record, row + offset, colour)
        if drawn:
            ax.plot([], [], "o", color=colour, label=method)
    claims = CLAIMED[NESTED]
    known = [(claims[name], row) for row, name in enumerate(names) if name in claims]
    if known:
        seconds, rows = zip(*known, strict=True)
        low, high = ([row + side * GROUP / 2 for row in rows] for side in (-1, 1))
        ax.vlines(seconds, low, high, color=GREY, linewidth=2, label="paper's claim for its kernel")
    ax.plot([], [], "o", markerfacecolor="white", color="#404040", label="extrapolated")
    ax.plot([], [], ">", color="#404040", label="no end in that time")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlabel("Seconds of one Gram matrix")
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color="#E3E3E3", linewidth=0.8)
    ax.set_axisbelow(True)
    for edge in ("top", "right", "left"):
        ax.spines[edge].set_visible(False)
    for boundary in range(1, len(names)):
        ax.axhline(boundary - 0.5, color="#E3E3E3", linewidth=0.8, zorder=0)
    add_legend(ax)
    return figure


def scaling_chart(records: Records) -> Figure | None:
    """One panel per quantity: seconds against it, and the power law of the last points."""
    found = scaling_records(records)
    if not found:
        return None
    figure = new_figure(2.3 * len(found), 2.6)
    panels = figure.subplots(1, len(found), squeeze=False, sharey=True)[0]
    colour, marker = colour_and_marker(0)
    for ax, record in zip(panels, found, strict=True):
        points = record.result["points"]
        x, y = zip(*points, strict=True)
        ax.plot(x, y, marker=marker, markersize=4, color=colour, linewidth=1)
        if record.case.subject != "threads":
            exponent, factor = power_law(points)
            ends = (x[-FITTED], x[-1])
            ax.plot(ends, [factor * end**exponent for end in ends], "--", color="#D55E00")
        ax.set_title(growth(record), fontsize="small")
        ax.set(xscale="log", yscale="log", xlabel=record.case.subject)
        ax.set_xticks(x, [str(value) for value in x], fontsize="small")
        ax.minorticks_off()
        ax.grid(color="#E3E3E3", linewidth=0.8)
        for edge in ("top", "right"):
            ax.spines[edge].set_visible(False)
    panels[0].set_ylabel("Seconds")
    panels[0].yaxis.set_major_formatter("{x:g}")
    return figure


def _draw(ax: Axes, record: Record, height: float, colour: str) -> None:
    seconds = record.seconds()
    if seconds is None:
        ax.plot([record.result["none_in"]], [height], ">", color=colour, markersize=6)
        return
    face = "white" if record.extrapolation > 1 else colour
    ax.plot([seconds], [height], "o", color=colour, markerfacecolor=face, markersize=6)

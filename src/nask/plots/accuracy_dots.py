"""Accuracies of methods on datasets, side by side."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nask.evaluation.records import Evaluation
from nask.exceptions import ParameterError
from nask.plots.style import GREY, add_legend, axes_or_new, colour_and_marker, colour_and_shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Rows of one dataset spread over this share of the space between two datasets.
GROUP = 0.7
# Percent by which the axis goes beyond 0 and 100, so that dots at its ends are seen whole.
BEYOND = 1.5


class Spread(NamedTuple):
    """How a spread is drawn: sizes in points."""

    attribute: str
    label: str
    width: float
    end: float


SPREADS = (
    Spread("accuracy_std_folds", "± std over folds", 1.0, 0.0),
    # Ends higher than the dot, so that a spread narrower than the dot is seen.
    Spread("accuracy_std_repeats", "± std over repeats", 3.0, 4.5),
)


def accuracy(
    results: Sequence[Evaluation],
    ax: Axes | None = None,
    *,
    numerical: Collection[str] | None = None,
) -> Axes:
    """Draw mean accuracies as dots, one row per dataset and method, with their spread.

    A thin bar is the standard deviation over test folds. A thick bar with ends is the one over
    repeats of the cross-validation. Bars are cut at 0 and 100 %. A grey tick marks the share of
    the largest class, the accuracy of always guessing that class.

    Parameters
    ----------
    results : sequence of Evaluation
        Or of other objects with the attributes ``dataset``, ``method``, ``accuracy_mean``,
        ``accuracy_std_repeats``, ``accuracy_std_folds`` (as fractions; None, NaN or 0 if unknown)
        and, optionally, ``majority``. Datasets and methods are drawn in the order in which they
        come first.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    numerical : collection of str, optional
        Datasets with numerical attributes: their dots are hollow, and those of all others, with
        categorical attributes alone, are solid.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> result = SimpleNamespace(
    ...     dataset="MUTAG", method="NASK", accuracy_mean=0.87, accuracy_std_repeats=0.01,
    ...     accuracy_std_folds=0.06, majority=0.665,
    ... )
    >>> ax = accuracy([result])
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.get_xlabel()
    (['MUTAG'], 'Accuracy (%)')
    """
    if not results:
        raise ParameterError("There are no results to draw: expected one or more.")
    datasets = list(dict.fromkeys(result.dataset for result in results))
    methods = list(dict.fromkeys(result.method for result in results))
    step = GROUP / len(methods)
    rows = len(datasets) * (len(methods) + 1)
    ax = axes_or_new(ax, 7.0, 0.8 + 0.2 * max(rows, 6))

    for number, method in enumerate(methods):
        own = [result for result in results if result.method == method]
        offset = step * (number - (len(methods) - 1) / 2)
        heights = [datasets.index(result.dataset) + offset for result in own]
        means = [100 * result.accuracy_mean for result in own]
        # With hollow dots colours are harder to tell apart: shapes differ as well.
        colour, marker = (colour_and_marker if numerical is None else colour_and_shape)(number)
        for spread in SPREADS:
            # An unknown spread is NaN, for which no bar is drawn.
            lengths = np.array([_percent(getattr(result, spread.attribute)) for result in own])
            room = np.array([means, [100 - mean for mean in means]])
            ax.errorbar(
                means,
                heights,
                xerr=np.where(lengths > room, room, lengths),
                fmt="none",
                color=colour,
                elinewidth=spread.width,
                capsize=spread.end,
            )
        style: dict[str, Any] = {"linestyle": "none", "marker": marker, "color": colour}
        ax.plot(means, heights, markersize=5, label=method, **style)
        hollow = [place for place, one in enumerate(own) if one.dataset in (numerical or ())]
        ax.plot(
            [means[place] for place in hollow], [heights[place] for place in hollow],
            markersize=5, markerfacecolor="white", label="_hollow", **style,
        )  # fmt: skip
    _draw_majorities(ax, results, datasets)

    ax.set_yticks(range(len(datasets)), datasets)
    ax.set_ylim(len(datasets) - 0.5, -0.5)
    left, right = ax.get_xlim()
    ax.set_xlim(max(left, -BEYOND), min(right, 100 + BEYOND))
    ax.set_xlabel("Accuracy (%)")
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color="#E3E3E3", linewidth=0.8)
    ax.set_axisbelow(True)
    for edge in ("top", "right", "left"):
        ax.spines[edge].set_visible(False)
    for boundary in range(1, len(datasets)):
        ax.axhline(boundary - 0.5, color="#E3E3E3", linewidth=0.8, zorder=0)
    _draw_legend(ax, results, numerical)
    return ax


def _percent(fraction: float | None) -> float:
    # A spread of 0, that of a single repeat, is not drawn either.
    return 100 * fraction if fraction else math.nan


def _draw_majorities(ax: Axes, results: Sequence[Evaluation], datasets: list[str]) -> None:
    shares = {result.dataset: _percent(getattr(result, "majority", None)) for result in results}
    known = {dataset: share for dataset, share in shares.items() if not math.isnan(share)}
    if known:
        middles = [datasets.index(dataset) for dataset in known]
        ax.vlines(
            list(known.values()),
            [middle - GROUP / 2 for middle in middles],
            [middle + GROUP / 2 for middle in middles],
            color=GREY,
            linewidth=2.0,
            label="largest class",
        )


def _draw_legend(
    ax: Axes, results: Sequence[Evaluation], numerical: Collection[str] | None
) -> None:
    from matplotlib.lines import Line2D

    handles, labels = ax.get_legend_handles_labels()
    if numerical is not None:
        # Only what is there: a figure of one kind has nothing hollow, or nothing solid.
        hollow = {result.dataset in numerical for result in results}
        for kind, face in ((False, "#404040"), (True, "white")):
            if kind in hollow:
                dot: dict[str, Any] = {"marker": "o", "markersize": 5, "linestyle": "none"}
                handles.append(Line2D([], [], color="#404040", markerfacecolor=face, **dot))
                labels.append("numerical attributes" if kind else "categorical attributes")
    for spread in SPREADS:
        if any(not math.isnan(_percent(getattr(result, spread.attribute))) for result in results):
            ends = "|" if spread.end else ""
            size = 2 * spread.end
            handles.append(
                Line2D([], [], color="#404040", lw=spread.width, marker=ends, markersize=size)
            )
            labels.append(spread.label)
    add_legend(ax, handles, labels, handlelength=1.6)

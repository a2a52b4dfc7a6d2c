"""A league in one picture: average ranks with their uncertainty, and differences to one method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nask.evaluation.league import League, Standing
from nask.plots.style import COLOURS, GREY, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def league_table(found: League) -> Figure:
    """Draw a league: left the average ranks, right what the reference is ahead by.

    Bars on the left hold 95 % of the average ranks on sets drawn with repetition. Bars on the right
    are two standard errors over sets of the mean difference in accuracy; small dots are single
    sets. Methods far behind are cut off.

    Parameters
    ----------
    found : League
        What :func:`nask.league` returned.

    Examples
    --------
    >>> import nask
    >>> from sklearn.dummy import DummyClassifier
    >>> mutag = nask.load_dataset("MUTAG")
    >>> half = nask.Dataset("half", mutag.graphs[::2], mutag.y[::2])
    >>> models = nask.NASKClassifier(n_hops=1), DummyClassifier()
    >>> results = [nask.evaluate(m, d, folds=3, repeats=1) for m in models for d in (mutag, half)]
    >>> figure = league_table(nask.league(results, reference="NASKClassifier"))
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['NASKClassifier', 'DummyClassifier']
    """
    figure = new_figure(9.0, 1.2 + 0.3 * len(found.standings))
    left, right = figure.subplots(1, 2, sharey=True)
    _draw_ranks(left, found)
    _draw_differences(right, found)
    heights = range(len(found.standings))
    left.set_yticks(heights, [own.method for own in found.standings])
    left.set_ylim(len(found.standings) - 0.4, -0.6)
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(axis="x", color="#E5E5E5", linewidth=0.6)
        ax.set_axisbelow(True)
    return figure


def _draw_ranks(ax: Axes, found: League) -> None:
    for height, own in enumerate(found.standings):
        colour = _colour(found, own)
        ax.plot(own.rank_interval, [height] * 2, color=colour, linewidth=2)
        ax.plot(own.rank, height, "o", color=colour, markersize=6)
    ax.set_xlabel(f"average rank on {len(found.datasets)} sets, 95 % of draws")


def _draw_differences(ax: Axes, found: League) -> None:
    """Percentage points by which the reference is ahead, of each set and on average."""
    shown: list[float] = []
    for height, own in enumerate(found.standings):
        gaps = [duel.difference for (_, name), duel in found.duels.items() if name == own.method]
        if not gaps:
            continue
        points = 100 * np.array(gaps)
        ax.plot(points, [height] * len(points), "o", color=GREY, markersize=3, alpha=0.6)
        ends = 100 * (own.difference + 2 * own.error * np.array([-1, 1]))
        ax.plot(ends, [height] * 2, color=COLOURS[0], linewidth=2)
        ax.plot(100 * own.difference, height, "o", color=COLOURS[0], markersize=6)
        shown.extend(ends[np.isfinite(ends)])
    ax.axvline(0, color="black", linewidth=0.8)
    # The floor is tens of points behind: the axis ends where most methods do.
    furthest = np.quantile(np.abs(shown), 0.8) if shown else 1.0
    ax.set_xlim(-1.3 * furthest, 1.3 * furthest)
    ax.set_xlabel(f"{found.reference} is ahead by (percentage points), ± 2 errors")


def _colour(found: League, own: Standing) -> str:
    return COLOURS[1] if own.method == found.reference else COLOURS[0]

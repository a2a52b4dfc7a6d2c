"""Average ranks of methods, and which of them do not differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nask.choices import Items
from nask.evaluation.comparison import Comparison
from nask.evaluation.comparison_legend import count_sets, p_text
from nask.evaluation.ranking import Ranking
from nask.exceptions import ParameterError
from nask.plots.style import COLOURS, GREY, axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Heights in lines of text, downwards from the axis of ranks.
LINE = 0.2  # inches
RULER, TOP = -1.9, -2.9
BAR_STEP = 0.5
# A label for every rank up to this one.
MOST_TICKS = 20


def critical_difference(
    comparison: Comparison,
    items: Items | None = None,
    scoring: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the average ranks of methods on an axis, the best to the right.

    Thick bars join methods whose ranks do not differ significantly, by the test of Nemenyi. The
    ruler above shows the critical difference. If it is longer than the axis, no two methods could
    differ, and only the number is shown.

    Parameters
    ----------
    comparison : Comparison
        What :func:`nask.compare` returned.
    items : {"graphs", "nodes"}, optional
        Which of its rankings to draw; not needed if there is only one.
    scoring : str, optional
        The same by the score that counts.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    References
    ----------
    Demšar: Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.

    Examples
    --------
    >>> import nask
    >>> from sklearn.dummy import DummyClassifier
    >>> models = nask.NASKClassifier(n_hops=1), DummyClassifier()
    >>> mutag = nask.load_dataset("MUTAG")
    >>> half = nask.Dataset("half", mutag.graphs[::2], mutag.y[::2])
    >>> results = [nask.evaluate(m, d, folds=3, repeats=1) for m in models for d in (mutag, half)]
    >>> ax = critical_difference(nask.compare(results))
    >>> [text.get_text() for text in ax.texts]
    ['CD = 1.39, longer than the axis', 'NASKClassifier  1.00', 'DummyClassifier  2.00']
    """
    ranking, kind = _ranking(comparison, items, scoring)
    k = len(ranking.methods)
    bars = _levels([_ends(ranking, group) for group in ranking.groups()])
    depth = BAR_STEP * (max((level for *_, level in bars), default=-1) + 1)
    first = depth + 1.2
    right = (k + 1) // 2
    bottom = first + right - 0.4
    ax = axes_or_new(ax, 7.0, 0.35 + LINE * (bottom - TOP))
    # A little wider than the ranks, so that stems at the very ends are seen whole.
    ax.set_xlim(k + 0.01 * (k - 1), 1 - 0.01 * (k - 1))
    ax.set_ylim(bottom, TOP)
    _draw_axis(ax, k)
    _draw_ruler(ax, k, ranking.critical_difference)

    names = list(zip(ranking.methods, ranking.ranks, strict=True))
    _draw_names(ax, names[:right], first, comparison.reference, side="right")
    _draw_names(ax, names[right:][::-1], first, comparison.reference, side="left")
    for best, worst, level in bars:
        height = 0.6 + BAR_STEP * level
        ends = best - 0.006 * (k - 1), worst + 0.006 * (k - 1)
        ax.plot(ends, (height, height), color=COLOURS[0], linewidth=4, solid_capstyle="butt")
    ax.set_title(
        f"Average ranks on {count_sets(len(ranking.datasets), kind)}, 1 is the best "
        f"(Friedman {p_text(ranking.friedman_p)})",
        fontsize=10,
    )
    return ax


def _ranking(
    comparison: Comparison, items: Items | None, scoring: str | None
) -> tuple[Ranking, Items]:
    if items is not None:
        # Raises where there is none.
        comparison.table(items, scoring)
    tables = [
        table
        for table in comparison.tables
        if items in (None, table.items) and scoring in (None, table.scoring)
    ]
    found = [(table.ranking, table.items) for table in tables if table.ranking is not None]
    if not found:
        raise ParameterError(
            "There are no average ranks to draw: they take two methods or more that were all run "
            "on the same two sets or more. nask.plots.accuracy draws the accuracies of any results."
        )
    if len(found) > 1:
        raise ParameterError(
            "There are ranks on sets of graphs and on networks, or by several scores: choose one "
            "with items='graphs' or items='nodes', and scoring."
        )
    return found[0]


def _ends(ranking: Ranking, group: tuple[str, ...]) -> tuple[float, float]:
    """Best and worst rank of a group."""
    first = ranking.methods.index(group[0])
    return ranking.ranks[first], ranking.ranks[first + len(group) - 1]


def _levels(bars: list[tuple[float, float]]) -> list[tuple[float, float, int]]:
    """Give each bar the highest level on which it touches no other.

    Examples
    --------
    >>> _levels([(1.0, 2.0), (1.5, 3.0), (2.5, 4.0)])
    [(1.0, 2.0, 0), (1.5, 3.0, 1), (2.5, 4.0, 0)]
    """
    ends: list[float] = []
    placed = []
    for best, worst in bars:
        level = next((i for i, end in enumerate(ends) if end < best), len(ends))
        ends[level : level + 1] = [worst]
        placed.append((best, worst, level))
    return placed


def _draw_axis(ax: Axes, k: int) -> None:
    for edge in ("left", "right", "bottom"):
        ax.spines[edge].set_visible(False)
    ax.spines["top"].set_position(("data", 0))
    ax.spines["top"].set_bounds(1, k)
    ax.xaxis.tick_top()
    step = int(np.ceil(k / MOST_TICKS))
    ax.set_xticks(range(1, k + 1, step))
    ax.set_yticks([])


def _draw_ruler(ax: Axes, k: int, length: float) -> None:
    text = f"CD = {length:.2f}"
    if length > k - 1:
        ax.text(k, RULER, f"{text}, longer than the axis", va="center", ha="left")
        return
    ax.errorbar(k - length / 2, RULER, xerr=length / 2, color="black", capsize=4, linewidth=1.5)
    ax.text(k - length - 0.015 * (k - 1), RULER, text, va="center", ha="left")


def _draw_names(
    ax: Axes, names: list[tuple[str, float]], first: float, reference: str | None, side: str
) -> None:
    """Write names from the outermost inwards, each at the end of a line from its rank."""
    end = ax.get_xlim()[side == "right"]
    for number, (method, rank) in enumerate(names):
        height = first + number
        ax.plot([rank, rank, end], [0, height, height], color=GREY, linewidth=1.0)
        ax.annotate(
            f"{method}  {rank:.2f}",
            (end, height),
            xytext=(4 if side == "right" else -4, 0),
            textcoords="offset points",
            va="center",
            ha="left" if side == "right" else "right",
            weight="bold" if method == reference else "normal",
            annotation_clip=False,
        )

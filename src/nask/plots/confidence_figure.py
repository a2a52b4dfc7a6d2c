"""How sure a model is of each graph, and whether it is right as often as it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64, Mask, Positions
from nask.exceptions import ParameterError
from nask.messages import quoted
from nask.plots.style import COLOURS, GREY, add_colour_bar, new_figure, numbers_of, tidy_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_BINS = 10
# Width of the strip for errors, as a share of the heat map and in inches at most; and what is left
# free before it, in columns.
STRIP, WIDEST_STRIP, SPACE = 0.08, 0.45, 0.06
# Names that have more characters in all are rotated.
LEVEL_CHARACTERS = 26
# Of more graphs than this, a row is the mean of several: it would be smaller than a dot.
MOST_ROWS = 800
# Inches: no heat map is wider than this, and names of classes are so far apart.
HEIGHT, WIDEST, CLASS = 4.4, 12.0, 0.13


def confidence(
    y_true: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    classes: Sequence[object],
    *,
    items: str = "graphs",
) -> Figure:
    """Draw class probabilities as a heat map, and beside it a reliability curve.

    Rows of the heat map are graphs, by their true class and within it by the probability of that
    class, the surest first; more than 800 graphs are drawn as means over neighbours. A mark at the
    right of a row is an error: another class is the most probable. The curve has a point for each
    tenth of confidence, the probability of the predicted class: the share that is right, with its
    95 % interval (Wilson). On the diagonal, a model is right as often as it says. Bars below count
    the graphs.

    Parameters
    ----------
    y_true : array-like of shape (n_graphs,)
        True classes.
    probabilities : array-like of shape (n_graphs, n_classes)
        As ``predict_proba`` returns them.
    classes : sequence
        Classes of the columns, as in ``classes_`` of a fitted model.
    items : str, default="graphs"
        What rows are.

    Examples
    --------
    >>> figure = confidence(["a", "b", "b"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]], ["a", "b"])
    >>> heat = figure.axes[0]
    >>> heat.images[0].get_array().tolist()  # the graph of a, then those of b
    [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]
    >>> heat.get_title()
    '3 graphs, 1 error'
    """
    truth, shares = _checked(y_true, probabilities, list(classes))
    predicted = shares.argmax(axis=1)
    order = np.lexsort([-shares[np.arange(len(truth)), truth], truth])
    names = [str(name) for name in classes]

    wide = _width(len(names))
    figure = new_figure(wide + 5.4, max(HEIGHT, 1.0 + CLASS * len(names)), "constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=[wide + 1.2, 3.6], height_ratios=[4, 1])
    heat = figure.add_subplot(grid[:, 0])
    _draw_heat(heat, shares[order], truth[order], (predicted != truth)[order], names, items)
    curve = figure.add_subplot(grid[0, 1])
    counts = figure.add_subplot(grid[1, 1], sharex=curve)
    _draw_reliability(curve, counts, shares.max(axis=1), predicted == truth, items)
    return figure


def _width(n_classes: int) -> float:
    """Of the heat map, in inches."""
    return min(max(2.0, 0.55 * n_classes), WIDEST)


def _checked(
    y_true: npt.ArrayLike, probabilities: npt.ArrayLike, classes: list[object]
) -> tuple[Positions, Float64]:
    """Return the place of each true class among the classes, and the probabilities."""
    shares = numbers_of(probabilities, "probabilities")
    truth = np.asarray(y_true)
    if shares.ndim != 2 or truth.shape != shares.shape[:1] or not shares.size:
        raise ParameterError(
            "Expected one true class and one row of probabilities per graph, at least one graph. "
            f"Got shapes {truth.shape} and {shares.shape}."
        )
    if shares.shape[1] != len(classes):
        raise ParameterError(
            f"Expected one class per column of probabilities ({shares.shape[1]}). Got "
            f"{len(classes)} classes."
        )
    if (shares < 0).any() or not np.allclose(shares.sum(axis=1), 1, atol=1e-4):
        raise ParameterError(
            "probabilities must be 0 or more and add up to 1 in every row, as predict_proba "
            "returns them."
        )
    places = {name: place for place, name in enumerate(classes)}
    strange = [own for own in truth.tolist() if own not in places]
    if strange:
        raise ParameterError(
            f"y_true has a class {quoted(strange[0])}, which is not among the classes of the "
            f"columns: {quoted(classes)}."
        )
    return np.array([places[own] for own in truth.tolist()], dtype=np.intp), shares


def _draw_heat(
    ax: Axes, shares: Float64, truth: Positions, wrong: Mask, names: list[str], items: str
) -> None:
    n, k = shares.shape
    step = -(-n // MOST_ROWS)
    starts = np.arange(0, n, step)
    sizes = np.diff(starts, append=n)
    cells = np.add.reduceat(shares, starts) / sizes[:, None]
    image = ax.imshow(
        cells, cmap="Blues", vmin=0, vmax=1, aspect="auto", interpolation="nearest",
        extent=(0, k, len(cells) * step, 0),
    )  # fmt: skip
    rows = np.flatnonzero(wrong)
    strip = k * min(STRIP, WIDEST_STRIP / _width(k))
    # With a rim, a row that is thinner than a dot is seen.
    ax.barh(
        rows + 0.5, strip, 1, k + SPACE, color=COLOURS[1], edgecolor=COLOURS[1], linewidth=0.5,
        label="error",
    )  # fmt: skip
    ax.set_xlim(0, k + (SPACE + strip) * bool(len(rows)))
    ax.set_ylim(n, 0)
    stops = np.cumsum(np.bincount(truth, minlength=k))
    firsts = np.concatenate([[0], stops[:-1]])
    for stop in stops[:-1]:
        ax.axhline(stop, color="black", linewidth=0.8)
    for column in range(1, k):
        ax.axvline(column, color="white", linewidth=1.0)
    there = np.flatnonzero(stops > firsts)
    level = sum(map(len, names)) <= LEVEL_CHARACTERS
    style: dict[str, Any] = {"fontsize": 9 if k <= 10 else 7, "parse_math": False}
    ax.set_xticks(np.arange(k) + 0.5, names, rotation=0 if level else 90, **style)
    ax.set_yticks(((firsts + stops) / 2)[there], [names[place] for place in there], **style)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("Predicted class")
    ax.set_ylabel(f"{items.capitalize()}, by true class")
    errors = f"{len(rows)} error" + ("" if len(rows) == 1 else "s")
    ax.set_title(f"{n} {items}, {errors}", fontsize=10)
    if len(rows):
        ax.annotate(
            "error", (1, 0), (0, -6), xycoords="axes fraction", textcoords="offset points",
            ha="right", va="top", fontsize=8, color=COLOURS[1], rotation=0,
        )  # fmt: skip
    add_colour_bar(ax, image, "Probability")


def _draw_reliability(curve: Axes, counts: Axes, sure: Float64, right: Mask, items: str) -> None:
    from scipy.stats import binomtest
    from sklearn.calibration import calibration_curve

    shares, confidences = calibration_curve(right, sure, n_bins=N_BINS, strategy="uniform")
    edges = np.linspace(0, 1, N_BINS + 1)
    # Intervals that are open at their left end, as those of calibration_curve.
    bins = np.searchsorted(edges[1:-1], sure)
    sizes = np.bincount(bins, minlength=N_BINS)
    hits = np.bincount(bins[right], minlength=N_BINS)
    tests = [binomtest(int(k), int(n)) for k, n in zip(hits, sizes, strict=True) if n]
    limits = np.array([test.proportion_ci(method="wilson") for test in tests])
    errors = np.abs(limits - shares[:, None]).T

    curve.plot([0, 1], [0, 1], color=GREY, linewidth=1.0, linestyle=(0, (4, 3)))
    curve.errorbar(
        confidences, shares, yerr=errors, color=COLOURS[0], marker="o", markersize=4.5,
        linewidth=1.2, elinewidth=0.9, capsize=2, label="reliability",
    )  # fmt: skip
    counts.bar(edges[:-1], hits, 1 / N_BINS, align="edge", color=(COLOURS[0], 0.5), label="right")
    counts.bar(
        edges[:-1], sizes - hits, 1 / N_BINS, hits, align="edge", color=COLOURS[1], label="wrong"
    )
    # Of k classes the most probable has at least 1 / k.
    low = min(edges[bins.min()], 0.5)
    curve.set_xlim(low, 1.0 + 0.01 * (1 - low))
    curve.set_ylim(min(low, float(limits.min())) - 0.02, 1.02)
    curve.set_ylabel("Share that is right")
    curve.set_title("Reliability", fontsize=10)
    curve.tick_params(labelbottom=False)
    counts.set_xlabel("Confidence of the prediction")
    counts.set_ylabel(items.capitalize())
    counts.legend(
        frameon=False, fontsize="small", loc="lower right", bbox_to_anchor=(1.0, 0.95), ncols=2,
        borderaxespad=0,
    )  # fmt: skip
    for ax in (curve, counts):
        tidy_axes(ax)

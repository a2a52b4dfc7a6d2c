"""Predicted numbers against true ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64
from nask.exceptions import ParameterError
from nask.learning.number_scores import score_of_numbers
from nask.plots.style import COLOURS, GREY, axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Sides in inches, and the area of a point where there are few, and where there are many.
WIDTH, HEIGHT = 4.6, 4.4
LARGEST_POINT, SMALLEST_POINT, MANY = 22.0, 5.0, 2000
# Space around the points, as a part of their span.
MARGIN = 0.05


def predicted(
    y_true: npt.ArrayLike,
    y_pred: npt.ArrayLike,
    ax: Axes | None = None,
    *,
    errors: Mapping[str, float] | None = None,
) -> Axes:
    """Draw each predicted number against the true one; on the grey line they are equal.

    Both axes have the same scale. With several predictions of one graph, from repeats, each is a
    point.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_graphs,)
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    errors : mapping of str to float, optional
        What is written into the corner, by name; by default R2 and the mean absolute error of these
        points.

    Examples
    --------
    >>> ax = predicted([1.0, 2.0, 3.0], [1.0, 2.5, 3.0])
    >>> ax.get_xlabel(), ax.get_ylabel(), ax.texts[0].get_text().splitlines()
    ('True value', 'Predicted value', ['R2 0.875', 'MAE 0.167'])
    """
    true, found = _numbers(y_true), _numbers(y_pred)
    if true.ndim != 1 or true.shape != found.shape or not len(true):
        raise ParameterError(
            "Expected one true and one predicted number per graph, at least one graph. Got shapes "
            f"{true.shape} and {found.shape}."
        )
    if errors is None:
        errors = {
            "R2": float(score_of_numbers("r2", true, found)),
            "MAE": -float(score_of_numbers("neg_mean_absolute_error", true, found)),
        }
    ax = axes_or_new(ax, WIDTH, HEIGHT)
    both = np.concatenate([true, found])
    margin = MARGIN * (np.ptp(both) or 1.0)
    limits = float(both.min() - margin), float(both.max() + margin)
    ax.plot(limits, limits, color=GREY, linewidth=1, zorder=1)
    share = min(1.0, len(true) / MANY)
    size = LARGEST_POINT + share * (SMALLEST_POINT - LARGEST_POINT)
    ax.scatter(
        true,
        found,
        s=size,
        color=COLOURS[0],
        alpha=0.75 - 0.45 * share,
        linewidths=0,
        zorder=2,
    )
    ax.set_xlim(limits)
    ax.set_ylim(limits)
    ax.set_aspect("equal")
    # The same numbers on both axes.
    ax.set_yticks(ax.get_xticks())
    ax.set_ylim(limits)
    ax.set_xlim(limits)
    ax.text(
        0.04,
        0.96,
        "\n".join(f"{name} {value:.3g}" for name, value in errors.items()),
        transform=ax.transAxes,
        va="top",
        fontsize=9,
    )
    ax.set_xlabel("True value")
    ax.set_ylabel("Predicted value")
    for edge in ("top", "right"):
        ax.spines[edge].set_visible(False)
    return ax


def _numbers(values: npt.ArrayLike) -> Float64:
    found = np.asarray(values, dtype=np.float64)
    if not np.isfinite(found).all():
        raise ParameterError("Expected finite numbers, got one that is missing or infinite.")
    return found

"""The confusion matrix: which classes are taken for which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64
from nask.exceptions import ParameterError
from nask.plots.style import add_colour_bar, axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS_PER_INCH = 72
# Width and height of a digit with a little space around it, relative to the font size.
DIGIT_WIDTH, DIGIT_HEIGHT = 0.68, 1.1
SMALLEST_FONT, READABLE_FONT, LARGEST_FONT = 5.0, 7.0, 10.0
# Sides in inches: the smallest of a cell, the smallest and the largest of the picture.
CELL, SMALLEST_SIDE, LARGEST_SIDE = 0.26, 3.0, 20.0
# Ticks, labels and the colour bar take about a quarter of the space of Axes not yet laid out.
DRAWN_SHARE = 0.75


def confusion(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw a confusion matrix: counts as numbers, shares of each true class as colours.

    Zeros are left blank. If a number would not fit into its cell, no numbers are written, since
    a blank cell would look like a zero. A figure that is made here has room for the numbers of up
    to about 100 classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_graphs,)
        True and predicted classes.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> ax = confusion(["a", "a", "b"], ["a", "b", "b"])
    >>> ax.images[0].get_array().tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    >>> [text.get_text() for text in ax.texts]
    ['1', '1', '1']
    """
    from sklearn.metrics import confusion_matrix

    true, predicted = np.asarray(y_true), np.asarray(y_pred)
    if true.ndim != 1 or true.shape != predicted.shape or not len(true):
        raise ParameterError(
            "Expected one true and one predicted class per graph, at least one graph. Got shapes "
            f"{true.shape} and {predicted.shape}."
        )
    counts = confusion_matrix(true, predicted)
    names = [str(name) for name in np.unique(np.concatenate([true, predicted])).tolist()]
    n = len(names)
    # A class that is predicted but never true has a row of zeros.
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)

    digits = len(str(counts.max()))
    cell = max(CELL, digits * DIGIT_WIDTH * READABLE_FONT / POINTS_PER_INCH / DRAWN_SHARE)
    side = float(np.clip(cell * n, SMALLEST_SIDE, LARGEST_SIDE))
    ax = axes_or_new(ax, side + 1.4, side + 0.8)
    image = ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    points = _cell_points(ax, n)
    fitting = min(0.5 * points, points / (digits * DIGIT_WIDTH))
    font = float(np.clip(fitting, SMALLEST_FONT, LARGEST_FONT))
    if max(DIGIT_WIDTH * digits, DIGIT_HEIGHT) * font <= points * (1 + 1e-9):
        _write_counts(ax, counts, shares, font)

    ax.set_xticks(range(n), names, fontsize=font)
    ax.set_yticks(range(n), names, fontsize=font)
    longest = max(map(len, names))
    if longest * DIGIT_WIDTH * font > _cell_points(ax, n):
        ax.tick_params(axis="x", rotation=90)
    ax.set_xticks(np.arange(1, n) - 0.5, minor=True)
    ax.set_yticks(np.arange(1, n) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=0.8)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("Predicted class")
    ax.set_ylabel("True class")
    add_colour_bar(ax, image, "Share of the true class")
    return ax


def _cell_points(ax: Axes, n: int) -> float:
    """Side of a cell in points, the unit of font sizes."""
    box = ax.get_window_extent()
    inches = min(box.width, box.height) / ax.figure.dpi
    return DRAWN_SHARE * POINTS_PER_INCH * inches / n


def _write_counts(ax: Axes, counts: npt.NDArray[np.int_], shares: Float64, font: float) -> None:
    for row, column in np.argwhere(counts):
        number = str(counts[row, column])
        colour = "white" if shares[row, column] > 0.5 else "#202020"
        ax.text(column, row, number, ha="center", va="center", fontsize=font, color=colour)

"""The Gram matrix as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nask.arrays import Floats, Positions
from nask.choices import LearningTask
from nask.plots.style import Target, add_colour_bar, as_gram, axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# With more cells per side, a cell is smaller than a dot of a printed figure.
LARGEST_SIDE = 800
# Beyond these, a few graphs unlike all others would take most of the colours.
SHOWN_PERCENTILES = (2, 98)
# Names closer than this share of the side would overlap.
NEAREST_NAMES = 0.025
FEW_CLASSES = 10
# So many characters fit side by side below the picture; if names have more, they are rotated.
LEVEL_CHARACTERS = 30


def gram_heatmap(
    gram: npt.ArrayLike,
    y: npt.ArrayLike | None = None,
    ax: Axes | None = None,
    items: str = "graphs",
    task: LearningTask | None = None,
) -> Axes:
    """Draw a Gram matrix with its graphs sorted by class.

    Colours span the values off the diagonal, except the lowest and the highest 2 %, which have the
    colours at the ends of the bar. A matrix larger than 800 x 800 is drawn as means over
    neighbouring graphs.

    Parameters
    ----------
    gram : array-like of shape (n_graphs, n_graphs)
    y : array-like of shape (n_graphs,), optional
        Class of each graph, or its value on a scale. Graphs are sorted by it, and lines separate
        classes. Without y, graphs keep their order.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    items : str, default="graphs"
        What rows and columns are.
    task : {"classify", "regress"}, optional
        Whether y holds classes or values on a scale; told from its values by default.

    Examples
    --------
    >>> K = [[1.0, 0.2, 0.9], [0.2, 1.0, 0.3], [0.9, 0.3, 1.0]]
    >>> ax = gram_heatmap(K, ["b", "a", "b"])
    >>> ax.images[0].get_array()[0].tolist()  # the row of the graph of class a
    [1.0, 0.2, 0.3]
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'b']
    """
    matrix = as_gram(gram)
    n = len(matrix)
    target = Target.of(y, n, task)
    order = np.argsort(target.values, kind="stable")
    ax = axes_or_new(ax, 5.6, 4.6)

    step = -(-n // LARGEST_SIDE)
    cells = _reduced(matrix, order, step)
    # Positions are those of graphs; the last cell may hold fewer of them.
    side = len(cells) * step
    least, greatest = _limits(cells)
    image = ax.imshow(
        cells,
        cmap="viridis",
        extent=(0, side, side, 0),
        interpolation="nearest",
        vmin=least,
        vmax=greatest,
    )
    ax.set_xlim(0, n)
    ax.set_ylim(n, 0)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if target.names:
        _mark_classes(ax, target, n)
        text = f"{items.capitalize()}, by class"
    else:
        ax.set_xticks([])
        ax.set_yticks([])
        text = items.capitalize() + (", by their value" if target.is_scale else "")
    ax.set_xlabel(text)
    ax.set_ylabel(text)
    add_colour_bar(ax, image, "Kernel value", extend="both")
    return ax


def _reduced(matrix: Floats, order: Positions, step: int) -> Floats:
    """Return the matrix in that order, as means of step x step values; the whole is not copied."""
    n = len(matrix)
    if step == 1:
        return matrix[np.ix_(order, order)]
    starts = np.arange(0, n, step)
    sizes = np.diff(starts, append=n)
    means = (matrix[order[start : start + step]].mean(axis=0)[order] for start in starts)
    return np.stack([np.add.reduceat(row, starts) / sizes for row in means])


def _limits(cells: Floats) -> tuple[float, float]:
    """Limits of the colours: all but the extremes of the values off the diagonal."""
    n = len(cells)
    if n == 1:
        return 0.0, float(cells[0, 0])
    # Every n + 1st value is on the diagonal: in rows of n + 1, that is the first column.
    others = np.ascontiguousarray(cells).reshape(-1)[:-1].reshape(n - 1, n + 1)[:, 1:]
    least, greatest = np.percentile(others, SHOWN_PERCENTILES)
    return float(least), float(greatest)


def _mark_classes(ax: Axes, target: Target, n: int) -> None:
    stops = np.cumsum(np.bincount(target.values))
    few = len(target.names) <= FEW_CLASSES
    for stop in stops[:-1]:
        ax.axhline(stop, color="white", linewidth=0.8 if few else 0.4)
        ax.axvline(stop, color="white", linewidth=0.8 if few else 0.4)
    middles: list[float] = []
    names = []
    for middle, name in zip(
        (stops + np.concatenate([[0], stops[:-1]])) / 2, target.names, strict=True
    ):
        if not middles or middle - middles[-1] >= NEAREST_NAMES * n:
            middles.append(middle)
            names.append(name)
    size = "medium" if few else "x-small"
    level = few and sum(map(len, names)) <= LEVEL_CHARACTERS
    ax.set_xticks(middles, names, fontsize=size, rotation=0 if level else 90)
    ax.set_yticks(middles, names, fontsize=size)

"""Graphs as points of the plane, by kernel principal components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64, Floats
from nask.choices import LearningTask
from nask.plots.style import (
    Target,
    add_colour_bar,
    add_legend,
    as_gram,
    axes_or_new,
    colour_and_marker,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROWS_OF_LEGEND = 16


def embedding(
    gram: npt.ArrayLike,
    y: npt.ArrayLike | None = None,
    ax: Axes | None = None,
    task: LearningTask | None = None,
) -> Axes:
    """Draw graphs as points by the first two principal components of the kernel.

    The labels of the axes show which share of the variance each component explains.

    Parameters
    ----------
    gram : array-like of shape (n_graphs, n_graphs)
        Positive semidefinite, such as ``NASK().fit_transform(graphs)``. It is centred here.
    y : array-like of shape (n_graphs,), optional
        Class of each graph, shown by colour and shape, or its value on a scale, shown by a
        gradient of colours.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    task : {"classify", "regress"}, optional
        Whether y holds classes or values on a scale; told from its values by default.

    Examples
    --------
    >>> ax = embedding([[4.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]], ["b", "a", "a"])
    >>> ax.get_xlabel()  # two of the three graphs are alike: one direction tells all
    'First component (100.0 % of variance)'
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'b']
    """
    matrix = as_gram(gram)
    target = Target.of(y, len(matrix), task)
    points, shares = principal_components(matrix)
    ax = axes_or_new(ax, 5.6, 4.4)
    size = float(np.clip(9000 / len(points), 6, 24))
    # White rims separate neighbours; many small points are transparent instead.
    rims = {"edgecolors": "white", "linewidths": 0.4} if size > 10 else {"linewidths": 0.0}
    style: dict[str, Any] = {"s": size, "alpha": 1.0 if size > 10 else 0.5, **rims}
    if target.names:
        for number, name in enumerate(target.names):
            colour, marker = colour_and_marker(number)
            own = points[target.values == number]
            ax.scatter(own[:, 0], own[:, 1], c=colour, marker=marker, label=name, **style)
        columns = -(-len(target.names) // ROWS_OF_LEGEND)
        add_legend(ax, title="Class", ncols=columns, handletextpad=0.2, columnspacing=0.8)
    elif target.is_scale:
        drawn = ax.scatter(points[:, 0], points[:, 1], c=target.values, cmap="viridis", **style)
        add_colour_bar(ax, drawn, "Value")
    else:
        ax.scatter(points[:, 0], points[:, 1], c=colour_and_marker(0)[0], **style)
    ax.set_xlabel(f"First component ({100 * shares[0]:.1f} % of variance)")
    ax.set_ylabel(f"Second component ({100 * shares[1]:.1f} % of variance)")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def principal_components(
    gram: Floats,
) -> tuple[Float64, Float64]:
    """First two kernel principal components of each graph, and their shares of the variance.

    Examples
    --------
    >>> points, shares = principal_components(np.eye(2))
    >>> np.abs(points).round(3).tolist(), shares.round(3).tolist()
    ([[0.707, 0.0], [0.707, 0.0]], [1.0, 0.0])
    """
    from sklearn.decomposition import KernelPCA

    n = len(gram)
    points, shares = np.zeros((n, 2)), np.zeros(2)
    variance = float(np.trace(gram, dtype=np.float64) - gram.mean(dtype=np.float64) * n)
    # If all graphs are alike, or there is one, no direction exists: all points are at the origin.
    if n > 1 and variance > n * np.finfo(gram.dtype).eps * np.abs(gram).max():
        pca = KernelPCA(2, kernel="precomputed", random_state=0)
        points[:] = pca.fit_transform(gram)
        shares[:] = pca.eigenvalues_ / variance
    return points, shares

"""A kernel at a glance: its Gram matrix beside its principal components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy.typing as npt

from nask.choices import LearningTask
from nask.plots.heatmap import gram_heatmap
from nask.plots.kernel_pca import embedding
from nask.plots.style import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def kernel_overview(
    gram: npt.ArrayLike,
    y: npt.ArrayLike | None = None,
    title: str | None = None,
    items: str = "graphs",
    task: LearningTask | None = None,
) -> Figure:
    """Draw the heat map and the embedding of a Gram matrix side by side.

    Parameters
    ----------
    gram : array-like of shape (n, n)
    y : array-like of shape (n,), optional
        Classes, or values on a scale.
    title : str, optional
    items : str, default="graphs"
        What rows and columns are.
    task : {"classify", "regress"}, optional
        Whether y holds classes or values on a scale; told from its values by default.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> figure = kernel_overview(nask.NASK(n_hops=1).fit_transform(mutag.graphs), mutag.y, "MUTAG")
    >>> figure.get_suptitle()
    'MUTAG'
    """
    figure = new_figure(11, 4.8)
    left, right = figure.subplots(1, 2)
    gram_heatmap(gram, y, ax=left, items=items, task=task)
    embedding(gram, y, ax=right, task=task)
    if title:
        figure.suptitle(title, fontsize=10)
    return figure

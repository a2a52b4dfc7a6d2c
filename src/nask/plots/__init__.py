"""Pictures of results: plain data in, matplotlib Axes out.

Each function draws into the Axes it is given, or into a new figure, and returns the Axes;
``ax.figure.savefig("picture.pdf")`` writes it. matplotlib is imported when the first picture is
drawn.
"""

from typing import TYPE_CHECKING

from nask.lazy import lazy_names

_MODULES = {
    "accuracy": "nask.plots.accuracy_dots",
    "confusion": "nask.plots.confusion_matrix",
    "critical_difference": "nask.plots.average_ranks",
    "embedding": "nask.plots.kernel_pca",
    "gram_heatmap": "nask.plots.heatmap",
    "kernel_overview": "nask.plots.overview",
}
__all__ = sorted(_MODULES)  # noqa: PLE0605
if TYPE_CHECKING:
    from nask.plots.accuracy_dots import accuracy as accuracy
    from nask.plots.average_ranks import critical_difference as critical_difference
    from nask.plots.confusion_matrix import confusion as confusion
    from nask.plots.heatmap import gram_heatmap as gram_heatmap
    from nask.plots.kernel_pca import embedding as embedding
    from nask.plots.overview import kernel_overview as kernel_overview
else:
    __getattr__, __dir__ = lazy_names(__name__, _MODULES)

"""Pictures of results: plain data in, matplotlib Axes out.

Each function draws into the Axes it is given, or into a new figure, and returns the Axes;
``ax.figure.savefig("picture.pdf")`` writes it. matplotlib is imported when the first picture is
drawn.
"""

from nask.plots.accuracy_dots import accuracy
from nask.plots.average_ranks import critical_difference
from nask.plots.confusion_matrix import confusion
from nask.plots.heatmap import gram_heatmap
from nask.plots.kernel_pca import embedding
from nask.plots.overview import kernel_overview

__all__ = [
    "accuracy",
    "confusion",
    "critical_difference",
    "embedding",
    "gram_heatmap",
    "kernel_overview",
]

"""Pictures of graphs and results: plain data in, matplotlib Axes out.

Each function draws into the Axes it is given, or into a new figure, and returns the Axes;
``ax.figure.savefig("picture.pdf")`` writes it. matplotlib is imported when the first picture is
drawn.
"""

from nask.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)

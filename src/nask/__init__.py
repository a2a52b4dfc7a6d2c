"""nask: the Neighborhood-Aware Star Kernel for graphs with mixed attributes.

``import nask`` is cheap: a name is imported when it is first used. At the front stand graphs,
kernels, models and their evaluation; converters and readers are in ``nask.io``, benchmark sets
in ``nask.datasets``, pictures in ``nask.plots``, rivals and generators in ``nask.lab``, and
errors and warnings in ``nask.exceptions``.
"""

from nask.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)

"""The laboratory: what experiments need and users do not.

The library reaches it by name: nothing of it is imported until a rival or one of its
datasets is asked for.
"""

from nask.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)

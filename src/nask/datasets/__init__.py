"""Benchmark sets by name: in the package, in the folders of NASK_DATA, or downloaded."""

from nask.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)

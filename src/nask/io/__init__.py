"""Readers and converters: other forms of graphs in, AttributedGraph out, and back."""

from nask.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)

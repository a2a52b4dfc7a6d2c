"""nask: the Neighborhood-Aware Star Kernel for graphs with mixed attributes."""

from nask.graph.attributed_graph import AttributedGraph

__all__ = ["AttributedGraph"]

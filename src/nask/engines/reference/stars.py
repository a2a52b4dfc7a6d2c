"""The nodes and edges of each star of a graph, found step by step."""

from __future__ import annotations

from nask.graph.batch import GraphBatch
from nask.graph.elements import Elements


def star(batch: GraphBatch, i: int, width: int) -> tuple[list[set[int]], list[set[int]]]:
    """Return the nodes and the edges of the star of each node of graph i.

    The nodes are those within ``width`` hops, the edges those with an endpoint within
    ``width - 1`` hops. Both are numbered from 0 on within the graph.
    """
    first, last = bounds(batch.nodes, i)
    first_edge, last_edge = bounds(batch.edges, i)
    ends = (batch.endpoints[first_edge:last_edge] - first).tolist()
    stars, incident = [], []
    for v in range(last - first):
        nodes: set[int] = {v}
        edges: set[int] = set()
        for _ in range(width):
            edges |= {e for e, (x, y) in enumerate(ends) if x in nodes or y in nodes}
            nodes |= {end for e in edges for end in ends[e]}
        stars.append(nodes)
        incident.append(edges)
    return stars, incident


def bounds(elements: Elements, i: int) -> tuple[int, int]:
    """Return the position of the first element of graph i, and of the first after its last."""
    return int(elements.ptr[i]), int(elements.ptr[i + 1])

"""The nodes and edges of each star of a graph, found step by step."""

from __future__ import annotations

from nask.engines.reference.similarity import element_similarity, values_of
from nask.graph.batch import GraphBatch
from nask.graph.elements import Elements
from nask.stars.members import SAME
from nask.stars.spec import StarSpec


def members_of(
    batch: GraphBatch, i: int, hop: int, spec: StarSpec
) -> tuple[list[set[int]], list[set[int]]]:
    """Return the nodes and the edges of the star of each node of graph i that are compared.

    With ``max_leaves`` some leaves are no members; of a walk the core is none.
    """
    stars, incident = star(batch, i, hop)
    if spec.max_leaves is not None:
        for v, leaves in enumerate(_nearest(batch, i, stars, spec)):
            first_edge = bounds(batch.edges, i)[0]
            ends = {e: batch.endpoints[first_edge + e] - batch.nodes.ptr[i] for e in incident[v]}
            incident[v] = {e for e, pair in ends.items() if leaves & set(pair.tolist())}
            stars[v] = {v} | leaves
    if spec.expansion == "walk":
        stars = [nodes - {v} for v, nodes in enumerate(stars)]
    return stars, incident


def _nearest(batch: GraphBatch, i: int, stars: list[set[int]], spec: StarSpec) -> list[set[int]]:
    """Return the ``max_leaves`` leaves of each star that are most similar to its core, and ties."""
    values = [values_of(batch.nodes, x) for x in range(*bounds(batch.nodes, i))]
    nearest = []
    for v, nodes in enumerate(stars):
        P = {u: element_similarity(values[v], values[u], spec.nodes) for u in nodes - {v}}
        least = sorted(P.values(), reverse=True)[: spec.max_leaves][-1:] or [0.0]
        nearest.append({u for u, similarity in P.items() if similarity >= least[0] * (1 - SAME)})
    return nearest


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

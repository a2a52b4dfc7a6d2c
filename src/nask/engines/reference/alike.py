"""Which stars are alike, by counting what they hold; ``stars/alike.py`` says why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable

from nask.attributes.similarity import AttributeSimilarity
from nask.engines.reference.stars import members_of
from nask.graph.batch import GraphBatch
from nask.graph.elements import Elements
from nask.stars.spec import StarSpec

Likeness = list[list[bool]]
Labels = list[list[int]]


def alike(
    a: GraphBatch, i: int, b: GraphBatch, j: int, spec: StarSpec
) -> list[Likeness] | list[None]:
    """Tell, hop by hop, which stars of graph i of ``a`` and of graph j of ``b`` are alike.

    Their cores must be alike, and the stars must hold everything in equal shares: at hop 1 every
    value of every attribute, since P is a sum over attributes; at later hops the stars of the hop
    before; at all hops the values of edges. It is None unless stars are nested: only there do hops
    magnify what tells two stars apart.
    """
    labels: dict[Hashable, int] = {}
    return same(star_labels(a, i, spec, labels), star_labels(b, j, spec, labels), spec)


def same(rows: Labels, columns: Labels, spec: StarSpec) -> list[Likeness] | list[None]:
    """Tell which stars of two graphs have the same label, hop by hop; None unless nested."""
    if not spec.nested:
        return [None] * spec.n_hops
    return [
        [[v == w for w in right] for v in left] for left, right in zip(rows, columns, strict=True)
    ]


def star_labels(batch: GraphBatch, i: int, spec: StarSpec, labels: dict[Hashable, int]) -> Labels:
    """Return a number for each star of a graph, hop by hop; equal where stars are alike.

    ``labels`` are those given so far, to the stars of other graphs. Only nested stars have any.
    """
    if not spec.nested:
        return []
    nodes, edges = members_of(batch, i, 1, spec)
    n = len(nodes)

    def label(*key: Hashable) -> int:
        return labels.setdefault(key, len(labels))

    of_edges: list[Counter[Hashable]] = [Counter() for _ in range(n)]
    if spec.use_edges:
        of_edges = [_values(batch.edges, i, e, spec.edges, "edge") for e in edges]
    of_nodes = [_values(batch.nodes, i, star_nodes, spec.nodes, "node") for star_nodes in nodes]
    before = [
        label("node", _shares(_values(batch.nodes, i, [v], spec.nodes, "node"))) for v in range(n)
    ]
    hops = []
    for hop in range(1, spec.n_hops + 1):
        if hop > 1:
            of_nodes = [Counter(("star", before[u]) for u in star_nodes) for star_nodes in nodes]
        before = [label(hop, before[v], _shares(of_nodes[v] + of_edges[v])) for v in range(n)]
        hops.append(before)
    return hops


def _values(
    elements: Elements, i: int, members: Iterable[int], similarity: AttributeSimilarity, kind: str
) -> Counter[Hashable]:
    """Count the members that have each value of each attribute, and the members themselves.

    If P is joint, it is members with all values equal that are counted.
    """
    if similarity.joint:
        start = int(elements.ptr[i])
        return Counter((kind, _point(elements, start + u, similarity)) for u in members)
    first, counted = int(elements.ptr[i]), similarity.base > 0
    counts: Counter[Hashable] = Counter()
    for u in members:
        for d, weight in enumerate(similarity.numerical_weight):
            if weight > 0 and not math.isnan(elements.numerical[d, first + u]):
                counts[kind, "number", d, float(elements.numerical[d, first + u])] += 1
        for d, weight in enumerate(similarity.categorical_weight):
            if weight > 0 and elements.categorical[d, first + u] >= 0:
                counts[kind, "category", d, int(elements.categorical[d, first + u])] += 1
        if counted:
            counts[kind] += 1
    return counts


def _point(elements: Elements, x: int, similarity: AttributeSimilarity) -> Hashable:
    """Return the values of all attributes that count."""
    numbers = elements.numerical[similarity.numerical_weight > 0, x]
    codes = elements.categorical[similarity.categorical_weight > 0, x]
    return (*numbers.tolist(), *codes.tolist())


def _shares(counts: Counter[Hashable]) -> Hashable:
    """Return counts divided by their greatest common divisor."""
    divisor = math.gcd(*counts.values())
    return frozenset((thing, count // divisor) for thing, count in counts.items())

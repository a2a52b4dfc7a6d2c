"""The single edits of a graph that are tried: known values, edges removed, edges added."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, product
from typing import Any

from nask.explain.editable import Editable
from nask.explain.edits import EdgeAddition, EdgeRemoval, Edit, Ends, ValueChange
from nask.graph.attributed_graph import AttributedGraph

# The most combinations of attributes that are tried for a new edge; with more attributes, those
# that differ from a typical edge in one of them.
MOST_COMBINATIONS = 24
# Of changes: smaller ones are none.
ROUNDING = 1e-12


def single_edits(
    graph: AttributedGraph,
    attributes: Sequence[Editable],
    keep: Collection[str] = (),
    edit: Collection[str] = ("attributes", "edges"),
) -> Iterator[Edit]:
    """Return all single edits, one of each sort in turn, so that the first few have all sorts.

    Sorts are: values of nodes, values of edges, edges removed, edges added. Attributes take turns,
    too.

    Examples
    --------
    >>> from nask.explain.editable import editable_attributes
    >>> graph = AttributedGraph(3, [(0, 1)], {"atom": ["C", "C", "N"]})
    >>> for edit in single_edits(graph, editable_attributes(graph, [], None)):
    ...     print(edit)
    node 2: atom N -> C
    edge 0-1 removed
    edge 0-2 added
    node 0: atom C -> N
    edge 1-2 added
    node 1: atom C -> N
    node 0: atom C -> missing
    node 1: atom C -> missing
    node 2: atom N -> missing
    """
    sorts: list[Iterator[Edit]] = []
    if "attributes" in edit:
        changeable = [own for own in attributes if own.name not in keep]
        for element in ("node", "edge"):
            own = [attribute for attribute in changeable if attribute.element == element]
            sorts.append(_in_turn([_value_changes(graph, attribute) for attribute in own]))
    if "edges" in edit:
        sorts.append(EdgeRemoval(ends) for ends in _edges(graph))
        sorts.append(_additions(graph, [own for own in attributes if own.element == "edge"]))
    return _in_turn(sorts)


def _value_changes(graph: AttributedGraph, own: Editable) -> Iterator[Edit]:
    """Return all other values of an attribute: one value everywhere, then the next."""
    nodes, edges = range(graph.n_nodes), _edges(graph)
    places: Sequence[int | Ends] = nodes if own.element == "node" else edges
    present = own.column(graph).values()
    for new in own.values:
        for place, old in zip(places, present, strict=True):
            change = 0.0 if old == new else own.change(old, new)
            # Points of a range are rounded, and so may be the value that is there.
            if change > ROUNDING:
                yield ValueChange(own.element, place, own.name, old, new, own.kind, change)


def _additions(graph: AttributedGraph, attributes: Sequence[Editable]) -> Iterator[Edit]:
    kinds = {own.name: own.kind for own in attributes}
    present = set(_edges(graph))
    for values in _combinations(graph, attributes):
        for ends in combinations(range(graph.n_nodes), 2):
            if ends not in present:
                yield EdgeAddition(ends, values, kinds)


def _combinations(graph: AttributedGraph, attributes: Sequence[Editable]) -> list[dict[str, Any]]:
    """Return the values of all attributes of a new edge, in each way that is tried."""
    names = [own.name for own in attributes]
    if math.prod(len(own.present()) for own in attributes) <= MOST_COMBINATIONS:
        every = product(*(own.present() for own in attributes))
        return [dict(zip(names, values, strict=True)) for values in every]
    typical = {own.name: own.typical(graph) for own in attributes}
    found = [typical]
    for own in attributes:
        others = (value for value in own.present() if value != typical[own.name])
        found += [{**typical, own.name: value} for value in others]
    return found


def _edges(graph: AttributedGraph) -> list[Ends]:
    return [(int(u), int(v)) for u, v in graph.edges]


def _in_turn(sorts: Sequence[Iterator[Edit]]) -> Iterator[Edit]:
    """Pass on one edit of each sort in turn, until none has any more."""
    left = list(sorts)
    while left:
        for sort in tuple(left):
            edit = next(sort, None)
            if edit is None:
                left.remove(sort)
            else:
                yield edit

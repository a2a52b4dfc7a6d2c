"""Graphs held against the schema of training: what contradicts it, and what is not in both."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from nask.exceptions import (
    AbsentAttributeWarning,
    GraphError,
    SchemaError,
    UnseenAttributeWarning,
)
from nask.graph.attribute import Attribute
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.schema import DEGREE, FEATURES, AttributeSpec, Schema
from nask.messages import first_few, quoted

Collections = Sequence[Mapping[str, Attribute]]
# More attributes than these are told of in one warning, not in one each.
MOST_TOLD = 3


def check_graphs(graphs: Sequence[AttributedGraph], schema: Schema, first: int = 0) -> None:
    """Raise where a graph contradicts the schema.

    ``first`` is the number of the first graph in error messages; the others follow.
    """
    for position, graph in enumerate(graphs, start=first):
        if schema.degree is not None and DEGREE in graph.node_attributes:
            raise GraphError(
                f"Graph {position} has a node attribute {DEGREE!r}, which "
                f"degree={schema.degree!r} would hide. Rename it."
            )
        columns = 0 if graph.node_features is None else graph.node_features.shape[1]
        if FEATURES in schema.hidden_nodes:
            continue
        if columns != len(schema.features):
            raise SchemaError(
                f"Graph {position} has {columns} columns of node_features, but the training "
                f"graphs have {len(schema.features)}: expected the same columns in every graph."
            )
    for element, collections, specs in _by_element(graphs, schema):
        for spec in specs:
            _check_kind(
                [attributes.get(spec.name) for attributes in collections], spec, element, first
            )


def compare_attributes(graphs: Sequence[AttributedGraph], schema: Schema, first: int = 0) -> None:
    """Warn of attributes that only training or only these graphs have; raise if they share none.

    Graphs without edges do not lack an attribute of edges, nor graphs without nodes one of nodes.

    Examples
    --------
    >>> import nask
    >>> schema = Schema.fit([nask.AttributedGraph(1, (), {"age": [31]})])
    >>> compare_attributes([nask.AttributedGraph(1, (), {"Age": [31]})], schema)
    Traceback (most recent call last):
    nask.exceptions.SchemaError: These graphs have none of the attributes that the training
    graphs had (node attribute 'age'), so nothing can be predicted for them. They have: node
    attribute 'Age'. Name them as in training, or fit on graphs such as these.
    """
    shared = bool(schema.features)
    absent: list[str] = []
    given: list[str] = []
    unseen: list[tuple[str, int]] = []
    for element, collections, specs in _by_element(graphs, schema):
        sizes = [graph.n_nodes if element == "node" else graph.n_edges for graph in graphs]
        found: dict[str, int] = {}
        filled: set[str] = set()
        for position, (attributes, size) in enumerate(zip(collections, sizes, strict=True), first):
            for name in attributes:
                found.setdefault(name, position)
            if size:
                filled.update(attributes)
        known = {spec.name for spec in specs}
        unseen += sorted(
            (f"{element} attribute {quoted(name)}", position)
            for name, position in found.items()
            if name not in known
        )
        given += [f"{element} attribute {quoted(name)}" for name in found]
        if any(sizes):
            # An attribute without any training value never matches.
            trained = [spec.name for spec in specs if spec.kind != "missing"]
            shared = shared or not filled.isdisjoint(trained)
            absent += [
                f"{element} attribute {quoted(name)}" for name in trained if name not in filled
            ]
    if absent and not shared:
        raise SchemaError(
            f"These graphs have none of the attributes that the training graphs had "
            f"({first_few(absent)}), so nothing can be predicted for them. They have: "
            f"{first_few(given) or 'no attributes'}. Name them as in training, or fit on graphs "
            "such as these."
        )
    if len(unseen) > MOST_TOLD:
        warnings.warn(
            f"{len(unseen)} attributes were in no training graph and are left out: "
            f"{first_few([what for what, _ in unseen])}. To use them, fit on graphs that have "
            "them.",
            UnseenAttributeWarning,
            stacklevel=2,
        )
        unseen = []
    for what, position in unseen:
        _warn_of_unseen(what, position)
    if len(absent) > MOST_TOLD:
        warnings.warn(
            f"{len(absent)} attributes of the training graphs are in none of these graphs and "
            f"count as missing everywhere: {first_few(absent)}. Give them the names they had in "
            "training, or fit on graphs without them.",
            AbsentAttributeWarning,
            stacklevel=2,
        )
        absent = []
    for what in absent:
        warnings.warn(
            f"The {what} of the training graphs is in none of these graphs and counts as missing "
            "everywhere. Give it the name it had in training, or fit on graphs without it.",
            AbsentAttributeWarning,
            stacklevel=2,
        )


def warn_of_unseen(
    graphs: Sequence[AttributedGraph], schema: Schema, first: int, told: set[str]
) -> None:
    """Warn of attributes that training did not have, of each once in a stream of batches.

    Parameters
    ----------
    first : int
        The number of the first graph.
    told : set of str
        What was warned of before; what is warned of now is added.
    """
    for element, collections, specs in _by_element(graphs, schema):
        known = {spec.name for spec in specs}
        for position, attributes in enumerate(collections, first):
            if attributes.keys() <= known:
                continue
            for name in attributes.keys() - known:
                what = f"{element} attribute {quoted(name)}"
                if what not in told:
                    told.add(what)
                    _warn_of_unseen(what, position)


def _warn_of_unseen(what: str, position: int) -> None:
    warnings.warn(
        f"The {what} of graph {position} was in no training graph and is left out. To use it, "
        "fit on graphs that have it.",
        UnseenAttributeWarning,
        stacklevel=3,
    )


def _by_element(
    graphs: Sequence[AttributedGraph], schema: Schema
) -> list[tuple[str, Collections, Sequence[AttributeSpec]]]:
    """Return the attributes of nodes and those of edges, and their specs; without the degree."""
    nodes = schema.nodes if schema.degree is None else schema.nodes[:-1]
    return [
        ("node", _shown([g.node_attributes for g in graphs], schema.hidden_nodes), nodes),
        ("edge", _shown([g.edge_attributes for g in graphs], schema.hidden_edges), schema.edges),
    ]


def _shown(collections: Collections, hidden: Sequence[str]) -> Collections:
    """Return the attributes that are to be compared."""
    if not hidden:
        return collections
    return [{k: v for k, v in own.items() if k not in hidden} for own in collections]


def _check_kind(
    column: Sequence[Attribute | None], spec: AttributeSpec, element: str, first: int
) -> None:
    if {a.kind for a in column if a is not None} <= {spec.kind}:
        return
    for position, attribute in enumerate(column, start=first):
        if attribute is None or spec.kind in ("missing", attribute.kind):
            continue
        if not attribute.missing.all():
            raise SchemaError(
                f"The {element} attribute {quoted(spec.name)} is {attribute.kind} in graph "
                f"{position}, but was {spec.kind} in the training graphs. Convert its values, or "
                "name it in 'categorical' where its numbers are codes."
            )

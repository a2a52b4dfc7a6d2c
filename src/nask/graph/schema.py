"""What the training graphs fix once for all: names, kinds, ranges and categories."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from nask.exceptions import GraphError, SchemaError
from nask.graph.attribute import Attribute
from nask.graph.attributed_graph import AttributedGraph

Degree = Literal["categorical", "numerical"]
DEGREE = "degree"


@dataclass(frozen=True)
class AttributeSpec:
    """What is known of one attribute of a collection.

    Parameters
    ----------
    name : str
    kind : {"numerical", "categorical", "missing"}
        "missing": no training graph has a value, so the attribute never matches.
    minimum, range : float
        Of the training values, for a numerical attribute.
    categories : tuple of hashable
        The training values of a categorical attribute.
    """

    name: str
    kind: Literal["numerical", "categorical", "missing"]
    minimum: float = 0.0
    range: float = 0.0
    categories: tuple[Hashable, ...] = ()
    codes: Mapping[Hashable, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index = {category: code for code, category in enumerate(self.categories)}
        object.__setattr__(self, "codes", index)


@dataclass(frozen=True)
class Schema:
    """The union of the attributes of a collection of graphs.

    Parameters
    ----------
    nodes, edges : tuple of AttributeSpec
    degree : {"categorical", "numerical"} or None
        Whether a node's degree is the last of its attributes.

    Examples
    --------
    >>> import nask
    >>> from nask.graph.schema import Schema
    >>> graphs = [
    ...     nask.AttributedGraph(2, node_attributes={"age": [20, 60]}),
    ...     nask.AttributedGraph(1, node_attributes={"age": [30], "region": ["Kosice"]}),
    ... ]
    >>> for spec in Schema.fit(graphs).nodes:
    ...     print(spec)
    AttributeSpec(name='age', kind='numerical', minimum=20.0, range=40.0, categories=())
    AttributeSpec(name='region', kind='categorical', minimum=0.0, range=0.0, categories=('Kosice',))
    """

    nodes: tuple[AttributeSpec, ...]
    edges: tuple[AttributeSpec, ...]
    degree: Degree | None = None

    @classmethod
    def fit(cls, graphs: Sequence[AttributedGraph], degree: Degree | None = None) -> Schema:
        """Learn the schema of a collection; its graphs must agree on every kind."""
        nodes = _specs([graph.node_attributes for graph in graphs], "node")
        edges = _specs([graph.edge_attributes for graph in graphs], "edge")
        if degree is not None:
            if any(spec.name == DEGREE for spec in nodes):
                raise GraphError(
                    f"The graphs have a node attribute {DEGREE!r} already, which degree={degree!r} "
                    "would add. Rename it, or use degree=None."
                )
            nodes += _specs([{DEGREE: degree_attribute(graph, degree)} for graph in graphs], "node")
        return cls(nodes, edges, degree)


def degree_attribute(graph: AttributedGraph, kind: Degree) -> Attribute:
    """The size of each node's star as one more attribute of the node."""
    return Attribute.from_values(graph.degrees(), kind=kind)


def _specs(
    collections: Sequence[Mapping[str, Attribute]], element: str
) -> tuple[AttributeSpec, ...]:
    columns: dict[str, list[tuple[int, Attribute]]] = {}
    for position, attributes in enumerate(collections):
        for name, attribute in attributes.items():
            columns.setdefault(name, []).append((position, attribute))
    return tuple(_spec(name, element, column) for name, column in columns.items())


def _spec(name: str, element: str, column: list[tuple[int, Attribute]]) -> AttributeSpec:
    if all(attribute.kind == "numerical" for _, attribute in column):
        # Together: asking each of many small graphs would take most of the time of a fit.
        return _numerical_spec(name, element, [a.data for _, a in column])
    # A graph in which the attribute is missing throughout fits either kind.
    valued = [(position, a) for position, a in column if not a.missing.all()]
    if not valued:
        return AttributeSpec(name, "missing")
    first, kind = valued[0][0], valued[0][1].kind
    for position, attribute in valued:
        if attribute.kind != kind:
            raise SchemaError(
                f"The {element} attribute {name!r} is {kind} in graph {first}, but "
                f"{attribute.kind} in graph {position}. An attribute has one kind in the whole "
                "collection: convert its values, or name it in 'categorical' where its numbers "
                "are codes."
            )
    if kind == "categorical":
        distinct = dict.fromkeys(a.categories for _, a in valued)
        categories = dict.fromkeys(category for group in distinct for category in group)
        return AttributeSpec(name, "categorical", categories=tuple(categories))
    return _numerical_spec(name, element, [a.data for _, a in valued])


def _numerical_spec(
    name: str, element: str, data: Sequence[npt.NDArray[np.float64]]
) -> AttributeSpec:
    values = np.concatenate(data)
    # Not a number where all are missing, or there are none.
    minimum, maximum = (
        np.fmin.reduce(values, initial=np.nan),
        np.fmax.reduce(values, initial=np.nan),
    )
    if np.isnan(minimum):
        return AttributeSpec(name, "missing")
    with np.errstate(over="ignore"):
        span = maximum - minimum
    if not np.isfinite(span):
        raise SchemaError(
            f"The {element} attribute {name!r} spans {minimum} to {maximum}, more than a float64 "
            "can hold. Rescale it."
        )
    return AttributeSpec(name, "numerical", float(minimum), float(span))

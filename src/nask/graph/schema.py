"""The schema that training graphs fix: names, kinds, ranges and categories of attributes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from scipy import sparse

from nask.arrays import Float64
from nask.choices import Attributes, Degree, SimilarityName
from nask.exceptions import GraphError, SchemaError
from nask.graph.attribute import Attribute
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.bins import N_CODES
from nask.messages import quoted

DEGREE = "degree"
# The name of all columns of node_features together, where parameters are given by name.
FEATURES = "node_features"


@dataclass(frozen=True)
class AttributeSpec:
    """What the training graphs tell of one attribute.

    Parameters
    ----------
    kind : {"numerical", "categorical", "missing"}
        "missing": no training graph has a value, so the attribute never matches.
    minimum, range : float
        The least training value of a numerical attribute, and by how much the largest exceeds it.
    categories : tuple of hashable
        The training values of a categorical attribute.
    similarity : {"gower", "one-hot", "euclidean"}
        How values are compared, which decides how they are encoded.
    """

    name: str
    kind: Literal["numerical", "categorical", "missing"]
    minimum: float = 0.0
    range: float = 0.0
    categories: tuple[Hashable, ...] = ()
    similarity: SimilarityName = field(default="gower", repr=False)
    codes: Mapping[Hashable, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index = {category: code for code, category in enumerate(self.categories)}
        object.__setattr__(self, "codes", index)

    @property
    def encoded(self) -> Literal["numerical", "categorical", "missing"]:
        """The array of ``Elements`` that holds its values: numbers in bins are codes, too."""
        binned = self.kind == "numerical" and self.similarity == "one-hot"
        return "categorical" if binned else self.kind

    @property
    def n_codes(self) -> int:
        """Number of codes of its training values, and of the bins of a number."""
        return len(self.categories) if self.kind == "categorical" else N_CODES

    @property
    def missing_number(self) -> float:
        """What encodes a missing number: NaN, or the middle of the training range."""
        if self.similarity != "euclidean":
            return float("nan")
        return 0.5 if self.range else 0.0


@dataclass(frozen=True)
class Schema:
    """The union of the attributes of a collection of graphs.

    Parameters
    ----------
    degree : {"categorical", "numerical"} or None
        Whether a node's degree is the last of its attributes.
    features : tuple of float
        Range of each column of ``node_features``, zeros included.
    hidden_nodes, hidden_edges : tuple of str
        Names of attributes that training graphs had and that are not to be compared.
    similarity : {"gower", "one-hot", "euclidean"}
        How the values of all attributes are compared.

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
    features: tuple[float, ...] = ()
    hidden_nodes: tuple[str, ...] = ()
    hidden_edges: tuple[str, ...] = ()
    similarity: SimilarityName = "gower"

    @classmethod
    def fit(
        cls,
        graphs: Sequence[AttributedGraph],
        degree: Degree | None = None,
        attributes: Attributes = "all",
        similarity: SimilarityName = "gower",
    ) -> Schema:
        """Return the schema of some graphs, which must agree on the kind of every attribute.

        Attributes of another kind than ``attributes`` are hidden. The degree is not among them.
        """
        nodes = _specs([graph.node_attributes for graph in graphs], "node")
        edges = _specs([graph.edge_attributes for graph in graphs], "edge")
        nodes, hidden_nodes = _shown(nodes, attributes)
        edges, hidden_edges = _shown(edges, attributes)
        if degree is not None:
            if any(spec.name == DEGREE for spec in nodes):
                raise GraphError(
                    f"The graphs have a node attribute {DEGREE!r} already, which degree={degree!r} "
                    "would add. Rename it, or use degree=None."
                )
            nodes += _specs([{DEGREE: degree_attribute(graph, degree)} for graph in graphs], "node")
        features = _feature_ranges(graphs)
        if features and attributes == "categorical":
            features, hidden_nodes = (), (*hidden_nodes, FEATURES)
        if features and any(spec.name == FEATURES for spec in nodes):
            raise GraphError(
                f"The graphs have node_features and also a node attribute named {FEATURES!r}. "
                "Rename the attribute."
            )
        nodes, edges = (
            tuple(replace(spec, similarity=similarity) for spec in specs)
            for specs in (nodes, edges)
        )
        return cls(nodes, edges, degree, features, hidden_nodes, hidden_edges, similarity)

    def joined(self, other: Schema) -> Schema:
        """Return the schema of both collections together.

        Examples
        --------
        >>> import nask
        >>> ages = [nask.AttributedGraph(1, (), {"age": [age]}) for age in (20, 30, 50)]
        >>> Schema.fit(ages[:2]).joined(Schema.fit(ages[2:])) == Schema.fit(ages)
        True
        """
        nodes = _joined(self.nodes, other.nodes, "node")
        edges = _joined(self.edges, other.edges, "edge")
        hidden_nodes, hidden_edges = (
            tuple(dict.fromkeys((*mine, *theirs)))
            for mine, theirs in (
                (self.hidden_nodes, other.hidden_nodes),
                (self.hidden_edges, other.hidden_edges),
            )
        )
        return replace(
            self, nodes=nodes, edges=edges, hidden_nodes=hidden_nodes, hidden_edges=hidden_edges
        )


def _shown(
    specs: tuple[AttributeSpec, ...], attributes: Attributes
) -> tuple[tuple[AttributeSpec, ...], tuple[str, ...]]:
    """The attributes of one kind, and the names of the others."""
    if attributes == "all":
        return specs, ()
    shown = tuple(spec for spec in specs if spec.kind in (attributes, "missing"))
    return shown, tuple(spec.name for spec in specs if spec not in shown)


def _joined(
    specs: tuple[AttributeSpec, ...], others: tuple[AttributeSpec, ...], element: str
) -> tuple[AttributeSpec, ...]:
    known = {spec.name: spec for spec in specs}
    for spec in others:
        mine = known.get(spec.name, spec)
        if "missing" in (mine.kind, spec.kind):
            known[spec.name] = spec if mine.kind == "missing" else mine
        elif mine.kind != spec.kind:
            raise SchemaError(
                f"The {element} attribute {quoted(spec.name)} is {spec.kind}, but was {mine.kind} "
                "before."
            )
        elif mine.kind == "numerical":
            low = min(mine.minimum, spec.minimum)
            high = max(mine.minimum + mine.range, spec.minimum + spec.range)
            known[spec.name] = replace(mine, minimum=low, range=high - low)
        else:
            categories = tuple(dict.fromkeys((*mine.categories, *spec.categories)))
            known[spec.name] = replace(mine, categories=categories)
    return tuple(known.values())


def _feature_ranges(graphs: Sequence[AttributedGraph]) -> tuple[float, ...]:
    given = [graph.node_features for graph in graphs if graph.node_features is not None]
    if not given or not sum(features.shape[0] for features in given):
        return (0.0,) * max((features.shape[1] for features in given), default=0)
    widths = {features.shape[1] for features in given}
    if len(widths) > 1:
        raise SchemaError(
            f"The graphs have node_features of {' and '.join(map(str, sorted(widths)))} columns: "
            "expected the same columns in every graph."
        )
    together = sparse.vstack(given, format="csr") if len(given) > 1 else given[0]
    lowest, highest = together.min(axis=0).toarray(), together.max(axis=0).toarray()
    return tuple((highest - lowest).ravel().tolist())


def kinds_of(graphs: Sequence[AttributedGraph]) -> set[str]:
    """Return the kinds of attributes that graphs have; node features are numerical.

    Examples
    --------
    >>> import nask
    >>> kinds_of([nask.AttributedGraph(1, (), {"age": [31], "region": ["Kosice"]})]) == {
    ...     "numerical", "categorical"}
    True
    """
    kinds: set[str] = set()
    for graph in graphs:
        for attributes in (graph.node_attributes, graph.edge_attributes):
            kinds |= {attribute.kind for attribute in attributes.values()}
        kinds |= set() if graph.node_features is None else {"numerical"}
    return kinds


def degree_attribute(graph: AttributedGraph, kind: Degree) -> Attribute:
    """Return the number of neighbours of each node as an attribute of the node."""
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
        # All graphs at once: one by one, many small graphs would take most of the time of a fit.
        return _numerical_spec(name, element, [a.data for _, a in column])
    # A graph in which every value is missing agrees with either kind.
    valued = [(position, a) for position, a in column if not a.missing.all()]
    if not valued:
        return AttributeSpec(name, "missing")
    first, kind = valued[0][0], valued[0][1].kind
    for position, attribute in valued:
        if attribute.kind != kind:
            raise SchemaError(
                f"The {element} attribute {quoted(name)} is {kind} in graph {first}, but "
                f"{attribute.kind} in graph {position}. An attribute has one kind in the whole "
                "collection: convert its values, or name it in 'categorical' where its numbers "
                "are codes."
            )
    if kind == "categorical":
        distinct = dict.fromkeys(a.categories for _, a in valued)
        categories = dict.fromkeys(category for group in distinct for category in group)
        return AttributeSpec(name, "categorical", categories=tuple(categories))
    return _numerical_spec(name, element, [a.data for _, a in valued])


def _numerical_spec(name: str, element: str, data: Sequence[Float64]) -> AttributeSpec:
    values = np.concatenate(data)
    # NaN where every value is missing, or there is none.
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
            f"The {element} attribute {quoted(name)} spans {minimum} to {maximum}, more than a "
            "float64 can hold. Rescale it."
        )
    return AttributeSpec(name, "numerical", float(minimum), float(span))

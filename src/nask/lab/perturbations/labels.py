"""A set with its categories alone."""

from __future__ import annotations

from collections.abc import Mapping

from nask.exceptions import ParameterError
from nask.graph.attribute import Attribute
from nask.graph.schema import AttributeSpec, Schema
from nask.io.dataset import Dataset
from nask.lab.perturbations.altered import altered, check_graphs, with_attributes


def labels_only(dataset: Dataset) -> Dataset:
    """Return the set with the categorical attributes of its nodes and edges alone.

    ENZYMES and PROTEINS are compared in this form as well.

    Parameters
    ----------
    dataset : Dataset
        It is not changed.

    Returns
    -------
    Dataset
        Named as the set with "~labels" after it.

    Examples
    --------
    >>> from nask.lab import labels_only, make_planted
    >>> labels_only(make_planted(2))
    Dataset('planted~labels': 2 graphs, 50 nodes, 60 edges; y: 2 classes; node: colour
    (categorical), region (categorical); 1 note)
    """
    check_graphs(dataset, "labels_only")
    schema = Schema.fit(dataset.graphs, attributes="categorical")
    if not any(spec.kind == "categorical" for spec in (*schema.nodes, *schema.edges)):
        raise ParameterError(
            f"labels_only keeps categorical attributes, but nodes and edges of {dataset.name} have "
            "none. Use the set as it is."
        )
    nodes, edges = _names(schema.nodes), _names(schema.edges)
    graphs = [
        with_attributes(
            graph, _kept(graph.node_attributes, nodes), _kept(graph.edge_attributes, edges)
        )
        for graph in dataset.graphs
    ]
    return altered(dataset, graphs, ("labels",), "numerical attributes left out")


def _names(specs: tuple[AttributeSpec, ...]) -> set[str]:
    return {spec.name for spec in specs if spec.kind == "categorical"}


def _kept(attributes: Mapping[str, Attribute], names: set[str]) -> dict[str, Attribute]:
    return {name: own for name, own in attributes.items() if name in names}

"""Graphs that are unlike those of a set, made of its own graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nask import AttributedGraph
from nask.graph.attribute import Attribute

Values = dict[str, list[Any]]


def values_of(attributes: Any, order: Any = None) -> Values:
    """The values of attributes by name, at elements in an order."""
    found = {name: _values(own) for name, own in attributes.items()}
    if order is None:
        return found
    return {name: [own[k] for k in order] for name, own in found.items()}


def _values(attribute: Attribute) -> list[Any]:
    if attribute.kind == "numerical":
        return [None if np.isnan(value) else value for value in attribute.data.tolist()]
    return [None if k < 0 else attribute.categories[k] for k in attribute.data.tolist()]


def rebuilt(
    graph: AttributedGraph, n_nodes: int, edges: Any, nodes: Values, between: Values
) -> AttributedGraph:
    """A graph with the kinds of attributes that another one has."""
    both = {**graph.node_attributes, **graph.edge_attributes}
    codes = [name for name, own in both.items() if own.kind == "categorical"]
    return AttributedGraph(n_nodes, edges, nodes, between, categorical=codes)


def shuffled(graph: AttributedGraph, other: AttributedGraph, rng: Any) -> AttributedGraph:
    """The attributes of nodes, and of edges, at other nodes and edges."""
    nodes = values_of(graph.node_attributes, rng.permutation(graph.n_nodes))
    between = values_of(graph.edge_attributes, rng.permutation(graph.n_edges))
    return rebuilt(graph, graph.n_nodes, graph.edges, nodes, between)


def rewired(graph: AttributedGraph, other: AttributedGraph, rng: Any) -> AttributedGraph:
    """As many edges, between nodes drawn at random."""
    n = graph.n_nodes
    pairs = np.transpose(np.triu_indices(n, 1))
    edges = pairs[rng.permutation(len(pairs))[: graph.n_edges]]
    nodes, between = values_of(graph.node_attributes), values_of(graph.edge_attributes)
    return rebuilt(graph, n, edges, nodes, between)


def merged(graph: AttributedGraph, other: AttributedGraph, rng: Any) -> AttributedGraph:
    """Two graphs of the set as one."""
    nodes, more = values_of(graph.node_attributes), values_of(other.node_attributes)
    between, too = values_of(graph.edge_attributes), values_of(other.edge_attributes)
    edges = np.concatenate([graph.edges, other.edges + graph.n_nodes])
    return rebuilt(
        graph,
        graph.n_nodes + other.n_nodes,
        edges,
        {name: own + more.get(name, [None] * other.n_nodes) for name, own in nodes.items()},
        {name: own + too.get(name, [None] * other.n_edges) for name, own in between.items()},
    )


def cut(graph: AttributedGraph, other: AttributedGraph, rng: Any) -> AttributedGraph:
    """The first third of the nodes, and the edges between them."""
    return graph.induced(list(range(max(1, graph.n_nodes // 3))))


KINDS: dict[str, Callable[..., AttributedGraph]] = {
    "merged": merged,
    "cut": cut,
    "rewired": rewired,
    "shuffled": shuffled,
}


def planted(kind: str, graphs: Sequence[AttributedGraph], seed: int) -> list[AttributedGraph]:
    """One outlier made of each graph."""
    rng = np.random.default_rng(seed)
    others = rng.permutation(len(graphs))
    return [
        KINDS[kind](graph, graphs[other], rng) for graph, other in zip(graphs, others, strict=True)
    ]

"""Graphs whose nodes have ids of their own, by which errors call them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from nask.graph.attribute import Attribute
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.edges import as_edge_array, canonical_edges
from nask.graph.given_values import forced_kinds
from nask.io.columns import Columns
from nask.messages import quoted


def graph_of_named_nodes(
    ids: Sequence[Any],
    pairs: Any,
    node_columns: Mapping[str, Any],
    edge_columns: Mapping[str, Any],
    *,
    categorical: Collection[str] = (),
    numerical: Collection[str] = (),
) -> AttributedGraph:
    """Build a graph; errors in the values of its nodes and edges go by ids, not positions.

    Parameters
    ----------
    ids : sequence
        One a node, in the order of the nodes.
    pairs : iterable of (int, int)
        Edges, as positions of nodes.
    node_columns, edge_columns : mapping of str to sequence
    categorical, numerical : collection of str
        Names of attributes whose kind is forced.

    Examples
    --------
    >>> graph_of_named_nodes(["Eva", "Jan"], [(0, 1)], {"age": [31, float("inf")]}, {})
    Traceback (most recent call last):
    nask.exceptions.GraphError: The node attribute 'age' is infinite at node 'Jan' (got inf); ...
    """
    kinds = forced_kinds(categorical, numerical, known={*node_columns, *edge_columns})
    edges = as_edge_array(pairs, len(ids))
    ends = edges.tolist()

    def node(position: int) -> str:
        return f"node {quoted(ids[position])}"

    def edge(position: int) -> str:
        u, v = ends[position]
        return f"edge ({quoted(ids[u])}, {quoted(ids[v])})"

    def typed(element: str, columns: Mapping[str, Any], called: Callable[[int], str]) -> Columns:
        return {
            name: Attribute.from_values(
                values, kind=kinds.get(name), element=element, name=name, called=called
            )
            for name, values in columns.items()
        }

    nodes = typed("node", node_columns, node)
    edge_values = typed("edge", edge_columns, edge)
    canonical = canonical_edges(edges)
    for name, attribute in edge_values.items():
        if len(attribute) == len(edges):  # another length is an error of the graph
            canonical.merge(attribute, f"edge attribute {quoted(name)}", edge)
    return AttributedGraph(len(ids), edges, nodes, edge_values)

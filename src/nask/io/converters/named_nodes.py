"""Graphs whose nodes have ids of their own, which errors name instead of positions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from nask.exceptions import GraphError
from nask.graph.attribute import Attribute
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.edges import as_edge_array, canonical_edges
from nask.graph.given_values import forced_kinds
from nask.graph.repeated_edges import Repeated, rules_by_name
from nask.io.converters.columns import Columns
from nask.messages import quoted


def graph_of_named_nodes(
    ids: Sequence[Any],
    pairs: Any,
    node_columns: Mapping[str, Any],
    edge_columns: Mapping[str, Any],
    *,
    categorical: Collection[str] = (),
    numerical: Collection[str] = (),
    repeated_edges: Repeated = "error",
) -> AttributedGraph:
    """Build a graph; errors in the values of its nodes and edges name ids, not positions.

    Parameters
    ----------
    ids : sequence
        One per node, in the order of the nodes.
    pairs : iterable of (int, int)
        Edges, as positions of nodes.
    node_columns, edge_columns : mapping of str to sequence
    categorical, numerical : collection of str
        Names of attributes whose kind is forced.
    repeated_edges : str or mapping
        As of :class:`nask.AttributedGraph`.

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
    rules = rules_by_name(repeated_edges, edge_values, "the converter")
    for name, attribute in edge_values.items():
        if len(attribute) == len(edges):  # another length is an error of the graph
            canonical.merge(attribute, f"edge attribute {quoted(name)}", edge, rules[name])
    return AttributedGraph(len(ids), edges, nodes, edge_values, repeated_edges=repeated_edges)


def graph_from_arcs(
    ids: Sequence[Any],
    arcs: Iterable[Any],
    node_attributes: Mapping[str, Iterable[Any]],
    edge_attributes: Mapping[str, Iterable[Any]],
    *,
    categorical: Collection[str] = (),
    numerical: Collection[str] = (),
    to_undirected: bool = False,
    repeated_edges: Repeated = "error",
) -> AttributedGraph:
    """Build a graph from arcs: an undirected edge is one arc in each direction, not a repeat.

    Parameters
    ----------
    ids : sequence
        One per node, for errors.
    arcs : iterable of (int, int)
        Positions of nodes.
    node_attributes, edge_attributes : mapping of str to sequence
        One value per node, or per arc.
    categorical, numerical : collection of str
        Names of attributes whose kind is forced.
    to_undirected : bool, default=False
        Read an arc without its mirror image as an edge too, instead of raising an error.
    repeated_edges : str or mapping
        As of :class:`nask.AttributedGraph`; the two directions of an edge may differ, too.

    Examples
    --------
    >>> graph = graph_from_arcs("ab", [(0, 1), (1, 0), (1, 0)], {}, {})
    >>> graph.n_edges, graph.n_duplicate_edges_removed
    (1, 1)
    >>> graph_from_arcs("ab", [(0, 1)], {}, {})
    Traceback (most recent call last):
    nask.exceptions.GraphError: The graph is directed: it has the edge 'a' -> 'b', but not 'b' ->
    'a'. ...
    """
    n_nodes = len(ids)
    array = as_edge_array(arcs, n_nodes)
    tail, head = array[array[:, 0] != array[:, 1]].T
    # Each arc as one number, and its mirror image as another.
    forward, backward = tail * n_nodes + head, head * n_nodes + tail
    single = ~np.isin(forward, backward)
    if single.any() and not to_undirected:
        k = int(np.flatnonzero(single)[0])
        u, v = quoted(ids[tail[k]]), quoted(ids[head[k]])
        raise GraphError(
            f"The graph is directed: it has the edge {u} -> {v}, but not {v} -> {u}. Pass "
            "to_undirected=True to ignore directions."
        )
    graph = graph_of_named_nodes(
        ids,
        array,
        node_attributes,
        edge_attributes,
        categorical=categorical,
        numerical=numerical,
        repeated_edges=repeated_edges,
    )
    return AttributedGraph.from_valid(
        n_nodes,
        graph.edges,
        graph.node_attributes,
        graph.edge_attributes,
        n_self_loops_removed=graph.n_self_loops_removed,
        n_duplicate_edges_removed=len(forward) - len(np.unique(forward)),
    )

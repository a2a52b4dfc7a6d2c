"""Graphs of networkx, in and out."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nask.exceptions import GraphError, InputError
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.repeated_edges import Repeated, rules_by_name
from nask.io.converters.columns import Columns, refuse_features, split_names, split_vectors
from nask.io.converters.named_nodes import graph_from_arcs, graph_of_named_nodes
from nask.messages import quoted
from nask.optional import require

if TYPE_CHECKING:
    import networkx as nx


def from_networkx(
    graph: nx.Graph,
    *,
    categorical: Collection[str] = (),
    numerical: Collection[str] = (),
    to_undirected: bool = False,
    repeated_edges: Repeated = "error",
) -> AttributedGraph:
    """Convert a networkx graph.

    Parameters
    ----------
    graph : networkx.Graph, or a subclass of it
        Nodes keep the order of ``graph.nodes``. An attribute that an element lacks, or
        that is None or NaN, is missing there. An attribute whose values are vectors
        (lists, tuples or arrays of numbers, all of one length) becomes one attribute per
        component: ``pos`` becomes ``pos_0``, ``pos_1``, ...; a vector of length one keeps
        its name. Parallel edges are one edge: they are counted as duplicates.
    categorical, numerical : collection of str
        Names of attributes whose kind is forced, such as integers that are codes. The
        name of a vector stands for all of its components.
    to_undirected : bool, default=False
        Accept a directed graph and ignore its directions. An edge and its reverse are
        then one edge. By default a directed graph is an error.
    repeated_edges : {"error", "first", "mean", "max"}, or dict of these by attribute
        What to do where parallel edges, or the two directions of an edge, differ in an attribute,
        as in :class:`nask.AttributedGraph`; an error by default.

    See Also
    --------
    to_networkx : The way back.

    Examples
    --------
    >>> import networkx as nx
    >>> from nask.io.converters.networkx import from_networkx
    >>> graph = nx.Graph()
    >>> graph.add_node("Eva", age=31, pos=(0.0, 1.0))
    >>> graph.add_node("Jan", age=23)
    >>> graph.add_edge("Eva", "Jan", relation="friend")
    >>> from_networkx(graph)
    AttributedGraph(2 nodes, 1 edges; node: age (numerical), pos_0 (numerical), \
pos_1 (numerical); edge: relation (categorical))
    >>> from_networkx(nx.DiGraph([(0, 1)]))
    Traceback (most recent call last):
    nask.exceptions.GraphError: The graph is directed (DiGraph), and nask compares undirected \
graphs. Pass to_undirected=True to ignore directions.
    """
    package = require("networkx", "networkx")
    if not isinstance(graph, package.Graph):
        raise InputError(f"Expected a networkx graph; got {type(graph).__name__}.")
    if graph.is_directed() and not to_undirected:
        raise GraphError(
            f"The graph is directed ({type(graph).__name__}), and nask compares undirected graphs. "
            "Pass to_undirected=True to ignore directions."
        )
    nodes = [(f"node {quoted(node)}", data) for node, data in graph.nodes(data=True)]
    listed = list(graph.edges(data=True))
    edges = [(f"edge ({quoted(u)}, {quoted(v)})", data) for u, v, data in listed]
    position: dict[Hashable, int] = {node: k for k, node in enumerate(graph.nodes)}
    node_columns, node_components = split_vectors(*_table(nodes))
    edge_columns, edge_components = split_vectors(*_table(edges))
    forced = {
        "categorical": split_names(categorical, node_components, edge_components),
        "numerical": split_names(numerical, node_components, edge_components),
    }
    pairs = [(position[u], position[v]) for u, v, _ in listed]
    ids = list(position)
    rules = rules_by_name(repeated_edges, edge_columns, "from_networkx")
    if graph.is_directed():
        return graph_from_arcs(
            ids, pairs, node_columns, edge_columns, **forced, to_undirected=True,
            repeated_edges=rules,
        )  # fmt: skip
    return graph_of_named_nodes(
        ids, pairs, node_columns, edge_columns, **forced, repeated_edges=rules
    )


def to_networkx(graph: AttributedGraph) -> nx.Graph:
    """Convert to a networkx graph with nodes 0, 1, ..., n_nodes - 1.

    A missing value is left out of its node or edge.

    Parameters
    ----------
    graph : AttributedGraph

    See Also
    --------
    from_networkx : The way back.

    Notes
    -----
    ``from_networkx(to_networkx(graph))`` equals ``graph``, except for what networkx cannot
    hold: an attribute missing everywhere is lost; categories that are numbers come back
    categorical only if named in ``categorical``, and categories that are tuples of numbers
    come back as vectors; edges come back grouped by their smaller endpoint.

    Examples
    --------
    >>> from nask import AttributedGraph
    >>> from nask.io.converters.networkx import to_networkx
    >>> graph = AttributedGraph(2, [(0, 1)], {"age": [31, None]}, {"relation": ["friend"]})
    >>> to_networkx(graph).nodes(data=True)
    NodeDataView({0: {'age': 31.0}, 1: {}})
    """
    refuse_features(graph, "networkx")
    result = require("networkx", "networkx").Graph()
    result.add_nodes_from(range(graph.n_nodes))
    result.add_edges_from(map(tuple, graph.edges.tolist()))
    for name, attribute in graph.node_attributes.items():
        for node, value in enumerate(attribute.values()):
            if value is not None:
                result.nodes[node][name] = value
    for name, attribute in graph.edge_attributes.items():
        for (u, v), value in zip(graph.edges.tolist(), attribute.values(), strict=True):
            if value is not None:
                result.edges[u, v][name] = value
    return result


def _table(elements: Sequence[tuple[str, Mapping[Any, Any]]]) -> tuple[Columns, list[str]]:
    """Return one column per attribute, and the labels of the nodes or edges."""
    columns: Columns = {}
    for k, (label, data) in enumerate(elements):
        for name, value in data.items():
            if not isinstance(name, str):
                raise GraphError(
                    f"The attribute name {quoted(name)} of {label} is not a string. Rename it."
                )
            if name not in columns:
                columns[name] = [None] * len(elements)
            columns[name][k] = value
    return columns, [label for label, _ in elements]

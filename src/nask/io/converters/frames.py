"""Graphs as two tables, one of nodes and one of edges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nask.arrays import Index
from nask.exceptions import GraphError, InputError, did_you_mean
from nask.graph.attribute import Attribute, Kind
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.edges import canonical_edges
from nask.graph.given_values import forced_kinds
from nask.graph.repeated_edges import Repeated, repeated_note, rules_by_name
from nask.io.converters.columns import refuse_features
from nask.io.converters.frame_columns import join_attributes, split_attribute
from nask.io.converters.frame_ids import NodeIds, row_names
from nask.io.graph_list import GraphList
from nask.messages import quoted
from nask.optional import require

if TYPE_CHECKING:
    import narwhals as nw
    import pandas as pd


def from_frames(
    nodes: Any,
    edges: Any,
    *,
    graph: str | None = "graph",
    node: str = "node",
    source: str = "source",
    target: str = "target",
    categorical: Collection[str] = (),
    numerical: Collection[str] = (),
    repeated_edges: Repeated = "error",
) -> GraphList:
    """Read graphs from a table of nodes and a table of edges.

    Parameters
    ----------
    nodes : dataframe of pandas or polars
        One row per node: the graph it belongs to, its id, and its attributes. Ids are any
        hashable values, unique within their graph.
    edges : dataframe of pandas or polars
        One row per edge: its graph, the ids of its endpoints, and its attributes. Edges are
        undirected: a row that repeats an edge, in either direction, is counted as a
        duplicate.
    graph : str or None, default="graph"
        Column of the graph ids, in both tables. None: all rows belong to one graph.
    node : str, default="node"
        Column of the node ids in ``nodes``.
    source, target : str, default="source" and "target"
        Columns of the endpoints in ``edges``.
    categorical, numerical : collection of str
        Names of attributes whose kind is forced, such as integers that are codes.
    repeated_edges : {"error", "first", "mean", "max"}, or dict of these by attribute
        What to do where rows that repeat an edge differ in an attribute, as in
        :class:`nask.AttributedGraph`; an error by default.

    Returns
    -------
    GraphList
        A list of AttributedGraph, in the order in which the graph ids first appear in
        ``nodes``; its ``ids`` are these ids, (None,) with ``graph=None``. Its method
        ``align`` puts labels, a dictionary or a pandas Series by graph id, into the same
        order, and raises where ids of labels and graphs differ. Nodes and edges keep the
        order of their rows. Its ``notes`` say where repeated edges had different values.

    Notes
    -----
    Every other column is an attribute, of one kind in all graphs: numbers are numerical,
    with or without nulls, and so are dates and times, as days since 1970-01-01 in UTC;
    text, booleans and categories are categorical; a column of Python objects is what its
    values are. Nulls and NaN are missing values.

    Examples
    --------
    >>> import pandas as pd
    >>> from nask.io.converters.frames import from_frames
    >>> nodes = pd.DataFrame(
    ...     {"graph": ["g1", "g1", "g2"], "node": ["a", "b", "a"], "age": [31, 23, None]}
    ... )
    >>> edges = pd.DataFrame({"graph": ["g1"], "source": ["b"], "target": ["a"]})
    >>> graphs = from_frames(nodes, edges)
    >>> graphs
    [AttributedGraph(2 nodes, 1 edges; node: age (numerical)),
     AttributedGraph(1 nodes, 0 edges; node: age (numerical))]
    >>> graphs.ids, graphs.align({"g2": "single", "g1": "pair"}).tolist()
    (('g1', 'g2'), ['pair', 'single'])
    >>> from_frames(nodes, edges.rename(columns={"target": "targets"}))
    Traceback (most recent call last):
    nask.exceptions.GraphError: The edges have no column 'target'. Did you mean 'targets'?
    """
    graph_column = [] if graph is None else [graph]
    node_frame = opened(nodes, "nodes", [*graph_column, node])
    edge_frame = opened(edges, "edges", [*graph_column, source, target])
    node_names = [name for name in node_frame.columns if name not in (graph, node)]
    edge_names = [name for name in edge_frame.columns if name not in (graph, source, target)]
    kinds = forced_kinds(categorical, numerical, known={*node_names, *edge_names})

    called = row_names(node_frame, graph, "node", [node])
    edge_called = row_names(edge_frame, graph, "edge", [source, target])
    ids = NodeIds.read(node_frame, graph, node)
    edge_graph = ids.graphs_of(edge_frame, graph)
    endpoints = [ids.positions_of(edge_frame, name, graph, edge_graph) for name in (source, target)]
    canonical = canonical_edges(np.stack(endpoints, axis=1))
    by_graph = np.argsort(edge_graph[canonical.first], kind="stable")
    kept = canonical.first[by_graph]

    node_columns = {
        name: split_attribute(
            _attribute(node_frame, name, kinds, "node", called).take(ids.rows),
            ids.node_graph[ids.rows],
            ids.n_graphs,
        )
        for name in node_names
    }
    edge_columns, notes = {}, []
    rules = rules_by_name(repeated_edges, edge_names, "from_frames")
    for name in edge_names:
        attribute = _attribute(edge_frame, name, kinds, "edge", edge_called)
        label, rule = f"edge attribute {quoted(name)}", rules[name]
        distinct, n_conflicts = canonical.merge(attribute, label, edge_called, rule)
        notes += [repeated_note(name, n_conflicts, rule)] if n_conflicts else []
        own = distinct.take(by_graph)
        edge_columns[name] = split_attribute(own, edge_graph[kept], ids.n_graphs)

    def count(graphs: Index) -> Index:
        return np.bincount(graphs, minlength=ids.n_graphs)

    n_edges = count(edge_graph[kept])
    n_loops = count(edge_graph[canonical.group < 0])
    n_repeats = count(edge_graph) - n_loops - n_edges
    local = canonical.edges[by_graph] - ids.start[edge_graph[kept], None]
    stop = np.cumsum(n_edges)
    graphs = (
        AttributedGraph.from_valid(
            int(ids.n_nodes[k]),
            local[stop[k] - n_edges[k] : stop[k]].copy(),
            {name: column[k] for name, column in node_columns.items()},
            {name: column[k] for name, column in edge_columns.items()},
            n_self_loops_removed=int(n_loops[k]),
            n_duplicate_edges_removed=int(n_repeats[k]),
        )
        for k in range(ids.n_graphs)
    )
    return GraphList(graphs, ids.graphs, notes)


def to_frames(graphs: Iterable[AttributedGraph]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Write graphs as a table of nodes and a table of edges.

    Parameters
    ----------
    graphs : iterable of AttributedGraph
        Each with at least one node, since a graph without any would have no row.

    Returns
    -------
    nodes : pandas.DataFrame
        Columns ``graph`` and ``node``, both counted from 0, and one per attribute.
    edges : pandas.DataFrame
        Columns ``graph``, ``source`` and ``target``, and one per attribute.

    See Also
    --------
    from_frames : The way back. It gives equal graphs if all had the same attributes. An attribute
        that a graph lacked is then there, with missing values only.

    Examples
    --------
    >>> from nask import AttributedGraph
    >>> from nask.io.converters.frames import to_frames
    >>> graph = AttributedGraph(2, [(0, 1)], {"age": [31, 23], "region": ["Kosice", None]})
    >>> nodes, edges = to_frames([graph])
    >>> nodes
       graph  node   age  region
    0      0     0  31.0  Kosice
    1      0     1  23.0     NaN
    >>> edges
       graph  source  target
    0      0       0       1
    """
    package = require("pandas", "frames")
    graphs = list(graphs)
    for k, graph in enumerate(graphs):
        refuse_features(graph, "a table")
        if not graph.n_nodes:
            raise GraphError(f"Graph {k} has no nodes, so no row can stand for it. Leave it out.")
    n_nodes = [graph.n_nodes for graph in graphs]
    n_edges = [graph.n_edges for graph in graphs]
    edges = np.concatenate([np.empty((0, 2), np.int64), *(graph.edges for graph in graphs)])
    node = np.concatenate([np.empty(0, np.int64), *map(np.arange, n_nodes)])
    number = np.arange(len(graphs))
    node_columns: dict[str, Any] = {"graph": np.repeat(number, n_nodes), "node": node}
    edge_columns: dict[str, Any] = {
        "graph": np.repeat(number, n_edges), "source": edges[:, 0], "target": edges[:, 1],
    }  # fmt: skip
    _add(node_columns, join_attributes([graph.node_attributes for graph in graphs], n_nodes))
    _add(edge_columns, join_attributes([graph.edge_attributes for graph in graphs], n_edges))
    return package.DataFrame(node_columns), package.DataFrame(edge_columns)


def opened(table: Any, name: str, id_columns: Sequence[str]) -> nw.DataFrame[Any]:
    """Open a table with narwhals; raise unless it has these columns and names for all."""
    try:
        frame: nw.DataFrame[Any] = require("narwhals", "frames").from_native(table, eager_only=True)
    except TypeError:
        raise InputError(
            f"The {name} must be a dataframe of pandas or polars, in memory. Got "
            f"{type(table).__name__}."
        ) from None
    except ValueError:
        raise GraphError(f"The {name} have two columns of the same name. Rename one.") from None
    for column in frame.columns:
        if not isinstance(column, str):
            raise GraphError(
                f"The {name} have a column {quoted(column)}, not named by text. Rename it."
            )
    for column in id_columns:
        if column not in frame.columns:
            raise GraphError(
                f"The {name} have no column {quoted(column)}. {did_you_mean(column, frame.columns)}"
            )
    if len(set(id_columns)) < len(id_columns):
        raise GraphError(f"One column cannot hold two kinds of ids of the {name}: {id_columns}.")
    return frame


def _attribute(
    frame: nw.DataFrame[Any],
    name: str,
    kinds: Mapping[str, Kind],
    element: str,
    called: Callable[[int], str],
) -> Attribute:
    values = frame[name].to_native()
    return Attribute.from_values(
        values, kind=kinds.get(name), element=element, name=name, called=called
    )


def _add(columns: dict[str, Any], attributes: Mapping[str, Attribute]) -> None:
    """Add attributes to the id columns of a table, categorical ones as pandas categories."""
    package = require("pandas", "frames")
    for name, attribute in attributes.items():
        if name in columns:
            raise GraphError(
                f"An attribute has the name of the id column {quoted(name)}. Rename it."
            )
        if attribute.kind == "numerical":
            columns[name] = attribute.data
            continue
        categories = package.Index(attribute.categories, dtype=object, tupleize_cols=False)
        columns[name] = package.Categorical.from_codes(attribute.data, categories=categories)

"""Reader of the text form of the TUDataset collection, from a folder or a zip."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np

from nask.arrays import Array, Index
from nask.exceptions import FormatError, ParameterError
from nask.graph.attribute import Attribute, frozen
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.repeated_edges import Repeated, rules_by_name
from nask.io.dataset import Dataset
from nask.io.readers.archive import open_archive
from nask.io.readers.tu_edges import Opposite, TwoWayEdges, two_way
from nask.io.readers.tu_files import TUFiles, find_set
from nask.io.readers.tu_table import floats, integers, labels

Target = Literal["auto", "labels", "attributes"]
# Bytes that a graph without nodes takes, and a column of a graph without values in it.
GRAPH_BYTES, COLUMN_BYTES = 1000, 200


def read_tu(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    target: Target = "auto",
    opposite: Opposite = "error",
    to_undirected: bool = False,
    repeated_edges: Repeated = "error",
) -> Dataset:
    """Read a collection of graphs in the text form of the TUDataset collection [1]_.

    The files are ``DS_A.txt`` and ``DS_graph_indicator.txt``, where DS is the name of the set,
    and any of ``DS_graph_labels.txt``, ``DS_graph_attributes.txt``, ``DS_node_labels.txt``,
    ``DS_node_attributes.txt``, ``DS_edge_labels.txt`` and ``DS_edge_attributes.txt``. Labels
    become categorical attributes, one per column: ``node_label``, or ``node_label_0``,
    ``node_label_1``, ... if there are several. Attributes become numerical ones:
    ``node_attribute`` or ``node_attribute_0``, ...; the same holds for edges. The token nan is a
    missing value. Values are kept as they are; what reading removes is counted on the graphs
    and in the notes of the dataset.

    Parameters
    ----------
    path : str or path
        The folder or the zip. The files may lie in a folder inside it.
    name : str, optional
        The name DS, needed if there are several sets.
    target : {"auto", "labels", "attributes"}
        Which file gives ``y``: the class labels or the regression values of the graphs.
        "auto" takes the labels if there are any, else the attributes; ``y`` is None if there
        are neither.
    opposite : {"error", "absolute", "drop"}
        What to do with an edge attribute whose values differ between the two directions of
        an edge, such as a displacement, x one way and -x the other. "error" refuses it;
        "absolute" replaces that column by magnitudes \\|x\\| and refuses values that differ in
        magnitude; "drop" leaves the column out.
    to_undirected : bool
        Whether an edge that is listed in one direction only is read as an undirected one;
        otherwise it is an error.
    repeated_edges : {"error", "first", "mean", "max"}, or dict of these by attribute
        What to do where lines that list the same edge differ in an attribute, as in
        :class:`nask.AttributedGraph`; an error by default. Where ``opposite`` is not "error", it
        decides about the two directions, and this about lines of the same direction alone.

    Raises
    ------
    FormatError
        If the files contradict each other or the format. The message names file and line.

    References
    ----------
    .. [1] C. Morris, N. M. Kriege, F. Bause, K. Kersting, P. Mutzel, M. Neumann. "TUDataset: A
       collection of benchmark datasets for learning with graphs". ICML 2020 Workshop on Graph
       Representation Learning and Beyond.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = {"A": "1, 2\\n2, 1\\n", "graph_indicator": "1\\n1\\n2\\n",
    ...              "graph_labels": "1\\n-1\\n", "node_labels": "6\\n8\\n6\\n"}
    ...     for kind, text in files.items():
    ...         _ = pathlib.Path(folder, f"TINY_{kind}.txt").write_text(text)
    ...     data = read_tu(folder)
    >>> data
    Dataset('TINY': 2 graphs, 3 nodes, 1 edges; y: 2 classes; node: node_label (categorical))
    >>> data.y.tolist(), data.graphs[0].node_attributes["node_label"].values()
    ([1, -1], [6, 8])
    """
    for parameter, value, known in (("target", target, Target), ("opposite", opposite, Opposite)):
        if value not in get_args(known):
            expected = f"one of {', '.join(map(repr, get_args(known)))}"
            raise ParameterError.expected(parameter, "read_tu", expected, value)
    files = find_set(open_archive(path), name)
    indicator = files.read("graph_indicator", integers, 1)[:, 0]
    y, n_graphs, notes = _targets(files, target, indicator)
    graph_of = _graph_of_nodes(files, indicator, n_graphs)
    # A number in a small file could promise millions of graphs.
    n_empty = n_graphs - len(np.unique(graph_of))
    files.check_demand(
        "graph_indicator", GRAPH_BYTES * n_empty, f"leaves {n_empty} graphs without nodes, of"
    )
    listed = _listed_edges(files, graph_of)
    edges = two_way(listed)
    notes += _edge_notes(files, edges, to_undirected)

    nodes: dict[str, Attribute] = {}
    for kind in ("node_labels", "node_attributes"):
        nodes |= files.columns(kind, "graph_indicator", len(graph_of))
    edge_columns = {}
    listed_columns = {
        kind: files.columns(kind, "A", len(listed)) for kind in ("edge_labels", "edge_attributes")
    }
    names = [name for columns in listed_columns.values() for name in columns]
    n_bare = n_graphs - len(np.unique(graph_of[listed]))
    files.check_demand(
        "A",
        COLUMN_BYTES * (n_empty * len(nodes) + n_bare * len(names)),
        f"leaves {n_bare} graphs without edges, whose columns of attributes are of",
    )
    rules = rules_by_name(repeated_edges, names, "read_tu")
    for kind, columns in listed_columns.items():
        for column_name, column in columns.items():
            rule = rules[column_name]
            merged, note = edges.merge(column, column_name, files.where(kind), opposite, rule)
            notes += [note] if note else []
            if merged is not None:
                edge_columns[column_name] = merged
    graphs = _split(n_graphs, graph_of, listed, edges, nodes, edge_columns)
    # The format has classes in one file and numbers on a scale in the other.
    labelled = "graph_labels" in files and target != "attributes"
    on_scale = y is not None and not labelled
    return Dataset(files.name, graphs, y, tuple(notes), task="regress" if on_scale else None)


def _targets(
    files: TUFiles, target: Target, indicator: Index
) -> tuple[Array | None, int, list[str]]:
    """Read y, the number of graphs, and which files were left unread."""
    notes = files.unread()
    there = [kind for kind in ("graph_labels", "graph_attributes") if kind in files]
    if target != "auto" and f"graph_{target}" not in there:
        raise FormatError(
            f"{files.where(f'graph_{target}')} does not exist, but target={target!r} asks for it. "
            f"There is {' and '.join(there) or 'no other target either'}."
        )
    if not there:
        return None, int(indicator.max(initial=0)), notes
    tables = [
        _labels_of_graphs(files) if kind == "graph_labels" else files.read(kind, floats)
        for kind in there
    ]
    chosen = 0 if target == "auto" else there.index(f"graph_{target}")
    if len(there) == 2:
        files.check_length(there[1], len(tables[1]), there[0], len(tables[0]))
        notes.append(f"{files.name}_{there[1 - chosen]}.txt not used: y is {there[chosen]}.")
    y = tables[chosen]
    return (y.ravel() if y.shape[1] < 2 else y), len(y), notes


def _labels_of_graphs(files: TUFiles) -> Array:
    columns = files.read("graph_labels", labels)
    for column in columns:
        if column.missing.any():
            line = int(np.flatnonzero(column.missing)[0]) + 1
            raise FormatError(
                f"{files.where('graph_labels')}, line {line}: nan is no class label; expected a "
                "number for every graph."
            )
    values = [column.values() for column in columns]
    whole = all(isinstance(value, int) for column in values for value in column)
    return np.array(values or [[]], dtype=np.int64 if whole else np.float64).T


def _graph_of_nodes(files: TUFiles, indicator: Index, n_graphs: int) -> Index:
    outside = np.flatnonzero((indicator < 1) | (indicator > n_graphs))
    if len(outside):
        line = int(outside[0])
        graph_ids = f"1..{n_graphs}" if n_graphs else "none, since the set has no graphs"
        raise FormatError(
            f"{files.where('graph_indicator')}, line {line + 1}: node {line + 1} is in graph "
            f"{indicator[line]}; expected {graph_ids}."
        )
    return indicator - 1


def _listed_edges(files: TUFiles, graph_of: Index) -> Index:
    """Read the edge lines, both directions, with node ids from 0."""
    listed = files.read("A", integers, 2)
    n_nodes = len(graph_of)
    outside = np.flatnonzero(((listed < 1) | (listed > n_nodes)).any(axis=1))
    if len(outside):
        line = int(outside[0])
        node_ids = f"1..{n_nodes}" if n_nodes else "none, since the set has no nodes"
        raise FormatError(
            f"{files.where('A')}, line {line + 1}: edge {tuple(listed[line].tolist())} has an "
            f"endpoint that is no node; expected {node_ids}."
        )
    listed = listed - 1
    ends = graph_of[listed]
    across = np.flatnonzero(ends[:, 0] != ends[:, 1])
    if len(across):
        line = int(across[0])
        u, v = (listed[line] + 1).tolist()
        a, b = (ends[line] + 1).tolist()
        raise FormatError(
            f"{files.where('A')}, line {line + 1}: edge ({u}, {v}) joins node {u} of graph {a} "
            f"with node {v} of graph {b}; expected both in one graph."
        )
    return listed


def _edge_notes(files: TUFiles, edges: TwoWayEdges, to_undirected: bool) -> list[str]:
    one_way = edges.one_way
    if len(one_way) and not to_undirected:
        edge = int(one_way[0])
        u, v = (edges.canonical.edges[edge] + 1).tolist()
        if edges.forward[edge] < 0:
            u, v = v, u
        raise FormatError(
            f"{files.where('A')}, line {edges.canonical.first[edge] + 1}: edge ({u}, {v}) is "
            f"listed, but ({v}, {u}) is not: a directed set. nask.io.read_tu(path, "
            "to_undirected=True) reads such edges as undirected ones."
        )
    counts = (
        (np.count_nonzero(edges.self_loops), "self-loops removed"),
        (np.count_nonzero(edges.repeats), "repeats of an edge in the same direction removed"),
        (len(one_way), "edges in one direction only read as undirected (to_undirected=True)"),
    )
    return [f"{files.name}_A.txt: {count} {what}." for count, what in counts if count]


def _split(
    n_graphs: int,
    graph_of: Index,
    listed: Index,
    edges: TwoWayEdges,
    nodes: Mapping[str, Attribute],
    edge_columns: Mapping[str, Attribute],
) -> tuple[AttributedGraph, ...]:
    """Cut the arrays of the whole set into those of its graphs."""
    node_order, node_bounds = _grouped(graph_of, n_graphs)
    position = np.empty_like(node_order)
    position[node_order] = np.arange(len(node_order)) - node_bounds[graph_of[node_order]]
    edge_order, edge_bounds = _grouped(graph_of[edges.canonical.edges[:, 0]], n_graphs)
    pairs = frozen(position[edges.canonical.edges[edge_order]])
    nodes = {name: column.take(node_order) for name, column in nodes.items()}
    edge_columns = {name: column.take(edge_order) for name, column in edge_columns.items()}
    graph_of_line = graph_of[listed[:, 0]]
    loops = np.bincount(graph_of_line[edges.self_loops], minlength=n_graphs).tolist()
    repeats = np.bincount(graph_of_line[edges.repeats], minlength=n_graphs).tolist()
    node_cuts, edge_cuts = node_bounds.tolist(), edge_bounds.tolist()
    graphs = []
    for g in range(n_graphs):
        its_nodes = slice(node_cuts[g], node_cuts[g + 1])
        its_edges = slice(edge_cuts[g], edge_cuts[g + 1])
        graphs.append(
            AttributedGraph.from_valid(
                its_nodes.stop - its_nodes.start,
                pairs[its_edges],
                _cut(nodes, its_nodes),
                _cut(edge_columns, its_edges),
                n_self_loops_removed=loops[g],
                n_duplicate_edges_removed=repeats[g],
            )
        )
    return tuple(graphs)


def _grouped(graph_of: Index, n_graphs: int) -> tuple[Index, Index]:
    """Return the order that sorts nodes or edges by graph, and where each graph begins."""
    counts = np.bincount(graph_of, minlength=n_graphs)
    return np.argsort(graph_of, kind="stable"), np.concatenate([[0], np.cumsum(counts)])


def _cut(columns: Mapping[str, Attribute], its: slice) -> dict[str, Attribute]:
    return {
        name: Attribute(column.kind, column.data[its], column.categories)
        for name, column in columns.items()
    }

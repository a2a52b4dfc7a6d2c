"""Graphs in the forms that GraKeL's kernels take."""

from __future__ import annotations

import numbers
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from nask.exceptions import GraphError, InputError
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.repeated_edges import Repeated, rules_by_name
from nask.io.converters.columns import Columns, holds_vectors, split_vectors
from nask.io.converters.named_nodes import graph_from_arcs
from nask.messages import quoted, represented
from nask.optional import is_instance

Arc = tuple[Any, Any, Any]
Labels = Mapping[Any, Any]

BARE_EDGES = "Bare edges go in a tuple of one: (edges,)."


def from_grakel(
    graph: Any, *, to_undirected: bool = False, repeated_edges: Repeated = "error"
) -> AttributedGraph:
    """Convert a graph of GraKeL, which need not be installed.

    Parameters
    ----------
    graph : grakel.Graph, or a tuple or list (edges[, node_labels[, edge_labels]])
        The second is what ``grakel.datasets.fetch_dataset`` gives. ``edges`` is any of

        - an adjacency matrix: array, scipy sparse matrix or list of lists;
        - a dictionary ``{(u, v): weight}``, ``{u: [v, ...]}`` or ``{u: {v: weight}}``;
        - an iterable of ``(u, v)`` or ``(u, v, weight)``.

        ``node_labels`` is a dictionary from nodes, ``edge_labels`` one from pairs of nodes.
        Labels that are scalars give a categorical attribute ``label``, since they are
        codes; labels that are vectors give numerical attributes ``attribute_0``,
        ``attribute_1``, ... (``attribute`` if of length one). Weights give a numerical
        edge attribute ``weight``, unless all of them are 1.
    to_undirected : bool, default=False
        Accept a directed graph and ignore its directions. By default every edge must be
        there in both directions, as GraKeL demands of undirected graphs.
    repeated_edges : {"error", "first", "mean", "max"}, or dict of these by attribute
        What to do where the two directions of an edge differ in an attribute, as in
        :class:`nask.AttributedGraph`; an error by default.

    Returns
    -------
    AttributedGraph
        Nodes are in sorted order, those that have a label but no edge included; edges are
        sorted too. An edge label given for one direction counts for both.

    Examples
    --------
    >>> from nask.io.converters.grakel import from_grakel
    >>> water = from_grakel(([[0, 1, 1], [1, 0, 0], [1, 0, 0]], {0: "O", 1: "H", 2: "H"}))
    >>> water
    AttributedGraph(3 nodes, 2 edges; node: label (categorical))
    >>> from_grakel(([("a", "b")],))
    Traceback (most recent call last):
    nask.exceptions.GraphError: The graph is directed: it has the edge 'a' -> 'b', but not 'b' ->
    'a'. ...
    """
    edges, node_labels, edge_labels = _edges_and_labels(graph)
    nodes, arcs = _read_matrix(edges) if _is_matrix(edges) else _read_arcs(edges)
    if _is_matrix(edges):
        _check_known(node_labels, {*nodes})
    nodes = _sorted({*nodes, *node_labels})
    position = {node: k for k, node in enumerate(nodes)}
    arcs = sorted(arcs, key=lambda arc: (position[arc[0]], position[arc[1]]))
    pairs = [(u, v) for u, v, _ in arcs]
    _check_known(edge_labels, {*pairs, *(pair[::-1] for pair in pairs)})
    node_columns = _label_columns("node", nodes, map(node_labels.get, nodes))
    edge_columns = _label_columns(
        "edge", pairs, (edge_labels.get(pair, edge_labels.get(pair[::-1])) for pair in pairs)
    )
    weights = [weight for _, _, weight in arcs]
    if any(weight != 1 for weight in weights):
        edge_columns["weight"] = weights
    return graph_from_arcs(
        nodes,
        [(position[u], position[v]) for u, v in pairs],
        node_columns,
        edge_columns,
        categorical={"label"} & {*node_columns, *edge_columns},
        to_undirected=to_undirected,
        repeated_edges=rules_by_name(repeated_edges, edge_columns, "from_grakel"),
    )


def _edges_and_labels(graph: Any) -> tuple[Any, Labels, Labels]:
    """Return the edges, node labels and edge labels, whichever way the graph holds them."""
    found: tuple[Any, ...]
    if is_instance(graph, "grakel", "Graph"):
        if graph.edge_dictionary is None:
            found = (graph.adjacency_matrix, graph.index_node_labels, graph.index_edge_labels)
        else:
            # GraKeL's own dictionary leaves out the nodes without an edge.
            edges = {node: {} for node in graph.vertices} | graph.edge_dictionary
            found = (edges, graph.node_labels, graph.edge_labels)
    elif isinstance(graph, (tuple, list)) and 1 <= len(graph) <= 3:
        found = (*graph, None, None)[:3]
    else:
        raise InputError(
            "Expected a grakel.Graph or a tuple (edges, node_labels, edge_labels); got "
            f"{_describe(graph)}. {BARE_EDGES}"
        )
    for name, labels in zip(("node_labels", "edge_labels"), found[1:], strict=True):
        if labels is not None and not isinstance(labels, Mapping):
            raise InputError(
                f"Expected a tuple (edges, node_labels, edge_labels) with {name} a dictionary; got "
                f"{_describe(labels)} for it. {BARE_EDGES}"
            )
    return found[0], found[1] or {}, found[2] or {}


def _is_matrix(edges: Any) -> bool:
    """Tell whether edges are an adjacency matrix for GraKeL: a list of lists is, one of tuples
    is not."""
    return (
        isinstance(edges, np.ndarray)
        or sparse.issparse(edges)
        or (isinstance(edges, list) and bool(edges) and all(isinstance(r, list) for r in edges))
    )


def _read_matrix(edges: Any) -> tuple[list[Hashable], list[Arc]]:
    try:
        dense = edges.toarray() if hasattr(edges, "toarray") else edges
        matrix = np.asarray(dense, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(
            "The adjacency matrix must be a square matrix of numbers. Got "
            f"{_describe(edges)} of shape {edges.shape if hasattr(edges, 'shape') else len(edges)}."
        )
    tails, heads = np.nonzero(matrix)
    weights = matrix[tails, heads]
    return list(range(len(matrix))), list(
        zip(tails.tolist(), heads.tolist(), weights.tolist(), strict=True)
    )


def _read_arcs(edges: Any) -> tuple[list[Hashable], list[Arc]]:
    arcs: list[Any] = []
    nodes: dict[Hashable, None] = {}
    if isinstance(edges, Mapping):
        for key, value in edges.items():
            if isinstance(value, numbers.Number):
                arcs.append((*key, value) if isinstance(key, tuple) else key)
            else:
                nodes[key] = None
                try:
                    heads = value if isinstance(value, Mapping) else dict.fromkeys(value, 1.0)
                except TypeError as error:
                    raise GraphError(
                        f"Expected the neighbours of node {quoted(key)} as a list or a dictionary; "
                        f"got {_describe(value)}: {error}."
                    ) from None
                arcs += [(key, head, weight) for head, weight in heads.items()]
    elif isinstance(edges, Iterable) and not isinstance(edges, (str, bytes)):
        try:
            arcs = list(edges)
        except TypeError as error:  # a tensor of one number has no items
            raise InputError(f"The edges of {_describe(edges)} cannot be read: {error}.") from None
    else:
        raise InputError(
            "Expected the edges as an adjacency matrix, a dictionary or an iterable of pairs; got "
            f"{_describe(edges)}."
        )
    for arc in arcs:
        if not isinstance(arc, (tuple, list)) or len(arc) not in (2, 3):
            raise GraphError(f"Expected an edge (u, v) or (u, v, weight); got {quoted(arc)}.")
        if len(arc) == 3 and not isinstance(arc[2], numbers.Real):
            raise GraphError(
                f"The weight of the edge ({quoted(arc[0])}, {quoted(arc[1])}) must be a number. "
                f"Got {quoted(arc[2])}."
            )
        try:
            nodes |= dict.fromkeys(arc[:2])
        except TypeError as error:
            raise GraphError(
                f"The edge {quoted(arc)} joins what cannot be a node: {error}."
            ) from None
    return list(nodes), [(*arc, 1.0)[:3] for arc in arcs]


def _check_known(labels: Labels, known: Container[Any]) -> None:
    for key in labels:
        if key not in known:
            raise GraphError(f"There is a label for {quoted(key)}, which is not in the graph.")


def _sorted(nodes: Iterable[Hashable]) -> list[Hashable]:
    """Sort the nodes: a set of edges has no order, and one of strings differs in every run."""
    try:
        return sorted(nodes)  # type: ignore[type-var]
    except Exception:  # nodes of kinds that do not compare
        return sorted(nodes, key=lambda node: (type(node).__name__, represented(node)))


def _label_columns(element: str, keys: Sequence[Any], labels: Iterable[Any]) -> Columns:
    """Return scalar labels as the column "label", vectors as the columns "attribute_0", ..."""
    values = list(labels)
    if all(value is None for value in values):
        return {}
    name = "attribute" if holds_vectors(values) else "label"
    columns, _ = split_vectors({name: values}, [f"{element} {quoted(key)}" for key in keys])
    return columns


def _describe(value: object) -> str:
    return f"an object of type {type(value).__name__}"

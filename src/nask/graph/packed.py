"""Many graphs as a few plain arrays, exactly as they are, and back: what a file of graphs holds."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from nask.arrays import Array, Index
from nask.exceptions import GraphError
from nask.graph.attribute import Attribute
from nask.graph.attributed_graph import MOST_NODES, AttributedGraph
from nask.messages import quoted
from nask.storage.read_limit import check_demand

ELEMENTS = ("node", "edge")
SIZES = ("n_nodes", "n_edges", "edges")
FEATURES = ("features_data", "features_indices", "features_indptr")
# What a graph takes without nodes, a node feature without any value, and a value.
GRAPH_BYTES, FEATURE_BYTES, NUMBER_BYTES = 1000, 500, 8
Arrays = dict[str, Array]
# Makes a graph of valid parts: nodes, edges, attributes of both, and node features.
Build = Callable[..., AttributedGraph]


def pack(graphs: Sequence[AttributedGraph]) -> tuple[dict[str, Any], Arrays]:
    """Return graphs as a document, of which only categories may be no JSON, and arrays.

    Counts of what was removed from a graph when it was made are not kept.

    Examples
    --------
    >>> import nask
    >>> pair = nask.AttributedGraph(2, [(0, 1)], {"age": [23.5, None], "sex": ["f", "m"]})
    >>> document, arrays = pack([pair, nask.AttributedGraph(0)])
    >>> unpack(document, arrays, 1000) == [pair, nask.AttributedGraph(0)]
    True
    """
    arrays: Arrays = {
        "n_nodes": np.array([graph.n_nodes for graph in graphs], dtype=np.int64),
        "n_edges": np.array([graph.n_edges for graph in graphs], dtype=np.int64),
        "edges": np.concatenate([np.empty((0, 2), np.int64), *(graph.edges for graph in graphs)]),
    }
    document: dict[str, Any] = {"n_features": None}
    for element in ELEMENTS:
        document[element] = []
        for number, (head, column) in enumerate(_columns(graphs, element).items()):
            name, kind, dates = head
            categories, data = _together([attribute for _, attribute in column])
            document[element].append(
                {"name": name, "kind": kind, "dates": dates, "categories": categories}
            )
            arrays[f"{element}{number}"] = data
            arrays[f"{element}{number}_graphs"] = np.array([own for own, _ in column], np.int64)
    features = [graph.node_features for graph in graphs if graph.node_features is not None]
    if features:
        if len(features) < len(graphs):
            raise GraphError("Some graphs have node_features and others have none.")
        together = sparse.vstack(features, format="csr")
        document["n_features"] = int(together.shape[1])
        parts = together.data, together.indices.astype(np.int64), together.indptr.astype(np.int64)
        arrays |= dict(zip(FEATURES, parts, strict=True))
    return document, arrays


def array_names(document: Mapping[str, Any]) -> list[str]:
    """The names of the arrays that a document goes with."""
    names = [f"{element}{k}" for element in ELEMENTS for k in range(len(document[element]))]
    with_features = FEATURES if document["n_features"] is not None else ()
    return [*SIZES, *names, *(f"{name}_graphs" for name in names), *with_features]


def unpack(
    document: Mapping[str, Any],
    arrays: Mapping[str, Array],
    n_bytes: int,
    build: Build = AttributedGraph.from_valid,
) -> list[AttributedGraph]:
    """Return the graphs that :func:`pack` made; every part is checked, and GraphError raised.

    Parameters
    ----------
    n_bytes : int
        The size of the file, which says how much the graphs may demand.
    build : callable
        Makes a graph of its number of nodes, edges, and attributes of nodes and of edges, all
        valid, and of ``node_features`` where there are some.
    """
    sizes = {"node": _counts(arrays["n_nodes"]), "edge": _counts(arrays["n_edges"])}
    n_graphs = len(sizes["node"])
    if len(sizes["edge"]) != n_graphs:
        raise GraphError("The graphs have other numbers of edges than of nodes.")
    _check_demand(document, sizes, n_bytes)
    edges = _valid_edges(arrays["edges"], sizes["node"], sizes["edge"])
    found: dict[str, list[dict[str, Attribute]]] = {}
    for element in ELEMENTS:
        found[element] = [{} for _ in range(n_graphs)]
        for number, head in enumerate(document[element]):
            data, owners = arrays[f"{element}{number}"], arrays[f"{element}{number}_graphs"]
            _add_column(found[element], head, data, owners, sizes[element])
    features = _features(document["n_features"], arrays, sizes["node"])
    ends = np.cumsum(sizes["edge"]).tolist()
    rows = np.cumsum(sizes["node"]).tolist()
    graphs = []
    for place, (n, m) in enumerate(zip(*(sizes[own].tolist() for own in ELEMENTS), strict=True)):
        own = edges[ends[place] - m : ends[place]]
        given = (
            {} if features is None else {"node_features": features[rows[place] - n : rows[place]]}
        )
        graphs.append(build(n, own, found["node"][place], found["edge"][place], **given))
    return graphs


def _columns(
    graphs: Sequence[AttributedGraph], element: str
) -> dict[tuple[str, str, bool], list[tuple[int, Attribute]]]:
    """Attributes by name and form, each with the graphs that have it so."""
    columns: dict[tuple[str, str, bool], list[tuple[int, Attribute]]] = {}
    for place, graph in enumerate(graphs):
        attributes = graph.node_attributes if element == "node" else graph.edge_attributes
        for name, own in attributes.items():
            columns.setdefault((name, own.kind, own.dates), []).append((place, own))
    return columns


def _together(column: Sequence[Attribute]) -> tuple[list[Hashable], Array]:
    """All values in a row; categories have one code in all graphs."""
    if column[0].kind == "numerical":
        return [], np.concatenate([own.data for own in column])
    index: dict[Hashable, int] = {}
    codes: dict[tuple[Hashable, ...], Array] = {}
    for own in column:
        if own.categories not in codes:
            places = [index.setdefault(category, len(index)) for category in own.categories]
            codes[own.categories] = np.array([*places, -1], dtype=np.int32)
    return list(index), np.concatenate([codes[own.categories][own.data] for own in column])


def _counts(counts: Array) -> Index:
    if counts.ndim != 1 or counts.dtype != np.int64 or (counts < 0).any():
        raise GraphError("The sizes of the graphs are no list of numbers of 0 or more.")
    if (counts > MOST_NODES).any():
        raise GraphError(f"A graph has more than {MOST_NODES} nodes or edges.")
    return counts


def _check_demand(document: Mapping[str, Any], sizes: Mapping[str, Index], n_bytes: int) -> None:
    """Raise where graphs encoded together would take more than a file of its size may demand.

    An element takes a number per attribute that any graph has, though its own has none.
    """
    n_features = document["n_features"]
    if n_features is not None and not (isinstance(n_features, int) and n_features >= 0):
        raise GraphError(f"The number of node features is {quoted(n_features)}.")
    needed = GRAPH_BYTES * len(sizes["node"]) + FEATURE_BYTES * (n_features or 0)
    for element in ELEMENTS:
        width = 1 + len(document[element]) + (element == "node") * (n_features or 0)
        needed += NUMBER_BYTES * width * sum(sizes[element].tolist())
    check_demand(needed, n_bytes, "Its graphs, encoded together, take", GraphError)


def _valid_edges(edges: Array, n_nodes: Index, n_edges: Index) -> Index:
    if edges.dtype != np.int64 or edges.shape != (int(n_edges.sum()), 2):
        raise GraphError(f"The edges have shape {edges.shape}: expected ({n_edges.sum()}, 2).")
    graph = np.repeat(np.arange(len(n_edges)), n_edges)
    first, second = edges.T
    if ((first < 0) | (first >= second) | (second >= n_nodes[graph])).any():
        raise GraphError("An edge has an end outside its graph, or its larger end first.")
    if len(np.unique(np.column_stack([graph, edges]), axis=0)) < len(edges):
        raise GraphError("A graph has an edge twice.")
    return edges


def _add_column(
    attributes: list[dict[str, Attribute]],
    head: Mapping[str, Any],
    data: Array,
    owners: Array,
    sizes: Index,
) -> None:
    """Give each of its graphs an attribute."""
    name, kind, categories = head["name"], head["kind"], head["categories"]
    if not isinstance(name, str) or kind not in ("numerical", "categorical"):
        raise GraphError(f"There is no attribute {quoted(name)} of the kind {quoted(kind)}.")
    if not isinstance(head["dates"], bool) or not isinstance(categories, list):
        raise GraphError(f"The attribute {quoted(name)} has no list of categories.")
    plain = all(isinstance(category, (str, bool, int, float)) for category in categories)
    if not plain or len(set(categories)) < len(categories):
        raise GraphError(f"The attribute {quoted(name)} has no list of different categories.")
    n = len(sizes)
    places = owners.ndim == 1 and owners.dtype == np.int64
    if not places or ((owners < 0) | (owners >= n)).any() or (np.diff(owners) <= 0).any():
        raise GraphError(f"The attribute {quoted(name)} is of graphs that are not there.")
    expected: npt.DTypeLike = np.float64 if kind == "numerical" else np.int32
    n_values = int(sizes[owners].sum())
    valid = data.shape == (n_values,) and data.dtype == expected
    if valid and kind == "numerical":
        valid = not np.isinf(data).any()
    elif valid:
        valid = not ((data < -1) | (data >= len(categories))).any()
    if not valid:
        raise GraphError(f"The attribute {quoted(name)} has values that are none, or too few.")
    ends, shared = np.cumsum(sizes[owners]).tolist(), tuple(categories)
    for place, size, end in zip(owners.tolist(), sizes[owners].tolist(), ends, strict=True):
        if name in attributes[place]:
            raise GraphError(f"Graph {place} has the attribute {quoted(name)} twice.")
        attributes[place][name] = Attribute(kind, data[end - size : end], shared, head["dates"])


def _features(n_features: Any, arrays: Mapping[str, Array], n_nodes: Index) -> Any:
    """Node features of all graphs in a row, or None."""
    if n_features is None:
        return None
    data, indices, indptr = (arrays[name] for name in FEATURES)
    n = int(n_nodes.sum())
    if data.dtype != np.float64 or not np.isfinite(data).all():
        raise GraphError("The node_features are no finite numbers.")
    rows = indptr.shape == (n + 1,) and indptr[0] == 0 and indptr[-1] == len(data)
    if not rows or indices.shape != data.shape or (np.diff(indptr) < 0).any():
        raise GraphError("The node_features have no row per node.")
    if ((indices < 0) | (indices >= n_features)).any():
        raise GraphError("The node_features have columns that are not there.")
    features = sparse.csr_array((data, indices, indptr), shape=(n, n_features))
    features.sum_duplicates()
    features.eliminate_zeros()
    return features

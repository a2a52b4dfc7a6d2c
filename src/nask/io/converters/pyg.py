"""Graphs of PyTorch Geometric."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from nask.arrays import Array
from nask.exceptions import GraphError, InputError
from nask.graph.attributed_graph import MOST_NODES, AttributedGraph
from nask.graph.repeated_edges import Repeated, rules_by_name
from nask.io.converters.columns import Columns, add_columns, component_names, split_names
from nask.io.converters.named_nodes import graph_from_arcs
from nask.messages import quoted
from nask.optional import require

if TYPE_CHECKING:
    from torch_geometric.data import Data

# Connectivity, targets and bookkeeping: one row per node or edge, but no attribute of it.
NOT_ATTRIBUTES = frozenset(
    ("y", "batch", "ptr", "face", "adj", "adj_t", "n_id", "e_id", "edge_label", "num_nodes")
)


def from_pyg(
    data: Data,
    *,
    categorical: Collection[str] = (),
    numerical: Collection[str] = (),
    to_undirected: bool = False,
    repeated_edges: Repeated = "error",
) -> AttributedGraph:
    """Convert a PyTorch Geometric ``Data`` object.

    Parameters
    ----------
    data : torch_geometric.data.Data
        Every tensor with one row per node (``x``, ``pos``, ``z``, ...) gives node
        attributes, every tensor with one row per edge (``edge_attr``, ``edge_weight``, ...)
        edge attributes. Where a graph has as many edges as nodes, tensors with "edge" in
        their name belong to the edges. A matrix gives one attribute per column: ``x``
        becomes ``x_0``, ``x_1``, ...; a single column keeps the name ``x``. Left out are
        tensors of the whole graph, indices, ``y``, ``batch``, ``ptr`` and names that end in
        ``_mask``. Boolean tensors are categorical, all others numerical.
    categorical, numerical : collection of str
        Names of attributes whose kind is forced, such as integers that are codes;
        ``"x"`` stands for all columns of ``x``.
    to_undirected : bool, default=False
        Accept a directed graph and ignore its directions. By default every edge must be
        listed in both directions, as PyTorch Geometric does for undirected graphs.
    repeated_edges : {"error", "first", "mean", "max"}, or dict of these by attribute
        What to do where columns of ``edge_index`` with the same two nodes differ in an attribute,
        as in :class:`nask.AttributedGraph`; an error by default.

    Returns
    -------
    AttributedGraph
        ``n_duplicate_edges_removed`` counts the columns of ``edge_index`` that repeat
        another one, not the mirror images.

    Notes
    -----
    There is no way back: the codes of a category would differ from graph to graph, as
    each graph knows its own categories only.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.data import Data
    >>> from nask.io.converters.pyg import from_pyg
    >>> data = Data(
    ...     x=torch.tensor([[0.5, 1.0], [1.5, 2.0]]),
    ...     z=torch.tensor([6, 8]),
    ...     edge_index=torch.tensor([[0, 1], [1, 0]]),
    ... )
    >>> from_pyg(data, categorical=["z"])
    AttributedGraph(2 nodes, 1 edges; node: x_0 (numerical), x_1 (numerical), z (categorical))
    >>> from_pyg(Data(num_nodes=2, edge_index=torch.tensor([[0], [1]])))
    Traceback (most recent call last):
    nask.exceptions.GraphError: The graph is directed: it has the edge 0 -> 1, but not 1 -> 0. ...
    """
    _check(data)
    node_columns: Columns = {}
    edge_columns: Columns = {}
    node_components: dict[str, list[str]] = {}
    edge_components: dict[str, list[str]] = {}
    n_nodes, arcs = _structure(data)
    for key, value in data.to_dict().items():
        if key in NOT_ATTRIBUTES or key.endswith("_mask") or "index" in key:
            continue
        element = _element(key, value, n_nodes, len(arcs))
        if element is None:
            continue
        columns, components = (
            (node_columns, node_components)
            if element == "node"
            else (edge_columns, edge_components)
        )
        matrix = _matrix(key, value)
        components[key] = component_names(key, matrix.shape[1])
        add_columns(columns, dict(zip(components[key], matrix.T, strict=True)))
    return graph_from_arcs(
        range(n_nodes),
        arcs,
        node_columns,
        edge_columns,
        categorical=split_names(categorical, node_components, edge_components),
        numerical=split_names(numerical, node_components, edge_components),
        to_undirected=to_undirected,
        repeated_edges=rules_by_name(repeated_edges, edge_columns, "from_pyg"),
    )


def _check(data: Any) -> None:
    package = require("torch_geometric.data", "pyg")
    if isinstance(data, package.Batch):
        raise InputError(
            "Expected one Data object; got a Batch, which holds many graphs. Convert each of "
            "data.to_data_list()."
        )
    if not isinstance(data, package.Data):
        raise InputError(f"Expected a torch_geometric.data.Data object; got {type(data).__name__}.")


def _structure(data: Any) -> tuple[int, Array]:
    """Return the number of nodes and the (m, 2) array of arcs."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        try:
            n_nodes = data.num_nodes
        except Exception:  # the warning, and what tensors without rows raise
            n_nodes = None
    if n_nodes is None:
        # The largest endpoint would be a guess that loses the isolated nodes after it.
        raise GraphError("The Data object does not tell its number of nodes. Set data.num_nodes.")
    try:
        number = operator.index(n_nodes)
    except TypeError:
        number = -1
    if not 0 <= number <= MOST_NODES:
        raise GraphError(
            f"data.num_nodes must be an integer of 0 to {MOST_NODES}. Got {quoted(n_nodes)}."
        )
    n_nodes = number
    if data.edge_index is None:
        if data.get("adj") is not None or data.get("adj_t") is not None:
            raise GraphError(
                "The Data object holds its edges as adj or adj_t. Give them as edge_index."
            )
        return n_nodes, np.empty((0, 2), dtype=np.int64)
    if not hasattr(data.edge_index, "__array__"):
        raise GraphError(
            "edge_index must be a tensor of shape (2, n_edges). Got an object of type "
            f"{type(data.edge_index).__name__}."
        )
    edge_index = _array(data.edge_index)
    if edge_index.ndim != 2 or edge_index.shape[0] != 2:
        raise GraphError(f"edge_index must have shape (2, n_edges). Got {edge_index.shape}.")
    return n_nodes, edge_index.T


def _element(key: str, value: Any, n_nodes: int, n_arcs: int) -> str | None:
    """Tell whether a value has one row per node or per edge; None if neither."""
    if not hasattr(value, "__array__") or value.ndim == 0:
        return None
    # For these the name decides, so that a wrong length is an error instead of being left out.
    if key in ("x", "pos"):
        return "node"
    if key in ("edge_attr", "edge_weight"):
        return "edge"
    fits = {"node": len(value) == n_nodes, "edge": len(value) == n_arcs}
    first, second = ("edge", "node") if "edge" in key else ("node", "edge")
    return first if fits[first] else second if fits[second] else None


def _matrix(key: str, value: Any) -> Array:
    array = _array(value)
    if array.ndim > 2:
        raise GraphError(
            f"The tensor {quoted(key)} has shape {array.shape}; expected one value or one row of "
            "values per node or edge. Flatten its rows."
        )
    return array[:, None] if array.ndim == 1 else array


def _array(value: Any) -> Array:
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    tensor = value.detach().cpu().to_dense()
    # numpy knows no bfloat16.
    return np.asarray(tensor.double() if tensor.is_floating_point() else tensor)

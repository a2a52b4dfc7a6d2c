"""Names for a computation and for a dataset: the same for the same content, on any machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from nask.graph.attributed_graph import AttributedGraph
    from nask.io.dataset import Dataset
    from nask.io.node_dataset import NodeDataset


def content_hash(*values: Any) -> str:
    """Hash of arrays, dataclasses of arrays, tuples and plain values.

    Examples
    --------
    >>> content_hash(np.arange(3), "rbf") == content_hash(np.arange(3), "rbf")
    True
    >>> content_hash(np.arange(3)) == content_hash(np.arange(3.0))
    False
    """
    digest = hashlib.sha256()
    _add(digest, values)
    return digest.hexdigest()


def fingerprint(dataset: Dataset | NodeDataset) -> str:
    """Hash of graphs, attributes and target; the same for the same content on any machine.

    The public split of a network is part of its content. It is a hash of its own, and not
    :func:`content_hash`, because files of results hold its values.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> fingerprint(mutag) == fingerprint(nask.load_dataset("MUTAG"))
    True
    >>> fingerprint(mutag) == fingerprint(nask.Dataset("MUTAG", mutag.graphs, -mutag.y))
    False
    """
    digest = hashlib.sha256()
    digest.update(repr(None if dataset.y is None else np.asarray(dataset.y).tolist()).encode())
    graphs: Sequence[AttributedGraph]
    if hasattr(dataset, "graphs"):
        graphs = dataset.graphs
    else:
        graphs = [dataset.graph]
        split = [part.tolist() for part in (dataset.train, dataset.validation, dataset.test)]
        digest.update(repr(split).encode())
    for graph in graphs:
        digest.update(f"{graph.n_nodes}:".encode())
        digest.update(np.ascontiguousarray(graph.edges, dtype="<i8").tobytes())
        if graph.node_features is not None:
            digest.update(f"{graph.node_features.shape[1]} features:".encode())
            for part, number in (("indptr", "<i8"), ("indices", "<i8"), ("data", "<f8")):
                values = getattr(graph.node_features, part)
                digest.update(np.ascontiguousarray(values, dtype=number).tobytes())
        for attributes in (graph.node_attributes, graph.edge_attributes):
            for name, attribute in sorted(attributes.items()):
                digest.update(repr((name, attribute.kind, attribute.categories)).encode())
                number = "<f8" if attribute.kind == "numerical" else "<i4"
                digest.update(np.ascontiguousarray(attribute.data, dtype=number).tobytes())
    return digest.hexdigest()[:16]


def _add(digest: Any, value: Any) -> None:
    """Every part with its type and size, so that two different values never read the same."""
    if isinstance(value, np.ndarray):
        digest.update(f"{value.dtype.str}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif sparse.issparse(value):
        _add(digest, (value.shape, value.indptr, value.indices, value.data))
    elif is_dataclass(value):
        _add(digest, (type(value).__name__, *(getattr(value, f.name) for f in fields(value))))
    elif isinstance(value, tuple):
        digest.update(f"tuple of {len(value)}:".encode())
        for part in value:
            _add(digest, part)
    else:
        digest.update(f"{type(value).__name__} {value!r};".encode())

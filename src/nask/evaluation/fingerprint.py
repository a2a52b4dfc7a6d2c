"""A short name for the content of a dataset, to tell whether records belong to it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from nask.graph.attributed_graph import AttributedGraph
from nask.io.dataset import Dataset
from nask.io.node_dataset import NodeDataset


def fingerprint(dataset: Dataset | NodeDataset) -> str:
    """Hash of graphs, attributes and target; the same for the same content on any machine.

    The public split of a network is part of its content. It is a hash of its own, and not
    :func:`nask.storage.hashes.content_hash`, because files of results hold its values.

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
    if isinstance(dataset, NodeDataset):
        graphs = [dataset.graph]
        split = [part.tolist() for part in (dataset.train, dataset.validation, dataset.test)]
        digest.update(repr(split).encode())
    else:
        graphs = dataset.graphs
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

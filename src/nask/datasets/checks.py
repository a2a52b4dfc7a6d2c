"""Whether a set that was read is the one that was published."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nask.datasets.catalogue import DatasetInfo
from nask.io.dataset import Dataset
from nask.io.node_dataset import NodeDataset

# Means are published to two decimals, some rounded and some cut off.
PRECISION = 0.01

Count = tuple[str, float, float | None]  # what is counted, found, published


def differences(dataset: Dataset | NodeDataset, info: DatasetInfo) -> list[str]:
    """Return, in words, the counts in which a set differs from the published ones.

    Examples
    --------
    >>> import nask
    >>> from nask.datasets.catalogue import catalogue
    >>> mutag = nask.load_dataset("MUTAG")
    >>> differences(mutag, catalogue()["MUTAG"])
    []
    >>> differences(Dataset("MUTAG", mutag.graphs[1:], mutag.y[1:]), catalogue()["MUTAG"])
    ['187 graphs, not 188', '3354 nodes, not 3371', '3702 edges, not 3721']
    """
    if isinstance(dataset, NodeDataset):
        pairs = _of_nodes(dataset, info)
    elif info.task == "node classification":
        return ["graphs with a class each, not one graph whose nodes have classes"]
    else:
        pairs = _of_graphs(dataset, info)
    return [
        f"{found:.10g} {what}, not {expected:.10g}"
        for what, found, expected in pairs
        if expected is not None and abs(found - expected) >= PRECISION
    ]


def _of_nodes(dataset: NodeDataset, info: DatasetInfo) -> Iterator[Count]:
    yield "graphs", 1, info.n_graphs
    yield "classes", dataset.n_classes, info.n_classes
    yield "nodes", dataset.graph.n_nodes, info.n_nodes
    yield "edges", dataset.graph.n_edges, info.n_edges
    features = dataset.graph.node_features
    kinds = [attribute.kind for attribute in dataset.graph.node_attributes.values()]
    n_features = (0 if features is None else features.shape[1]) + kinds.count("numerical")
    yield "features", n_features, info.node_attributes
    yield "categorical node attributes", kinds.count("categorical"), info.node_labels
    if info.split is not None:
        for part, expected in zip(("train", "validation", "test"), info.split, strict=True):
            yield f"{part} nodes", len(getattr(dataset, part)), expected


def _of_graphs(dataset: Dataset, info: DatasetInfo) -> Iterator[Count]:
    graphs = dataset.graphs
    yield "graphs", len(graphs), info.n_graphs
    if info.n_classes is not None:
        n_classes = 0 if dataset.y is None else len(np.unique(dataset.y, axis=0))
        yield "classes", n_classes, info.n_classes
    for what in ("nodes", "edges"):
        total = sum(getattr(graph, f"n_{what}") for graph in graphs)
        exact = getattr(info, f"n_{what}")
        if exact is not None:
            yield what, total, exact
        else:
            mean = round(total / max(len(graphs), 1), 4)
            yield f"{what} per graph", mean, getattr(info, f"mean_{what}")
    for element in ("node", "edge"):
        # The first graph is enough: all graphs of a set that was read have the same columns.
        columns = [
            a for graph in graphs[:1] for a in getattr(graph, f"{element}_attributes").values()
        ]
        for kind, published in (("categorical", "labels"), ("numerical", "attributes")):
            found = sum(attribute.kind == kind for attribute in columns)
            yield f"{kind} {element} attributes", found, getattr(info, f"{element}_{published}")

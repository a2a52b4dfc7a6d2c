"""Models of nodes as files: what they learned, and the network that the stars of nodes reach into.

The network is kept as it was given, not encoded: read again, it is checked as any other is, and a
network to predict on can be told to be the same.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nask.estimators.averaged import AveragedClassifier, NodeGroup
from nask.estimators.saving import (
    add_classes,
    add_conformity,
    add_functions,
    add_members,
    plain_parameters,
    scalar,
)
from nask.exceptions import ModelFileError
from nask.graph.attribute import Attribute
from nask.graph.attributed_graph import AttributedGraph
from nask.messages import quoted
from nask.storage.model_file import Arrays, write_file

if TYPE_CHECKING:
    from nask.estimators.node_classifier import NASKNodeClassifier

# What a document of nodes has under "items"; one of graphs has no such entry.
NODES = "nodes"


def save_node_classifier(model: NASKNodeClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted model; see :meth:`nask.NASKNodeClassifier.save`."""
    if model.method_ != "exact":
        raise ModelFileError(
            "This NASKNodeClassifier learned from random features, which no file holds: saved are "
            "models with the exact kernel. Fit with method='exact' where memory suffices, or keep "
            "the predictions."
        )
    kernel = model.kernel_.fitted_
    document: dict[str, Any] = {
        "class": type(model).__name__,
        "items": NODES,
        "target": model.target_name_,
        # Those that the kernel was fitted with: the model's own may have been changed since.
        "parameters": plain_parameters(
            {**model.get_params(deep=False), **model.kernel_.get_params(deep=False)}
        ),
        "mean_squared_distance": kernel.unit,
    }
    arrays: Arrays = {"train": model.train_}
    document["network"] = _add_network(arrays, kernel.graph)
    add_classes(document, arrays, model.classes_, model.functions_.calibration)
    add_functions(document, arrays, model.functions_)
    write_file(path, document, arrays, "save")


def save_averaged_nodes(model: AveragedClassifier, path: str | os.PathLike[str]) -> None:
    """Write a mean of several models of nodes; see :meth:`AveragedClassifier.save`."""
    groups = [group for group in model.groups if isinstance(group, NodeGroup)]
    first = groups[0]
    if len(groups) < len(model.groups) or any(
        own.kernel.graph is not first.kernel.graph or not np.array_equal(own.nodes, first.nodes)
        for own in groups
    ):
        raise ModelFileError(
            "The parts of this model learned from different networks or nodes: a file holds one "
            "network and its training nodes."
        )
    arrays: Arrays = {"train": first.nodes}
    document = {
        "class": type(model).__name__,
        "items": NODES,
        "target": model.target_name_,
        "network": _add_network(arrays, first.kernel.graph),
        "groups": [add_members(arrays, f"group{k}", own) for k, own in enumerate(groups)],
        "settings": [plain_parameters(setting) for setting in model.settings],
    }
    add_classes(document, arrays, model.classes_, model.calibration)
    add_conformity(arrays, model.conformity)
    write_file(path, document, arrays, "save")


def _add_network(arrays: Arrays, graph: AttributedGraph) -> dict[str, Any]:
    """Add the arrays of a network; return the rest of it for JSON."""
    arrays["network/edges"] = graph.edges
    # They follow from the edges: with them a file is as large as the network that it promises.
    arrays["network/degrees"] = graph.degrees()
    features = graph.node_features
    if features is not None:
        for name in ("data", "indices", "indptr"):
            arrays[f"network/features_{name}"] = getattr(features, name)
        arrays["network/features_filled"] = np.bincount(
            features.indices, minlength=features.shape[1]
        )
    return {
        "n_nodes": graph.n_nodes,
        "nodes": _columns(arrays, "nodes", graph.node_attributes),
        "edges": _columns(arrays, "edges", graph.edge_attributes),
        "n_features": None if features is None else features.shape[1],
    }


def _columns(
    arrays: Arrays, element: str, attributes: Mapping[str, Attribute]
) -> list[dict[str, Any]]:
    columns = []
    for k, (name, attribute) in enumerate(attributes.items()):
        arrays[f"network/{element}{k}"] = attribute.data
        what = f"category of attribute {quoted(name)}"
        categories = [scalar(category, what) for category in attribute.categories]
        columns.append({"name": name, "kind": attribute.kind, "categories": categories})
    return columns

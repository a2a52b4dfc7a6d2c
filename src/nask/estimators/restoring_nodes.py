"""From a model file to a model of nodes, every part checked on its way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from nask.estimators.averaged import AveragedClassifier, NodeGroup
from nask.estimators.node_classifier import NASKNodeClassifier
from nask.estimators.restoring import (
    classes_of,
    learned_functions,
    members_of,
    set_parameters,
    settings_of,
)
from nask.estimators.restoring_checks import as_finite
from nask.estimators.restoring_uncertainty import calibration_of, conformity_of
from nask.estimators.restoring_work import refuse_huge_weights
from nask.exceptions import ModelFileError
from nask.graph.attribute import Attribute
from nask.graph.attributed_graph import MOST_NODES, AttributedGraph
from nask.kernels.fitted_nodes import FittedNodeKernel
from nask.kernels.node_nask import NodeNASK
from nask.kernels.parameters import NodeKernelParameters, is_integer
from nask.messages import quoted
from nask.storage.model_file import Arrays

FEATURES = ("data", "indices", "indptr", "filled")


def node_array_names(document: Mapping[str, Any]) -> list[str]:
    """Names of the arrays that a model of nodes has."""
    network = document["network"]
    names = ["train", "network/edges", "network/degrees"]
    for element in ("nodes", "edges"):
        if not isinstance(network[element], list):
            raise ModelFileError(f"The attributes of {element} are no list.")
        names += [f"network/{element}{k}" for k in range(len(network[element]))]
    if network["n_features"] is not None:
        names += [f"network/features_{name}" for name in FEATURES]
    if document["class"] == NASKNodeClassifier.__name__:
        return [*names, "support", "machine/coefficients", "machine/constants"]
    parts = ("coefficients", "constants")
    return [*names, *(f"group{k}/{own}" for k in range(len(document["groups"])) for own in parts)]


def restore_nodes(
    document: Mapping[str, Any], arrays: Arrays
) -> NASKNodeClassifier | AveragedClassifier:
    """Build the fitted model, or raise where a part is not one, or does not fit the others."""
    graph = _network(document["network"], arrays)
    train = _train(arrays["train"], graph.n_nodes)
    if document["class"] == AveragedClassifier.__name__:
        return _averaged(document, arrays, graph, train)
    if document["class"] != NASKNodeClassifier.__name__:
        raise ModelFileError(
            f"The class of the model is {quoted(document['class'])}, which is none of nodes."
        )
    model = NASKNodeClassifier()
    set_parameters(model, document["parameters"], NASKNodeClassifier.__name__)
    model.check_parameters()
    kernel = _kernel(model, graph)
    if model.gram == "rbf":
        unit = as_finite(document["mean_squared_distance"], positive=True)
        kernel = replace(kernel, unit=unit)
    functions = learned_functions(model, document, arrays, len(arrays["support"]), len(train))
    model.set_fitted(kernel, functions, train)
    return model


def _averaged(
    document: Mapping[str, Any],
    arrays: Arrays,
    graph: AttributedGraph,
    train: Any,
) -> AveragedClassifier:
    classes = classes_of(document["classes"], document["classes_dtype"])
    groups = []
    for number, content in enumerate(document["groups"]):
        kernel = NodeNASK()
        set_parameters(kernel, content["parameters"], "A group")
        kernel.check_parameters()
        fitted = _kernel(kernel, graph)
        forms = members_of(
            content, arrays, f"group{number}", kernel.n_hops, len(classes), len(train)
        )
        parameters = kernel.kernel_parameters()
        groups.append(NodeGroup(fitted, forms, len(classes), train, parameters))
    calibration = calibration_of(arrays, len(classes))
    known = conformity_of(arrays, len(classes), len(train))
    return AveragedClassifier(groups, classes, calibration, settings_of(document), conformity=known)


def _kernel(parameters: NodeKernelParameters, graph: AttributedGraph) -> FittedNodeKernel:
    refuse_huge_weights(parameters)
    return FittedNodeKernel.fit(parameters, graph)


def _network(content: Mapping[str, Any], arrays: Arrays) -> AttributedGraph:
    """The training network; its attributes and edges are checked as those of any graph are."""
    n_nodes, edges = content["n_nodes"], arrays["network/edges"]
    if not is_integer(n_nodes) or not 0 < n_nodes <= MOST_NODES:
        raise ModelFileError(f"The number of nodes is {quoted(n_nodes)}: expected an int above 0.")
    if edges.dtype != np.int64 or edges.ndim != 2 or edges.shape[1] != 2:
        raise ModelFileError(
            f"The edges of the network have shape {edges.shape} and type {edges.dtype}: expected "
            "pairs of type int64."
        )
    _check_shape("degrees", arrays["network/degrees"], n_nodes)
    nodes, between = (
        _attributes(content[element], arrays, element, size)
        for element, size in (("nodes", n_nodes), ("edges", len(edges)))
    )
    features = _features(content["n_features"], arrays, n_nodes)
    graph = AttributedGraph(n_nodes, edges, nodes, between, node_features=features)
    same = np.array_equal(graph.edges, edges)
    if not same or not np.array_equal(graph.degrees(), arrays["network/degrees"]):
        raise ModelFileError(
            "The edges of the network are no distinct pairs with the smaller endpoint first, or "
            "do not give the degrees that the file holds."
        )
    return graph


def _attributes(
    columns: list[Mapping[str, Any]], arrays: Arrays, element: str, size: int
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for k, column in enumerate(columns):
        name, kind, categories = column["name"], column["kind"], column["categories"]
        data = arrays[f"network/{element}{k}"]
        if not isinstance(name, str) or name in found:
            raise ModelFileError(f"The name {quoted(name)} of an attribute is no text, or twice.")
        if kind not in ("numerical", "categorical"):
            raise ModelFileError(f"Attribute {quoted(name)} has the unknown kind {quoted(kind)}.")
        if not isinstance(categories, list) or len({*categories, None}) <= len(categories):
            raise ModelFileError(
                f"Attribute {quoted(name)} has no list of categories, or one twice."
            )
        if kind == "numerical":
            valid = data.dtype == np.float64 and not categories and not np.isinf(data).any()
        else:
            limits = data.min(initial=-1) >= -1 and data.max(initial=-1) < len(categories)
            valid = data.dtype == np.int32 and bool(limits)
        if not valid or data.shape != (size,):
            raise ModelFileError(
                f"The values of attribute {quoted(name)} have shape {data.shape} and type "
                f"{data.dtype}, or are no {kind} ones: expected {size}."
            )
        found[name] = Attribute(kind, data, tuple(categories))
    return found


def _features(n_features: Any, arrays: Arrays, n_nodes: int) -> Any:
    if n_features is None:
        return None
    data, indices, indptr, filled = (arrays[f"network/features_{name}"] for name in FEATURES)
    if not is_integer(n_features) or n_features < 0:
        raise ModelFileError(f"The number of node features is {quoted(n_features)}.")
    _check_shape("node features", filled, n_features)
    features = sparse.csr_array((data, indices, indptr), shape=(n_nodes, n_features))
    features.check_format(full_check=True)
    if not np.array_equal(np.bincount(features.indices, minlength=n_features), filled):
        raise ModelFileError("The node features are not as many as the file says.")
    return features


def _check_shape(what: str, array: Any, size: int) -> None:
    """Raise unless an array of counts is as long as the network, or table, that it is of."""
    if array.shape != (size,) or array.dtype.kind not in "iu":
        raise ModelFileError(
            f"The {what} have shape {array.shape} and type {array.dtype}: expected {size} counts."
        )


def _train(train: Any, n_nodes: int) -> Any:
    """Positions of the training nodes."""
    whole = train.ndim == 1 and train.dtype.kind in "iu" and len(train)
    if (
        not whole
        or train.min() < 0
        or train.max() >= n_nodes
        or len({*train.tolist()}) < len(train)
    ):
        raise ModelFileError(
            f"The array train has shape {train.shape} and type {train.dtype}: expected different "
            f"positions of the {n_nodes} nodes."
        )
    return train.astype(np.int64)

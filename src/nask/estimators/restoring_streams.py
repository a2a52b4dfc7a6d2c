"""From a model file to a model of streams, every part checked on its way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nask.estimators.drawn_arrays import DRAWN, SKETCH, filled
from nask.estimators.restoring import (
    classes_of,
    restored_kernel,
    restored_schema,
    set_parameters,
)
from nask.estimators.restoring_checks import LARGEST, as_finite, restored_functions
from nask.estimators.restoring_uncertainty import calibration_of
from nask.estimators.restoring_work import refuse_huge_weights
from nask.estimators.stream_base import GraphMap, StreamEstimator
from nask.estimators.stream_classifier import NASKStreamClassifier, n_functions
from nask.estimators.stream_regressor import NASKStreamRegressor
from nask.exceptions import ModelFileError
from nask.graph.batch import BATCH_ARRAYS
from nask.io.converters.molecule_reading import MoleculeReading
from nask.kernels.features import NASKFeatures
from nask.kernels.nystroem import NASKNystroem
from nask.kernels.parameters import is_integer
from nask.learning.linear import LinearFunctions
from nask.messages import quoted
from nask.storage.model_file import Arrays, FileArrays

STREAMS = {cls.__name__: cls for cls in (NASKStreamClassifier, NASKStreamRegressor)}
MAPS = {cls.__name__: cls for cls in (NASKFeatures, NASKNystroem)}
# Of numbers of rows, in float32 too.
LARGEST_ROW = 1e30
FUNCTIONS = ("machine/coefficients", "machine/constants")


def is_stream(document: Mapping[str, Any]) -> bool:
    """Tell whether a file has a model of streams."""
    name = document.get("class")
    return isinstance(name, str) and name in STREAMS


def stream_array_names(document: Mapping[str, Any]) -> list[str]:
    """Names of the arrays that a model of streams has."""
    if document["map"]["class"] == NASKFeatures.__name__:
        return [*FUNCTIONS, *(f"map/{name}" for name in DRAWN)]
    batch = [f"map/batch/{name}" for name in BATCH_ARRAYS]
    return [*FUNCTIONS, *batch, "map/whitening", "map/landmarks"]


def restore_stream(document: Mapping[str, Any], arrays: FileArrays) -> StreamEstimator:
    """Build the fitted model, or raise where a part is not one, or does not fit the others."""
    model: StreamEstimator = STREAMS[document["class"]]()
    content = document["map"]
    if content["class"] not in MAPS:
        raise ModelFileError(f"The map of the model is a {quoted(content['class'])}: unknown.")
    graph_map: GraphMap = MAPS[content["class"]]()
    set_parameters(graph_map, content["parameters"], content["class"])
    graph_map.check_parameters()
    refuse_huge_weights(graph_map)
    set_parameters(model, document["parameters"], document["class"])
    model.check_parameters()
    n_graphs = document["n_graphs"]
    if not is_integer(n_graphs) or n_graphs < 1:
        raise ModelFileError(
            f"The number of graphs is {quoted(n_graphs)}: expected an int above 0."
        )
    n_rows = 1
    if isinstance(model, NASKStreamClassifier):
        model.classes_ = classes_of(document["classes"], document["classes_dtype"])
        n_rows = n_functions(model.classes_)
        model.set_calibration(calibration_of(arrays, len(model.classes_)))
    n_columns = arrays[FUNCTIONS[0]].shape[-1] if arrays[FUNCTIONS[0]].ndim else 0
    functions = LinearFunctions(*restored_functions(arrays, "machine", n_rows, n_columns))
    if isinstance(graph_map, NASKFeatures):
        _restore_features(graph_map, content, arrays, n_columns)
    else:
        _restore_landmarks(graph_map, content, arrays, n_columns)
    model.set_fitted(graph_map, functions, as_finite(document["alpha"], positive=True), n_graphs)
    return model


def _restore_features(
    graph_map: NASKFeatures, content: Mapping[str, Any], arrays: Arrays, n_columns: int
) -> None:
    if content["sketch"] != SKETCH:
        raise ModelFileError(
            f"Its random features are of form {quoted(content['sketch'])}, and this nask makes "
            f"those of form {SKETCH}. Fit the model anew."
        )
    # First, since memory is taken in proportion.
    if graph_map.n_components != n_columns or graph_map.level != "graph":
        raise ModelFileError(
            f"The map has {graph_map.n_components} columns of a {graph_map.level}, and the "
            f"functions have {n_columns} of a graph."
        )
    schema = restored_schema(content["schema"], graph_map)
    molecules = content.get("molecules")
    if molecules is not None:
        molecules = MoleculeReading.from_json(molecules)
    binary = content["binary"]
    if not isinstance(binary, bool):
        raise ModelFileError(f"Whether node features are binary is {quoted(binary)}.")
    drawn = graph_map.drawn_for(schema, binary)
    graph_map.set_fitted(schema, filled(drawn, arrays), molecules)


def _restore_landmarks(
    graph_map: NASKNystroem, content: Mapping[str, Any], arrays: FileArrays, n_columns: int
) -> None:
    unit = None
    if graph_map.gram == "rbf":
        unit = as_finite(content["mean_squared_distance"], positive=True)
    kernel = restored_kernel(graph_map, content, arrays, "map/batch", unit)
    whitening, landmarks = arrays["map/whitening"], arrays["map/landmarks"]
    shape = (kernel.n_graphs, n_columns)
    if whitening.shape != shape or whitening.dtype != np.float64:
        raise ModelFileError(
            f"The array whitening has shape {whitening.shape} and type {whitening.dtype}: expected "
            f"{shape} and float64."
        )
    # Rows of graphs, and decisions on them, stay finite.
    with np.errstate(over="ignore", invalid="ignore"):
        columns = np.abs(whitening).sum(axis=0)
        decisions = np.abs(arrays[FUNCTIONS[0]]) @ columns
    if not (columns <= LARGEST_ROW).all() or not (decisions <= LARGEST).all():
        raise ModelFileError("The array whitening has numbers that are missing or too large.")
    if landmarks.shape != shape[:1] or landmarks.dtype.kind not in "iu":
        raise ModelFileError("The array landmarks has not one position for each landmark.")
    graph_map.set_fitted(kernel, np.ascontiguousarray(whitening), landmarks)

"""Models of streams as files: the map from graphs to rows, and the functions of its columns."""

from __future__ import annotations

import os
from typing import Any

from nask.estimators.drawn_arrays import SKETCH, drawn_arrays
from nask.estimators.saving import (
    add_classes,
    batch_arrays,
    kernel_to_json,
    plain_parameters,
    schema_to_json,
)
from nask.estimators.stream_base import StreamEstimator
from nask.estimators.stream_classifier import NASKStreamClassifier
from nask.kernels.features import NASKFeatures
from nask.kernels.nystroem import NASKNystroem
from nask.storage.model_file import Arrays, write_file


def save_stream(model: StreamEstimator, path: str | os.PathLike[str]) -> None:
    """Write a fitted model; see :meth:`nask.NASKStreamClassifier.save`."""
    functions, graph_map = model.functions_, model.features_
    own = model.get_params(deep=False)
    del own["features"]
    arrays: Arrays = {
        "machine/coefficients": functions.coefficients,
        "machine/constants": functions.constants,
    }
    document: dict[str, Any] = {
        "class": type(model).__name__,
        "parameters": plain_parameters(own),
        "n_graphs": model.n_graphs_,
        "target": model.target_name_,
        "alpha": float(model.alpha_),
        "map": {
            "class": type(graph_map).__name__,
            "parameters": plain_parameters(graph_map.get_params(deep=False)),
        },
    }
    if isinstance(graph_map, NASKFeatures):
        _add_features(document["map"], arrays, graph_map)
    else:
        _add_landmarks(document["map"], arrays, graph_map)
    if isinstance(model, NASKStreamClassifier):
        add_classes(document, arrays, model.classes_, model.calibration_)
    write_file(path, document, arrays, "save")


def _add_features(document: dict[str, Any], arrays: Arrays, graph_map: NASKFeatures) -> None:
    drawn, molecules = graph_map.fitted_.drawn, graph_map.molecules_
    document["schema"] = schema_to_json(graph_map.schema_)
    document["molecules"] = None if molecules is None else molecules.to_json()
    document["sketch"] = SKETCH
    document["binary"] = drawn.nodes.columns.binary
    arrays |= {f"map/{name}": value for name, value in drawn_arrays(drawn).items()}


def _add_landmarks(document: dict[str, Any], arrays: Arrays, graph_map: NASKNystroem) -> None:
    kernel = graph_map.fitted_
    document |= kernel_to_json(kernel)
    document["mean_squared_distance"] = kernel.unit
    arrays |= batch_arrays("map/batch", kernel)
    arrays["map/whitening"] = graph_map.whitening_
    arrays["map/landmarks"] = graph_map.landmarks_

"""From the document and the arrays of a model file to a model, every part checked on its way.

Compiled code trusts positions and predictions trust shapes, so nothing is believed unchecked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from nask.engines.selection import ENGINES
from nask.estimators.base import GraphSVM
from nask.estimators.classifier import NASKClassifier
from nask.estimators.regressor import NASKRegressor
from nask.exceptions import ModelFileError, did_you_mean
from nask.graph.batch import GraphBatch
from nask.graph.schema import AttributeSpec, Schema
from nask.kernels.fitted import FittedKernel
from nask.kernels.parameters import RESOURCES, is_integer, is_number
from nask.learning.calibration import Calibration
from nask.learning.svm import KernelSVM
from nask.messages import quoted
from nask.storage.model_file import Arrays

CLASSES = {cls.__name__: cls for cls in (NASKClassifier, NASKRegressor)}
# Of the names of classes: each prediction takes as much memory as the longest may.
LONGEST_CLASS = 10_000
# Sums of coefficients; with kernel and decision values they stay finite.
LARGEST = {"machine": 1e300, "calibration": 1e100}

Floats = npt.NDArray[np.float64]


def restore(document: Mapping[str, Any], arrays: Arrays) -> NASKClassifier | NASKRegressor:
    """Build the fitted model, or raise where a part is not one, or does not fit the others."""
    model = _model(document)
    kernel = _kernel(model, document, arrays)
    n_support, n_graphs = kernel.n_graphs, document["n_graphs"]
    support = _support(arrays["support"], n_support, n_graphs)
    n_functions, calibration = 1, None
    if isinstance(model, NASKClassifier):
        model.classes_ = _classes(document["classes"], document["classes_dtype"])
        model.weights_by_code(model.classes_)
        n_classes = len(model.classes_)
        n_functions = n_classes * (n_classes - 1) // 2
        if "calibration/coefficients" in arrays:
            n_scores = 1 if n_classes == 2 else n_classes
            calibration = Calibration(*_function(arrays, "calibration", n_classes, n_scores))
    functions = _function(arrays, "machine", n_functions, n_support)
    model.set_fitted(kernel, KernelSVM(*functions, support, calibration), n_graphs)
    return model


def _model(document: Mapping[str, Any]) -> NASKClassifier | NASKRegressor:
    """The model as it was before it was fitted. How to run it is not the file's to say."""
    name = document["class"]
    if name not in CLASSES:
        hint = did_you_mean(str(name), CLASSES)
        raise ModelFileError(f"The class of the model is {quoted(name)}, which is none. {hint}")
    model: NASKClassifier | NASKRegressor = CLASSES[name]()
    known = model.get_params(deep=False)
    for parameter, value in document["parameters"].items():
        if parameter not in known:
            raise ModelFileError(
                f"{name} has no parameter {quoted(parameter)}, which the file gives."
            )
        if parameter not in RESOURCES:
            plain = dict(map(tuple, value["pairs"])) if isinstance(value, dict) else value
            model.set_params(**{parameter: plain})
    model.check_parameters()
    return model


def _kernel(model: GraphSVM, document: Mapping[str, Any], arrays: Arrays) -> FittedKernel:
    """The fitted kernel, with the support graphs as its training graphs."""
    schema, unit = _schema(document["schema"]), None
    if schema.degree != model.degree:
        raise ModelFileError(
            f"The parameter degree is {quoted(model.degree)}, and the schema has it as "
            f"{quoted(schema.degree)}."
        )
    if model.gram == "rbf":
        unit = _finite(document["mean_squared_distance"], positive=True)
    batch = GraphBatch.from_arrays(
        {name.removeprefix("batch/"): a for name, a in arrays.items() if name.startswith("batch/")}
    )
    batch.check(schema)
    engine = document["engine"]
    if engine not in ENGINES:
        raise ModelFileError(
            f"There is no engine {quoted(engine)}. {did_you_mean(str(engine), ENGINES)}"
        )
    return FittedKernel.of_batch(model, schema, batch, engine, unit)


def _schema(content: Mapping[str, Any]) -> Schema:
    nodes, edges = (tuple(map(_spec, content[element])) for element in ("nodes", "edges"))
    for specs in (nodes, edges):
        names = [spec.name for spec in specs]
        if len(set(names)) < len(names):
            raise ModelFileError(f"The schema has an attribute name twice: {names}.")
    features = tuple(_finite(span) for span in content.get("features", []))
    if min(features, default=0.0) < 0:
        raise ModelFileError("The schema has a node feature of a negative range.")
    return Schema(nodes, edges, content["degree"], features)


def _spec(content: Mapping[str, Any]) -> AttributeSpec:
    name, kind, categories = content["name"], content["kind"], content["categories"]
    if not isinstance(name, str):
        raise ModelFileError(f"An attribute has the name {quoted(name)}, which is no text.")
    if kind not in ("numerical", "categorical", "missing"):
        raise ModelFileError(f"Attribute {quoted(name)} has the unknown kind {quoted(kind)}.")
    minimum, span = _finite(content["minimum"]), _finite(content["range"])
    if span < 0:
        raise ModelFileError(f"Attribute {quoted(name)} has a negative range.")
    if not isinstance(categories, list) or len(set(categories)) < len(categories):
        raise ModelFileError(
            f"Attribute {quoted(name)} has no list of categories, or a category twice."
        )
    if categories and kind != "categorical":
        raise ModelFileError(f"Attribute {quoted(name)} is {kind} and has a category.")
    return AttributeSpec(name, kind, minimum, span, tuple(categories))


def _support(support: npt.NDArray[Any], n_support: int, n_graphs: Any) -> npt.NDArray[Any]:
    """Positions of the support graphs among all training graphs."""
    if not is_integer(n_graphs) or n_graphs < n_support:
        raise ModelFileError(
            f"The number of training graphs, n_graphs, is {quoted(n_graphs)}: expected an int of "
            f"at least {n_support}, the number of support graphs."
        )
    whole = support.shape == (n_support,) and support.dtype.kind in "iu"
    if not whole or len(np.unique(support)) < n_support or not _within(support, n_graphs):
        raise ModelFileError(
            f"The array support has shape {support.shape} and type {support.dtype}: expected "
            f"{n_support} different positions of the {n_graphs} training graphs."
        )
    return support


def _within(positions: npt.NDArray[Any], n: int) -> bool:
    return not len(positions) or bool(positions.min() >= 0 and int(positions.max()) < n)


def _classes(labels: Any, dtype: Any) -> npt.NDArray[Any]:
    kind = np.dtype(dtype) if isinstance(dtype, str) else np.dtype("V")
    long = kind.kind == "U" and kind.itemsize > 4 * LONGEST_CLASS
    if kind.kind not in "biufUO" or long:
        raise ModelFileError(
            f"The type of classes, classes_dtype, is {quoted(dtype)}, which is none."
        )
    if not isinstance(labels, list) or len(labels) < 2:
        raise ModelFileError(f"The classes are {quoted(labels)}: expected a list of two or more.")
    classes = np.array(labels, dtype=kind)
    same = classes.ndim == 1 and classes.tolist() == labels
    # np.unique sorts, which text and numbers together do not allow.
    if not same or not np.array_equal(np.unique(classes), classes):
        raise ModelFileError(
            f"The classes are {quoted(labels)}: expected different ones, in order."
        )
    return classes


def _function(arrays: Arrays, name: str, n_functions: int, n_inputs: int) -> tuple[Floats, Floats]:
    """Coefficients and constants of the decision functions, or of their calibration."""
    coefficients, constants = arrays[f"{name}/coefficients"], arrays[f"{name}/constants"]
    shapes = (coefficients.shape, constants.shape)
    types = {coefficients.dtype, constants.dtype}
    if shapes != ((n_functions, n_inputs), (n_functions,)) or types != {np.dtype(np.float64)}:
        raise ModelFileError(
            f"The {name} has coefficients of shape {shapes[0]} and constants of shape {shapes[1]}; "
            f"expected {(n_functions, n_inputs)} and {(n_functions,)} numbers of type float64."
        )
    with np.errstate(over="ignore"):
        largest = np.abs(coefficients).sum(axis=1) + np.abs(constants)
    if not (largest <= LARGEST[name]).all():
        raise ModelFileError(f"The {name} has numbers that are missing, infinite or too large.")
    return np.ascontiguousarray(coefficients), constants


def _finite(value: Any, positive: bool = False) -> float:
    if not is_number(value) or (positive and value <= 0):
        raise ModelFileError(f"Expected a finite number, got {quoted(value)}.")
    return float(value)

"""From a model file to a Gaussian process, every part checked on its way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nask.estimators.gaussian_process import GraphGaussianProcess
from nask.estimators.gaussian_process_classifier import NASKGaussianProcessClassifier
from nask.estimators.gaussian_process_regressor import NASKGaussianProcessRegressor
from nask.estimators.restoring import classes_of, restored_kernel, set_parameters
from nask.estimators.restoring_checks import as_finite, restored_functions
from nask.estimators.restoring_uncertainty import likeness_of
from nask.exceptions import ModelFileError
from nask.graph.batch import BATCH_ARRAYS
from nask.kernels.nask import NASK
from nask.learning.gaussian_process import GaussianProcess
from nask.messages import quoted
from nask.storage.model_file import FileArrays

PROCESSES = {
    cls.__name__: cls for cls in (NASKGaussianProcessClassifier, NASKGaussianProcessRegressor)
}
# Sums of a whitening matrix, and an amplitude: squared, with any kernel, they stay finite.
LARGEST = 1e20
# Of numbers that were learned from: so do their squares.
LARGEST_SCALE = 1e100


def is_process(document: Mapping[str, Any]) -> bool:
    """Tell whether a file has a Gaussian process."""
    name = document.get("class")
    return isinstance(name, str) and name in PROCESSES


def process_array_names() -> list[str]:
    """Names of the arrays that a Gaussian process has."""
    parts = ("coefficients", "constants", "whitening")
    return [*(f"batch/{own}" for own in BATCH_ARRAYS), *(f"machine/{own}" for own in parts)]


def restore_process(document: Mapping[str, Any], arrays: FileArrays) -> GraphGaussianProcess:
    """Build the fitted model, or raise where a part is not one, or does not fit the others."""
    name = document["class"]
    model: GraphGaussianProcess = PROCESSES[name]()
    set_parameters(model, document["parameters"], name)
    model.bounds = _bounds(document["bounds"])
    model.check_parameters()
    learned = NASK()
    set_parameters(learned, document["kernel"], NASK.__name__)
    learned.check_parameters()
    unit = None
    if learned.gram == "rbf":
        unit = as_finite(document["mean_squared_distance"], positive=True)
    kernel = restored_kernel(learned, document, arrays, "batch", unit)
    n_functions = 1
    if isinstance(model, NASKGaussianProcessClassifier):
        model.classes_ = classes_of(document["classes"], document["classes_dtype"])
        n_functions = 1 if len(model.classes_) == 2 else len(model.classes_)
    n = kernel.n_graphs
    if n == 0:
        raise ModelFileError("The model has no training graphs.")
    coefficients, constants = restored_functions(arrays, "machine", n_functions, n)
    given = document["process"]
    process = GaussianProcess(
        coefficients,
        constants,
        np.arange(n),
        whitening=_whitening(arrays["machine/whitening"], (n_functions, n, n)),
        amplitude=_number(given, "amplitude", LARGEST),
        scale=_number(given, "scale", LARGEST_SCALE),
        signal_variance=_number(given, "signal_variance", LARGEST),
        noise=_number(given, "noise", LARGEST),
        evidence=as_finite(given["evidence"]),
    )
    model.likeness_ = likeness_of(document, arrays, n)
    model.set_fitted(kernel, process, n, learned.get_params())
    return model


def _bounds(given: Any) -> dict[str, tuple[float, float]] | None:
    if given is None:
        return None
    if not isinstance(given, list) or not all(
        isinstance(own, list) and len(own) == 3 and isinstance(own[0], str) for own in given
    ):
        raise ModelFileError(f"The bounds are {quoted(given)}: expected names, each with two.")
    return {name: (as_finite(low), as_finite(high)) for name, low, high in given}


def _number(given: Mapping[str, Any], name: str, largest: float) -> float:
    value = as_finite(given[name])
    if not 0 <= value <= largest:
        raise ModelFileError(f"The {name} of the process is {value:g}, which is none.")
    return value


def _whitening(values: Any, shape: tuple[int, ...]) -> Any:
    """What variances are made of, as large as the functions say."""
    if values.shape != shape or values.dtype != np.float64:
        raise ModelFileError(
            f"The array machine/whitening has shape {values.shape} and type {values.dtype}: "
            f"expected {shape} and float64."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        if not (np.abs(values).sum(axis=2) <= LARGEST).all():
            raise ModelFileError(
                "The array machine/whitening has numbers that are missing or too large."
            )
    return np.ascontiguousarray(values)

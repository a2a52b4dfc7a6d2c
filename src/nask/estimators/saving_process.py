"""Gaussian processes as files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from sklearn.utils.validation import check_is_fitted

from nask.estimators.saving import (
    add_classes,
    add_likeness,
    batch_arrays,
    kernel_to_json,
    plain_parameters,
)
from nask.storage.model_file import Arrays, write_file

if TYPE_CHECKING:
    from nask.estimators.gaussian_process import GraphGaussianProcess
    from nask.learning.gaussian_process import GaussianProcess


def save_process(model: GraphGaussianProcess, path: str | os.PathLike[str]) -> None:
    """Write a fitted model; see :meth:`nask.NASKGaussianProcessRegressor.save`."""
    check_is_fitted(model)
    kernel, process = model.kernel_.fitted_, cast("GaussianProcess", model.functions_)
    # Pairs of numbers by name, beside what other parameters are.
    bounds = model.bounds
    document: dict[str, Any] = {
        "class": type(model).__name__,
        "parameters": plain_parameters({**model.get_params(deep=False), "bounds": None}),
        "bounds": None if bounds is None else [[k, *map(float, v)] for k, v in bounds.items()],
        # With the learned parameters.
        "kernel": plain_parameters(model.kernel_.get_params(deep=False)),
        "target": model.target_name_,
        **kernel_to_json(kernel),
        "mean_squared_distance": kernel.unit,
        "process": {
            "amplitude": process.amplitude,
            "scale": process.scale,
            "signal_variance": process.signal_variance,
            "noise": process.noise,
            "evidence": process.evidence,
        },
    }
    arrays: Arrays = {
        **batch_arrays("batch", kernel),
        "machine/coefficients": process.coefficients,
        "machine/constants": process.constants,
        "machine/whitening": process.whitening,
    }
    if hasattr(model, "classes_"):
        add_classes(document, arrays, model.classes_, None)
    add_likeness(document, arrays, model.likeness_)
    write_file(path, document, arrays, "save")

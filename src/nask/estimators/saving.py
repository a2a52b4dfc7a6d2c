"""Models as files, written whole and read with care: no code from a file is ever run."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from nask.estimators.base import GraphSVM
from nask.estimators.classifier import NASKClassifier
from nask.estimators.regressor import NASKRegressor
from nask.estimators.restoring import restore
from nask.exceptions import ModelFileError, ParameterError
from nask.graph.batch import BATCH_ARRAYS
from nask.graph.schema import AttributeSpec
from nask.kernels.parameters import RESOURCES
from nask.messages import quoted
from nask.storage.model_file import Arrays, read_file, write_file

REQUIRED = (
    *(f"batch/{name}" for name in BATCH_ARRAYS),
    "support",
    "machine/coefficients",
    "machine/constants",
)
OPTIONAL = ("calibration/coefficients", "calibration/constants")


def save(model: GraphSVM, path: str | os.PathLike[str]) -> None:
    """Write a fitted model; see :meth:`nask.NASKClassifier.save`."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    kernel, svm = model.kernel_.fitted_, model.svm_
    document: dict[str, Any] = {
        "class": type(model).__name__,
        # Those that the kernel was fitted with: the model's own may have been changed since.
        "parameters": _plain_parameters(
            {**model.get_params(deep=False), **model.kernel_.get_params(deep=False)}
        ),
        "n_graphs": model.n_graphs_,
        "schema": {
            "nodes": [_spec_to_json(spec) for spec in kernel.schema.nodes],
            "edges": [_spec_to_json(spec) for spec in kernel.schema.edges],
            "degree": kernel.schema.degree,
            "features": list(kernel.schema.features),
        },
        "engine": kernel.engine,
        "mean_squared_distance": kernel.unit,
    }
    arrays: Arrays = {f"batch/{k}": v for k, v in kernel.graphs.batch.arrays().items()}
    arrays["support"] = svm.support
    arrays["machine/coefficients"] = svm.coefficients
    arrays["machine/constants"] = svm.constants
    if isinstance(model, NASKClassifier):
        document["classes"] = [_scalar(c, "class") for c in model.classes_.tolist()]
        document["classes_dtype"] = (
            "O" if model.classes_.dtype == object else model.classes_.dtype.str
        )
        if svm.calibration is not None:
            arrays["calibration/coefficients"] = svm.calibration.coefficients
            arrays["calibration/constants"] = svm.calibration.constants
    write_file(path, document, arrays, "save")


def load(path: str | os.PathLike[str]) -> NASKClassifier | NASKRegressor:
    """Read a model that ``save`` wrote. No code from the file is ever run.

    Parameters
    ----------
    path : path of a file

    Returns
    -------
    NASKClassifier or NASKRegressor
        Fitted, with the predictions of the model that was saved.

    Examples
    --------
    >>> import nask, tempfile, pathlib
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = nask.NASKClassifier().fit(mutag.graphs[:50], mutag.y[:50])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mutag.nask"
    >>> model.save(path)
    >>> same = nask.load(path)
    >>> bool((same.predict(mutag.graphs[50:]) == model.predict(mutag.graphs[50:])).all())
    True
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError.expected("path", "load", "a str or a path", path)
    try:
        return restore(*read_file(path, REQUIRED, OPTIONAL))
    except FileNotFoundError:
        raise ModelFileError(f"There is no file {os.fspath(path)}.") from None
    except Exception as error:
        # A damaged file can make zipfile, json and numpy raise almost anything.
        problem = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ModelFileError(
            f"{os.fspath(path)} is not a readable nask model: {problem.rstrip('.')}. Expected a "
            "file written by the save method of a NASKClassifier or NASKRegressor."
        ) from error


def _plain_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON can hold them; how to run is not part of a model."""
    plain = {name: value for name, value in parameters.items() if name not in RESOURCES}
    for name, value in plain.items():
        if isinstance(value, Mapping):
            # As pairs, since the keys of JSON objects are text only.
            what = f"parameter {name!r}"
            pairs = [[_scalar(key, what), _scalar(item, what)] for key, item in value.items()]
            plain[name] = {"pairs": pairs}
        elif isinstance(value, (list, tuple, np.ndarray)):
            plain[name] = [_scalar(item, f"parameter {name!r}") for item in value]
        else:
            plain[name] = _scalar(value, f"parameter {name!r}")
    return plain


def _spec_to_json(spec: AttributeSpec) -> dict[str, Any]:
    what = f"category of attribute {quoted(spec.name)}"
    categories = [_scalar(category, what) for category in spec.categories]
    return {
        "name": spec.name,
        "kind": spec.kind,
        "minimum": spec.minimum,
        "range": spec.range,
        "categories": categories,
    }


def _scalar(value: Any, what: str) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    finite = not isinstance(value, float) or math.isfinite(value)
    if value is None or (isinstance(value, (bool, int, float, str)) and finite):
        return value
    raise ModelFileError(
        f"A saved model can hold text, numbers and booleans; the {what} is {quoted(value)} of type "
        f"{type(value).__name__}. Convert it to text before fitting."
    )

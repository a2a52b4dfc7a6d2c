"""Models as files: a zip of one JSON document and ``.npy`` arrays, read with pickling off.

Loading checks every array before it is used, and never runs code from the file.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from nask.engines.selection import choose_engine
from nask.estimators.classifier import NASKClassifier
from nask.estimators.machine import KernelMachine
from nask.estimators.regressor import NASKRegressor
from nask.estimators.support import SupportMachine
from nask.exceptions import ModelFileError
from nask.graph.batch import GraphBatch
from nask.graph.schema import AttributeSpec, Schema
from nask.kernels.nask import NASK
from nask.kernels.parameters import is_number
from nask.messages import quoted

FORMAT = "nask model"
VERSION = 1
DOCUMENT = "model.json"
CLASSES = {cls.__name__: cls for cls in (NASKClassifier, NASKRegressor)}
Arrays = dict[str, npt.NDArray[Any]]


def save(model: KernelMachine, path: str | os.PathLike[str]) -> None:
    """Write a fitted model; see :meth:`nask.NASKClassifier.save`."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    kernel = model.kernel_
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "class": type(model).__name__,
        "parameters": _plain_parameters(model.get_params(deep=False)),
        "n_graphs": model.n_graphs_,
        "schema": {
            "nodes": [_spec_to_json(spec) for spec in kernel.schema_.nodes],
            "edges": [_spec_to_json(spec) for spec in kernel.schema_.edges],
            "degree": kernel.schema_.degree,
            "features": list(kernel.schema_.features),
        },
        "engine": kernel.engine_,
        "mean_squared_distance": getattr(kernel, "mean_squared_distance_", None),
    }
    arrays: Arrays = {f"batch/{k}": v for k, v in kernel._training.batch.arrays().items()}
    arrays["support"] = model.support_
    arrays["machine/coefficients"] = model._machine.coefficients
    arrays["machine/constants"] = model._machine.constants
    if isinstance(model, NASKClassifier):
        document["classes"] = [_scalar(c, "class") for c in model.classes_.tolist()]
        document["classes_dtype"] = (
            "O" if model.classes_.dtype == object else model.classes_.dtype.str
        )
        if model._calibration is not None:
            arrays["calibration/coefficients"], arrays["calibration/constants"] = model._calibration
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(DOCUMENT, json.dumps(document, indent=1, allow_nan=False))
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.save(buffer, array, allow_pickle=False)
            archive.writestr(f"{name}.npy", buffer.getvalue())


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
    try:
        document, arrays = _read(path)
        return _restore(document, arrays)
    except ModelFileError:
        raise
    except FileNotFoundError:
        raise ModelFileError(f"There is no file {os.fspath(path)}.") from None
    except Exception as error:
        # A damaged file can make zipfile, json and numpy raise almost anything.
        raise ModelFileError(
            f"{os.fspath(path)} is not a readable nask model: {error}. Expected a file written by "
            "the save method of a NASKClassifier or NASKRegressor."
        ) from error


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    with zipfile.ZipFile(path) as archive:
        document = json.loads(archive.read(DOCUMENT))
        if document.get("format") != FORMAT or document.get("version") != VERSION:
            raise ModelFileError(
                f"{os.fspath(path)} is a {quoted(document.get('format'))} of version "
                f"{quoted(document.get('version'))}; this nask reads {FORMAT!r} of version "
                f"{VERSION}."
            )
        arrays = {
            name.removesuffix(".npy"): np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
            for name in archive.namelist()
            if name.endswith(".npy")
        }
    return document, arrays


def _restore(document: dict[str, Any], arrays: Arrays) -> NASKClassifier | NASKRegressor:
    parameters: dict[str, Any] = {
        name: dict(map(tuple, value["pairs"])) if isinstance(value, dict) else value
        for name, value in document["parameters"].items()
    }
    model = CLASSES[document["class"]](**parameters)
    model._check_parameters()
    kernel = NASK(**model._kernel_parameters())
    schema = document["schema"]
    kernel.schema_ = Schema(
        tuple(_spec_from_json(spec) for spec in schema["nodes"]),
        tuple(_spec_from_json(spec) for spec in schema["edges"]),
        schema["degree"],
        tuple(_finite(span) for span in schema.get("features", [])),
    )
    if kernel.gram == "rbf":
        kernel.mean_squared_distance_ = _finite(document["mean_squared_distance"], positive=True)
    batch = GraphBatch.from_arrays(
        {name.removeprefix("batch/"): a for name, a in arrays.items() if name.startswith("batch/")}
    )
    batch.check(kernel.schema_)
    spec = kernel._spec(kernel.schema_)
    kernel.engine_ = choose_engine(document["engine"], batch, spec, "NASK").name
    kernel._set_training(batch)
    model.kernel_ = kernel
    model.support_ = arrays["support"]
    model.n_graphs_ = int(document["n_graphs"])
    coefficients, constants = _function(arrays, "machine", batch.n_graphs)
    model._machine = SupportMachine(coefficients, constants)
    n_functions = 1
    if isinstance(model, NASKClassifier):
        model.classes_ = np.array(document["classes"], dtype=np.dtype(document["classes_dtype"]))
        n_functions = len(model.classes_) * (len(model.classes_) - 1) // 2
    if len(constants) != n_functions or model.support_.shape != (batch.n_graphs,):
        raise ModelFileError("The machine does not fit its classes and support graphs.")
    if isinstance(model, NASKClassifier):
        model._calibration = None
        if "calibration/coefficients" in arrays:
            n_scores = 1 if len(model.classes_) == 2 else len(model.classes_)
            model._calibration = _function(arrays, "calibration", n_scores)
    return model


def _function(
    arrays: Arrays, name: str, n_inputs: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    coefficients = np.asarray(arrays[f"{name}/coefficients"], dtype=np.float64)
    constants = np.asarray(arrays[f"{name}/constants"], dtype=np.float64)
    finite = np.isfinite(coefficients).all() and np.isfinite(constants).all()
    if not finite or coefficients.shape != (len(constants), n_inputs):
        raise ModelFileError(
            f"The {name} has coefficients of shape {coefficients.shape}; expected finite ones of "
            f"shape {(len(constants), n_inputs)}."
        )
    return coefficients, constants


def _plain_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON can hold them.

    A progress callback is of the process, a folder of the machine, not of the model.
    """
    plain = {**parameters, "gram_folder": None}
    plain["verbose"] = False if callable(plain["verbose"]) else plain["verbose"]
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


def _spec_from_json(spec: dict[str, Any]) -> AttributeSpec:
    if spec["kind"] not in ("numerical", "categorical", "missing"):
        raise ModelFileError(
            f"Attribute {quoted(spec['name'])} has the unknown kind {quoted(spec['kind'])}."
        )
    _finite(spec["minimum"])
    if _finite(spec["range"]) < 0:
        raise ModelFileError(f"Attribute {quoted(spec['name'])} has a negative range.")
    return AttributeSpec(**{**spec, "categories": tuple(spec["categories"])})


def _finite(value: Any, positive: bool = False) -> float:
    if not is_number(value) or (positive and value <= 0):
        raise ModelFileError(f"Expected a finite number, got {quoted(value)}.")
    return float(value)


def _scalar(value: Any, what: str) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    finite = not isinstance(value, float) or math.isfinite(value)
    if value is None or (isinstance(value, (bool, int, float, str)) and finite):
        return value
    raise ModelFileError(
        f"A saved model can hold text, numbers and booleans; the {what} is {quoted(value)} of type "
        f"{type(value).__name__}. Convert it to text before fitting."
    )

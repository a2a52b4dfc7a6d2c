"""Models as files, written whole and read with care: no code from a file is ever run."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nask.arrays import Array
from nask.estimators.averaged import (
    AveragedClassifier,
    AveragedModel,
    GraphGroup,
    NodeGroup,
)
from nask.estimators.base import GraphEstimator
from nask.estimators.classifier import NASKClassifier
from nask.estimators.gaussian_process import GraphGaussianProcess
from nask.estimators.node_classifier import NASKNodeClassifier
from nask.estimators.outliers import NASKOutlierDetector
from nask.estimators.restoring import OPTIONAL, GraphModel, array_names, restore
from nask.estimators.restoring_nodes import node_array_names, restore_nodes
from nask.estimators.restoring_process import is_process, process_array_names, restore_process
from nask.estimators.restoring_streams import is_stream, restore_stream, stream_array_names
from nask.estimators.restoring_uncertainty import CALIBRATION, DISTANCES
from nask.estimators.stream_base import StreamEstimator
from nask.exceptions import ModelFileError, NaskError, ParameterError
from nask.graph.schema import AttributeSpec, Schema
from nask.kernels.fitted import FittedKernel
from nask.kernels.parameters import RESOURCES
from nask.learning.calibration import Calibration
from nask.learning.conformal import Conformity
from nask.learning.decisions import KernelModel
from nask.learning.likeness import Likeness
from nask.learning.ridge import KernelRidge
from nask.messages import quoted, shortened
from nask.storage.model_file import Arrays, read_file, write_file

LoadedModel = GraphModel | NASKNodeClassifier | GraphGaussianProcess | StreamEstimator
# What the file of an index calls it, which is no model.
INDEX = "Index"


def save(model: GraphEstimator, path: str | os.PathLike[str]) -> None:
    """Write a fitted model; see :meth:`nask.NASKClassifier.save`."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    kernel, functions = model.kernel_.fitted_, model.functions_
    document: dict[str, Any] = {
        "class": type(model).__name__,
        # Those that the kernel was fitted with: the model's own may have been changed since.
        "parameters": plain_parameters(
            {**model.get_params(deep=False), **model.kernel_.get_params(deep=False)}
        ),
        "n_graphs": model.n_graphs_,
        "target": model.target_name_,
        **kernel_to_json(kernel),
        "mean_squared_distance": kernel.unit,
    }
    arrays: Arrays = batch_arrays("batch", kernel)
    if isinstance(model, NASKClassifier):
        add_classes(document, arrays, model.classes_, functions.calibration)
    add_functions(document, arrays, functions)
    add_likeness(document, arrays, model.likeness_)
    if isinstance(model, NASKOutlierDetector):
        document["offset"] = model.offset_
    write_file(path, document, arrays, "save")


def save_averaged(model: AveragedModel, path: str | os.PathLike[str]) -> None:
    """Write a mean of several models; see :meth:`AveragedModel.save`."""
    groups: list[dict[str, Any]] = []
    arrays: Arrays = {}
    kernels: list[FittedKernel] = []
    for number, group in enumerate(model.groups):
        if not isinstance(group, GraphGroup):
            raise ModelFileError(
                f"A model with a {type(group).__name__} cannot be saved: expected one with the "
                "star kernel."
            )
        kernel = group.kernel
        same = (
            k for k, own in enumerate(kernels) if kernel.graphs.batch.same_content(own.graphs.batch)
        )
        batch = next(same, len(kernels))
        if batch == len(kernels):
            kernels.append(kernel)
            arrays |= batch_arrays(f"batch{batch}", kernel)
        own = {**kernel_to_json(kernel), "batch": batch}
        groups.append(own | add_members(arrays, f"group{number}", group))
    settings = [plain_parameters(setting) for setting in model.settings]
    document: dict[str, Any] = {
        "class": type(model).__name__,
        "target": model.target_name_,
        "groups": groups,
        "settings": settings,
    }
    if isinstance(model, AveragedClassifier):
        add_classes(document, arrays, model.classes_, model.calibration)
    add_conformity(arrays, model.conformity)
    if model.likeness is not None:
        *where, likeness = model.likeness
        add_likeness(document, arrays, likeness, *where)
    write_file(path, document, arrays, "save")


def add_members(arrays: Arrays, name: str, group: GraphGroup | NodeGroup) -> dict[str, Any]:
    """Add the functions of a group to the arrays; return its parameters and forms for JSON."""
    functions = [own.functions for own in group.members]
    arrays[f"{name}/coefficients"] = np.vstack([own.coefficients for own in functions])
    arrays[f"{name}/constants"] = np.hstack([own.constants for own in functions])
    members = [
        {"form": own.form.to_json(), "unit": own.unit, "multiclass": own.multiclass}
        for own in group.members
    ]
    return {"parameters": plain_parameters(group.parameters), "members": members}


def add_functions(document: dict[str, Any], arrays: Arrays, functions: KernelModel) -> None:
    """Add the decision functions of one kernel."""
    arrays["support"] = functions.support
    arrays["machine/coefficients"] = functions.coefficients
    arrays["machine/constants"] = functions.constants
    if isinstance(functions, KernelRidge):
        document["ridge"] = {
            "alpha": float(functions.alpha),
            "multiclass": functions.multiclass,
            "score": functions.score,
        }
    add_conformity(arrays, functions.conformity)


def add_conformity(arrays: Arrays, conformity: Conformity | None) -> None:
    """Add how wrong a model was about items that it had not learned from, where it knows."""
    if conformity is not None:
        arrays["conformity/errors"] = conformity.errors
        if conformity.codes is not None:
            arrays["conformity/codes"] = conformity.codes


def add_likeness(
    document: dict[str, Any],
    arrays: Arrays,
    likeness: Likeness | None,
    group: int = 0,
    member: int = 0,
) -> None:
    """Add how far training graphs are from each other, where the model knows; by which member."""
    if likeness is not None:
        arrays["likeness/distances"] = likeness.distances
        units = {"unit": likeness.unit, "size_unit": likeness.size_unit}
        document["likeness"] = {**units, "group": group, "member": member}


def load(path: str | os.PathLike[str]) -> LoadedModel:
    """Read a model that ``save`` wrote. No code from the file is ever run.

    Parameters
    ----------
    path : path of a file

    Returns
    -------
    NASKClassifier, NASKRegressor, NASKOutlierDetector, NASKNodeClassifier, \
NASKGaussianProcessClassifier, NASKGaussianProcessRegressor, NASKStreamClassifier, \
NASKStreamRegressor, AveragedClassifier or AveragedRegressor
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
        document, arrays = read_file(path, _array_names)
        model = _restorer(document)(document, arrays)
        model.target_name_ = _target_name(document)
        return model
    except FileNotFoundError:
        raise ModelFileError(f"There is no file {os.fspath(path)}.") from None
    except Exception as error:
        expected = (
            "a file written by the save method of a NASKClassifier, NASKRegressor, "
            "NASKOutlierDetector, NASKNodeClassifier, one of their tuned forms, a model for "
            "streams, or a Gaussian process"
        )
        raise unreadable(path, error, "nask model", expected) from error


def unreadable(
    path: str | os.PathLike[str], error: Exception, what: str, expected: str
) -> ModelFileError:
    """The error of a file that is none of ours; a damaged one can make Python raise anything."""
    problem = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    if not isinstance(error, NaskError):  # others may quote all of the file
        problem = shortened(problem)
    return ModelFileError(
        f"{os.fspath(path)} is not a readable {what}: {problem.rstrip('.')}. Expected {expected}."
    )


def _target_name(document: Mapping[str, Any]) -> str | None:
    name = document.get("target")
    if name is not None and not isinstance(name, str):
        raise ModelFileError(f"The name of the target is {quoted(name)}, which is no text.")
    return name


def _restorer(document: Mapping[str, Any]) -> Callable[..., LoadedModel]:
    if is_process(document):
        return restore_process
    if is_stream(document):
        return restore_stream
    return restore_nodes if _is_of_nodes(document) else restore


def _is_of_nodes(document: Mapping[str, Any]) -> bool:
    return document.get("items") == "nodes"


def _array_names(document: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Names of the arrays that a model has, and of those that it may have."""
    if document.get("class") == INDEX:
        raise ModelFileError("It holds an index: nask.Index.load reads it")
    if is_process(document):
        return process_array_names(), [DISTANCES]
    if _is_of_nodes(document):
        return node_array_names(document), OPTIONAL
    if is_stream(document):
        return stream_array_names(document), CALIBRATION
    return array_names(document), OPTIONAL


def schema_to_json(schema: Schema) -> dict[str, Any]:
    """A schema as JSON can hold it."""
    return {
        "nodes": [_spec_to_json(spec) for spec in schema.nodes],
        "edges": [_spec_to_json(spec) for spec in schema.edges],
        "degree": schema.degree,
        "features": list(schema.features),
        "hidden_nodes": list(schema.hidden_nodes),
        "hidden_edges": list(schema.hidden_edges),
        "similarity": schema.similarity,
    }


def kernel_to_json(kernel: FittedKernel) -> dict[str, Any]:
    """The schema, the engine and how molecules are read."""
    return {
        "schema": schema_to_json(kernel.schema),
        "engine": kernel.engine,
        "molecules": None if kernel.molecules is None else kernel.molecules.to_json(),
    }


def batch_arrays(name: str, kernel: FittedKernel) -> Arrays:
    """The training graphs of a kernel as arrays."""
    return {f"{name}/{k}": v for k, v in kernel.graphs.batch.arrays().items()}


def add_classes(
    document: dict[str, Any], arrays: Arrays, classes: Array, calibration: Calibration | None
) -> None:
    """Add the classes and the calibration of their probabilities."""
    document["classes"] = [scalar(c, "class") for c in classes.tolist()]
    document["classes_dtype"] = "O" if classes.dtype == object else classes.dtype.str
    if calibration is not None:
        arrays["calibration/coefficients"] = calibration.coefficients
        arrays["calibration/constants"] = calibration.constants


def plain_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON can hold them; how to run is not part of a model."""
    plain = {name: value for name, value in parameters.items() if name not in RESOURCES}
    for name, value in plain.items():
        if isinstance(value, Mapping):
            # As pairs, since the keys of JSON objects are text only.
            what = f"parameter {name!r}"
            pairs = [[scalar(key, what), scalar(item, what)] for key, item in value.items()]
            plain[name] = {"pairs": pairs}
        elif isinstance(value, (list, tuple, np.ndarray)):
            plain[name] = [scalar(item, f"parameter {name!r}") for item in value]
        else:
            plain[name] = scalar(value, f"parameter {name!r}")
    return plain


def _spec_to_json(spec: AttributeSpec) -> dict[str, Any]:
    what = f"category of attribute {quoted(spec.name)}"
    categories = [scalar(category, what) for category in spec.categories]
    return {
        "name": spec.name,
        "kind": spec.kind,
        "minimum": spec.minimum,
        "range": spec.range,
        "categories": categories,
    }


def scalar(value: Any, what: str) -> Any:
    """Return a value as JSON can hold it; raise where it is another."""
    value = value.item() if isinstance(value, np.generic) else value
    finite = not isinstance(value, float) or math.isfinite(value)
    if value is None or (isinstance(value, (bool, int, float, str)) and finite):
        return value
    raise ModelFileError(
        f"A saved model can hold text, numbers and booleans; the {what} is {quoted(value)} of type "
        f"{type(value).__name__}. Convert it to text before fitting."
    )

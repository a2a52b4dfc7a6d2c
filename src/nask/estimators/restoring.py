"""From the document and the arrays of a model file to a model, every part checked on its way.

Compiled code trusts positions and predictions trust shapes, so nothing is believed unchecked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from nask.choices import Multiclass, SimilarityName
from nask.engines.selection import ENGINES
from nask.estimators.averaged import (
    AveragedClassifier,
    AveragedRegressor,
    GraphGroup,
    Member,
    MemberLikeness,
)
from nask.estimators.base import LearnsClasses
from nask.estimators.classifier import NASKClassifier
from nask.estimators.outliers import NASKOutlierDetector
from nask.estimators.regressor import NASKRegressor
from nask.estimators.restoring_checks import as_finite, restored_functions, within
from nask.estimators.restoring_uncertainty import (
    CALIBRATION,
    CONFORMITY,
    DISTANCES,
    OF_NUMBERS,
    calibration_of,
    conformity_of,
    likeness_of,
)
from nask.estimators.restoring_work import check_work, refuse_huge_weights
from nask.exceptions import ModelFileError, did_you_mean
from nask.graph.batch import BATCH_ARRAYS, GraphBatch
from nask.graph.schema import AttributeSpec, Schema
from nask.io.converters.molecule_reading import MoleculeReading
from nask.kernels.fitted import FittedKernel
from nask.kernels.nask import NASK
from nask.kernels.parameters import (
    RESOURCES,
    GraphKernelParameters,
    StarParameters,
    is_integer,
)
from nask.learning.decisions import DecisionFunctions, KernelModel
from nask.learning.likeness import known_likeness
from nask.learning.ridge import KernelRidge, n_functions_of
from nask.learning.svm import KernelSVM
from nask.messages import quoted
from nask.storage.model_file import Arrays, FileArrays
from nask.storage.read_limit import check_demand

GraphModel = (
    NASKClassifier | NASKRegressor | NASKOutlierDetector | AveragedClassifier | AveragedRegressor
)
# The arrays that a model may have.
OPTIONAL = [*CALIBRATION, *CONFORMITY, DISTANCES]
CLASSES = {cls.__name__: cls for cls in (NASKClassifier, NASKRegressor, NASKOutlierDetector)}
AVERAGED = (AveragedClassifier.__name__, AveragedRegressor.__name__)
# Of the names of classes: each prediction takes as much memory as the longest may.
LONGEST_CLASS = 10_000
FORM = ("hop_weights", "normalize", "gram", "gram_scale")


def array_names(document: Mapping[str, Any]) -> list[str]:
    """Names of the arrays that a model of graphs has."""
    if document["class"] not in AVERAGED:
        batch = [f"batch/{name}" for name in BATCH_ARRAYS]
        return [*batch, "support", "machine/coefficients", "machine/constants"]
    groups = document["groups"]
    if not isinstance(groups, list) or not groups:
        raise ModelFileError(f"The groups are {quoted(groups)}: expected a list of one or more.")
    batches = [group["batch"] for group in groups]
    if not all(is_integer(k) and 0 <= k < len(groups) for k in batches):
        raise ModelFileError(f"The groups have the batches {quoted(batches)}: expected positions.")
    required = [f"batch{k}/{name}" for k in sorted(set(batches)) for name in BATCH_ARRAYS]
    parts = ("coefficients", "constants")
    return [*required, *(f"group{k}/{part}" for k in range(len(groups)) for part in parts)]


def restore(document: Mapping[str, Any], arrays: FileArrays) -> GraphModel:
    """Build the fitted model, or raise where a part is not one, or does not fit the others."""
    if document["class"] in AVERAGED:
        return _averaged(document, arrays)
    model = _model(document)
    unit = None
    if model.gram == "rbf":
        unit = as_finite(document["mean_squared_distance"], positive=True)
    kernel = restored_kernel(model, document, arrays, "batch", unit)
    n_support, n_graphs = kernel.n_graphs, document["n_graphs"]
    functions = learned_functions(model, document, arrays, n_support, n_graphs)
    model.set_fitted(kernel, functions, n_graphs)
    model.likeness_ = likeness_of(document, arrays, n_graphs)
    if isinstance(model, NASKOutlierDetector):
        known_likeness(model.likeness_, type(model).__name__)
        model.offset_ = as_finite(document["offset"])
    return model


def learned_functions(
    model: Any, document: Mapping[str, Any], arrays: Arrays, n_support: int, n_items: Any
) -> KernelModel:
    """The decision functions of a model; one of classes gets ``classes_`` on the way.

    Parameters
    ----------
    model : estimator
    n_support, n_items : int
        Support graphs, or nodes, and those learned from.
    """
    support = _support(arrays["support"], n_support, n_items)
    n_classes, calibration = OF_NUMBERS, None
    multiclass: Multiclass = "ovr"
    if isinstance(model, LearnsClasses):
        classes = classes_of(document["classes"], document["classes_dtype"])
        model.weights_by_code(classes)
        model.classes_, n_classes = classes, len(classes)
        multiclass = _multiclass(document["ridge"]) if model.learner == "ridge" else "ovo"
        calibration = calibration_of(arrays, n_classes)
    n_functions = n_functions_of(multiclass, n_classes)
    if isinstance(model, NASKOutlierDetector) and model.learner == "nearest":
        n_functions = 0
    learned = *restored_functions(arrays, "machine", n_functions, n_support), support, calibration
    conformity = conformity_of(arrays, n_classes, n_items)
    if model.learner != "ridge":
        return KernelSVM(*learned, conformity=conformity)
    chosen = document["ridge"]
    alpha, score = as_finite(chosen["alpha"], positive=True), as_finite(chosen["score"])
    found = alpha, multiclass, n_classes, score
    return KernelRidge(*learned, *found, conformity=conformity)


def _averaged(
    document: Mapping[str, Any], arrays: FileArrays
) -> AveragedClassifier | AveragedRegressor:
    numbers = document["class"] == AveragedRegressor.__name__
    classes = None if numbers else classes_of(document["classes"], document["classes_dtype"])
    n_classes = OF_NUMBERS if classes is None else len(classes)
    groups = []
    for number, content in enumerate(document["groups"]):
        pass_ = NASK()
        set_parameters(pass_, content["parameters"], "A group")
        pass_.check_parameters()
        name = f"batch{content['batch']}"
        kernel = restored_kernel(pass_, content, arrays, name, None, len(document["groups"]))
        n_hops, n_graphs = pass_.n_hops, kernel.n_graphs
        forms = members_of(content, arrays, f"group{number}", n_hops, n_classes, n_graphs)
        groups.append(GraphGroup(kernel, forms, n_classes, pass_.kernel_parameters()))
    settings, conformity = settings_of(document), conformity_of(arrays, n_classes, n_graphs)
    likeness = _likeness_of_member(document, arrays, groups)
    if classes is None:
        return AveragedRegressor(groups, settings, None, conformity, likeness)
    calibration = calibration_of(arrays, n_classes)
    return AveragedClassifier(groups, classes, calibration, settings, None, conformity, likeness)


def settings_of(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parameters of the settings that are averaged."""
    given = document["settings"]
    if not isinstance(given, list) or not all(isinstance(own, dict) for own in given):
        raise ModelFileError("The settings of the model are no list of mappings.")
    return [{name: _value(own) for name, own in setting.items()} for setting in given]


def members_of(
    content: Mapping[str, Any],
    arrays: Arrays,
    name: str,
    n_hops: int,
    n_classes: int,
    n_items: int,
) -> tuple[Member, ...]:
    """The forms of a group, each with its functions of so many training graphs or nodes."""
    members = content["members"]
    if not isinstance(members, list) or not members:
        raise ModelFileError("A group of the model has no list of members.")
    sizes = [n_functions_of(_multiclass(own), n_classes) for own in members]
    both = restored_functions(arrays, name, sum(sizes), n_items)
    cuts = np.cumsum(sizes)[:-1]
    functions = map(DecisionFunctions, *(np.split(part, cuts) for part in both))
    return tuple(_member(n_hops, *own) for own in zip(members, functions, strict=True))


def _member(n_hops: int, content: Mapping[str, Any], functions: DecisionFunctions) -> Member:
    """A form with a weight for each hop of the kernel, its unit of distance and its functions."""
    form = {name: content["form"][name] for name in FORM}
    given = NASK(n_hops=n_hops, **form)
    given.check_parameters()
    refuse_huge_weights(given)
    unit = None
    if given.gram == "rbf":
        unit = as_finite(content["unit"], positive=True)
    return Member(given.form(), unit, _multiclass(content), functions)


def _multiclass(content: Mapping[str, Any]) -> Multiclass:
    """How functions tell classes apart."""
    known: dict[Any, Multiclass] = {name: name for name in get_args(Multiclass)}
    given = content["multiclass"]
    if not isinstance(given, str) or given not in known:
        raise ModelFileError(f"The scheme for several classes is {quoted(given)}, which is none.")
    return known[given]


def _likeness_of_member(
    document: Mapping[str, Any], arrays: Arrays, groups: Sequence[GraphGroup]
) -> MemberLikeness | None:
    likeness = likeness_of(document, arrays, groups[0].kernel.n_graphs)
    if likeness is None:
        return None
    group, member = (document["likeness"][name] for name in ("group", "member"))
    sizes = [len(own.members) for own in groups]
    if not is_integer(group) or not 0 <= group < len(sizes):
        raise ModelFileError(f"The distances are those of group {quoted(group)}, which is none.")
    if not is_integer(member) or not 0 <= member < sizes[group]:
        raise ModelFileError(f"The distances are those of member {quoted(member)}, which is none.")
    return MemberLikeness(group, member, likeness)


def _model(document: Mapping[str, Any]) -> NASKClassifier | NASKRegressor | NASKOutlierDetector:
    """The model as it was before it was fitted. How to run it is not the file's to say."""
    name = document["class"]
    if name not in CLASSES:
        hint = did_you_mean(str(name), CLASSES)
        raise ModelFileError(f"The class of the model is {quoted(name)}, which is none. {hint}")
    model: NASKClassifier | NASKRegressor | NASKOutlierDetector = CLASSES[name]()
    set_parameters(model, document["parameters"], name)
    model.check_parameters()
    return model


def set_parameters(model: BaseEstimator, given: Mapping[str, Any], name: str) -> None:
    """Give a model the parameters in a file, all of which it must know."""
    known, values = model.get_params(deep=False), {}
    for parameter, value in given.items():
        if parameter not in known:
            raise ModelFileError(
                f"{name} has no parameter {quoted(parameter)}, which the file gives."
            )
        if parameter not in RESOURCES:
            values[parameter] = _value(value)
    # All at once: set_params looks up the signature of the class in every call.
    model.set_params(**values)


def _value(content: Any) -> Any:
    """The value of a parameter: a number, a text, or a list or mapping of such."""
    value = dict(map(tuple, content["pairs"])) if isinstance(content, dict) else content
    parts = [*value, *value.values()] if isinstance(value, dict) else value
    if isinstance(parts, list) and any(isinstance(part, (list, dict)) for part in parts):
        raise ModelFileError(f"A parameter has the value {quoted(content)}, which is none.")
    return value


def restored_kernel(
    model: GraphKernelParameters,
    document: Mapping[str, Any],
    arrays: FileArrays,
    batch_name: str,
    unit: float | None,
    n_kernels: int = 1,
) -> FittedKernel:
    """The fitted kernel, one of so many, with the graphs of the file as its training graphs."""
    refuse_huge_weights(model)
    schema = restored_schema(document["schema"], model)
    batch = GraphBatch.from_arrays({name: arrays[f"{batch_name}/{name}"] for name in BATCH_ARRAYS})
    batch.check(schema)
    engine = document["engine"]
    if engine not in ENGINES:
        raise ModelFileError(
            f"There is no engine {quoted(engine)}. {did_you_mean(str(engine), ENGINES)}"
        )
    sizes = np.diff(batch.nodes.ptr)
    check_work(sizes, batch.endpoints, arrays.n_bytes, model, engine, n_kernels)
    molecules = document.get("molecules")
    if molecules is not None:
        molecules = MoleculeReading.from_json(molecules)
    return FittedKernel.of_batch(model, schema, batch, engine, unit, molecules)


def restored_schema(content: Mapping[str, Any], model: StarParameters) -> Schema:
    """The schema of a model with these parameters."""
    # Files of the first versions know no other.
    similarity = _similarity(content.get("similarity", "gower"))
    nodes, edges = (
        tuple(_spec(own, similarity) for own in content[element]) for element in ("nodes", "edges")
    )
    for specs in (nodes, edges):
        names = [spec.name for spec in specs]
        if len(set(names)) < len(names):
            raise ModelFileError(f"The schema has an attribute name twice: {names}.")
    features = tuple(as_finite(span) for span in content.get("features", []))
    if min(features, default=0.0) < 0:
        raise ModelFileError("The schema has a node feature of a negative range.")
    hidden = [content.get(f"hidden_{element}", []) for element in ("nodes", "edges")]
    if not all(
        isinstance(names, list) and all(isinstance(n, str) for n in names) for names in hidden
    ):
        raise ModelFileError("The hidden attributes of the schema are no lists of names.")
    hidden_nodes, hidden_edges = map(tuple, hidden)
    learned = nodes, edges, content["degree"], features, hidden_nodes, hidden_edges
    schema = Schema(*learned, similarity)
    for name in ("degree", "similarity"):
        given, own = getattr(model, name), getattr(schema, name)
        if given != own:
            raise ModelFileError(
                f"The parameter {name} is {quoted(given)}, and the schema has it as {quoted(own)}."
            )
    return schema


def _similarity(given: Any) -> SimilarityName:
    known: dict[Any, SimilarityName] = {name: name for name in get_args(SimilarityName)}
    if not isinstance(given, str) or given not in known:
        raise ModelFileError(f"The similarity of the schema is {quoted(given)}, which is none.")
    return known[given]


def _spec(content: Mapping[str, Any], similarity: SimilarityName) -> AttributeSpec:
    name, kind, categories = content["name"], content["kind"], content["categories"]
    if not isinstance(name, str):
        raise ModelFileError(f"An attribute has the name {quoted(name)}, which is no text.")
    if kind not in ("numerical", "categorical", "missing"):
        raise ModelFileError(f"Attribute {quoted(name)} has the unknown kind {quoted(kind)}.")
    minimum, span = as_finite(content["minimum"]), as_finite(content["range"])
    if span < 0:
        raise ModelFileError(f"Attribute {quoted(name)} has a negative range.")
    if not isinstance(categories, list) or len(set(categories)) < len(categories):
        raise ModelFileError(
            f"Attribute {quoted(name)} has no list of categories, or a category twice."
        )
    if categories and kind != "categorical":
        raise ModelFileError(f"Attribute {quoted(name)} is {kind} and has a category.")
    return AttributeSpec(name, kind, minimum, span, tuple(categories), similarity)


def _support(support: npt.NDArray[Any], n_support: int, n_graphs: Any) -> npt.NDArray[Any]:
    """Positions of the support graphs among all training graphs."""
    if not is_integer(n_graphs) or n_graphs < n_support:
        raise ModelFileError(
            f"The number of training graphs, n_graphs, is {quoted(n_graphs)}: expected an int of "
            f"at least {n_support}, the number of support graphs."
        )
    whole = support.shape == (n_support,) and support.dtype.kind in "iu"
    if not whole or len(np.unique(support)) < n_support or not within(support, n_graphs):
        raise ModelFileError(
            f"The array support has shape {support.shape} and type {support.dtype}: expected "
            f"{n_support} different positions of the {n_graphs} training graphs."
        )
    return support


def classes_of(labels: Any, dtype: Any) -> npt.NDArray[Any]:
    """The classes, different ones and in order."""
    kind = np.dtype(dtype) if isinstance(dtype, str) else np.dtype("V")
    long = kind.kind == "U" and kind.itemsize > 4 * LONGEST_CLASS
    if kind.kind not in "biufUO" or long:
        raise ModelFileError(
            f"The type of classes, classes_dtype, is {quoted(dtype)}, which is none."
        )
    if not isinstance(labels, list) or len(labels) < 2:
        raise ModelFileError(f"The classes are {quoted(labels)}: expected a list of two or more.")
    if kind.kind == "U":
        total = sum(len(label) for label in labels if isinstance(label, str))
        check_demand(kind.itemsize * len(labels), total, "The classes take", ModelFileError)
    classes = np.array(labels, dtype=kind)
    same = classes.ndim == 1 and classes.tolist() == labels
    # np.unique sorts, which text and numbers together do not allow.
    if not same or not np.array_equal(np.unique(classes), classes):
        raise ModelFileError(
            f"The classes are {quoted(labels)}: expected different ones, in order."
        )
    return classes

"""Methods that can be evaluated, by name."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from sklearn.base import is_regressor

from nask.choices import Items, LearningTask, TunedLearner
from nask.exceptions import ParameterError
from nask.messages import quoted
from nask.tuning.classifier import TunedNASKClassifier
from nask.tuning.node_classifier import TunedNASKNodeClassifier
from nask.tuning.regressor import TunedNASKRegressor

# Parameters that make no difference to the result.
HOW_TO_RUN = ("n_jobs", "verbose", "memory_limit", "gram_folder", "engine")
# Parameters of kernels that came later: with these values they make no difference, and are left
# out, so that earlier records are found again.
LATER: Mapping[str, Any] = {"similarity": "gower", "max_leaves": None}
_NASK: Mapping[Items, type[Any]] = {
    "graphs": TunedNASKClassifier,
    "nodes": TunedNASKNodeClassifier,
}
# What is added to a kernel's name where its learner is not the default.
SUFFIXES: Mapping[str, TunedLearner] = {"-svm": "svm", "-best": "best"}
# Named, not imported: the laboratory is loaded only if a rival is asked for.
_CATALOGUE = "nask.lab.rivals.catalogue"


def named_method(name: str, items: Items = "graphs", task: LearningTask = "classify") -> Any:
    """Return a new, unfitted model of that name.

    With "-svm" its learner is an SVM, with "-best" the better of an SVM and ridge regressions.

    Examples
    --------
    >>> type(named_method("nask")).__name__, type(named_method("nask", "nodes")).__name__
    ('TunedNASKClassifier', 'TunedNASKNodeClassifier')
    >>> type(named_method("nask", task="regress")).__name__
    'TunedNASKRegressor'
    """
    if task == "regress":
        return _named_regressor(name)
    suffix = next((own for own in SUFFIXES if name.endswith(own)), "")
    plain = name.removesuffix(suffix)
    model = _NASK[items]() if plain == "nask" else import_module(_CATALOGUE).rival(plain, items)
    if plain == name:
        return model
    if "learner" not in model.get_params(deep=False):
        raise ParameterError(f"{plain} has no choice of a learner: use {plain!r}, not {name!r}.")
    return model.set_params(learner=SUFFIXES[suffix])


def _named_regressor(name: str) -> Any:
    for suffix in SUFFIXES:
        plain = name.removesuffix(suffix)
        if plain != name and plain in ("nask", *import_module(_CATALOGUE).KERNEL_RIVALS):
            raise ParameterError(
                f"There is no {quoted(name)} for numbers on a scale, which ridge regressions "
                f"learn: use {quoted(plain)}."
            )
    if name == "nask":
        return TunedNASKRegressor()
    return import_module(_CATALOGUE).regression_rival(name)


def learns(model: Any) -> LearningTask:
    """Return what a model predicts: numbers on a scale, or else classes.

    Examples
    --------
    >>> learns(TunedNASKClassifier()), learns(TunedNASKRegressor())
    ('classify', 'regress')
    """
    return "regress" if is_regressor(model) else "classify"


def classifies(model: Any) -> Items:
    """Return what a model classifies: nodes if its ``fit`` takes ``train``, else graphs.

    Examples
    --------
    >>> classifies(TunedNASKClassifier()), classifies(TunedNASKNodeClassifier())
    ('graphs', 'nodes')
    """
    return "nodes" if "train" in inspect.signature(model.fit).parameters else "graphs"


def method_name(model: Any) -> str:
    """Return the name a model is registered by, or that of its class.

    Examples
    --------
    >>> method_name(TunedNASKClassifier())
    'nask'
    """
    kind = type(model)
    suffix = ""
    # Only where a ridge regression is what the name alone stands for.
    if hasattr(model, "sweeps") and hasattr(model, "learner"):
        suffix = next((own for own, learner in SUFFIXES.items() if learner == model.learner), "")
    if kind in (*_NASK.values(), TunedNASKRegressor):
        return "nask" + suffix
    if isinstance(getattr(model, "rival", None), str):
        return str(model.rival)
    place = f"{kind.__module__}:{kind.__qualname__}"
    catalogue = import_module(_CATALOGUE)
    tables = catalogue.GRAPH_RIVALS, catalogue.NODE_RIVALS, catalogue.REGRESSION_FLOORS
    known = [entry for table in tables for entry in table.items()]
    return next((name for name, own in known if own == place), kind.__name__) + suffix


def described(model: Any) -> dict[str, Any]:
    """Return all that decides what a model predicts, as JSON can hold it.

    Parameters that have their default values are left out, which keeps it short. All candidates
    of a search enter as one hash, so that a change of the default grid changes the description.

    Examples
    --------
    >>> described(TunedNASKClassifier(grid={"C": [1, 10]}))
    {'class': 'TunedNASKClassifier', 'grid': "{'C': [1, 10]}", 'candidates': '...'}
    """
    found = _parameters(model)
    content: list[Any] = []
    if hasattr(model, "sweeps"):
        content = [(deciding(sweep.parameters), sweep.candidates) for sweep in model.sweeps()]
    elif hasattr(model, "candidates"):
        content = [deciding(own.get_params(deep=False)) for _, own in model.candidates()]
    if content:
        found["candidates"] = hashlib.sha256(repr(content).encode()).hexdigest()[:16]
    return found


def deciding(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that make a difference to the result, by name.

    Examples
    --------
    >>> deciding({"n_jobs": 2, "gamma": 0.5})
    {'gamma': 0.5}
    """
    return {
        name: v
        for name, v in sorted(parameters.items())
        if name not in HOW_TO_RUN and not (name in LATER and v == LATER[name])
    }


def _parameters(model: Any) -> dict[str, Any]:
    signature = inspect.signature(type(model)).parameters
    found: dict[str, Any] = {"class": type(model).__name__}
    for name, value in model.get_params(deep=False).items():
        default = signature[name].default if name in signature else inspect.Parameter.empty
        if name not in HOW_TO_RUN and repr(value) != repr(default):
            found[name] = _parameters(value) if hasattr(value, "get_params") else repr(value)
    return found

"""Methods that can be evaluated, by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from nask.exceptions import ParameterError, did_you_mean
from nask.tuning.classifier import TunedNASKClassifier

# Parameters of models that are recorded on their own, or make no difference to the result.
RUNNING = ("inner", "random_state", "n_jobs", "verbose", "memory_limit")
METHODS: Mapping[str, Callable[[], Any]] = {"nask": TunedNASKClassifier}


def named_method(name: str) -> Any:
    """Return a new, unfitted model of that name.

    Examples
    --------
    >>> type(named_method("nask")).__name__
    'TunedNASKClassifier'
    """
    if name not in METHODS:
        raise ParameterError(f"There is no method {name!r}. {did_you_mean(name, METHODS)}")
    return METHODS[name]()


def method_name(model: Any) -> str:
    """Return the name a model is registered by, or that of its class.

    Examples
    --------
    >>> method_name(TunedNASKClassifier())
    'nask'
    """
    names = [name for name, make in METHODS.items() if make is type(model)]
    return names[0] if names else type(model).__name__


def described(model: Any) -> dict[str, Any]:
    """The class of a model, and the parameters that decide the result, as JSON holds them.

    Those with their default values are left out, so that records stay valid when a later version
    adds a parameter.

    Examples
    --------
    >>> described(TunedNASKClassifier(grid={"C": [1, 10]}))
    {'class': 'TunedNASKClassifier', 'grid': "{'C': [1, 10]}"}
    """
    signature = inspect.signature(type(model)).parameters
    found: dict[str, Any] = {"class": type(model).__name__}
    for name, value in model.get_params(deep=False).items():
        default = signature[name].default if name in signature else inspect.Parameter.empty
        if name in RUNNING or repr(value) == repr(default):
            continue
        found[name] = described(value) if hasattr(value, "get_params") else repr(value)
    return found

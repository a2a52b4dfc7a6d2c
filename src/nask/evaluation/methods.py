"""Methods that can be evaluated, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nask.exceptions import ParameterError, did_you_mean
from nask.tuning.classifier import TunedNASKClassifier

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

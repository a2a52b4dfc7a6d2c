"""Checks of the parameters that all generators share; ``owner`` is the generator, for errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nask.exceptions import ParameterError
from nask.kernels.parameters import is_integer, is_number

Seed = int | np.random.Generator | None


def generator(random_state: Seed, owner: str) -> np.random.Generator:
    """Return the random generator of a seed.

    Examples
    --------
    >>> int(generator(0, "make_synthie").integers(100))
    85
    >>> generator("seed", "make_synthie")
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'random_state' parameter of make_synthie must be a \
non-negative int, a numpy Generator or None. Got 'seed' instead.
    """
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        expected = "a non-negative int, a numpy Generator or None"
        raise ParameterError.expected("random_state", owner, expected, random_state) from None


def check_integer(
    name: str, owner: str, value: Any, low: int, high: int | None = None, *, shown: Any = None
) -> None:
    """Raise unless the value is an integer from ``low`` to ``high``, both included.

    There is no upper limit if ``high`` is None. The error quotes ``shown`` instead of the value,
    where the value is one entry of the parameter.

    Examples
    --------
    >>> check_integer("n_graphs", "make_synthie", 2, low=1)
    >>> check_integer("n_graphs", "make_synthie", 0, low=1)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'n_graphs' parameter of make_synthie must be an int in \
the range [1, inf). Got 0 instead.
    """
    if not is_integer(value) or value < low or (high is not None and value > high):
        limits = f"[{low}, inf)" if high is None else f"[{low}, {high}]"
        got = value if shown is None else shown
        raise ParameterError.expected(name, owner, f"an int in the range {limits}", got)


def check_number(
    name: str, owner: str, value: Any, low: float = 0.0, high: float = math.inf
) -> None:
    """Raise unless the value is a finite number from ``low`` to ``high``, both included.

    Examples
    --------
    >>> check_number("missing", "make_social_network", 0.1, high=1.0)
    >>> check_number("missing", "make_social_network", 10, high=1.0)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'missing' parameter of make_social_network must be a \
float in the range [0.0, 1.0]. Got 10 instead.
    """
    if not is_number(value) or not low <= value <= high:
        limits = f"[{low}, inf)" if high == math.inf else f"[{low}, {high}]"
        raise ParameterError.expected(name, owner, f"a float in the range {limits}", value)


def check_pair(name: str, owner: str, value: Any, low: int, high: int | None = None) -> None:
    """Raise unless the value is two integers, each as :func:`check_integer` demands.

    Examples
    --------
    >>> check_pair("n_permuted", "make_synthetic", (10, 5), low=0, high=100)
    >>> check_pair("n_permuted", "make_synthetic", 10, low=0, high=100)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: The 'n_permuted' parameter of make_synthetic must be two \
ints, one per class. Got 10 instead.
    """
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ParameterError.expected(name, owner, "two ints, one per class", value)
    for entry in value:
        check_integer(name, owner, entry, low, high, shown=value)

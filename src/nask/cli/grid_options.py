"""A grid of parameters from options such as ``--grid default --try n_hops=1,2``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nask.exceptions import ParameterError
from nask.messages import quoted
from nask.tuning.grid import named_grid

WORDS = {"none": None, "true": True, "false": False}


def grid_from_options(name: str, values: Sequence[str]) -> Any:
    """Return a named grid, with the values of some parameters replaced.

    Parameters
    ----------
    values : sequence of str
        Each ``NAME=VALUE,VALUE``. Values are numbers, ``true``, ``false``, ``none`` or words.

    Examples
    --------
    >>> grid_from_options("default", [])
    'default'
    >>> grid_from_options("default", ["n_hops=1,2", "degree=none"])[0]["n_hops"]
    (1, 2)
    >>> grid_from_options("default", ["n_hops"])
    Traceback (most recent call last):
    nask.exceptions.ParameterError: --try expects NAME=VALUE,VALUE..., such as n_hops=1,2. Got
    'n_hops'.
    """
    grid = named_grid(name)
    if not values:
        return name
    replaced: dict[str, Sequence[Any]] = {}
    for option, values_to_try in map(_parsed, values):
        if option in replaced:
            raise ParameterError(f"--try {option} is given twice: list all its values in one.")
        replaced[option] = values_to_try
    return tuple({**part, **replaced} for part in grid)


def _parsed(text: str) -> tuple[str, tuple[Any, ...]]:
    name, equals, values = text.partition("=")
    if not equals or not name.strip() or not all(v.strip() for v in values.split(",")):
        raise ParameterError(
            f"--try expects NAME=VALUE,VALUE..., such as n_hops=1,2. Got {quoted(text)}."
        )
    return name.strip().replace("-", "_"), tuple(_value(v.strip()) for v in values.split(","))


def _value(text: str) -> Any:
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text

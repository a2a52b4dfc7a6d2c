"""What a store holds: its kind, what decided the numbers, and how that differs from another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np

from nask.messages import quoted


@dataclass(frozen=True)
class Contents:
    """What a store holds, kept beside its numbers.

    Parameters
    ----------
    kind : str
        In words, such as "a Gram matrix".
    identity : str
        Hash of all that decides the numbers.
    parameters : mapping
        For the reader, and for messages.

    Examples
    --------
    >>> found = Contents("numbers", "abc", {"n": 3}).attributes()
    >>> Contents("numbers", "xyz", {"n": 4}).difference(found)
    'was computed with n=3, not 4'
    """

    kind: str
    identity: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def attributes(self) -> dict[str, Any]:
        """As plain values for JSON."""
        return {
            "holds": self.kind,
            "computation": self.identity,
            "parameters": json.loads(json.dumps(self.parameters, default=_plain)),
            "nask_version": version("nask"),
        }

    def difference(self, attributes: Mapping[str, Any]) -> str:
        """In words, how the attributes of a store differ; empty where they are these."""
        mine = self.attributes()
        if attributes.get("computation") == self.identity:
            return ""
        if attributes.get("holds") != self.kind:
            return f"holds {attributes.get('holds', 'something else')}, not {self.kind}"
        if attributes.get("nask_version") != mine["nask_version"]:
            return f"was written by nask {attributes.get('nask_version')}"
        given = attributes.get("parameters")
        theirs = given if isinstance(given, Mapping) else {}
        for name, value in mine["parameters"].items():
            if theirs.get(name) != value:
                return f"was computed with {name}={quoted(theirs.get(name))}, not {quoted(value)}"
        return "is of other graphs, or was fitted to others"


def _plain(value: Any) -> Any:
    """A value of a parameter that JSON does not know, as one that it does."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    return repr(value)

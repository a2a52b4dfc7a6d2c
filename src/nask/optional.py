"""What is imported when it is used: optional packages, and the laboratory by name."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from nask.exceptions import MissingDependencyError


def require(module: str, extra: str) -> ModuleType:
    """Import a module of an optional package, or say how to install it.

    Parameters
    ----------
    module : str
        The module to import, such as "networkx" or "rdkit.Chem".
    extra : str
        The extra of nask that installs it.

    Examples
    --------
    >>> require("networkx", "networkx").__name__
    'networkx'
    >>> require("no_such_package", "networkx")
    Traceback (most recent call last):
    nask.exceptions.MissingDependencyError: This needs the package 'no_such_package', which is \
not installed. Install it with: pip install 'nask[networkx]'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # The package that is absent may be one that the module itself imports.
        package = (error.name or module).partition(".")[0]
        raise MissingDependencyError(
            f"This needs the package {package!r}, which is not installed. Install it with: "
            f"pip install 'nask[{extra}]'"
        ) from error


def named(place: str) -> Any:
    """Return what stands at ``module:name``; the module is imported now.

    Examples
    --------
    >>> named("fractions:Fraction")(1, 2)
    Fraction(1, 2)
    """
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def is_instance(item: object, package: str, name: str) -> bool:
    """Tell whether an object is of a class of an optional package, without importing that.

    Examples
    --------
    >>> import networkx as nx
    >>> is_instance(nx.MultiDiGraph(), "networkx", "Graph"), is_instance([], "networkx", "Graph")
    (True, False)
    """
    return any(
        cls.__name__ == name and cls.__module__.partition(".")[0] == package
        for cls in type(item).__mro__
    )

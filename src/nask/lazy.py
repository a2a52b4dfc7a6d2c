"""Packages whose names are imported when they are used (PEP 562)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and ``__dir__`` of a package that imports names on use.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    modules : mapping of str to str
        Each public name, and the module it comes from. A name whose module is
        ``package.name`` stands for the module itself.

    Examples
    --------
    >>> getattribute, names = lazy_names("xml", {"parse": "xml.dom.minidom", "sax": "xml.sax"})
    >>> getattribute("parse").__module__, getattribute("sax").__name__, names()
    ('xml.dom.minidom', 'xml.sax', ['parse', 'sax'])
    >>> getattribute("prase")
    Traceback (most recent call last):
    AttributeError: module 'xml' has no attribute 'prase'
    """

    def getattribute(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(modules[name])
        return module if module.__name__ == f"{package}.{name}" else getattr(module, name)

    return getattribute, lambda: sorted(modules)

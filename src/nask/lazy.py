"""Packages whose names are imported when they are used (PEP 562)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy_names(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the ``__getattr__``, ``__dir__`` and ``__all__`` of a package that imports on use.

    Its names are those that ``__init__.pyi`` imports, the file that type checkers read.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    file : str
        Its ``__file__``.

    Examples
    --------
    >>> import nask.io
    >>> getattribute, _, names = lazy_names("nask.io", nask.io.__file__)
    >>> getattribute("read_tu").__module__, names[-1]
    ('nask.io.readers.tu', 'to_networkx')
    >>> getattribute("raed_tu")
    Traceback (most recent call last):
    AttributeError: module 'nask.io' has no attribute 'raed_tu'
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    modules = {
        alias.asname: statement.module
        for statement in stub.body
        if isinstance(statement, ast.ImportFrom) and statement.module
        for alias in statement.names
        if alias.asname  # as type checkers have it, a name without "as" is not passed on
    }

    def getattribute(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if modules[name] == package:
            return import_module(f"{package}.{name}")
        return getattr(import_module(modules[name]), name)

    return getattribute, lambda: sorted(modules), sorted(modules)

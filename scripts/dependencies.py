"""What the project needs, directly and through others, as far as it is installed here."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
CONSTRAINTS = ROOT / "constraints.txt"


def project() -> dict[str, Any]:
    """The table [project] of pyproject.toml."""
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    own: dict[str, Any] = whole["project"]
    return own


def needed(extras: Iterable[str]) -> list[Distribution]:
    """All distributions that the project needs here with some extras, by name.

    Raises PackageNotFoundError where one is not installed.
    """
    own = project()
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [*map(Requirement, own["dependencies"])]
    waiting += [Requirement(f"{own['name']}[{','.join(extras)}]")]
    while waiting:
        wanted = waiting.pop()
        for extra in ("", *sorted(wanted.extras)):
            if (wanted.name.lower(), extra) in seen:
                continue
            seen.add((wanted.name.lower(), extra))
            if wanted.name == own["name"]:
                lines = own["optional-dependencies"].get(extra, [])
            else:
                there = distribution(wanted.name)
                found[there.name.lower()] = there
                lines = there.requires or []
            waiting += _asked(lines, extra)
    return [found[name] for name in sorted(found)]


def _asked(lines: Iterable[str], extra: str) -> Iterator[Requirement]:
    for line in lines:
        wanted = Requirement(line)
        if wanted.marker is None or wanted.marker.evaluate({"extra": extra}):
            yield wanted

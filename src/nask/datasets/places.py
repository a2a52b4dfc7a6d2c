"""Where datasets lie: the folders of NASK_DATA, the cache of downloads, the package itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from platformdirs import user_cache_path

from nask.datasets.pokec_files import holds_pokec

DATA_VARIABLE = "NASK_DATA"
CACHE_VARIABLE = "NASK_CACHE"
EMBEDDED = Path(__file__).parent / "embedded"


class Place(NamedTuple):
    """A folder with datasets, or the zip or folder of one of them."""

    kind: Literal["NASK_DATA", "cache", "package"]
    path: Path

    def __str__(self) -> str:
        kind = self.kind if self.kind == DATA_VARIABLE else f"the {self.kind}"
        return f"{self.path} ({kind}{'' if self.path.exists() else '; does not exist'})"


def cache_folder() -> Path:
    """The folder of downloads: what NASK_CACHE names, or the usual one of the platform.

    Examples
    --------
    >>> from unittest.mock import patch
    >>> with patch.dict("os.environ", NASK_CACHE="downloads"):
    ...     cache_folder().name
    'downloads'
    """
    named = os.environ.get(CACHE_VARIABLE, "").strip()
    if named:
        return Path(named).expanduser()
    return user_cache_path("nask")


def folders() -> Iterator[Place]:
    """The folders to look in, in the order of their precedence."""
    for folder in os.environ.get(DATA_VARIABLE, "").split(os.pathsep):
        if folder.strip():
            yield Place("NASK_DATA", Path(folder.strip()).expanduser())
    yield Place("cache", cache_folder())
    yield Place("package", EMBEDDED)


def places() -> dict[str, Place]:
    """The zips and folders that may be datasets, by name; what is found first wins.

    A folder that NASK_DATA names is Pokec if it holds the two files of Pokec itself.
    """
    found: dict[str, Place] = {}
    for folder in folders():
        for name, path in _entries(folder.path).items():
            found.setdefault(name, Place(folder.kind, path))
        # Not in the cache: if the set were damaged, the advice would be to remove all of it.
        if folder.kind == DATA_VARIABLE and holds_pokec(folder.path):
            found.setdefault("Pokec", folder)
    return found


def _entries(folder: Path) -> dict[str, Path]:
    """The zips and folders of a folder by their names; a zip wins over a folder.

    Names that begin with a dot are left out: unfinished downloads, or files of others.
    """
    if not folder.is_dir():
        return {}
    entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    subfolders = {entry.name: entry for entry in entries if entry.is_dir() and any(entry.iterdir())}
    return subfolders | {entry.stem: entry for entry in entries if entry.suffix == ".zip"}

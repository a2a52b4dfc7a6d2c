"""The files of the Pokec network: recognised by their names, read by ``nask.lab``."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from nask.io.node_dataset import NodeDataset
from nask.optional import named

PROFILES = "soc-pokec-profiles.txt"
RELATIONS = "soc-pokec-relationships.txt"
# Named, not imported: the reader is loaded only if Pokec is read.
READER = "nask.lab.pokec.reader:read_pokec"


def read_pokec(path: Path, name: str | None) -> NodeDataset:
    """Return the network in a folder or zip, as :func:`nask.lab.read_pokec` reads it."""
    dataset: NodeDataset = named(READER)(path, name=name or "Pokec")
    return dataset


def pokec_folder(names: Collection[str]) -> str | None:
    """Return the folder of an archive with both files of the network: "", "folder/" or None.

    Examples
    --------
    >>> pokec_folder(["Pokec/soc-pokec-profiles.txt.gz", "Pokec/soc-pokec-relationships.txt"])
    'Pokec/'
    """
    folders = sorted({name[: name.rfind("/") + 1] for name in names})
    for folder in folders:
        if all(with_or_without_gz(folder + file, names) for file in (PROFILES, RELATIONS)):
            return folder
    return None


def holds_pokec(folder: Path) -> bool:
    """Whether both files of the network are in a folder itself, not in one inside it."""
    return all(
        any((folder / name).is_file() for name in (file, f"{file}.gz"))
        for file in (PROFILES, RELATIONS)
    )


def with_or_without_gz(file: str, names: Collection[str]) -> list[str]:
    """Return the names under which a file is there: as it is, with ``.gz``, or both.

    Examples
    --------
    >>> with_or_without_gz("a.txt", ["a.txt.gz", "b.txt"])
    ['a.txt.gz']
    """
    return [name for name in (file, f"{file}.gz") if name in names]

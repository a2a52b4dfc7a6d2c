"""Where datasets lie, and how each of them is read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nask.exceptions import DatasetNotFoundError, FormatError, did_you_mean
from nask.io.archive import open_archive
from nask.io.dataset import Dataset
from nask.io.tu import read_tu

DATA_VARIABLE = "NASK_DATA"
EMBEDDED = Path(__file__).parent / "embedded"

# Sets that need other options of the reader than its defaults.
READING: Mapping[str, Mapping[str, Any]] = {
    # Its edges hold displacements: x one way, -x the other.
    "Cuneiform": {"opposite": "absolute"},
}


def load_dataset(name: str) -> Dataset:
    """Load a benchmark set by its name in the TUDataset collection.

    Looks for ``name.zip`` or a folder ``name`` in the folders that the environment variable
    NASK_DATA names (separated like those of PATH), then in the package, which brings MUTAG
    [1]_ [2]_ and Cuneiform [3]_ of that collection [4]_. Edge attributes of Cuneiform are
    displacements; they are read as magnitudes, the same in both directions.

    Parameters
    ----------
    name : str
        Such as "MUTAG"; upper and lower case matter.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetNotFoundError
        If there is no such set.
    FormatError
        If its files are damaged or contradict each other.

    See Also
    --------
    nask.io.tu.read_tu : Reads a folder or zip that lies anywhere.

    References
    ----------
    .. [1] A. K. Debnath, R. L. Lopez de Compadre, G. Debnath, A. J. Shusterman, C. Hansch.
       "Structure-activity relationship of mutagenic aromatic and heteroaromatic nitro
       compounds. Correlation with molecular orbital energies and hydrophobicity". J. Med.
       Chem. 34(2):786-797, 1991.
    .. [2] N. Kriege, P. Mutzel. "Subgraph matching kernels for attributed graphs". ICML 2012.
    .. [3] N. M. Kriege, M. Fey, D. Fisseler, P. Mutzel, F. Weichert. "Recognizing cuneiform
       signs using graph based methods". 2018. arXiv:1802.05908.
    .. [4] C. Morris, N. M. Kriege, F. Bause, K. Kersting, P. Mutzel, M. Neumann. "TUDataset: A
       collection of benchmark datasets for learning with graphs". ICML 2020 Workshop on Graph
       Representation Learning and Beyond.

    Examples
    --------
    >>> load_dataset("MUTAG")
    Dataset('MUTAG': 188 graphs, 3371 nodes, 3721 edges; y: 2 classes; node: node_label
    (categorical); edge: edge_label (categorical))
    >>> load_dataset("MUTGA")
    Traceback (most recent call last):
    nask.exceptions.DatasetNotFoundError: No dataset 'MUTGA' is at hand. Did you mean 'MUTAG'? ...
    """
    for folder in _folders():
        found = _sets(folder).get(name)
        if found is not None:
            return read_tu(found, name=name, **READING.get(name, {}))
    available = available_datasets()
    looked = "".join(f"\n  {_describe(folder)}" for folder in _folders())
    raise DatasetNotFoundError(
        f"No dataset {name!r} is at hand. {did_you_mean(str(name), available)}\n"
        f"Looked for {name}.zip and a folder {name} in:{looked}\n"
        f"Available: {', '.join(available)}.\n"
        f"Put the zip of the set into a folder and name that folder in the environment variable "
        f"{DATA_VARIABLE}, or read it where it is with nask.read_tu(path)."
    )


def available_datasets() -> list[str]:
    """Names that :func:`load_dataset` knows: those of NASK_DATA and those of the package.

    A damaged zip is not listed; loading it says what is wrong with it.

    Examples
    --------
    >>> sorted({"Cuneiform", "MUTAG"} & set(available_datasets()))
    ['Cuneiform', 'MUTAG']
    """
    places: dict[str, Path] = {}
    for folder in reversed(list(_folders())):
        places |= _sets(folder)
    return sorted(name for name, place in places.items() if _holds(place, name))


def _folders() -> Iterator[Path]:
    """The folders to look in, the first found first."""
    for folder in os.environ.get(DATA_VARIABLE, "").split(os.pathsep):
        if folder.strip():
            yield Path(folder.strip()).expanduser()
    yield EMBEDDED


def _sets(folder: Path) -> dict[str, Path]:
    """The zips and folders of a folder by their names; a zip wins over a folder."""
    if not folder.is_dir():
        return {}
    entries = sorted(folder.iterdir())
    folders = {entry.name: entry for entry in entries if entry.is_dir()}
    return folders | {entry.stem: entry for entry in entries if entry.suffix == ".zip"}


def _holds(place: Path, name: str) -> bool:
    try:
        names = open_archive(place).names
    except FormatError:
        return False
    return any(file.rpartition("/")[2] == f"{name}_A.txt" for file in names)


def _describe(folder: Path) -> str:
    if folder == EMBEDDED:
        return f"{folder} (the package)"
    return f"{folder} ({DATA_VARIABLE}{'' if folder.is_dir() else '; no such folder'})"

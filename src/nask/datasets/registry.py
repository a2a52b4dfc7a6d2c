"""Datasets by name or path: found where they lie or downloaded, read, and checked."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal, overload

from nask.datasets.catalogue import DatasetInfo, catalogue
from nask.datasets.checks import differences
from nask.datasets.download import download
from nask.datasets.places import DATA_VARIABLE, Place, folders, places
from nask.datasets.pokec_files import pokec_folder, read_pokec
from nask.exceptions import DatasetNotFoundError, FormatError, ParameterError, did_you_mean
from nask.graph.attribute import Kind
from nask.graph.repeated_edges import Repeated
from nask.io.dataset import Dataset
from nask.io.node_dataset import NodeDataset
from nask.io.readers.archive import Archive, open_archive
from nask.io.readers.molecule_rows import is_molecule_file
from nask.io.readers.planetoid import planetoid_sets, read_planetoid
from nask.io.readers.tu import read_tu
from nask.messages import first_few, quoted


@overload
def load_dataset(source: Literal["Cora", "Citeseer", "Pubmed", "Pokec"]) -> NodeDataset: ...  # type: ignore[overload-overlap]
@overload
def load_dataset(
    source: str | os.PathLike[str],
    *,
    y: str = "y",
    categorical: Collection[str] = (),
    repeated_edges: Repeated = "error",
    kinds: Mapping[str, Kind] | None = None,
) -> Dataset: ...
def load_dataset(
    source: str | os.PathLike[str],
    *,
    y: str = "y",
    categorical: Collection[str] = (),
    repeated_edges: Repeated = "error",
    kinds: Mapping[str, Kind] | None = None,
) -> Dataset | NodeDataset:
    """Load a benchmark set by its name, or a set of your own by its path.

    A name is looked for in three places, as ``name.zip`` or as a folder ``name``: first in the
    folders that the environment variable NASK_DATA names (separated like those of PATH), then in
    the cache of downloads (the folder of NASK_CACHE, or the usual one of the platform), then in
    the package, which holds MUTAG and Cuneiform. The two files of Pokec may also lie in a folder
    of NASK_DATA itself. If the set is in none of these places, it is downloaded into the cache,
    provided that ``nask datasets list`` lists it.

    A published set is checked against its published counts. Edge attributes of Cuneiform are
    displacements; they are read as magnitudes, the same in both directions.

    Parameters
    ----------
    source : str or path
        A name such as "MUTAG"; upper and lower case matter. Or the path of a folder or zip in
        TUDataset text form, of a folder with ``nodes.csv`` and ``edges.csv``, or of the files of
        a citation network or of Pokec. Text is a path if it has a path separator, ends in
        ``.zip``, or names a folder or file here and no set.
    y : str, default="y"
        For a folder of CSV files: the column to be predicted, of ``graphs.csv`` or, in one
        network, of ``nodes.csv``.
    categorical : collection of str
        For a folder of CSV files: columns whose numbers are codes.
    repeated_edges : {"error", "first", "mean", "max"}, or dict of these by attribute
        For folders of CSV files and in TUDataset text form: what to do where an edge is listed
        several times with different values, as in :class:`AttributedGraph`.
    kinds : mapping of str to kind, optional
        For folders of CSV files: kinds of attributes that are known beforehand, such as those of a
        model, as in :func:`nask.io.read_tables`.

    Returns
    -------
    Dataset or NodeDataset
        The latter for the citation networks Cora, Citeseer and Pubmed, for the social network
        Pokec, and for a folder whose ``nodes.csv`` has no column ``graph``: one network.

    Raises
    ------
    DatasetNotFoundError
        If there is no such set, or its download fails. The message says which file to put where.
    FormatError
        If its files are damaged, contradict each other, or are not the published set.

    See Also
    --------
    available_datasets : Names that need no download.
    nask.io.read_tu : Reads a folder or zip in TUDataset text form, with options.
    nask.io.read_tables, nask.io.read_network : Read folders of CSV files.

    Examples
    --------
    >>> load_dataset("MUTAG")
    Dataset('MUTAG': 188 graphs, 3371 nodes, 3721 edges; y: 2 classes; node: node_label
    (categorical); edge: edge_label (categorical))
    >>> load_dataset("MUTGA")
    Traceback (most recent call last):
    nask.exceptions.DatasetNotFoundError: No dataset 'MUTGA' is known. Did you mean 'MUTAG'? ...
    """
    if _is_path(source):
        return _read(
            Path(source).expanduser(),
            None,
            y=y,
            categorical=categorical,
            repeated_edges=repeated_edges,
            kinds=kinds,
        )
    name = str(source)
    for option, given in (
        ("categorical", bool(categorical)),
        ("y", y != "y"),
        ("repeated_edges", repeated_edges != "error"),
    ):
        if given:
            raise ParameterError(
                f"{name} is a published set, whose attributes have kinds and a target of their "
                f"own: {option!r} is for sets of your own, by their path."
            )
    return read_place(locate(name), name)


def available_datasets() -> list[str]:
    """Return the names of sets that need no download: in NASK_DATA, the cache and the package.

    A damaged zip is not listed; loading it says what is wrong with it.

    Examples
    --------
    >>> sorted({"Cuneiform", "MUTAG"} & set(available_datasets()))
    ['Cuneiform', 'MUTAG']
    """
    return sorted(name for name, place in places().items() if _holds(place.path, name))


def locate(name: str) -> Place:
    """Return the zip or folder of a set; download it if it is not at hand."""
    place = places().get(name)
    if place is not None:
        return place
    return Place("cache", download(dataset_info(name)))


def dataset_info(name: str) -> DatasetInfo:
    """Return what is published of a set; if nothing is, raise an error that suggests a name.

    Examples
    --------
    >>> dataset_info("PTC_MR").n_graphs
    344
    """
    info = catalogue().get(name)
    if info is None and name.strip() and Path(name).exists():
        raise DatasetNotFoundError(
            f"{name} is a path; expected the name of a set, such as MUTAG. Paths of sets of your "
            "own go to load_dataset, and to the commands that compute with a set."
        )
    if info is None:
        known = {*catalogue(), *available_datasets()}
        looked = "".join(f"\n  {folder}" for folder in folders())
        raise DatasetNotFoundError(
            f"No dataset {quoted(name)} is known. {did_you_mean(name, known)}\n"
            f"Looked for {name}.zip and a folder {name} in:{looked}\n"
            f"Put the zip of a set of your own into a folder and name that folder in the "
            f"environment variable {DATA_VARIABLE}, or load it by its path."
        )
    return info


def read_place(place: Place, name: str) -> Dataset | NodeDataset:
    """Read a set where it lies, and check it if it is a published one."""
    info = catalogue().get(name)
    try:
        dataset = _read(place.path, name, info)
    except FormatError as error:
        if place.kind != "cache":
            raise
        raise FormatError(f"{error}\n{_again(place)}") from error
    wrong = [] if info is None else differences(dataset, info)
    if info is not None and wrong:
        remedy = _again(place) if place.kind == "cache" else "Give a set of your own another name."
        raise FormatError(
            f"{place.path} is not {name} as published in the {info.collection} collection: "
            f"{'; '.join(wrong)}. {remedy} To read it as it is, give its path to load_dataset."
        )
    return dataset


def _again(place: Place) -> str:
    return f"Remove {place.path}; it is then downloaded again."


def _is_path(source: str | os.PathLike[str]) -> bool:
    if not isinstance(source, str):
        return True
    separators = [os.sep, os.altsep or os.sep]
    if source.endswith(".zip") or any(separator in source for separator in separators):
        return True
    known = source in catalogue() or source in places()
    return bool(source.strip()) and not known and Path(source).exists()


def _read(
    path: Path,
    name: str | None,
    info: DatasetInfo | None = None,
    y: str = "y",
    categorical: Collection[str] = (),
    repeated_edges: Repeated = "error",
    kinds: Mapping[str, Kind] | None = None,
) -> Dataset | NodeDataset:
    if is_molecule_file(path):
        raise FormatError(
            f"{path} is a single file. A CSV or SD file of molecules is read by "
            "nask.read_molecules; of a table of nodes or edges, give the path of its folder."
        )
    archive = open_archive(path)
    if info is not None and info.collection == "SNAP":
        return read_pokec(path, name)
    if _holds_tables(archive):
        from nask.io.readers.network import is_network, read_network
        from nask.io.readers.tables import read_tables

        read = read_network if is_network(path) else read_tables
        return read(path, y=y, categorical=categorical, repeated_edges=repeated_edges, kinds=kinds)
    if y != "y":
        raise ParameterError(
            f"{path} holds no nodes.csv: 'y' names a column of a folder of CSV files."
        )
    if categorical:
        raise ParameterError(
            f"{path} holds no nodes.csv: 'categorical' is for folders of CSV files. In TUDataset "
            "text form the name of a file tells: labels are categories, attributes numbers."
        )
    if pokec_folder(archive.names) is not None:
        return read_pokec(path, name)
    if any(file.endswith("_A.txt") for file in archive.names):
        opposite = info.opposite if info else "error"
        return read_tu(path, name=name, opposite=opposite, repeated_edges=repeated_edges)
    if planetoid_sets(archive):
        return read_planetoid(path, name=name)
    raise FormatError(_no_dataset(archive))


def _no_dataset(archive: Archive) -> str:
    """Return what a folder or zip without a dataset holds, and what would make it one."""
    tables = [file for file in archive.names if file.rpartition("/")[2] == "nodes.csv"]
    if tables and archive.is_zip:
        return (
            f"{archive.path} holds {tables[0]}. CSV files are read from a folder: extract the zip."
        )
    if tables:
        inside = archive.path / tables[0].rpartition("/")[0]
        return f"{archive.path} holds {tables[0]}. Give the path of that folder: {inside}."
    if "edges.csv" in archive.names and not archive.is_zip:
        return (
            f"There is no nodes.csv in {archive.path}, but edges.csv. Add it: one line for each "
            "node, with the columns node and, for many graphs, graph."
        )
    listed = first_few(archive.names)
    what = "zip" if archive.is_zip else "folder"
    return (
        f"{archive.path} is no dataset: the {what} holds {listed or 'no files'}. Expected "
        "nodes.csv and edges.csv (CSV files), DS_A.txt and DS_graph_indicator.txt (TUDataset text "
        "form), NAME.npz or ind.NAME.graph (citation networks), or the two files of Pokec."
    )


def _holds(path: Path, name: str) -> bool:
    try:
        archive = open_archive(path)
    except FormatError:
        return False
    files = {file.rpartition("/")[2] for file in archive.names}
    networks = {network.lower() for network in planetoid_sets(archive)}
    if f"{name}_A.txt" in files or name.lower() in networks:
        return True
    return _holds_tables(archive) or pokec_folder(archive.names) is not None


def _holds_tables(archive: Archive) -> bool:
    return not archive.is_zip and "nodes.csv" in archive.names

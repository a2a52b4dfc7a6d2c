"""Reader of the citation networks of the Planetoid collection, from a folder or a zip."""

from __future__ import annotations

import io
import os
import zipfile
from itertools import combinations
from typing import Any

import numpy as np

from nask.arrays import Array, Index
from nask.exceptions import FormatError, NaskError, did_you_mean
from nask.graph.attributed_graph import AttributedGraph
from nask.io.node_dataset import NO_CLASS, NodeDataset
from nask.io.readers.archive import Archive, open_archive
from nask.io.readers.csr_arrays import checked_csr
from nask.io.readers.planetoid_pickles import read_pickles
from nask.messages import quoted
from nask.storage.read_limit import array_of, check_zip, read_member

ARRAYS = (
    "edges", "labels", "x_data", "x_indices", "x_indptr", "x_shape",
    "train_idx", "val_idx", "test_idx",
)  # fmt: skip


def read_planetoid(path: str | os.PathLike[str], *, name: str | None = None) -> NodeDataset:
    """Read a citation network of the Planetoid collection [1]_.

    The set is either ``NAME.npz`` with the arrays ``edges``, ``labels``, ``x_data``,
    ``x_indices``, ``x_indptr``, ``x_shape`` (features in CSR form), ``train_idx``, ``val_idx`` and
    ``test_idx``; or the eight files ``ind.name.x``, ``y``, ``tx``, ``ty``, ``allx``, ``ally``,
    ``graph`` and ``test.index`` of the collection. Seven of these are pickles, of which only
    arrays and plain containers are read. Edges are undirected, sorted, without self-loops and
    repeats; the notes of the dataset count what was removed.

    Parameters
    ----------
    path : str or path
        The folder or the zip. The files may lie in a folder inside it.
    name : str, optional
        The name of the set, needed if there are several.

    Returns
    -------
    NodeDataset
        A node without a class has -1: in Citeseer, 15 nodes without words or links.

    Raises
    ------
    FormatError
        If the files contradict each other or the format, or a pickle holds code.

    References
    ----------
    .. [1] Z. Yang, W. W. Cohen, R. Salakhutdinov. "Revisiting semi-supervised learning with
       graph embeddings". ICML 2016.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> arrays = dict(edges=[[0, 1], [1, 2]], labels=[0, 1, -1], x_data=[1.0], x_indices=[4],
    ...               x_indptr=[0, 1, 1, 1], x_shape=[3, 5], train_idx=[0], val_idx=[1],
    ...               test_idx=[2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(pathlib.Path(folder, "tiny.npz"), **arrays)
    ...     read_planetoid(folder)
    NodeDataset('tiny': 3 nodes, 2 edges; 5 node features, 1 of 15 not zero; y: 2 classes, 1
    missing; train 1, validation 1, test 1; 1 note)
    """
    archive = open_archive(path)
    sets = planetoid_sets(archive)
    if not sets:
        raise FormatError(f"{archive.path} holds no file *.npz or ind.*.graph.")
    wanted = {found for found in sets if name is None or found.lower() == name.lower()}
    if not wanted:
        raise FormatError(
            f"{archive.path} holds no citation network {name}. {did_you_mean(str(name), sets)}"
        )
    if len(wanted) > 1:
        raise FormatError(
            f"{archive.path} holds several sets: {', '.join(sorted(wanted))}. Choose one with "
            "nask.io.read_planetoid(path, name=...)."
        )
    found = wanted.pop()
    file = sets[found]
    read = _from_npz if file.endswith(".npz") else _from_pickles
    try:
        return read(archive, file, name or found)
    except FormatError:
        raise
    except (NaskError, ValueError, TypeError, AttributeError, IndexError, KeyError) as error:
        # Arrays of other shapes and types than expected fail in as many ways.
        raise FormatError(
            f"{archive.where(file)} and the files beside it do not make up a citation network: "
            f"{error}"
        ) from error


def planetoid_sets(archive: Archive) -> dict[str, str]:
    """Return the citation networks of an archive: name to npz, or to file ind.name.graph."""
    sets: dict[str, str] = {}
    for path in archive.names:
        file = path.rpartition("/")[2]
        if file.startswith("ind.") and file.endswith(".graph"):
            sets[file.removeprefix("ind.").removesuffix(".graph")] = path
    for path in archive.names:
        file = path.rpartition("/")[2]
        if file.endswith(".npz"):
            sets.pop(file.removesuffix(".npz").lower(), None)
            sets[file.removesuffix(".npz")] = path
    return sets


def _from_npz(archive: Archive, file: str, name: str) -> NodeDataset:
    content, where = archive.read(file), archive.where(file)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as opened:
            check_zip(opened, archive.n_bytes([file]), where)
            found = {*opened.namelist()}
            missing = {key for key in ARRAYS if f"{key}.npy" not in found}
            arrays = {
                key: array_of(read_member(opened, f"{key}.npy"))
                for key in ARRAYS
                if key not in missing
            }
    except NaskError:
        raise
    except Exception as error:  # a damaged zip, or arrays that are pickles
        raise FormatError(f"{where} cannot be read: {quoted(error)}.") from error
    if missing:
        raise FormatError(f"{where} lacks the arrays {', '.join(sorted(missing))}.")
    n_nodes, n_features = arrays["x_shape"].tolist()
    data, indices, indptr = (arrays[name] for name in ("x_data", "x_indices", "x_indptr"))
    features = checked_csr(data, indices, indptr, n_features, where, archive.n_bytes([file]))
    return _dataset(
        name,
        n_nodes,
        _edges(arrays["edges"], file, both_ways=False),
        features,
        arrays["labels"],
        (arrays["train_idx"], arrays["val_idx"], arrays["test_idx"]),
    )


def _from_pickles(archive: Archive, graph_file: str, name: str) -> NodeDataset:
    files = read_pickles(archive, graph_file)
    edges = _edges(files.pairs, graph_file, both_ways=True)
    return _dataset(name, len(files.y), edges, files.features, files.y, files.split)


def _dataset(
    name: str,
    n_nodes: int,
    edges: tuple[Index, list[str]],
    features: Any,
    y: Array,
    split: tuple[Index, Index, Index],
) -> NodeDataset:
    pairs, notes = edges
    nodes = dict(zip(("train", "validation", "test"), split, strict=True))
    for one, other in combinations(nodes, 2):
        both = np.intersect1d(nodes[one], nodes[other])
        if len(both):
            raise FormatError(
                f"{len(both)} nodes of {name} are in both {one} and {other}, the first of them "
                f"{both[0]}: expected each node in at most one of train, validation and test."
            )
    missing = np.count_nonzero(y == NO_CLASS)
    if missing:
        notes = [*notes, f"{missing} nodes have no class: y is {NO_CLASS} there."]
    graph = AttributedGraph(n_nodes, pairs, node_features=features)
    return NodeDataset(name, graph, y, *split, tuple(notes))


def _edges(listed: Array, file: str, *, both_ways: bool) -> tuple[Index, list[str]]:
    """Return each edge once, smaller endpoint first, sorted, so the same for both forms of a
    set; and notes."""
    pairs = listed.reshape(-1, 2)
    is_loop = pairs[:, 0] == pairs[:, 1]
    proper = pairs[~is_loop]
    distinct = np.unique(proper if both_ways else np.sort(proper, axis=1), axis=0)
    edges = np.unique(np.sort(distinct, axis=1), axis=0)
    counts = [
        (len(np.unique(pairs[is_loop])), "self-loops removed"),
        (len(proper) - len(distinct), "repeats of an edge removed"),
        (both_ways * (2 * len(edges) - len(distinct)), "edges listed in one direction only"),
    ]
    short = file.rpartition("/")[2]
    return edges, [f"{short}: {count} {what}." for count, what in counts if count]

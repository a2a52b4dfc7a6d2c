"""Reader of the citation networks of the Planetoid collection, from a folder or a zip."""

from __future__ import annotations

import io
import os
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from nask.exceptions import FormatError, NaskError, did_you_mean
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.edges import IntArray
from nask.io.archive import Archive, open_archive
from nask.io.node_dataset import NO_CLASS, NodeDataset
from nask.io.safe_pickle import load_arrays
from nask.messages import quoted

# The validation part is the nodes after those of training; their number is a convention.
N_VALIDATION = 500
ARRAYS = (
    "edges", "labels", "x_data", "x_indices", "x_indptr", "x_shape",
    "train_idx", "val_idx", "test_idx",
)  # fmt: skip


def read_planetoid(path: str | os.PathLike[str], *, name: str | None = None) -> NodeDataset:
    """Read a citation network of the Planetoid collection [1]_.

    Either ``NAME.npz`` with the arrays ``edges``, ``labels``, ``x_data``, ``x_indices``,
    ``x_indptr``, ``x_shape`` (features in CSR form), ``train_idx``, ``val_idx`` and
    ``test_idx``; or, where there is none, the eight files ``ind.name.x``, ``y``, ``tx``, ``ty``,
    ``allx``, ``ally``, ``graph`` and ``test.index`` of the collection, seven of them pickles, of
    which only arrays and plain containers are read. Edges are undirected, sorted, without
    self-loops and repeats; the notes of the dataset count what was removed.

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
            "name=..."
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
    """The citation networks of an archive by name: their npz, or their file ind.name.graph."""
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
    try:
        with np.load(io.BytesIO(archive.read(file)), allow_pickle=False) as opened:
            missing = set(ARRAYS) - set(opened.files)
            arrays = {key: opened[key] for key in ARRAYS if key in opened.files}
    except FormatError:
        raise
    except Exception as error:  # a damaged zip, or arrays that are pickles
        raise FormatError(f"{archive.where(file)} cannot be read: {quoted(error)}.") from error
    if missing:
        raise FormatError(f"{archive.where(file)} lacks the arrays {', '.join(sorted(missing))}.")
    n_nodes, n_features = arrays["x_shape"].tolist()
    features = _checked_csr(arrays["x_data"], arrays["x_indices"], arrays["x_indptr"], n_features)
    return _dataset(
        name,
        n_nodes,
        _edges(arrays["edges"], file, both_ways=False),
        features,
        arrays["labels"],
        (arrays["train_idx"], arrays["val_idx"], arrays["test_idx"]),
    )


def _from_pickles(archive: Archive, graph_file: str, name: str) -> NodeDataset:
    start = graph_file.removesuffix("graph")

    def raw(part: str) -> bytes:
        if start + part not in archive.names:
            raise FormatError(
                f"{archive.where(start + part)} does not exist: expected it beside {graph_file}."
            )
        return archive.read(start + part)

    def load(part: str) -> Any:
        return load_arrays(raw(part), archive.where(start + part))

    neighbours = load("graph")
    test = np.array(raw("test.index").split(), dtype=np.int64)
    known = len(load("ally"))
    n_nodes = max(known, int(test.max(initial=-1)) + 1)
    if (test < known).any() or len(np.unique(test)) < len(test):
        raise FormatError(
            f"{archive.where(start + 'test.index')} names a node twice, or one of ally: expected "
            f"distinct nodes of {known} or more."
        )
    # Rows of tx and ty are those of test.index; a node in neither of the two has no values.
    rows = np.concatenate([np.arange(known), test])
    features = sparse.coo_array(sparse.vstack([_csr(load("allx")), _csr(load("tx"))]))
    placed = (features.data, (rows[features.row], features.col))
    one_hot = np.vstack([load("ally"), load("ty")])
    y = np.full(n_nodes, NO_CLASS)
    y[rows] = np.where(one_hot.any(axis=1), one_hot.argmax(axis=1), NO_CLASS)
    n_train = len(load("y"))
    validation = np.arange(n_train, min(n_train + N_VALIDATION, known))

    pairs = np.array([(u, v) for u, ends in neighbours.items() for v in ends], dtype=np.int64)
    return _dataset(
        name,
        n_nodes,
        _edges(pairs, graph_file, both_ways=True),
        sparse.csr_array(placed, shape=(n_nodes, features.shape[1])),
        y,
        (np.arange(n_train), validation, np.sort(test)),
    )


def _dataset(
    name: str,
    n_nodes: int,
    edges: tuple[IntArray, list[str]],
    features: Any,
    y: npt.NDArray[Any],
    split: tuple[IntArray, IntArray, IntArray],
) -> NodeDataset:
    pairs, notes = edges
    missing = np.count_nonzero(y == NO_CLASS)
    if missing:
        notes = [*notes, f"{missing} nodes have no class: y is {NO_CLASS} there."]
    graph = AttributedGraph(n_nodes, pairs, node_features=features)
    return NodeDataset(name, graph, y, *split, tuple(notes))


def _edges(listed: npt.NDArray[Any], file: str, *, both_ways: bool) -> tuple[IntArray, list[str]]:
    """Each edge once, smaller endpoint first, sorted, so the same from any file; and notes."""
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


def _csr(matrix: Any) -> Any:
    """The matrix of a pickle, made anew: a pickle sets the parts of its object as it likes."""
    return _checked_csr(matrix.data, matrix.indices, matrix.indptr, matrix.shape[1])


def _checked_csr(data: Any, indices: Any, indptr: Any, n_columns: int) -> Any:
    matrix = sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_columns))
    matrix.check_format(full_check=True)
    return matrix

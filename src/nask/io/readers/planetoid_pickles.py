"""The eight files of a citation network as Planetoid publishes it, seven of them pickles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from nask.arrays import Array, Index
from nask.exceptions import FormatError
from nask.io.node_dataset import NO_CLASS
from nask.io.readers.archive import Archive
from nask.io.readers.csr_arrays import checked_csr
from nask.io.readers.pickled_arrays import PickledMatrix
from nask.io.readers.safe_pickle import load_arrays

# The validation nodes follow those of training; their number is a convention.
N_VALIDATION = 500
MOST_DIGITS = 18  # of a node: fewer than 2**63


class CitationFiles(NamedTuple):
    """The contents of the eight files.

    Parameters
    ----------
    pairs : ndarray of shape (n, 2)
        Each node with each of its neighbours, as listed.
    features : csr_array of shape (n_nodes, n_words)
    y : ndarray of shape (n_nodes,)
    split : tuple of 3 ndarray
        Nodes for training, validation and test.
    """

    pairs: Index
    features: Any
    y: Index
    split: tuple[Index, Index, Index]


def read_pickles(archive: Archive, graph_file: str) -> CitationFiles:
    """Read the files that lie beside ``ind.name.graph``."""
    start = graph_file.removesuffix("graph")

    def raw(ending: str) -> bytes:
        if start + ending not in archive.names:
            raise FormatError(
                f"{archive.where(start + ending)} does not exist: expected it beside {graph_file}."
            )
        return archive.read(start + ending)

    def load(ending: str) -> Any:
        return load_arrays(raw(ending), archive.where(start + ending))

    pairs = _pairs(load("graph"), archive.where(graph_file))
    test = _test_nodes(raw("test.index"), archive.where(start + "test.index"))
    ally, ty, y_train = (
        _one_hot(load(ending), archive.where(start + ending)) for ending in ("ally", "ty", "y")
    )
    words = [
        _words(load(ending), archive.where(start + ending), archive.n_bytes([start + ending]))
        for ending in ("allx", "tx")
    ]
    known, n_train = len(ally), len(y_train)
    if n_train > known:
        raise FormatError(
            f"{archive.where(start + 'y')} has {n_train} rows, but ally has {known}: expected at "
            "most as many, since the training nodes are the first of ally."
        )
    if (test < known).any() or len(np.unique(test)) < len(test):
        raise FormatError(
            f"{archive.where(start + 'test.index')} names a node twice, or one of ally: expected "
            f"distinct nodes of {known} or more."
        )
    n_nodes = max(known, int(test.max(initial=-1)) + 1)
    # Otherwise a large number in a small file would take all of the memory.
    most = known + len(test) + len(np.unique(pairs))
    if n_nodes > most:
        raise FormatError(
            f"{archive.where(start + 'test.index')} names node {n_nodes - 1}, but all files "
            f"together name {most} nodes at most: expected nodes counted from 0."
        )
    # Rows of tx and ty are the nodes of test.index; a node without a row has no values.
    rows = np.concatenate([np.arange(known), test])
    features = sparse.coo_array(sparse.vstack(words))
    placed = (features.data, (rows[features.row], features.col))
    one_hot = np.vstack([ally, ty])
    y = np.full(n_nodes, NO_CLASS)
    y[rows] = np.where(one_hot.any(axis=1), one_hot.argmax(axis=1), NO_CLASS)
    validation = np.arange(n_train, min(n_train + N_VALIDATION, known))
    return CitationFiles(
        pairs,
        sparse.csr_array(placed, shape=(n_nodes, features.shape[1])),
        y,
        (np.arange(n_train), validation, np.sort(test)),
    )


def _test_nodes(text: bytes, where: str) -> Index:
    for line, number in enumerate(text.split(), start=1):
        if not number.isdigit() or len(number) > MOST_DIGITS:
            shown = number[:20].decode(errors="backslashreplace")
            raise FormatError(
                f"{where}: the {line}. entry is {shown!r}; expected a node, a whole number of at "
                f"most {MOST_DIGITS} digits."
            )
    return np.array(text.split(), dtype=np.int64)


def _pairs(neighbours: Any, where: str) -> Index:
    """Return each node with each of its neighbours, as a pickle lists them."""
    if not isinstance(neighbours, dict):
        raise FormatError(
            f"{where} holds a {type(neighbours).__name__}: expected a dictionary from nodes to "
            "lists of nodes."
        )
    for node, ends in neighbours.items():
        # Anything else in a list could be an array, larger than the list looks.
        if type(node) is not int or type(ends) is not list or {*map(type, ends)} - {int}:
            raise FormatError(
                f"{where} holds something else than a list of nodes, or for something else than a "
                f"node: expected whole numbers. It is entry {list(neighbours).index(node)}."
            )
    counts = [len(ends) for ends in neighbours.values()]
    tails = np.repeat(np.array(list(neighbours), dtype=np.int64), counts)
    heads = np.array([v for ends in neighbours.values() for v in ends], dtype=np.int64)
    return np.stack([tails, heads], axis=1)


def _one_hot(value: Any, where: str) -> Array:
    if not isinstance(value, np.ndarray) or value.ndim != 2 or not value.shape[1]:
        raise FormatError(
            f"{where} does not hold a matrix: expected one row per node and one column per class."
        )
    return value


def _words(value: Any, where: str, n_bytes: int) -> Any:
    if not isinstance(value, PickledMatrix):
        raise FormatError(f"{where} does not hold a sparse matrix in CSR form, as expected.")
    shape = value.shape
    if not isinstance(shape, tuple) or len(shape) != 2 or type(shape[1]) is not int:
        raise FormatError(f"{where} holds a matrix of no known number of columns.")
    return checked_csr(value.data, value.indices, value.indptr, shape[1], where, n_bytes)

"""Graphs of any supported package as a list of AttributedGraph."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from nask.exceptions import GraphError, InputError, NaskError
from nask.graph.attribute import is_missing
from nask.graph.attributed_graph import AttributedGraph
from nask.io.converters.grakel import from_grakel
from nask.io.converters.molecule_reading import MoleculeReading
from nask.io.converters.molecules import from_rdkit, graph_of_molecule, graph_of_smiles
from nask.io.converters.networkx import from_networkx
from nask.io.converters.pyg import from_pyg
from nask.io.dataset import Dataset
from nask.io.node_dataset import NodeDataset
from nask.optional import is_instance

# Classes are recognised by package and name, so that none of the packages is imported.
CONVERTERS: dict[tuple[str, str], Callable[[Any], AttributedGraph]] = {
    ("networkx", "Graph"): from_networkx,
    ("torch_geometric", "Data"): from_pyg,
    ("rdkit", "Mol"): from_rdkit,
    ("grakel", "Graph"): from_grakel,
}

# Many graphs in one, which is a subclass of Data in PyTorch Geometric.
BATCH = ("torch_geometric", "Batch")
EXPECTED = (
    "graphs of nask (AttributedGraph), networkx, PyTorch Geometric (Data), RDKit (Mol) or GraKeL "
    "(Graph), or SMILES (text)"
)


def as_graphs(
    X: Any, first: int = 0, molecules: MoleculeReading | None = None
) -> list[AttributedGraph]:
    """Convert any list of graphs to a list of AttributedGraph.

    Parameters
    ----------
    X : iterable of graphs
        A list, tuple, array, Series or generator; not a set, which has no order. Its items
        are graphs of nask, networkx, PyTorch Geometric (``Data``), RDKit (``Mol``) or
        GraKeL (``Graph``), or molecules as SMILES, also mixed. They are converted with the
        defaults of the ``from_...`` function of their package.
    first : int, default=0
        Position of the first graph in error messages, where X is taken from a longer list.
    molecules : MoleculeReading, optional
        How to read molecules, instead of the defaults: as those of training were read.

    Raises
    ------
    InputError
        If ``X`` is not a list of graphs, or one of its items is not a graph.
    GraphError
        If there are no graphs, or one of them cannot be converted: the message begins with
        its position.

    Examples
    --------
    >>> import networkx as nx
    >>> from nask import AttributedGraph
    >>> from nask.io.coerce import as_graphs
    >>> as_graphs([AttributedGraph(1), nx.path_graph(3)])
    [AttributedGraph(1 nodes, 0 edges), AttributedGraph(3 nodes, 2 edges)]
    >>> [graph.n_nodes for graph in as_graphs(["CCO", "c1ccccc1"])]
    [3, 6]
    >>> as_graphs(AttributedGraph(1))
    Traceback (most recent call last):
    nask.exceptions.InputError: Expected a list of graphs; got a single AttributedGraph. Put it \
in a list: [graph].
    >>> as_graphs([nx.path_graph(3), nx.DiGraph([(0, 1)])])
    Traceback (most recent call last):
    nask.exceptions.GraphError: Graph 1: The graph is directed (DiGraph), ...
    """
    _check_collection(X)
    graphs = [_as_graph(item, position, molecules) for position, item in enumerate(X, start=first)]
    if not graphs:
        raise GraphError("Expected at least one graph; got none.")
    return graphs


def graph_batches(
    X: Any, size: int, molecules: MoleculeReading | None = None
) -> Iterator[tuple[int, list[AttributedGraph]]]:
    """Convert a list or an iterator of graphs some at a time, as they are asked for.

    Parameters
    ----------
    X : iterable of graphs
        As in :func:`as_graphs`.
    size : int
        Graphs of a batch.
    molecules : MoleculeReading, optional

    Yields
    ------
    int, list of AttributedGraph
        The position of the first graph, and the graphs.

    Examples
    --------
    >>> from nask import AttributedGraph
    >>> endless = (AttributedGraph(n) for n in range(5))
    >>> [(first, len(batch)) for first, batch in graph_batches(endless, 2)]
    [(0, 2), (2, 2), (4, 1)]
    """
    _check_collection(X)
    following, first = iter(X), 0
    while batch := list(islice(following, min(size, sys.maxsize))):
        yield first, as_graphs(batch, first, molecules)
        first += len(batch)


def as_graph(graph: Any, molecules: MoleculeReading | None = None) -> AttributedGraph:
    """Convert one graph of any supported package, or a SMILES, to an AttributedGraph.

    ``molecules`` is how to read a molecule, instead of the defaults.

    Examples
    --------
    >>> import networkx as nx
    >>> as_graph(nx.path_graph(3))
    AttributedGraph(3 nodes, 2 edges)
    >>> as_graph([nx.path_graph(3)])
    Traceback (most recent call last):
    nask.exceptions.InputError: Expected one graph; got an object of type list. ...
    """
    if isinstance(graph, AttributedGraph):
        return graph
    if isinstance(graph, NodeDataset):
        raise InputError("Expected one graph; got a NodeDataset. Pass its graph: data.graph.")
    if is_instance(graph, *BATCH):
        raise InputError(
            "Expected one graph; got a Batch of PyTorch Geometric, which holds many. Pass one of "
            "batch.to_data_list()."
        )
    if _converter(graph, molecules) is None:
        raise InputError(
            f"Expected one graph; got an object of type {type(graph).__name__}. A graph is one of "
            f"{EXPECTED}."
        )
    return _as_graph(graph, None, molecules)


def is_graph(item: object) -> bool:
    """Tell whether an object is one graph of a supported package, or a text, and no list of them.

    Examples
    --------
    >>> import networkx as nx
    >>> is_graph(nx.path_graph(3)), is_graph("CCO"), is_graph([nx.path_graph(3)])
    (True, True, False)
    """
    return isinstance(item, AttributedGraph) or _converter(item) is not None


def _check_collection(X: Any) -> None:
    name = type(X).__name__
    if is_instance(X, *BATCH):
        raise InputError(
            "Expected a list of graphs; got a Batch of PyTorch Geometric. Pass its graphs: "
            "batch.to_data_list()."
        )
    if isinstance(X, AttributedGraph) or (not isinstance(X, str) and _converter(X) is not None):
        raise InputError(
            f"Expected a list of graphs; got a single {name}. Put it in a list: [graph]."
        )
    if isinstance(X, np.ndarray):
        if X.dtype.kind not in "OU" or X.ndim != 1:
            raise InputError(
                f"Expected a list of graphs; got an array of dtype {X.dtype} and shape {X.shape}. "
                f"The items must be {EXPECTED}. (numpy takes networkx graphs apart: pass a list. A "
                "Gram matrix goes to scikit-learn's SVC(kernel='precomputed') instead.)"
            )
    elif hasattr(X, "columns"):
        raise InputError(
            f"Expected a list of graphs; got a table ({name}). Convert a table of nodes and one of "
            "edges with nask.io.from_frames first; of a table of molecules, pass the column of "
            "SMILES, such as table['smiles']."
        )
    elif isinstance(X, Dataset):
        raise InputError("Expected a list of graphs; got a Dataset. Pass its graphs: data.graphs.")
    elif isinstance(X, NodeDataset):
        raise InputError(
            "Expected a list of graphs; got a NodeDataset, one graph whose nodes have classes. "
            "Pass its graph in a list, [data.graph], or classify nodes with NASKNodeClassifier."
        )
    elif not isinstance(X, Iterable) or isinstance(X, (str, bytes, Mapping, Set)):
        got = "None" if X is None else f"an object of type {name}"
        raise InputError(
            f"Expected a list of graphs; got {got}. The items must be {EXPECTED}.{_remedy(X)}"
        )


def _remedy(X: object) -> str:
    if isinstance(X, str):
        return (
            " A dataset goes by name to nask.load_dataset(name).graphs; a single SMILES goes in a "
            "list: [smiles]."
        )
    if isinstance(X, Mapping):
        return " Of a dictionary of graphs, pass list(graphs.values())."
    return " A set has no order: pass a list." if isinstance(X, Set) else ""


def _converter(
    item: object, molecules: MoleculeReading | None = None
) -> Callable[[Any], AttributedGraph] | None:
    if isinstance(item, str):
        return partial(graph_of_smiles, reading=molecules or MoleculeReading())
    for (package, name), converter in CONVERTERS.items():
        if is_instance(item, package, name):
            if converter is from_rdkit and molecules is not None:
                return partial(graph_of_molecule, reading=molecules)
            return converter
    return None


def _as_graph(
    item: Any, position: int | None, molecules: MoleculeReading | None
) -> AttributedGraph:
    if isinstance(item, AttributedGraph):
        return item
    converter = _converter(item, molecules)
    if converter is None:
        hint = ""
        if is_missing(item):
            hint = " Leave out what has no graph, or no SMILES, and its value of y too."
        elif isinstance(item, tuple):
            hint = " Convert tuples of GraKeL with nask.io.from_grakel first."
        elif hasattr(item, "columns"):
            hint = " Convert a table of nodes and one of edges with nask.io.from_frames first."
        raise InputError(
            f"Item {position} is not a graph, but an object of type {type(item).__name__}. "
            f"Expected {EXPECTED}.{hint}"
        )
    try:
        return converter(item)
    except NaskError as error:
        # Most mistakes in a graph are mended by an option of its converter, which fit lacks.
        hint = ""
        if isinstance(error, GraphError) and hasattr(converter, "__name__"):
            hint = f" (Options are those of nask.{converter.__name__}: convert with it first.)"
        if isinstance(item, str) and position is None:
            hint = " (A dataset goes by name to nask.load_dataset.)"
        where = "" if position is None else f"Graph {position}: "
        raise type(error)(f"{where}{error}{hint}") from error


class TakesGraphs:
    """Tells scikit-learn that rows of numbers are not what an estimator learns from."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array = False
        return tags

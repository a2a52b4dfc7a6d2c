"""Reader of a user's own folder: a CSV file of nodes, one of edges and one of graphs."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from nask.exceptions import FormatError, GraphError, did_you_mean
from nask.graph.attribute import Attribute, Kind
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.given_values import forced_kinds
from nask.graph.repeated_edges import Repeated
from nask.io.converters.frames import from_frames
from nask.io.dataset import Dataset
from nask.io.readers.csv_table import CsvTable
from nask.messages import first_few, quoted
from nask.optional import require
from nask.storage.read_limit import check_demand

NODE_IDS = ("graph", "node")
EDGE_IDS = ("graph", "source", "target")
# Of a column of a graph without values in it.
COLUMN_BYTES = 200


def read_tables(
    folder: str | os.PathLike[str],
    *,
    y: str = "y",
    categorical: Collection[str] = (),
    repeated_edges: Repeated = "error",
    kinds: Mapping[str, Kind] | None = None,
) -> Dataset:
    """Read graphs from the CSV files of a folder.

    =============  ===================================  =========================
    file           ids                                  other columns
    =============  ===================================  =========================
    ``nodes.csv``  ``graph``, ``node``                  attributes of nodes
    ``edges.csv``  ``graph``, ``source``, ``target``    attributes of edges
    ``graphs.csv`` ``graph``                            ``y``, the target
    =============  ===================================  =========================

    Parameters
    ----------
    folder : str or path
        The folder. Its files are comma-separated, in UTF-8, with a header. Columns may come
        in any order. ``graphs.csv`` may be absent, and so may its column ``y``.
    y : str, default="y"
        The column of ``graphs.csv`` that is to be predicted.
    categorical : collection of str
        Names of attributes whose numbers are codes.
    repeated_edges : {"error", "first", "mean", "max"}, or dict of these by attribute
        What to do where lines that repeat an edge differ in an attribute, as in
        :class:`nask.AttributedGraph`; an error by default. The notes say where it was done.
    kinds : mapping of str to kind, optional
        Kinds of attributes that are known beforehand, such as those of a model: columns that are
        categorical there are so here, also if they hold numbers. Names of no column do not matter.

    Returns
    -------
    Dataset
        It has the name of the folder. Graphs, and ``y``, are in the order of ``graphs.csv``,
        which may list graphs without nodes; if it is absent, in the order in which they first
        appear in ``nodes.csv``. Nodes and edges keep the order of their rows. Edges are
        undirected: self-loops, and lines that repeat an edge, are removed and counted in the
        notes.

    Raises
    ------
    FormatError
        If the files contradict each other or this description. The message names the file, the
        line and the column.

    See Also
    --------
    nask.io.from_frames : The same from dataframes in memory, with other column names.
    nask.io.to_frames : Writes the nodes and the edges.
    nask.io.read_network : Reads a folder whose nodes are those of one network.

    Notes
    -----
    An empty cell is a missing value, and so are NA, NaN and null. Ids are compared as text. A
    column of numbers is numerical, also if they are integers, unless it is named in
    ``categorical``; a column of text is categorical; one that mixes both is an error, because it
    is likely a mistake. The same holds for ``y``, in which no value may be missing: integers and
    text are classes, numbers with a decimal point are targets of a regression unless they are
    whole and few; see :func:`nask.io.target.learning_task`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from nask.io.readers.tables import read_tables
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "people"
    >>> folder.mkdir()
    >>> _ = (folder / "nodes.csv").write_text("graph,node,age,region\\n1,a,23,Kosice\\n1,b,31,\\n")
    >>> _ = (folder / "edges.csv").write_text("graph,source,target\\n1,a,b\\n")
    >>> _ = (folder / "graphs.csv").write_text("graph,y\\n2,no\\n1,yes\\n")
    >>> data = read_tables(folder)
    >>> data
    Dataset('people': 2 graphs, 2 nodes, 1 edges; y: 2 classes; node: age (numerical), region
    (categorical); 1 note)
    >>> data.ids, data.notes
    (('2', '1'), ("1 graphs of graphs.csv have no nodes in nodes.csv: '2'.",))
    >>> data.graphs[0].n_nodes, data.y.tolist()
    (0, ['no', 'yes'])
    >>> _ = (folder / "graphs.csv").write_text("graph,label\\n2,no\\n1,yes\\n")
    >>> read_tables(folder)
    Traceback (most recent call last):
    nask.exceptions.FormatError: graphs.csv has a column 'label'. It may have 'graph' and 'y' \
only: call what is to be predicted 'y', or name it (y=NAME, --target NAME), and leave other \
columns out.
    >>> read_tables(folder, y="label").y.tolist()
    ['no', 'yes']
    """
    place = Path(folder)
    nodes = CsvTable.read(place, "nodes.csv", NODE_IDS)
    edges = CsvTable.read(place, "edges.csv", EDGE_IDS)
    n_bare = len({*nodes.columns["graph"]} - {*edges.columns["graph"]})
    check_demand(
        COLUMN_BYTES * n_bare * (len(edges.columns) - len(EDGE_IDS)),
        sum((place / file).stat().st_size for file in ("nodes.csv", "edges.csv")),
        f"edges.csv in {place} leaves {n_bare} graphs without edges, whose columns are of",
    )
    frames, codes = typed_frames((nodes, NODE_IDS), (edges, EDGE_IDS), categorical, kinds)
    with errors_of_files(place):
        read = from_frames(*frames, categorical=codes, repeated_edges=repeated_edges)
    graphs: dict[Hashable, AttributedGraph] = dict(zip(read.ids, read, strict=True))
    notes = (*read.notes, *edge_notes(read))
    if not (place / "graphs.csv").is_file():
        if y != "y":
            raise FormatError(f"There is no graphs.csv in {place} for the column {quoted(y)}.")
        ids = tuple(map(str, read.ids))
        return Dataset(place.resolve().name, tuple(read), ids=ids, notes=notes)

    listed = CsvTable.read(place, "graphs.csv", ["graph"])
    if y not in ("y", *listed.columns):
        raise FormatError(
            f"graphs.csv has no column {quoted(y)}. {did_you_mean(y, list(listed.columns))}"
        )
    for name in listed.columns:
        if name not in ("graph", y):
            raise FormatError(
                f"graphs.csv has a column {quoted(name)}. It may have 'graph' and {quoted(y)} "
                "only: call what is to be predicted 'y', or name it (y=NAME, --target NAME), and "
                "leave other columns out."
            )
    order = _graph_order(listed, nodes)
    empty = _without_nodes(read)
    target = listed.target(y) if y in listed.columns else None
    return Dataset(
        place.resolve().name,
        tuple(graphs.get(graph, empty) for graph in order),
        target,
        notes=(*_notes(order, graphs), *notes),
        ids=tuple(map(str, order)),
    )


def typed_frames(
    nodes: tuple[CsvTable, Collection[str]],
    edges: tuple[CsvTable, Collection[str]],
    categorical: Collection[str],
    kinds: Mapping[str, Kind] | None = None,
) -> tuple[list[Any], list[str]]:
    """Return both tables as dataframes, columns of attributes typed, and the names of codes.

    Parameters
    ----------
    nodes, edges : (CsvTable, collection of str)
        A table, and its columns that hold no attribute.
    categorical : collection of str
        Attributes whose numbers are codes.
    kinds : mapping, optional
        Kinds that are known beforehand, for columns that are not in ``categorical``.
    """
    package = require("pandas", "frames")
    names = {name for table, others in (nodes, edges) for name in {*table.columns} - {*others}}
    codes = forced_kinds(categorical, (), known=names)
    known = {} if kinds is None else kinds
    codes |= {name: "categorical" for name in sorted(names) if known.get(name) == "categorical"}
    frames = [
        package.DataFrame(
            {
                name: column if name in others else table.values(name, codes=name in codes)
                for name, column in table.columns.items()
            }
        )
        for table, others in (nodes, edges)
    ]
    return frames, list(codes)


@contextmanager
def errors_of_files(folder: Path) -> Iterator[None]:
    """Turn errors in tables, which count rows, into errors in files, which have lines."""
    try:
        yield
    except GraphError as error:
        rows = " (Row k is line k + 2 of its file, blank lines not counted.)"
        raise FormatError(
            f"nodes.csv and edges.csv in {folder}: {error}"
            + rows * (re.search(r"\brows? \d", str(error), re.IGNORECASE) is not None)
        ) from None


def edge_notes(graphs: Sequence[AttributedGraph]) -> tuple[str, ...]:
    """Return, in words, which lines of edges were removed."""
    counts = (
        (sum(graph.n_self_loops_removed for graph in graphs), "self-loops removed"),
        (
            sum(graph.n_duplicate_edges_removed for graph in graphs),
            "repeats of an edge, in either direction, removed",
        ),
    )
    return tuple(f"edges.csv: {count} {what}." for count, what in counts if count)


def _notes(order: Sequence[str | None], graphs: Collection[Hashable]) -> tuple[str, ...]:
    bare = [graph for graph in order if graph not in graphs]
    if not bare:
        return ()
    names = first_few([quoted(graph) for graph in bare])
    return (f"{len(bare)} graphs of graphs.csv have no nodes in nodes.csv: {names}.",)


def _graph_order(listed: CsvTable, nodes: CsvTable) -> list[str | None]:
    """Return the ids in graphs.csv; repeated ids, and an id only in nodes.csv, are errors."""
    first: dict[str | None, int] = {}
    for line, graph in zip(listed.lines, listed.columns["graph"], strict=True):
        if graph in first:
            raise FormatError(
                f"Lines {first[graph]} and {line} of graphs.csv are both of graph {quoted(graph)}. "
                "Give each graph one line."
            )
        first[graph] = line
    for line, graph in zip(nodes.lines, nodes.columns["graph"], strict=True):
        if graph not in first:
            raise FormatError(
                f"Line {line} of nodes.csv belongs to graph {quoted(graph)}, which has no line in "
                "graphs.csv. Add one, or remove the nodes."
            )
    return list(first)


def _without_nodes(graphs: Sequence[AttributedGraph]) -> AttributedGraph:
    """Return a graph without nodes, whose attributes have the same kinds as in the others."""
    if not graphs:
        return AttributedGraph(0)
    attributes = (
        {name: Attribute(a.kind, a.data[:0].copy()) for name, a in named.items()}
        for named in (graphs[0].node_attributes, graphs[0].edge_attributes)
    )
    return AttributedGraph.from_valid(0, np.empty((0, 2), dtype=np.int64), *attributes)

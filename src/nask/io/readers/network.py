"""Reader of one network from a user's folder: a CSV file of its nodes and one of its edges."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from nask.exceptions import FormatError
from nask.graph.attribute import Kind
from nask.graph.repeated_edges import Repeated
from nask.io.converters.network_frames import CLASSES, network_of
from nask.io.converters.node_labels import MASKS
from nask.io.node_dataset import NodeDataset
from nask.io.readers.csv_table import CsvTable, header_of
from nask.io.readers.tables import edge_notes, errors_of_files, typed_frames
from nask.optional import require

COLUMNS = {"node": "node", "source": "source", "target": "target"}


def read_network(
    folder: str | os.PathLike[str],
    *,
    y: str = CLASSES,
    categorical: Collection[str] = (),
    repeated_edges: Repeated = "error",
    kinds: Mapping[str, Kind] | None = None,
) -> NodeDataset:
    """Read one network, whose nodes have classes, from the CSV files of a folder.

    =============  ========================  ========================================
    file           ids                       other columns
    =============  ========================  ========================================
    ``nodes.csv``  ``node``                  ``y``, the class; ``train_mask``,
                                             ``val_mask``, ``test_mask``; attributes
    ``edges.csv``  ``source``, ``target``    attributes of edges
    =============  ========================  ========================================

    Parameters
    ----------
    folder : str or path
        The folder. Its files are comma-separated, in UTF-8, with a header. Columns may come in any
        order; all but the ids may be absent.
    y : str, default="y"
        The column of ``nodes.csv`` with the classes: text, or whole numbers. An empty cell says
        that the class is not known.
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
    NodeDataset
        It has the name of the folder. Nodes and edges keep the order of their rows. The masks, of
        true and false or 1 and 0, say which nodes are to train, to validate and to test on.

    Raises
    ------
    FormatError
        If the files contradict each other or this description. The message names the file, the
        line and the column.

    See Also
    --------
    nask.io.network_from_frames : The same from dataframes in memory.
    nask.io.read_tables : Many graphs, whose nodes have a column ``graph``.

    Notes
    -----
    What is said in :func:`nask.io.read_tables` of missing values, of numbers and text, and of edges
    holds here, too.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from nask.io import read_network
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "people"
    >>> folder.mkdir()
    >>> _ = (folder / "nodes.csv").write_text("node,age,y\\nanna,23,a\\nben,31,\\n")
    >>> _ = (folder / "edges.csv").write_text("source,target\\nanna,ben\\n")
    >>> data = read_network(folder)
    >>> data
    NodeDataset('people': 2 nodes, 1 edges; node: age (numerical); y: 1 classes, 1 missing)
    >>> data.y.tolist(), data.ids
    (['a', None], ('anna', 'ben'))
    """
    place = Path(folder)
    nodes = CsvTable.read(place, "nodes.csv", ["node"])
    if "graph" in nodes.columns:
        raise FormatError(
            f"nodes.csv in {place} has a column 'graph': it holds many graphs. Read it with "
            "nask.io.read_tables, or leave the column out."
        )
    edges = CsvTable.read(place, "edges.csv", ["source", "target"])
    beside = {"node", y, *MASKS}
    (node_frame, edge_frame), codes = typed_frames(
        (nodes, beside), (edges, {"source", "target"}), categorical, kinds
    )
    if y in nodes.columns:
        # As objects: pandas would make numbers with a point of integers beside empty cells.
        node_frame[y] = require("pandas", "frames").Series(nodes.classes(y), dtype=object)
    with errors_of_files(place):
        read = network_of(
            node_frame,
            edge_frame,
            lambda row: f"line {nodes.lines[row]}",
            y=y,
            name=place.resolve().name,
            columns=COLUMNS,
            categorical=codes,
            repeated_edges=repeated_edges,
        )
    return NodeDataset(
        read.name,
        read.graph,
        read.y,
        read.train,
        read.validation,
        read.test,
        notes=(*read.notes, *edge_notes([read.graph])),
        ids=read.ids,
    )


def is_network(folder: Path) -> bool:
    """Tell whether the tables of a folder are those of one network, without a column ``graph``.

    Where anything else speaks of many graphs, the column is missing or misspelt.
    """
    nodes = header_of(folder, "nodes.csv")
    several = "graph" in map(str.casefold, nodes) or (folder / "graphs.csv").is_file()
    if several or not (folder / "edges.csv").is_file():
        return not several
    return "graph" not in header_of(folder, "edges.csv")

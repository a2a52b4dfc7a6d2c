"""What is published of the benchmark sets: the table ``catalogue.toml`` as objects."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from nask.io.readers.tu_edges import Opposite

TABLE = Path(__file__).parent / "catalogue.toml"

Task = Literal["graph classification", "graph regression", "node classification"]
Collection = Literal["TUDataset", "Planetoid", "SNAP"]


@dataclass(frozen=True, kw_only=True)
class DatasetInfo:
    """What is published of one set; None if it is not known.

    Parameters
    ----------
    name : str
    collection : {"TUDataset", "Planetoid", "SNAP"}
        Where it is published, and so the form of its files.
    task : {"graph classification", "graph regression", "node classification"}
    about : str
        One sentence.
    n_graphs, n_classes : int, optional
    n_nodes, n_edges : int, optional
        Of all graphs together, where they are known exactly.
    mean_nodes, mean_edges : float, optional
        Per graph, as published: to two decimals.
    node_labels, node_attributes, edge_labels, edge_attributes : int
        Columns of categorical labels and of numerical attributes.
    split : tuple of 3 int, optional
        Numbers of nodes in the public training, validation and test set.
    opposite : {"error", "absolute", "drop"}
        How :func:`nask.io.read_tu` is to read its edge attributes.
    note : str
        What else to know.
    page : str
        Address of a web page about it.
    addresses : tuple of str
        The files to download.
    citations : tuple of str

    Examples
    --------
    >>> info = catalogue()["BZR"]
    >>> info.n_graphs, info.mean_nodes, info.node_labels, info.node_attributes
    (405, 35.75, 1, 3)
    >>> info.addresses
    ('https://www.chrsmrrs.com/graphkerneldatasets/BZR.zip',)
    """

    name: str
    collection: Collection = "TUDataset"
    task: Task = "graph classification"
    about: str = ""
    n_graphs: int | None = None
    n_classes: int | None = None
    n_nodes: int | None = None
    n_edges: int | None = None
    mean_nodes: float | None = None
    mean_edges: float | None = None
    node_labels: int = 0
    node_attributes: int = 0
    edge_labels: int = 0
    edge_attributes: int = 0
    split: tuple[int, int, int] | None = None
    opposite: Opposite = "error"
    note: str = ""
    page: str = ""
    addresses: tuple[str, ...] = ()
    citations: tuple[str, ...] = ()


@cache
def catalogue() -> dict[str, DatasetInfo]:
    """All sets that are known by name.

    Examples
    --------
    >>> len(catalogue()) > 40, catalogue()["Cora"].task
    (True, 'node classification')
    """
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {name: _info(name, entry, table) for name, entry in table["sets"].items()}


def _info(name: str, entry: Mapping[str, Any], table: Mapping[str, Any]) -> DatasetInfo:
    collection = table["collections"][entry.get("collection", get_args(Collection)[0])]
    fields = dict(entry)
    for kind in ("nodes", "edges"):
        if f"n_{kind}" in entry:
            fields[f"mean_{kind}"] = round(entry[f"n_{kind}"] / entry["n_graphs"], 2)
    if "split" in entry:
        fields["split"] = tuple(entry["split"])
    fields["page"] = collection["page"]
    fields["addresses"] = tuple(
        address.format(name=name, lower=name.lower()) for address in collection["addresses"]
    )
    keys = [*entry["citations"], collection["citation"]]
    fields["citations"] = tuple(table["citations"][key] for key in keys)
    return DatasetInfo(name=name, **fields)

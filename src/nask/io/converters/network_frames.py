"""One network, whose nodes have classes, as a table of nodes and a table of edges."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from nask.exceptions import GraphError, did_you_mean
from nask.graph.repeated_edges import Repeated
from nask.io.converters.frames import from_frames, opened
from nask.io.converters.node_labels import MASKS, classes_of_nodes, mask_of_nodes
from nask.io.node_dataset import NO_CLASS, NodeDataset
from nask.messages import quoted

# The column of the classes, where the user names no other.
CLASSES = "y"


def network_from_frames(
    nodes: Any,
    edges: Any,
    *,
    y: str = CLASSES,
    node: str = "node",
    source: str = "source",
    target: str = "target",
    name: str = "network",
    categorical: Collection[str] = (),
    numerical: Collection[str] = (),
    repeated_edges: Repeated = "error",
) -> NodeDataset:
    """Read one network, whose nodes have classes, from a table of nodes and a table of edges.

    Parameters
    ----------
    nodes : dataframe of pandas or polars
        One row per node: its id, its class, where it is known, and its attributes. The columns
        ``train_mask``, ``val_mask`` and ``test_mask``, of true and false, are a public split.
    edges : dataframe of pandas or polars
        One row per edge: the ids of its endpoints, and its attributes.
    y : str, default="y"
        Column of the classes: text or whole numbers; a missing value is a class that is not known.
        There may be no column ``y``: then no class is known.
    node : str, default="node"
        Column of the node ids in ``nodes``.
    source, target : str, default="source" and "target"
        Columns of the endpoints in ``edges``.
    name : str, default="network"
        Of the dataset.
    categorical, numerical, repeated_edges
        As in :func:`nask.io.from_frames`.

    Returns
    -------
    NodeDataset
        Nodes are in the order of their rows; their ``ids`` are text.

    See Also
    --------
    from_frames : Many graphs from two tables.
    read_network : A network from CSV files.

    Examples
    --------
    >>> import pandas as pd
    >>> from nask.io import network_from_frames
    >>> nodes = pd.DataFrame(
    ...     {"node": ["eva", "jan", "ota"], "age": [31, 23, None], "y": ["a", "b", None]}
    ... )
    >>> edges = pd.DataFrame({"source": ["eva"], "target": ["jan"]})
    >>> people = network_from_frames(nodes, edges, name="people")
    >>> people
    NodeDataset('people': 3 nodes, 1 edges; node: age (numerical); y: 2 classes, 1 missing)
    >>> people.ids, people.known.tolist()
    (('eva', 'jan', 'ota'), [True, True, False])
    """
    return network_of(
        nodes,
        edges,
        "row {}".format,
        y=y,
        name=name,
        columns={"node": node, "source": source, "target": target},
        categorical=categorical,
        numerical=numerical,
        repeated_edges=repeated_edges,
    )


def network_of(
    nodes: Any,
    edges: Any,
    called: Callable[[int], str],
    *,
    y: str,
    name: str,
    columns: dict[str, str],
    **options: Any,
) -> NodeDataset:
    """Read a network; errors in its classes and masks name a row as ``called`` does."""
    frame = opened(nodes, "nodes", [columns["node"]])
    if y not in frame.columns and y != CLASSES:
        raise GraphError(
            f"The nodes have no column {quoted(y)} of classes. {did_you_mean(y, frame.columns)}"
        )
    special = [column for column in (y, *MASKS) if column in frame.columns]
    if columns["node"] in special:
        raise GraphError(
            f"One column cannot hold the ids of the nodes and their classes: {quoted(y)}."
        )
    classes, note = np.full(len(frame), NO_CLASS), None
    if y in special:
        classes, note = classes_of_nodes(frame[y].to_list(), y, called)
    split: dict[str, Any] = {
        MASKS[column]: mask_of_nodes(frame[column].to_list(), column, called)
        for column in special
        if column in MASKS
    }
    given: dict[str, Any] = {**columns, **options}
    graphs = from_frames(frame.drop(special).to_native(), edges, graph=None, **given)
    return NodeDataset(
        name,
        graphs[0],
        classes,
        **split,
        notes=(*(() if note is None else (note,)), *graphs.notes),
        ids=tuple(map(str, frame[columns["node"]].to_list())),
    )

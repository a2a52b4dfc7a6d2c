"""The ids in a table of nodes and a table of edges, as positions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from nask.arrays import Index
from nask.exceptions import GraphError
from nask.graph.attribute import is_missing
from nask.messages import quoted

if TYPE_CHECKING:
    import narwhals as nw


@dataclass(frozen=True)
class NodeIds:
    """The id columns of the nodes: which row is which node of which graph.

    Parameters
    ----------
    graphs, nodes : mapping of hashable to int
        A number for each distinct graph id and node id, in order of first appearance.
    node_graph : ndarray of shape (number of rows,)
        The number of the graph of each row.
    rows : ndarray
        The rows, one graph after another.
    position : ndarray
        The place of each row in ``rows``: a node's position among the nodes of all graphs.
    keys, key_rows : ndarray
        Each pair of a graph and a node id as one number, sorted, and its row.
    """

    graphs: Mapping[Hashable, int]
    nodes: Mapping[Hashable, int]
    node_graph: Index
    rows: Index
    position: Index
    keys: Index
    key_rows: Index

    @classmethod
    def read(cls, frame: nw.DataFrame[Any], graph: str | None, node: str) -> NodeIds:
        """Read the ids of the nodes; null and repeated ids are errors."""
        graphs: dict[Hashable, int] = {None: 0}
        node_graph = np.zeros(len(frame), dtype=np.int64)
        if graph is not None:
            graphs, node_graph = _index(frame, graph)
        nodes, code = _index(frame, node)
        keys, key_rows, group = np.unique(
            node_graph * len(nodes) + code, return_index=True, return_inverse=True
        )
        if len(keys) < len(frame):
            row = int(np.flatnonzero(key_rows[group] != np.arange(len(frame)))[0])
            raise GraphError(
                f"The node {quoted(frame[node][row])}{_of_graph(frame, graph, row)} is in rows "
                f"{key_rows[group[row]]} and {row} of the nodes. Node ids must be unique within "
                "a graph."
            )
        rows = np.argsort(node_graph, kind="stable")
        position = np.empty_like(rows)
        position[rows] = np.arange(len(rows))
        return cls(graphs, nodes, node_graph, rows, position, keys, key_rows)

    @property
    def n_graphs(self) -> int:
        """Number of distinct graph ids."""
        return len(self.graphs)

    @cached_property
    def n_nodes(self) -> Index:
        """Number of nodes of each graph."""
        return np.bincount(self.node_graph, minlength=self.n_graphs)

    @cached_property
    def start(self) -> Index:
        """Position of the first node of each graph."""
        return np.cumsum(self.n_nodes) - self.n_nodes

    def graphs_of(self, edges: nw.DataFrame[Any], graph: str | None) -> Index:
        """Return the number of each edge's graph."""
        if graph is None:
            return np.zeros(len(edges), dtype=np.int64)
        code = _look_up(edges, graph, self.graphs)
        if (code < 0).any():
            row = int(np.flatnonzero(code < 0)[0])
            raise GraphError(
                f"Row {row} of the edges belongs to graph {quoted(edges[graph][row])}, which has "
                "no row in the nodes."
            )
        return code

    def positions_of(
        self, edges: nw.DataFrame[Any], column: str, graph: str | None, edge_graph: Index
    ) -> Index:
        """Return the position of the node that each edge names.

        Parameters
        ----------
        column : str
            The column of the nodes' ids: the source or the target.
        graph : str or None
            The column of the ids of graphs, for errors; None if all rows are of one graph.
        edge_graph : ndarray of shape (n_edges,)
            The number of each edge's graph, from :meth:`graphs_of`.
        """
        code = _look_up(edges, column, self.nodes)
        key = edge_graph * len(self.nodes) + code
        place = np.searchsorted(self.keys, key)
        place[place == len(self.keys)] = 0
        unknown = (code < 0) | (self.keys[place] != key) if len(self.keys) else code < 0
        if unknown.any():
            row = int(np.flatnonzero(unknown)[0])
            raise GraphError(
                f"Row {row} of the edges has the {column} {quoted(edges[column][row])}, which is "
                f"no node{_of_graph(edges, graph, row)}."
            )
        return self.position[self.key_rows[place]]


def _index(frame: nw.DataFrame[Any], column: str) -> tuple[dict[Hashable, int], Index]:
    """Number the distinct ids of a column of the nodes, in order of appearance."""
    index: dict[Hashable, int] = {}
    ids = frame[column].to_list()
    try:
        code = np.fromiter((index.setdefault(i, len(index)) for i in ids), np.int64, len(ids))
    except TypeError as error:
        raise GraphError(f"The ids in column {quoted(column)} of the nodes: {error}.") from None
    for value, number in index.items():
        if is_missing(value):
            row = int(np.flatnonzero(code == number)[0])
            raise GraphError(f"Row {row} of the nodes has no id in column {quoted(column)}.")
    return index, code


def _look_up(frame: nw.DataFrame[Any], column: str, index: Mapping[Hashable, int]) -> Index:
    """Return the numbers of the ids in a column of the edges; -1 where the nodes lack the id."""
    ids = frame[column].to_list()
    try:
        code = np.fromiter((index.get(i, -1) for i in ids), np.int64, len(ids))
    except TypeError as error:
        raise GraphError(f"The ids in column {quoted(column)} of the edges: {error}.") from None
    for row in np.flatnonzero(code < 0):
        if is_missing(ids[row]):
            raise GraphError(f"Row {row} of the edges has no id in column {quoted(column)}.")
    return code


def _of_graph(frame: nw.DataFrame[Any], graph: str | None, row: int) -> str:
    return "" if graph is None else f" of graph {quoted(frame[graph][row])}"


def row_names(
    frame: nw.DataFrame[Any], graph: str | None, element: str, ids: Sequence[str]
) -> Callable[[int], str]:
    """Return what names a row of a table in errors, such as "edge 'a' - 'b' of graph 1 (row 3)".

    ``ids`` are the column of the node, or those of the two nodes of an edge; ``graph`` is the
    column of the graph, None if all rows are of one graph.
    """

    def name(row: int) -> str:
        nodes = " - ".join(quoted(frame[column][row]) for column in ids)
        return f"{element} {nodes}{_of_graph(frame, graph, row)} (row {row})"

    return name

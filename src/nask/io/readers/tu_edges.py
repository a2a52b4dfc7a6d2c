"""The edge lines of a TUDataset: each undirected edge once in each direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nask.arrays import Index, Mask
from nask.choices import RepeatedEdges
from nask.exceptions import FormatError
from nask.graph.attribute import Attribute
from nask.graph.edges import CanonicalEdges, canonical_edges
from nask.graph.repeated_edges import merged, repeated_note

Opposite = Literal["error", "absolute", "drop"]


@dataclass(frozen=True)
class TwoWayEdges:
    """The distinct edges, with the lines that list each of them.

    Parameters
    ----------
    canonical : CanonicalEdges
        The distinct edges, and the edge each line belongs to.
    twin : ndarray of shape (n_lines,)
        The first line that lists the same pair in the same direction; a self-loop is its own.
    forward, backward : ndarray of shape (n_edges,)
        The first line from the smaller to the larger endpoint, and the other way round; -1
        where there is none.

    Examples
    --------
    >>> edges = two_way(np.array([(0, 1), (1, 0), (0, 1), (2, 1), (2, 2)]))
    >>> edges.canonical.edges.tolist(), edges.forward.tolist(), edges.backward.tolist()
    ([[0, 1], [1, 2]], [0, -1], [1, 3])
    >>> np.flatnonzero(edges.repeats).tolist(), edges.one_way.tolist()
    ([2], [1])
    """

    canonical: CanonicalEdges
    twin: Index
    forward: Index
    backward: Index

    @property
    def self_loops(self) -> Mask:
        """Mask of the lines that list a node with itself."""
        return self.canonical.group < 0

    @property
    def repeats(self) -> Mask:
        """Mask of the lines beyond the first listing of a direction."""
        return np.not_equal(self.twin, np.arange(len(self.twin)))

    @property
    def one_way(self) -> Index:
        """The edges that are listed in one direction only."""
        return np.flatnonzero((self.forward < 0) | (self.backward < 0))

    def merge(
        self,
        column: Attribute,
        name: str,
        where: str,
        opposite: Opposite,
        rule: RepeatedEdges = "error",
    ) -> tuple[Attribute | None, str | None]:
        """Reduce the values of all lines to one per edge.

        Parameters
        ----------
        column : Attribute
            One value per line of the file of edges.
        name : str
            The name of the attribute.
        where : str
            The name of the file in errors.
        opposite : {"error", "absolute", "drop"}
            What to do where the two directions of an edge differ.
        rule : {"error", "first", "mean", "max"}
            What to do where lines of the same direction differ; those of both directions, too,
            if ``opposite`` is "error".

        Returns
        -------
        attribute : Attribute or None
            The values of the distinct edges; None if the column is left out.
        note : str or None
            What was changed, in words.
        """
        label = f"edge attribute {name}"
        if rule != "error" and opposite == "error":
            group, n_edges = self.canonical.group, len(self.canonical.edges)
            attribute, n_conflicts = merged(column, group, n_edges, rule, label)
            return attribute, repeated_note(name, n_conflicts, rule) if n_conflicts else None
        if rule != "error":
            # One value per direction, that of its first line.
            column, _ = merged(column, self.twin, len(self.twin), rule, label)
            column = column.take(self.twin)
        conflicts = np.flatnonzero(_differ(column, np.arange(len(self.twin)), self.twin))
        if len(conflicts):
            line = int(conflicts[0])
            raise FormatError(
                f"{self._clash(column, name, where, int(self.twin[line]), line)} in the same "
                "direction: expected one value per edge, or repeated_edges='first', 'mean' or "
                "'max'."
            )
        both = np.flatnonzero((self.forward >= 0) & (self.backward >= 0))
        lines = np.sort(np.stack([self.forward[both], self.backward[both]]), axis=0)
        differ = _differ(column, *lines)
        if not differ.any():
            return column.take(self.canonical.first), None
        count = f"{np.count_nonzero(differ)} of {len(self.canonical.edges)} edges"
        if opposite == "drop":
            return None, (
                f"{name} left out: it differs between the two directions of {count} "
                "(opposite='drop')."
            )
        if opposite == "absolute" and column.kind == "numerical":
            magnitude = Attribute("numerical", np.abs(column.data))
            differ = _differ(magnitude, *lines)
            if not differ.any():
                return magnitude.take(self.canonical.first), (
                    f"{name} holds magnitudes |x|: it is x in one direction and -x in the other "
                    f"for {count} (opposite='absolute')."
                )
        earlier, later = lines[:, differ][:, 0].tolist()
        raise FormatError(
            f"{self._clash(column, name, where, earlier, later)} in the opposite direction. "
            f"Graphs are undirected: {_options(column, opposite)} One value of each edge is kept "
            "with repeated_edges='first', 'mean' or 'max'."
        )

    def _clash(self, column: Attribute, name: str, where: str, earlier: int, later: int) -> str:
        u, v = self.canonical.edges[self.canonical.group[later]] + 1
        before, after = column.take(np.array([earlier, later])).values()
        return (
            f"{where}, line {later + 1}: {name} of the edge between nodes {u} and {v} is {after}, "
            f"but {before} at line {earlier + 1}"
        )


def _differ(column: Attribute, a: Index, b: Index) -> Mask:
    unequal: Mask = column.data[a] != column.data[b]
    return unequal & ~(column.missing[a] & column.missing[b])


def _options(column: Attribute, opposite: Opposite) -> str:
    drop = "opposite='drop' leaves out the columns that differ"
    if column.kind == "categorical":
        return f"in nask.io.read_tu, {drop}."
    if opposite == "absolute":
        return f"opposite='absolute' needs x and -x; {drop}."
    return f"in nask.io.read_tu, opposite='absolute' keeps |x| of x and -x; {drop}."


def two_way(edges: Index) -> TwoWayEdges:
    """Find the distinct edges of an array of valid ones, and the lines of each direction."""
    canonical = canonical_edges(edges)
    twin = np.arange(len(edges))
    ends = []
    for mask in (edges[:, 0] < edges[:, 1], edges[:, 0] > edges[:, 1]):
        lines = np.flatnonzero(mask)
        first = np.full(len(canonical.edges), -1, dtype=np.int64)
        # Assigned backwards, so that the first line of each edge stays.
        first[canonical.group[lines][::-1]] = lines[::-1]
        twin[lines] = first[canonical.group[lines]]
        ends.append(first)
    return TwoWayEdges(canonical, twin, *ends)

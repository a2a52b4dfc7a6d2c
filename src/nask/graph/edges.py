"""Edge lists in canonical form: undirected, without self-loops and repeated edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nask.arrays import Index
from nask.choices import RepeatedEdges
from nask.exceptions import GraphError
from nask.graph.attribute import Attribute
from nask.graph.repeated_edges import Merged, merged
from nask.messages import quoted


@dataclass(frozen=True)
class CanonicalEdges:
    """Distinct undirected edges, and where each of them stands in the input.

    Parameters
    ----------
    edges : ndarray of shape (m, 2)
        Endpoints u < v, in the order of first appearance.
    first : ndarray of shape (m,)
        The first input line of each edge.
    group : ndarray of shape (number of input lines,)
        The edge each input line belongs to; -1 for a self-loop.
    """

    edges: Index
    first: Index
    group: Index

    @property
    def n_self_loops(self) -> int:
        """Number of input lines that join a node to itself."""
        return int(np.count_nonzero(self.group < 0))

    @property
    def n_duplicates(self) -> int:
        """Number of input lines that repeat an edge, in either direction."""
        return len(self.group) - self.n_self_loops - len(self.edges)

    def merge(
        self,
        attribute: Attribute,
        label: str,
        called: Callable[[int], str] | None = None,
        rule: RepeatedEdges = "error",
    ) -> Merged:
        """Return an attribute of the distinct edges, and how many edges have different values.

        Parameters
        ----------
        attribute : Attribute
            One value per input line.
        label : str
            What error messages call the attribute.
        called : callable, optional
            What error messages call the edge of an input line, if its nodes have names.
        rule : {"error", "first", "mean", "max"}
            What to do where repeated edges disagree.
        """
        if rule != "error":
            return merged(attribute, self.group, len(self.edges), rule, label)
        lines = np.flatnonzero(self.group >= 0)
        kept = self.first[self.group[lines]]
        a, b = attribute.data[lines], attribute.data[kept]
        conflict = ~((a == b) | (attribute.missing[lines] & attribute.missing[kept]))
        if conflict.any():
            k = int(np.flatnonzero(conflict)[0])
            one, other = int(kept[k]), int(lines[k])
            edge = (
                f"Edge {tuple(self.edges[self.group[other]].tolist())}" if not called else "An edge"
            )
            called = called or (lambda line: f"position {line}")
            values = [quoted(attribute.take(np.array([i])).values()[0]) for i in (one, other)]
            raise GraphError(
                f"{edge} is listed more than once with conflicting values of {label}: "
                f"{values[0]} at {called(one)} and {values[1]} at {called(other)}. Edges are "
                "undirected: give each edge one value, or say which one is to be kept: "
                "repeated_edges='first', 'mean' or 'max' (--repeated-edges mean)."
            )
        return Merged(attribute.take(self.first), 0)


def as_edge_array(edges: Iterable[Any], n_nodes: int) -> Index:
    """Return an edge list as an (m, 2) array of integers; an error for endpoints out of range."""
    try:
        raw = edges if isinstance(edges, np.ndarray) else list(edges)
        len(raw)
    except TypeError:  # something without a length
        raise GraphError(
            f"The edges must be pairs of integer node positions. Got {quoted(edges)}."
        ) from None
    if len(raw) == 0:
        return np.empty((0, 2), dtype=np.int64)
    try:
        array = np.asarray(raw)
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise GraphError(
            "The edges must be pairs of integer node positions, such as [(0, 1), (1, 2)]. Got "
            f"{_first_bad_pair(raw)}."
        )
    outside = ((array < 0) | (array >= n_nodes)).any(axis=1)
    if outside.any():
        k = int(np.flatnonzero(outside)[0])
        expected = f"0..{n_nodes - 1}" if n_nodes else "none, since the graph has no nodes"
        raise GraphError(
            f"Edge {k} is {tuple(array[k].tolist())}, but the graph has {n_nodes} nodes: expected "
            f"endpoints {expected}."
        )
    return array.astype(np.int64)


def _first_bad_pair(raw: Any) -> str:
    for k, pair in enumerate(raw):
        try:
            good = len(pair) == 2 and all(_is_position(v) for v in pair)
        except TypeError:
            good = False
        if not good:
            return f"{quoted(pair)} as edge {k}"
    return f"an array of shape {np.shape(raw)}"


def _is_position(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and bool(-(2**63) <= value < 2**63)


def canonical_edges(edges: Index) -> CanonicalEdges:
    """Return the canonical form of a valid edge array.

    Examples
    --------
    >>> canonical = canonical_edges(np.array([(1, 0), (2, 2), (0, 1), (1, 2)]))
    >>> canonical.edges.tolist(), canonical.n_self_loops, canonical.n_duplicates
    ([[0, 1], [1, 2]], 1, 1)
    """
    low, high = edges.min(axis=1), edges.max(axis=1)
    lines = np.flatnonzero(low != high)
    width = np.int64(high.max() + 1 if len(high) else 1)
    _, first, group = np.unique(
        low[lines] * width + high[lines], return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    first = lines[first[order]]
    groups = np.full(len(edges), -1, dtype=np.int64)
    groups[lines] = rank[group]
    return CanonicalEdges(np.stack([low[first], high[first]], axis=1), first, groups)

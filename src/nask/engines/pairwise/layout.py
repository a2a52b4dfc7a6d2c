"""Graphs laid out as the rows or columns of tiles: in groups that fill whole vectors."""

from __future__ import annotations

import numpy as np

from nask.arrays import Index
from nask.compiled.places import Places
from nask.compiled.vectors import LANES
from nask.engines.pairwise import tile
from nask.stars.members import Members


def cut(ptr: Index, graphs: slice, n_nodes: int) -> Index:
    """Return where to cut graphs into groups of at most ``n_nodes`` nodes, or of one graph.

    Examples
    --------
    >>> cut(np.array([0, 30, 60, 160, 170]), slice(0, 4), 64).tolist()
    [0, 2, 3, 4]
    """
    cuts = [graphs.start]
    while cuts[-1] < graphs.stop:
        last = int(np.searchsorted(ptr, ptr[cuts[-1]] + n_nodes, side="right")) - 1
        cuts.append(min(max(last, cuts[-1] + 1), graphs.stop))
    return np.array(cuts)


def lists(members: Members, nodes: Places, places: Index) -> tuple[Index, Index]:
    """Return the lists of members by place: a ptr, levels x (places + 1), and the members' places.

    ``nodes`` are the places of the nodes; ``places`` has the place of each member.
    """
    counts = nodes.take(members.counts(), 0)
    starts = nodes.take(members.ptr[:, :-1], 0)
    ends = np.cumsum(counts.ravel())
    ptr = np.concatenate([[0], ends])
    index = np.arange(ptr[-1]) + np.repeat(starts.ravel() - ptr[:-1], counts.ravel())
    n = counts.shape[1]
    level_ptr = np.array([ptr[level * n : (level + 1) * n + 1] for level in range(len(counts))])
    return level_ptr, places[members.index[index]]


def octets(ptr: Index, member: Index, nodes: Places, elements: Places) -> tile.Octets:
    """Return lists of members, eight rows side by side.

    Parameters
    ----------
    ptr, member : ndarray
        The lists by place, as :func:`lists` returns them.
    nodes : Places
        The places of the rows.
    elements : Places
        The places of the members, which are nodes or edges.
    """
    counts = np.diff(ptr, axis=1)
    n_levels, n = counts.shape
    widths = counts.reshape(n_levels, n // LANES, LANES).max(axis=2, initial=0)
    ends = LANES * np.cumsum(widths.ravel())
    starts = ends - LANES * widths.ravel()
    # Where the members of each group begin and end, by vector of rows.
    group = np.repeat(np.arange(len(nodes.ptr) - 1), np.diff(nodes.ptr) // LANES)
    first = np.tile(elements.ptr[:-1][group], n_levels)
    last = np.tile(elements.ptr[1:][group], n_levels)
    packed = np.repeat(last - first, LANES * widths.ravel())
    row = np.repeat(np.arange(n_levels * n), counts.ravel())
    rank = np.arange(len(member)) - np.repeat(ptr[:, :-1].ravel(), counts.ravel())
    packed[starts[row // LANES] + LANES * rank + row % LANES] = member - first[row // LANES]
    bounds = np.concatenate([[0], ends])
    level_ptr = np.array(
        [bounds[k * (n // LANES) : (k + 1) * (n // LANES) + 1] for k in range(n_levels)]
    )
    return tile.Octets(level_ptr, (LANES * packed).astype(np.int32))

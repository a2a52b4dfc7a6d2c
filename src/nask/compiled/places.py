"""Places of nodes, or edges, in arrays in which each group of graphs fills whole vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nask.arrays import Array, Index
from nask.compiled.vectors import LANES, aligned


@dataclass(frozen=True, eq=False)
class Places:
    """The places of the nodes, or the edges, of some graphs: group after group of graphs.

    Parameters
    ----------
    ptr : ndarray of shape (n_groups + 1,)
        The place at which each group begins, a multiple of eight.
    source : ndarray
        The element at each place, or -1 where the place only fills a vector.
    """

    ptr: Index
    source: Index

    @classmethod
    def of(cls, element_ptr: Index, cuts: Index, order: Array) -> Places:
        """Lay out the elements of the graphs ``cuts[0]`` to ``cuts[-1]``.

        Parameters
        ----------
        element_ptr : ndarray of shape (n_graphs + 1,)
            The elements of graph i are those from ``element_ptr[i]`` to ``element_ptr[i + 1]``.
        cuts : ndarray of shape (n_groups + 1,)
            Each group has the graphs from one cut to the next.
        order : ndarray of shape (n_elements,)
            Within a group, elements are sorted by this value.

        Examples
        --------
        >>> ptr, cuts = np.array([0, 2, 3, 5]), np.array([0, 2, 3])
        >>> order = np.array([1, 0, 2, 9, 8])
        >>> places = Places.of(ptr, cuts, order)
        >>> places.ptr.tolist(), places.source[:4].tolist(), places.source[8:11].tolist()
        ([0, 8, 16], [1, 0, 2, -1], [4, 3, -1])
        """
        bounds = element_ptr[cuts]
        sizes = np.diff(bounds)
        ptr = np.concatenate([[0], np.cumsum(-(-sizes // LANES) * LANES)])
        source = np.full(ptr[-1], -1)
        group = np.repeat(np.arange(len(sizes)), sizes)
        elements = np.arange(bounds[0], bounds[-1])
        elements = elements[np.lexsort((order[bounds[0] : bounds[-1]], group))]
        source[
            np.arange(len(elements)) + np.repeat(ptr[:-1] - (bounds[:-1] - bounds[0]), sizes)
        ] = elements
        return cls(ptr, source)

    def take(self, values: Array, filler: Any) -> Array:
        """Return values by place, from values by element along the last axis."""
        padded = np.concatenate([values, np.full((*values.shape[:-1], 1), filler)], axis=-1)
        return in_lines(padded[..., self.source].astype(values.dtype, copy=False))

    def positions(self, n_elements: int) -> Index:
        """Return the place of each element of the batch; meaningless for those that have none."""
        places = np.zeros(n_elements + 1, dtype=np.int64)
        places[self.source] = np.arange(len(self.source))
        return places[:-1]


def in_lines(values: Array) -> Array:
    """Return a contiguous copy that begins where a vector may."""
    copy = aligned(values.shape, values.dtype)
    copy[...] = values
    return copy

"""Where the elements of graphs go in arrays whose blocks fill whole vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nask.engines.compiled.vectors import LANES, aligned

Index = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Places:
    """Where the nodes, or the edges, of some graphs go: block after block, each of whole vectors.

    Parameters
    ----------
    ptr : ndarray of shape (n_blocks + 1,)
        Where each block begins.
    source : ndarray
        Which element is at each place, or -1 where one only fills a vector.
    """

    ptr: Index
    source: Index

    @classmethod
    def of(cls, element_ptr: Index, cuts: Index, order: npt.NDArray[Any]) -> Places:
        """Lay out the elements of graphs cuts[0]..cuts[-1], a block from each cut to the next.

        Within a block elements come in the order of ``order``, one value an element of the batch.

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
        block = np.repeat(np.arange(len(sizes)), sizes)
        elements = np.arange(bounds[0], bounds[-1])
        elements = elements[np.lexsort((order[bounds[0] : bounds[-1]], block))]
        source[
            np.arange(len(elements)) + np.repeat(ptr[:-1] - (bounds[:-1] - bounds[0]), sizes)
        ] = elements
        return cls(ptr, source)

    def take(self, values: npt.NDArray[Any], filler: Any) -> npt.NDArray[Any]:
        """Values by element, along the last axis, as values by place."""
        padded = np.concatenate([values, np.full((*values.shape[:-1], 1), filler)], axis=-1)
        return in_lines(padded[..., self.source].astype(values.dtype, copy=False))

    def positions(self, n_elements: int) -> Index:
        """The place of each element of the batch; meaningless for those that have none."""
        places = np.zeros(n_elements + 1, dtype=np.int64)
        places[self.source] = np.arange(len(self.source))
        return places[:-1]


def in_lines(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A contiguous copy for vectors."""
    copy = aligned(values.shape, values.dtype)
    copy[...] = values
    return copy

"""A stretch of graphs as one side of compiled tiles: in blocks that fill whole vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nask.attributes.similarity import AttributeSimilarity
from nask.engines import tile
from nask.engines.vectors import LANES, aligned
from nask.graph.batch import Elements
from nask.stars.members import Members

Index = npt.NDArray[np.int64]

# exp(+-x) is a normal number for |x| up to this.
LARGEST_EXPONENT = 700.0


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


def by_vectors(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Attributes x elements as one vector after the other, all attributes of it together."""
    n_attributes, n_elements = values.shape
    vectors = values.reshape(n_attributes, n_elements // LANES, LANES)
    return in_lines(vectors.swapaxes(0, 1)).ravel()


def cut(ptr: Index, graphs: slice, n_nodes: int) -> Index:
    """Cut a stretch of graphs into blocks of at most ``n_nodes`` nodes, one graph at least.

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
    """Lists of members by place of the node, with the members' places; (levels x places, flat)."""
    counts = nodes.take(members.counts(), 0)
    starts = nodes.take(members.ptr[:, :-1], 0)
    ends = np.cumsum(counts.ravel())
    ptr = np.concatenate([[0], ends])
    index = np.arange(ptr[-1]) + np.repeat(starts.ravel() - ptr[:-1], counts.ravel())
    n = counts.shape[1]
    level_ptr = np.array([ptr[level * n : (level + 1) * n + 1] for level in range(len(counts))])
    return level_ptr, places[members.index[index]]


def octets(ptr: Index, member: Index, nodes: Places, elements: Places) -> tile.Octets:
    """Lists of members by place, as :func:`lists` gives them, eight rows side by side.

    ``elements`` are the places of the members: of nodes or of edges.
    """
    counts = np.diff(ptr, axis=1)
    n_levels, n = counts.shape
    widths = counts.reshape(n_levels, n // LANES, LANES).max(axis=2, initial=0)
    ends = LANES * np.cumsum(widths.ravel())
    starts = ends - LANES * widths.ravel()
    # Where the members of each block begin and end, by vector of rows and then by row.
    block = np.repeat(np.arange(len(nodes.ptr) - 1), np.diff(nodes.ptr) // LANES)
    first = np.tile(elements.ptr[:-1][block], n_levels)
    last = np.tile(elements.ptr[1:][block], n_levels)
    packed = np.repeat(last - first, LANES * widths.ravel())
    row = np.repeat(np.arange(n_levels * n), counts.ravel())
    turn = np.arange(len(member)) - np.repeat(ptr[:, :-1].ravel(), counts.ravel())
    packed[starts[row // LANES] + LANES * turn + row % LANES] = member - first[row // LANES]
    bounds = np.concatenate([[0], ends])
    level_ptr = np.array(
        [bounds[k * (n // LANES) : (k + 1) * (n // LANES) + 1] for k in range(n_levels)]
    )
    return tile.Octets(level_ptr, (LANES * packed).astype(np.int32))


@dataclass(frozen=True, eq=False)
class Exponents:
    """How the numerical attributes of two batches are compared: by factors, or one by one.

    The factors exp(+-gamma (x - 1/2)) overflow where gamma is huge or a value is far outside the
    training range. Such attributes are wide and compared one exponential at a time.

    Parameters
    ----------
    parameters : AttributeSimilarity
    narrow, wide : ndarray of int
        Which attributes are compared in either way.
    n_plain : int
        How many of the first narrow ones have no value outside the training range, and none
        missing, so that s' needs no look at where it ends.
    """

    parameters: AttributeSimilarity
    narrow: Index
    wide: Index
    n_plain: int

    @classmethod
    def of(cls, parameters: AttributeSimilarity, exact: bool, *sides: Elements) -> Exponents:
        """Decide for the values that occur.

        With ``exact``, P of entirely dissimilar elements is the floor to the last digit, so no
        attribute is plain.
        """
        distances = np.abs(np.hstack([x.numerical for x in sides]) - 0.5)
        largest = np.nanmax(distances, axis=1, initial=0.0)
        is_wide = largest > LARGEST_EXPONENT / parameters.numerical_gamma
        # A missing value, not a number, is no plain one.
        is_plain = (distances <= 0.5).all(axis=1) & ~is_wide & (not exact)
        plain, guarded = np.flatnonzero(is_plain), np.flatnonzero(~is_plain & ~is_wide)
        narrow = np.concatenate([plain, guarded])
        return cls(parameters, narrow, np.flatnonzero(is_wide), len(plain))

    def operand(self, elements: Elements, places: Places) -> tile.Operand:
        """The factors p and q of numerical attributes, and the codes of categorical ones."""
        x = places.take(elements.numerical, np.nan)
        gamma = self.parameters.numerical_gamma[self.narrow, None]
        weight = np.sqrt(self.parameters.numerical_weight)[self.narrow, None]
        exponent = gamma * (x[self.narrow] - 0.5)
        return tile.Operand(
            n=len(places.source),
            p=by_vectors(weight * np.nan_to_num(np.exp(exponent))),
            q=by_vectors(weight * np.nan_to_num(np.exp(-exponent))),
            wide=in_lines(x[self.wide]).ravel(),
            codes=places.take(elements.categorical, -1).ravel(),
        )

    def similarity(self) -> tile.Similarity:
        """The parameters of P in the same order."""
        given, wide = self.parameters, self.wide
        gamma, weight = given.numerical_gamma, given.numerical_weight
        least = weight * np.exp(-gamma)
        return tile.Similarity(
            least=least[self.narrow],
            n_plain=self.n_plain,
            wide_gamma=gamma[wide],
            wide_weight=weight[wide],
            wide_least=least[wide],
            gain=-given.categorical_weight * np.expm1(-given.categorical_gamma),
            rest=given.base - float(least[self.narrow].sum()),
        )

    def floor(self) -> float:
        """The floor of P as tiles add it up, so that pruning can give exactly 0."""
        if self.parameters.floor == 0.0:
            return 0.0
        similarity, floor = self.similarity(), 0.0
        for least in similarity.least:
            floor += float(least)
        return floor + similarity.rest

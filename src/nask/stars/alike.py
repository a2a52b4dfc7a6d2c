"""Names of stars, equal where stars are alike: where their normalised similarity is exactly 1.

Computed, this similarity differs from 1 by a rounding error, and every expansion to the next hop
multiplies the difference by gamma_star. Where that would show, engines take the answer from here.

Two stars are alike if their vectors in the space of the kernel are proportional. k_h is a product
of a kernel of the cores and a kernel of the members. So the cores must be alike, and the sums of
the members' vectors must be proportional:

- at hop 1, P is a sum over attributes. The sums are proportional if every value of every attribute
  has the same share in both stars, whatever other values come with it. A joint P is a Gaussian:
  then the vectors of different points are linearly independent, so each point has its share;
- from hop 2 on, P_{h-1} is an exponential. The vectors of members that are not alike are linearly
  independent, so members that are alike must have the same share in both stars;
- edges count as at hop 1, at every hop.

So nodes with equal Weisfeiler-Leman colours are alike, and some other nodes are too.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64, Index
from nask.attributes.similarity import AttributeSimilarity
from nask.graph.batch import GraphBatch
from nask.graph.elements import Elements
from nask.stars.members import star_matrices
from nask.stars.spec import StarSpec

Names = npt.NDArray[np.bytes_]
Labels = npt.NDArray[np.int32]

# Bytes of a star's name: among a million stars, two share a name by chance once in 10^26 runs.
NAME_BYTES = 16
# The sorts of items.
NODE_VALUE, EDGE_VALUE, N_NODES, N_EDGES, STAR = range(5)


@dataclass(frozen=True, eq=False)
class Items:
    """What elements or stars have, each item as three integers that tell it from others.

    Parameters
    ----------
    owner : ndarray of shape (n_items,)
        The element, or star, that has the item.
    thing : ndarray of shape (n_items, 3)
        The sort of the item, and two more integers, such as an attribute and its value.
    """

    owner: Index
    thing: Index

    @classmethod
    def of(cls, owner: Index, sort: int, first: Any, second: Any) -> Items:
        """Return items of one sort, told from others of it by two integers, or arrays of them."""
        thing = np.empty((len(owner), 3), dtype=np.int64)
        thing[:, 0], thing[:, 1], thing[:, 2] = sort, first, second
        return cls(owner.astype(np.int64), thing)

    @classmethod
    def joined(cls, *lists: Items) -> Items:
        """Return all items of several lists."""
        owner = np.concatenate([items.owner for items in lists])
        return cls(owner, np.concatenate([items.thing for items in lists]))

    def of_members(self, ptr: Index, members: Index) -> Items:
        """Return the items of the members of each star v, ``members[ptr[v] : ptr[v + 1]]``."""
        order = np.argsort(self.owner, kind="stable")
        counts = np.bincount(self.owner, minlength=int(members.max(initial=-1)) + 1)
        starts = np.cumsum(counts) - counts
        sizes = counts[members]
        ends = np.cumsum(sizes)
        taken = np.arange(sizes.sum()) + np.repeat(starts[members] - (ends - sizes), sizes)
        star = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        return Items(np.repeat(star, sizes), self.thing[order[taken]])

    def names(self, cores: Names) -> Names:
        """Return a hash per owner of the name of its core and of the share of each of its items."""
        order = np.lexsort((*self.thing.T, self.owner))
        owner, thing = self.owner[order], self.thing[order]
        new = np.ones(len(owner), dtype=bool)
        new[1:] = (np.diff(owner) != 0) | (np.diff(thing, axis=0) != 0).any(axis=1)
        first = np.flatnonzero(new)
        counts = np.diff(np.append(first, len(owner)))
        owners, begins = np.unique(owner[first], return_index=True)
        if len(owners):
            # Shares, not counts: a star with twice as many of every item is alike.
            common = np.gcd.reduceat(counts, begins)
            counts = counts // np.repeat(common, np.diff(np.append(begins, len(counts))))
        held = np.column_stack([thing[first], counts])
        ptr = np.searchsorted(owner[first], np.arange(len(cores) + 1)) * held.itemsize * 4
        content, n = memoryview(held.tobytes()), NAME_BYTES
        names = b"".join(
            hashlib.blake2b(core + content[start:end], digest_size=n).digest()
            for core, start, end in zip(_bytes(cores), ptr, ptr[1:], strict=False)
        )
        return np.frombuffer(names, dtype=f"S{n}")


def star_names(batch: GraphBatch, spec: StarSpec) -> Names:
    """Return names of nested stars, equal where stars are alike; of shape (n_hops, n_nodes).

    A name is a hash of what a star holds, so names of two batches can be compared.

    Examples
    --------
    >>> import nask
    >>> path = nask.AttributedGraph(5, edges=[(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> kernel = nask.NASK(n_hops=2).fit([path])
    >>> training = kernel.fitted_.graphs
    >>> names = star_names(training.batch, training.spec)
    >>> [len(np.unique(of_hop)) for of_hop in names], bool(names[1, 0] == names[1, 4])
    ([2, 3], True)
    """
    (nodes,), (edges,) = star_matrices(batch, spec)
    own = _values(batch.nodes, spec.nodes, NODE_VALUE, batch.features)
    names = own.names(np.zeros(batch.n_nodes, dtype=f"S{NAME_BYTES}"))
    of_star = [own.of_members(nodes.indptr, nodes.indices)]
    if spec.nodes.base > 0 or (spec.nodes.n_features and not spec.nodes.joint):
        of_star.append(_copies(N_NODES, np.diff(nodes.indptr)))
    of_edges = []
    if spec.use_edges:
        values = _values(batch.edges, spec.edges, EDGE_VALUE)
        of_edges.append(values.of_members(edges.indptr, edges.indices))
        if spec.edges.base > 0:
            of_edges.append(_copies(N_EDGES, np.diff(edges.indptr)))
    levels = []
    core = np.repeat(np.arange(batch.n_nodes), np.diff(nodes.indptr))
    for _ in range(spec.n_hops):
        names = Items.joined(*of_star, *of_edges).names(names)
        levels.append(names)
        of_star = [Items.of(core, STAR, *_halves(names[nodes.indices]))]
    return np.array(levels)


def common_labels(rows: Names, columns: Names) -> tuple[Labels, Labels]:
    """Return names as integers, equal for equal names of a hop; (n_hops, n) and (n_hops, m).

    Examples
    --------
    >>> names = np.array([[b"x", b"y", b"x"]])
    >>> common_labels(names, names[:, 1:])
    (array([[0, 1, 0]], dtype=int32), array([[1, 0]], dtype=int32))
    """
    n = rows.shape[1]
    both = np.hstack([rows, columns])
    labels = np.array([np.unique(of_hop, return_inverse=True)[1] for of_hop in both])
    labels = labels.reshape(both.shape).astype(np.int32)
    return labels[:, :n], labels[:, n:]


def _values(
    elements: Elements, similarity: AttributeSimilarity, sort: int, features: Any = None
) -> Items:
    """Return the values that each element has, of all attributes with a weight above 0.

    If P is joint, these make one item: the point where the element is.
    """
    lists = [Items.of(np.empty(0, dtype=np.int64), sort, 0, 0)]
    numerical = zip(similarity.numerical_weight, elements.numerical, strict=True)
    categorical = zip(similarity.categorical_weight, elements.categorical, strict=True)
    for d, (weight, values) in enumerate(numerical):
        there = np.flatnonzero(~np.isnan(values) & (weight > 0))
        lists.append(Items.of(there, sort, d, _bits(values[there])))
    first = len(lists)
    for d, (weight, codes) in enumerate(categorical):
        there = np.flatnonzero((codes >= 0) & (weight > 0))
        lists.append(Items.of(there, sort, first + d, codes[there]))
    if features is not None and similarity.feature_weight > 0:
        owner = np.repeat(np.arange(len(elements)), np.diff(features.indptr))
        column = len(lists) + features.indices.astype(np.int64)
        lists.append(Items.of(owner, sort, column, _bits(features.data)))
    values, n = Items.joined(*lists), len(elements)
    if similarity.joint:
        points = values.names(np.zeros(n, dtype=f"S{NAME_BYTES}"))
        return Items.of(np.arange(n), sort, *_halves(points))
    return values


def _copies(sort: int, counts: Index) -> Items:
    """Return one and the same item for every owner, ``counts`` times each."""
    return Items.of(np.repeat(np.arange(len(counts)), counts), sort, 0, 0)


def _bits(values: Float64) -> Index:
    """Return numbers as integers, equal where they are; adding 0 makes -0 equal to 0."""
    return (np.asarray(values, dtype=np.float64) + 0.0).view(np.int64)


def _halves(names: Names) -> Index:
    """Return each name as two integers."""
    return names.view(np.int64).reshape(-1, 2).T


def _bytes(names: Names) -> list[bytes]:
    """Return each name in full; numpy would cut off zeros at the end of a name."""
    content = names.tobytes()
    return [content[i : i + NAME_BYTES] for i in range(0, len(content), NAME_BYTES)]

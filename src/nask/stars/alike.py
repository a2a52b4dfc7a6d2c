"""Which stars are alike: those whose normalised similarity is exactly 1, by definition.

Rounding makes it 1 only nearly, and the expansion to the next hop multiplies the difference by
gamma_star, hop after hop. Where that would be felt, engines take the answer from here.

Two stars are alike where all that their similarity is made of is proportional. k_h is a product of
kernels of their cores and of their members, so the cores have to be alike, and so have the sums of
the members' feature vectors, up to a factor:

- at hop 1, P is a sum over attributes, and so is its feature vector; the sums agree where every
  value of every attribute is as common in one star as in the other, whatever else it comes with;
- from hop 2 on, P_{h-1} is an exponential, under which members that are not alike are linearly
  independent; the sums agree where alike members are as common in one star as in the other;
- edges count as at hop 1, at every hop.

So nodes with equal Weisfeiler-Leman colours are alike, and some others, too.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nask.attributes.similarity import AttributeSimilarity
from nask.graph.batch import Elements, GraphBatch
from nask.stars.members import star_matrices
from nask.stars.spec import StarSpec

Index = npt.NDArray[np.int64]
Names = npt.NDArray[np.bytes_]
Labels = npt.NDArray[np.int32]

# Bytes of the name of a star: of a million stars, two share one by chance once in 10^26 runs.
NAME_BYTES = 16
# What an item is.
NODE_VALUE, EDGE_VALUE, N_NODES, N_EDGES, STAR = range(5)


@dataclass(frozen=True, eq=False)
class Items:
    """Things that elements or stars have, each as three integers that tell it from others.

    Parameters
    ----------
    owner : ndarray of shape (n_items,)
    thing : ndarray of shape (n_items, 3)
        What it is, and two integers more, such as an attribute and a value of it.
    """

    owner: Index
    thing: Index

    @classmethod
    def of(cls, owner: Index, what: int, first: Any, second: Any) -> Items:
        """Things of one sort."""
        thing = np.empty((len(owner), 3), dtype=np.int64)
        thing[:, 0], thing[:, 1], thing[:, 2] = what, first, second
        return cls(owner.astype(np.int64), thing)

    @classmethod
    def joined(cls, *parts: Items) -> Items:
        """All things of some lists of them."""
        owner = np.concatenate([part.owner for part in parts])
        return cls(owner, np.concatenate([part.thing for part in parts]))

    def of_members(self, ptr: Index, members: Index) -> Items:
        """What the members of each star have: of star v, ``members[ptr[v] : ptr[v + 1]]``."""
        order = np.argsort(self.owner, kind="stable")
        counts = np.bincount(self.owner, minlength=int(members.max(initial=-1)) + 1)
        starts = np.cumsum(counts) - counts
        sizes = counts[members]
        ends = np.cumsum(sizes)
        taken = np.arange(sizes.sum()) + np.repeat(starts[members] - (ends - sizes), sizes)
        star = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        return Items(np.repeat(star, sizes), self.thing[order[taken]])

    def names(self, cores: Names) -> Names:
        """Hashes of the core of each owner and of how common each of its things is."""
        order = np.lexsort((*self.thing.T, self.owner))
        owner, thing = self.owner[order], self.thing[order]
        new = np.ones(len(owner), dtype=bool)
        new[1:] = (np.diff(owner) != 0) | (np.diff(thing, axis=0) != 0).any(axis=1)
        first = np.flatnonzero(new)
        counts = np.diff(np.append(first, len(owner)))
        owners, begins = np.unique(owner[first], return_index=True)
        if len(owners):
            # Twice as many of everything is the same star.
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
    """Names of nested stars, equal where these are alike, (n_hops, n_nodes).

    A name is a hash of what a star holds, so that those of two batches compare.

    Examples
    --------
    >>> import nask
    >>> path = nask.AttributedGraph(5, edges=[(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> kernel = nask.NASK(n_hops=2).fit([path])
    >>> names = star_names(kernel._training.batch, kernel._training.spec)
    >>> [len(np.unique(of_hop)) for of_hop in names], bool(names[1, 0] == names[1, 4])
    ([2, 3], True)
    """
    (nodes,), (edges,) = star_matrices(batch, 1, "nested")
    own = _values(batch.nodes, spec.nodes, NODE_VALUE, batch.features)
    names = own.names(np.zeros(batch.n_nodes, dtype=f"S{NAME_BYTES}"))
    of_star = [own.of_members(nodes.indptr, nodes.indices)]
    if spec.nodes.base > 0 or spec.nodes.n_features:
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
        of_star = [Items.of(core, STAR, *names[nodes.indices].view(np.int64).reshape(-1, 2).T)]
    return np.array(levels)


def common_labels(rows: Names, columns: Names) -> tuple[Labels, Labels]:
    """Numbers for names, the same for the same name of a hop; (n_hops, n) and (n_hops, m).

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
    elements: Elements, similarity: AttributeSimilarity, what: int, features: Any = None
) -> Items:
    """Values of attributes by element: those that are there and have a weight."""
    parts = [Items.of(np.empty(0, dtype=np.int64), what, 0, 0)]
    numerical = zip(similarity.numerical_weight, elements.numerical, strict=True)
    categorical = zip(similarity.categorical_weight, elements.categorical, strict=True)
    for d, (weight, values) in enumerate(numerical):
        there = np.flatnonzero(~np.isnan(values) & (weight > 0))
        parts.append(Items.of(there, what, d, _bits(values[there])))
    first = len(parts)
    for d, (weight, codes) in enumerate(categorical):
        there = np.flatnonzero((codes >= 0) & (weight > 0))
        parts.append(Items.of(there, what, first + d, codes[there]))
    if features is not None and similarity.feature_weight > 0:
        owner = np.repeat(np.arange(len(elements)), np.diff(features.indptr))
        column = len(parts) + features.indices.astype(np.int64)
        parts.append(Items.of(owner, what, column, _bits(features.data)))
    return Items.joined(*parts)


def _copies(what: int, counts: Index) -> Items:
    """The same thing for every owner, so many times."""
    return Items.of(np.repeat(np.arange(len(counts)), counts), what, 0, 0)


def _bits(values: npt.NDArray[np.float64]) -> Index:
    """Equal for equal numbers; adding 0 makes -0 the same as 0."""
    return (np.asarray(values, dtype=np.float64) + 0.0).view(np.int64)


def _bytes(names: Names) -> list[bytes]:
    """Each name in full: numpy's own bytes end before the last zeros."""
    content = names.tobytes()
    return [content[i : i + NAME_BYTES] for i in range(0, len(content), NAME_BYTES)]

"""An estimate of the explicit engine's work, from the values of a batch alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nask.arrays import Float64, Index
from nask.attributes.feature_map import Slot, few_values
from nask.engines.explicit.column_product import DENSE_PER_SPARSE
from nask.engines.explicit.engine import Maps
from nask.graph.batch import GraphBatch
from nask.stars.spec import StarSpec


@dataclass(frozen=True, eq=False)
class ValueShares:
    """How common the values of a feature map are; one entry per value.

    Parameters
    ----------
    of_graphs : ndarray
        Share of the graphs in which an element has the value.
    of_pairs : ndarray
        Share of the pairs of graphs for which the value's column is multiplied. After numbers are
        compared, a number has an entry in every graph that has any number.
    n_near : ndarray
        Number of values with which a number is compared; 0 for a category.
    """

    of_graphs: Float64
    of_pairs: Float64
    n_near: Float64

    @classmethod
    def of(cls, slots: Sequence[tuple[Slot, Index]]) -> ValueShares:
        """Count the graphs that have each value, of slots with the ptr of their elements."""
        own, pairs, near = [np.empty(0)], [np.empty(0)], [np.empty(0)]
        for slot, ptr in slots:
            n_graphs, size = len(ptr) - 1, len(slot.values)
            has = (slot.codes >= 0) & (slot.scale > 0)
            graph = np.repeat(np.arange(n_graphs), np.diff(ptr))[has]
            cells = np.unique(graph * size + slot.codes[has])
            share = np.bincount(cells % max(size, 1), minlength=size) / max(n_graphs, 1)
            is_number = slot.gamma is not None
            any_value = len(np.unique(graph)) / max(n_graphs, 1)
            own.append(share)
            pairs.append(share * (any_value if is_number else share))
            near.append(np.full(size, float(size) if is_number else 0.0))
        return cls(np.concatenate(own), np.concatenate(pairs), np.concatenate(near))


def values_are_few(batch: GraphBatch, spec: StarSpec) -> bool:
    """Tell whether no numerical attribute that counts has many distinct values."""
    return few_values(batch.nodes) and (not spec.use_edges or few_values(batch.edges))


def products_per_pair(batch: GraphBatch, spec: StarSpec) -> float:
    """Return an estimate of the dense multiply-adds per pair of graphs and hop.

    It assumes that cores and members have their values independently, and that every star has all
    values of its graph. It is infinite if a numerical attribute has too many distinct values.

    Examples
    --------
    >>> import nask
    >>> kernel = nask.NASK(expansion="ball").fit(nask.load_dataset("MUTAG").graphs)
    >>> training = kernel.fitted_.graphs
    >>> round(products_per_pair(training.batch, training.spec))
    56
    """
    if not values_are_few(batch, spec):
        return float("inf")
    core, members = value_shares(batch, spec)
    return multiplying(core, members) + comparing(core, members) / max(batch.n_graphs, 1)


def value_shares(batch: GraphBatch, spec: StarSpec) -> tuple[ValueShares, ValueShares]:
    """Return how common the values of cores and of members are."""
    maps = Maps.of(batch, spec)
    nodes, edges = batch.nodes.ptr, batch.edges.ptr
    core = ValueShares.of([(slot, nodes) for slot in maps.core.slots])
    members = [(slot, nodes) for slot in maps.nodes.slots]
    members += [(slot, edges) for slot in maps.edges.slots]
    return core, ValueShares.of(members)


def comparing(core: ValueShares, members: ValueShares) -> float:
    """Return the work per graph before the product: numbers are compared with each other."""
    of_members = core.of_graphs.sum() * (members.of_graphs @ members.n_near)
    of_cores = (core.of_graphs @ core.n_near) * members.of_graphs.sum()
    # Twice, since n graphs have n^2 / 2 pairs.
    return float(2 * DENSE_PER_SPARSE * (of_members + of_cores))


def multiplying(core: ValueShares, members: ValueShares) -> float:
    """Return the work per pair of graphs, with each column dense or sparse.

    Examples
    --------
    >>> share = np.array([1.0, 1e-5])
    >>> shares = ValueShares(share, share, np.zeros(2))
    >>> round(multiplying(shares, shares), 3)  # one dense column, two sparse ones and a rare one
    1.01
    """
    ascending = np.sort(members.of_pairs)
    sums = np.concatenate([[0.0], np.cumsum(ascending)])
    sparse_work = DENSE_PER_SPARSE * core.of_pairs[core.of_pairs > 0]
    n_sparse = np.searchsorted(ascending, 1 / sparse_work)
    return float(np.sum(sparse_work * sums[n_sparse] + (len(ascending) - n_sparse)))

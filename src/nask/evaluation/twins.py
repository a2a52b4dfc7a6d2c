"""Isomorphic graphs of a set: what is learned from one is known of the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nask.arrays import Array, Positions
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.isomorphism import isomorphic_groups


class Twins(NamedTuple):
    """How many graphs of a set are isomorphic to another one.

    Parameters
    ----------
    graphs : int
        In the set.
    with_twin : int
        Those that are isomorphic to another one, with all attributes equal.
    of_other_class : int
        Those that are isomorphic to one of another class.
    without_numbers : int
        Those that are isomorphic to another one apart from numerical attributes.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> Twins.of(mutag.graphs, mutag.y)
    Twins(graphs=188, with_twin=..., of_other_class=..., without_numbers=...)
    """

    graphs: int
    with_twin: int
    of_other_class: int
    without_numbers: int

    @classmethod
    def of(cls, graphs: Sequence[AttributedGraph], y: Array) -> Twins:
        """Count them, given the class of each graph."""
        groups = isomorphic_groups(graphs)
        _, codes = np.unique(y, return_inverse=True)
        pairs = np.unique(np.stack([groups, codes]), axis=1)
        mixed = np.bincount(pairs[0]) > 1
        without = isomorphic_groups(graphs, numbers=False)
        n_mixed = int(mixed[groups].sum())
        return cls(len(graphs), _in_company(groups), n_mixed, _in_company(without))


def _in_company(groups: Positions) -> int:
    """How many graphs are in a group of two or more."""
    sizes = np.bincount(groups)
    return int(sizes[sizes > 1].sum())

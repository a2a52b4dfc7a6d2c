"""Graphs of a set that are there more than once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from nask.graph.attributed_graph import AttributedGraph
from nask.graph.isomorphism import isomorphic_groups

# Beyond so many nodes in all, isomorphic graphs are not looked for: it would take minutes.
MOST_NODES = 2_000_000


@dataclass(frozen=True)
class Duplicates:
    """How many graphs of a set are there more than once.

    Parameters
    ----------
    isomorphic : int
        Graphs that are isomorphic to another one, with all attributes equal.
    identical : int
        Those of them that are equal to another one node by node.
    of_other_class : int
        Those that are isomorphic to one of another class, or with another value.

    Examples
    --------
    >>> pair, single = AttributedGraph(2, [(0, 1)]), AttributedGraph(1)
    >>> Duplicates.of([pair, single, pair], ["a", "b", "c"])
    Duplicates(isomorphic=2, identical=2, of_other_class=2)
    """

    isomorphic: int
    identical: int
    of_other_class: int

    @classmethod
    def of(cls, graphs: Sequence[AttributedGraph], y: Sequence[Any] | None) -> Duplicates:
        """Count them; ``y`` has a class for each graph, or is None."""
        groups = isomorphic_groups(graphs)
        shared = np.flatnonzero(np.bincount(groups)[groups] > 1).tolist()
        keys = [_content(graphs[k]) for k in shared]
        labels: dict[int, set[Any]] = {}
        for k in shared:
            labels.setdefault(int(groups[k]), set()).add(None if y is None else y[k])
        mixed = sum(len(labels[int(groups[k])]) > 1 for k in shared)
        identical = sum(count for count in Counter(keys).values() if count > 1)
        return cls(len(shared), identical, mixed)

    def to_json(self) -> dict[str, int]:
        """Return the counts as JSON can hold them."""
        return asdict(self)


def _content(graph: AttributedGraph) -> int:
    """Return a number that equal graphs share."""
    values = [
        (name, attribute.kind, tuple(attribute.values()))
        for attributes in (graph.node_attributes, graph.edge_attributes)
        for name, attribute in sorted(attributes.items())
    ]
    features = graph.node_features
    filled = () if features is None else (features.indices.tobytes(), features.data.tobytes())
    return hash((graph.n_nodes, graph.edges.tobytes(), tuple(values), filled))

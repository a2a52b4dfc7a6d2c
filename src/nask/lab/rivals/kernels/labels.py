"""One label per node, for kernels that know one label only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from nask.arrays import Positions
from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema


@dataclass(frozen=True, eq=False)
class NodeLabels:
    """All categorical attributes of a node as one integer.

    A missing value counts as one more category. Where a set has no categorical attribute, all
    nodes have the label 0. Numerical attributes are left out.

    Parameters
    ----------
    schema : Schema
        That of the training graphs.
    codes : dict
        The label of each combination of category codes.

    Examples
    --------
    >>> import nask
    >>> water = nask.AttributedGraph(3, [(0, 1), (0, 2)], {"atom": ["O", "H", "H"]})
    >>> labels = NodeLabels.fit([water])
    >>> labels.transform([water])
    [array([0, 1, 1])]
    >>> labels.transform([nask.AttributedGraph(3, [], {"atom": ["Li", "O", None]})])
    [array([2, 0, 3])]
    >>> labels.n_labels
    2
    """

    schema: Schema
    codes: dict[tuple[int, ...], int]

    @classmethod
    def fit(cls, graphs: Sequence[AttributedGraph]) -> Self:
        """Number the labels of the training graphs, in the order in which they come."""
        schema = Schema.fit(graphs)
        codes: dict[tuple[int, ...], int] = {}
        _numbered(graphs, schema, codes)
        return cls(schema, codes)

    @property
    def n_labels(self) -> int:
        """Number of labels of the training graphs; unseen labels get this number or a higher."""
        return len(self.codes)

    def transform(self, graphs: Sequence[AttributedGraph]) -> list[Positions]:
        """Return the labels of the nodes of each graph; unseen ones get numbers of their own."""
        return _numbered(graphs, self.schema, dict(self.codes))


def _numbered(
    graphs: Sequence[AttributedGraph], schema: Schema, codes: dict[tuple[int, ...], int]
) -> list[Positions]:
    """Return the labels of nodes; new ones are added to ``codes``."""
    nodes = GraphBatch.encode(graphs, schema).nodes
    rows = nodes.categorical.T.tolist()
    labels = [codes.setdefault(tuple(row), len(codes)) for row in rows]
    return np.split(np.array(labels, dtype=np.intp), nodes.ptr[1:-1])

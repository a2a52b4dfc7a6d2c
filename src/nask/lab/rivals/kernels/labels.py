"""One label a node, for kernels that know one label only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from nask.graph.attributed_graph import AttributedGraph
from nask.graph.batch import GraphBatch
from nask.graph.schema import Schema


@dataclass(frozen=True, eq=False)
class NodeLabels:
    """The categorical attributes of a node together, as one integer.

    A missing value counts as one more category. Where a set has no categorical attribute, all
    nodes have the label 0. Numerical attributes are left out.

    Parameters
    ----------
    schema : Schema
        Of the training graphs.
    codes : dict
        Labels by the codes of a node's categories.

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
        labels = cls(Schema.fit(graphs), {})
        labels._number(graphs, labels.codes)
        return labels

    @property
    def n_labels(self) -> int:
        """Number of labels of the training graphs; unseen ones have this number or a higher."""
        return len(self.codes)

    def transform(self, graphs: Sequence[AttributedGraph]) -> list[npt.NDArray[np.intp]]:
        """Labels of the nodes of each graph; those unseen in training have numbers of their own."""
        return self._number(graphs, dict(self.codes))

    def _number(
        self, graphs: Sequence[AttributedGraph], codes: dict[tuple[int, ...], int]
    ) -> list[npt.NDArray[np.intp]]:
        nodes = GraphBatch.encode(graphs, self.schema).nodes
        rows = nodes.categorical.T.tolist()
        labels = [codes.setdefault(tuple(row), len(codes)) for row in rows]
        return np.split(np.array(labels, dtype=np.intp), nodes.ptr[1:-1])

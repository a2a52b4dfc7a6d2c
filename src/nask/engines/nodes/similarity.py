"""P between all nodes of a batch: which attributes are compared in vectors, which by nonzeros."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from nask.attributes.similarity import AttributeSimilarity
from nask.engines.compiled.exponents import Exponents
from nask.engines.compiled.places import Places
from nask.engines.compiled.similarity import Operand, Similarity
from nask.engines.compiled.vectors import LANES, aligned
from nask.engines.nodes.sparse_features import Features, fill_rows
from nask.graph.batch import GraphBatch
from nask.graph.elements import Elements

# Columns of features filled more than this are compared in vectors, like named attributes: 0.1 ns
# a pair of nodes, against 2 ns a pair of nonzeros (Pubmed).
DENSE_FILL = 0.2


@dataclass(frozen=True, eq=False)
class NodeSimilarity:
    """All that rows of P have in common.

    Parameters
    ----------
    nodes, named
        Named attributes, and features with few zeros.
    features
        The other features.
    floor : float
        P of two entirely dissimilar nodes, to the last digit; 0 where there is nothing to differ
        in.
    """

    nodes: Operand
    named: Similarity
    features: Features
    floor: float

    @classmethod
    def of(cls, batch: GraphBatch, similarity: AttributeSimilarity, exact: bool) -> NodeSimilarity:
        """Lay out the attributes of a batch; ``exact`` as in ``Exponents.of``."""
        named, rest = filled_columns(batch)
        elements, similarity = _with_named(batch, similarity, named)
        n = batch.n_nodes
        places = Places.of(np.array([0, n]), np.array([0, 1]), np.zeros(n))
        exponents = Exponents.of(similarity, exact, elements)
        return cls(
            exponents.operand(elements, places),
            exponents.similarity(),
            Features.of(None if batch.features is None else batch.features[:, rest], similarity),
            exponents.floor(),
        )

    def fill(self, P: npt.NDArray[np.floating], first: int, last: int) -> None:
        """Write rows first..last, both multiples of eight."""
        shared, square = aligned(P.shape[1]), aligned(LANES)
        fill_rows(P, first, last, self.nodes, self.named, self.features, shared, square)


def filled_columns(batch: GraphBatch) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Columns of the features of a batch that have few zeros, and the others."""
    if batch.features is None:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    n, width = batch.features.shape
    filled = np.bincount(batch.features.indices, minlength=width) > DENSE_FILL * n
    return np.flatnonzero(filled), np.flatnonzero(~filled)


def _with_named(
    batch: GraphBatch, similarity: AttributeSimilarity, columns: npt.NDArray[Any]
) -> tuple[Elements, AttributeSimilarity]:
    """Some columns of the features as the last of the numerical attributes."""
    if not len(columns):
        return batch.nodes, similarity
    more = batch.features[:, columns].toarray().T
    numerical = np.ascontiguousarray(np.vstack([batch.nodes.numerical, more]))
    gamma = np.full(len(columns), similarity.feature_gamma)
    weight = np.full(len(columns), similarity.feature_weight)
    return replace(batch.nodes, numerical=numerical), replace(
        similarity,
        numerical_gamma=np.append(similarity.numerical_gamma, gamma),
        numerical_weight=np.append(similarity.numerical_weight, weight),
        n_features=similarity.n_features - len(columns),
    )

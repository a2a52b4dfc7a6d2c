"""P between all nodes of a batch: some attributes compared in vectors, some by nonzeros."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nask.arrays import Floats, Positions
from nask.attributes.compiled_features import NodeFeatures
from nask.attributes.compiled_similarity import Operand, Similarity
from nask.attributes.factors import Factors
from nask.attributes.similarity import AttributeSimilarity
from nask.compiled.places import Places
from nask.compiled.vectors import LANES, aligned
from nask.engines.nodes.node_features import fill_rows
from nask.graph.batch import GraphBatch

# A node feature that is nonzero for a larger share of the nodes is compared in vectors, like a
# named attribute: 0.1 ns per pair of nodes, against 2 ns per pair of nonzeros (Pubmed).
DENSE_FILL = 0.2


@dataclass(frozen=True, eq=False)
class NodeSimilarity:
    """What all rows of P share.

    Parameters
    ----------
    nodes : Operand
        Values of the named attributes, and of node features with few zeros.
    named : Similarity
        Their parameters.
    features : NodeFeatures
        The other node features.
    floor : float
        P of two entirely dissimilar nodes, to the last digit; 0 where nodes have no attribute.
    """

    nodes: Operand
    named: Similarity
    features: NodeFeatures
    floor: float

    @classmethod
    def of(cls, batch: GraphBatch, similarity: AttributeSimilarity, exact: bool) -> NodeSimilarity:
        """Lay out the attributes of a batch; ``exact`` is that of ``Factors.of``."""
        named, rest = filled_columns(batch, similarity)
        elements = batch.dense_nodes(named) if len(named) else batch.nodes
        similarity = similarity.with_dense_features(len(named))
        n = batch.n_nodes
        places = Places.of(np.array([0, n]), np.array([0, 1]), np.zeros(n))
        factors = Factors.of(similarity, exact, elements)
        features = None if batch.features is None else batch.features[:, rest]
        return cls(
            factors.operand(elements, places),
            factors.similarity(),
            NodeFeatures.of(features, features, similarity),
            factors.floor(),
        )

    def fill(self, P: Floats, first: int, last: int) -> None:
        """Write the rows of P from ``first`` to ``last - 1``, both multiples of eight."""
        shared, square = aligned(P.shape[1]), aligned(LANES)
        fill_rows(P, first, last, self.nodes, self.named, self.features, shared, square)


def filled_columns(
    batch: GraphBatch, similarity: AttributeSimilarity
) -> tuple[Positions, Positions]:
    """Return the columns of node features that have few zeros, and the others.

    A joint P is no sum over columns, so that all of them are compared in vectors.
    """
    none = np.empty(0, dtype=np.int64)
    if batch.features is None:
        return none, none
    n, width = batch.features.shape
    if similarity.joint:
        return np.arange(width), none
    filled = np.bincount(batch.features.indices, minlength=width) > DENSE_FILL * n
    return np.flatnonzero(filled), np.flatnonzero(~filled)

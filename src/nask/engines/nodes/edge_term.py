"""The edge term between all stars of a graph, as lines over its nodes.

    edge term = B P_E B^T

B holds how many edges of each kind a star has; edges with equal attributes are of one kind. Where
there are fewer kinds than nodes, the lines are those of P_E B^T, and the term of a star is the sum
of one line per edge of the star. Otherwise the lines are those of the term itself, one per star.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nask.arrays import Floats, Index
from nask.attributes.similarity_matrix import similarity_matrix
from nask.compiled.lines import whole_vectors
from nask.compiled.vectors import aligned
from nask.graph.batch import GraphBatch
from nask.graph.elements import Elements
from nask.stars.colours import attribute_colours
from nask.stars.spec import StarSpec

# Numbers of P between edges that are computed at once: 32 MB.
TILE_NUMBERS = 4_000_000


@dataclass(frozen=True, eq=False)
class DistinctEdges:
    """One edge of each kind, and the kind of every edge.

    Parameters
    ----------
    colours : ndarray of shape (n_edges,)
    """

    edges: Elements
    colours: Index
    n_nodes: int

    @classmethod
    def of(cls, batch: GraphBatch) -> DistinctEdges:
        """Return the kinds of the edges of a batch."""
        colours = attribute_colours(batch.edges)
        first = np.unique(colours, return_index=True)[1]
        return cls(batch.edges.take(first), colours, batch.n_nodes)

    @property
    def n_lines(self) -> int:
        """Number of lines of the term."""
        return min(len(self.edges), self.n_nodes)

    def term(self, incident: sparse.csr_array, spec: StarSpec) -> tuple[Floats, Index, Index]:
        """Return the lines, and which lines belong to each star, as a ptr and an index.

        ``incident`` has the edges of the stars, nodes x edges.
        """
        n, kinds = self.n_nodes, len(self.edges)
        shape = (len(self.colours), kinds)
        kind = sparse.csr_array((np.ones(shape[0]), (np.arange(shape[0]), self.colours)), shape)
        B = sparse.csr_array(incident @ kind)
        lines = aligned((self.n_lines, whole_vectors(n)), spec.dtype)
        lines[:, n:] = 0
        if kinds < n:
            lines[:, :n] = self._from(np.arange(kinds), B, spec)
            counts = B.data.astype(np.int64)
            ends = np.concatenate([[0], np.cumsum(counts)])
            return lines, ends[B.indptr], np.repeat(B.indices.astype(np.int64), counts)
        height = max(1, TILE_NUMBERS // (kinds * max(1, B.nnz // n)))
        for first in range(0, n, height):
            rows = B[first : first + height]
            used = np.unique(rows.indices)
            lines[first : first + height, :n] = rows[:, used] @ self._from(used, B, spec)
        return lines, np.arange(n + 1), np.arange(n)

    def _from(self, chosen: Index, B: sparse.csr_array, spec: StarSpec) -> Floats:
        """Return sums of P between each chosen kind of edges and the edges of every star."""
        P = similarity_matrix(self.edges.take(chosen), self.edges, spec.edges, "float64")
        sums: Floats = (B @ P[:, : len(self.edges)].T).T
        return sums

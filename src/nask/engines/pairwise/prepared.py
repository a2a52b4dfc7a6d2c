"""A batch of graphs as the pairwise engine keeps it: members of stars, norms, names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nask.arrays import Float64, Positions
from nask.engines.contract import Prepared
from nask.stars.alike import Labels, Names, common_labels
from nask.stars.members import Members
from nask.storage.window import Window


@dataclass(frozen=True, eq=False)
class PairwisePrepared(Prepared):
    """A batch with the members of its stars and their norms.

    Parameters
    ----------
    hop_self : ndarray of shape (n_hops, n_graphs)
    members, incident : Members
        Nodes and edges of the stars.
    norm : ndarray of shape (n_hops, n_nodes)
        1 / sqrt(k_h(v, v)), or 0 where k_h(v, v) is 0.
    names : ndarray of shape (n_hops, n_nodes)
        Names of the stars, equal where stars are alike. It has no nodes unless the spec is guarded.
    """

    members: Members
    incident: Members
    norm: Float64
    names: Names

    @property
    def mutual(self) -> bool:
        """Whether a node is a member of the stars of its own members."""
        return self.spec.max_leaves is None

    def take(self, graphs: Positions) -> PairwisePrepared:
        """Return the prepared batch of some graphs; their stars are the same, elsewhere."""
        nodes, edges = self.batch.elements_of(graphs)
        return PairwisePrepared(
            self.batch.take(graphs),
            self.spec,
            self.hop_self.take(graphs, axis=1),
            self.members.take(nodes, nodes),
            self.incident.take(nodes, edges),
            self.norm.take(nodes, axis=1),
            self.names.take(nodes, axis=1) if self.spec.guarded else self.names,
        )

    def labels(self, other: PairwisePrepared, window: Window) -> tuple[Labels, Labels]:
        """Return labels of the stars of a window, rows and columns, equal where stars are alike.

        They are given by hop and node of the batch, -1 outside the window. There are no nodes
        unless the spec is guarded.
        """
        if not self.spec.guarded:
            none = np.empty((self.spec.n_hops, 0), dtype=np.int32)
            return none, none
        sides = []
        for prepared, graphs in ((self, window.rows), (other, window.columns)):
            ptr = prepared.batch.nodes.ptr
            sides.append((prepared.names, slice(ptr[graphs.start], ptr[graphs.stop])))
        found = common_labels(*(names[:, nodes] for names, nodes in sides))
        labels = [np.full(names.shape, -1, dtype=np.int32) for names, _ in sides]
        for all_nodes, of_window, (_, nodes) in zip(labels, found, sides, strict=True):
            all_nodes[:, nodes] = of_window
        return labels[0], labels[1]

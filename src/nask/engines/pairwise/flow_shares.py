"""Shares by attribute and node, from what flows down to places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nask.arrays import Float64
from nask.attributes.compiled_features import lacks
from nask.compiled.vectors import aligned
from nask.engines.pairwise.flow import Shares
from nask.engines.pairwise.prepared import PairwisePrepared
from nask.engines.pairwise.tiling import Tiling


@dataclass(frozen=True, eq=False)
class Flow:
    """Shares of the nodes' attributes and of the edges of one graph; they add up.

    Parameters
    ----------
    numerical, categorical : ndarray of shape (number of attributes, n_nodes)
        In the order of :class:`~nask.graph.elements.Elements`.
    features : ndarray of shape (number of sparse node features, n_nodes)
    constant : ndarray of shape (n_nodes,)
        What attributes without any training value have, or the fact that there is a node at all;
        what all attributes have together where P is joint.
    edges : ndarray of shape (n_edges,)
    stars : ndarray of shape (n_hops, n_nodes)
        The shares of stars, before they flow down to their members.
    """

    numerical: Float64
    categorical: Float64
    features: Float64
    constant: Float64
    edges: Float64
    stars: Float64

    @classmethod
    def by_node(cls, shares: Shares, tiling: Tiling, rows: PairwisePrepared) -> Flow:
        """Return shares by attribute and node, from those by place.

        Parameters
        ----------
        shares : Shares
        tiling : Tiling
        rows : PairwisePrepared
            The graph whose shares they are.
        """
        P, factors, n_nodes = rows.spec.nodes, tiling.factors, rows.batch.n_nodes
        place = tiling.a_places.positions(n_nodes)
        of_members, of_cores, lost = (
            each[place] for each in (shares.of_members, shares.of_cores, shares.lost)
        )
        edge_place = tiling.a_edge_places.positions(len(rows.batch.edges))
        edges, stars = shares.edges[edge_place], shares.stars[:, place]
        if P.joint:
            none = np.empty((0, n_nodes))
            return cls(none, none, none, lost, edges, stars)
        terms = shares.terms[:, place]
        n_narrow, n_numerical = len(factors.narrow), len(P.numerical_gamma)
        numerical, categorical = np.empty((n_numerical, n_nodes)), terms[n_numerical:]
        least = P.numerical_weight * np.exp(-P.numerical_gamma)
        # Terms with factors are whole, others lack what any two values have.
        numerical[factors.narrow] = terms[:n_narrow] - np.outer(least[factors.narrow], of_cores)
        numerical[factors.wide] = terms[n_narrow:n_numerical]
        numerical[factors.wide] += np.outer(least[factors.wide], of_members)
        least = P.categorical_weight * np.exp(-P.categorical_gamma)
        categorical = categorical + np.outer(least, of_members)
        # Where P is 0, every attribute has its weight.
        numerical += np.outer(P.numerical_weight, lost)
        categorical += np.outer(P.categorical_weight, lost)
        features = _of_features(shares.features[:, place], rows, of_members, of_cores, lost)
        named = float(P.numerical_weight.sum() + P.categorical_weight.sum())
        named += P.n_features * P.feature_weight
        constant = P.constant * of_members + (1 - named) * lost
        return cls(numerical, categorical, features, constant, edges, stars)


def _of_features(
    terms: Float64,
    rows: PairwisePrepared,
    of_members: Float64,
    of_cores: Float64,
    lost: Float64,
) -> Float64:
    """Return shares of sparse node features; see ``flow``. The parameters are those of Shares."""
    P, features = rows.spec.nodes, rows.batch.features
    if features is None:
        return terms
    total, gamma = of_members + of_cores, P.feature_gamma
    lack = lacks(features, gamma)
    node = np.repeat(np.arange(len(total)), np.diff(lack.indptr))
    terms += total
    terms[lack.indices, node] -= total[node] * lack.data
    terms *= -P.feature_weight * np.expm1(-gamma)
    terms += P.feature_weight * (np.exp(-gamma) * of_members + lost)
    return terms


def share_shapes(tiling: Tiling, n_features: int) -> list[tuple[int, ...]]:
    """Return the shapes of the arrays of :class:`Shares`, with so many sparse node features."""
    terms, n_nodes = tiling.rules.nodes, int(tiling.a.node_ptr[-1])
    n_terms = len(terms.least) + len(terms.wide_gamma) + len(terms.gain)
    by_node, stars = [(n_nodes,)] * 3, (len(tiling.a.norm), n_nodes)
    edges = (int(tiling.a.edge_ptr[-1]),)
    return [(n_terms, n_nodes), (n_features, n_nodes), *by_node, edges, stars]


def no_shares(tiling: Tiling, n_features: int) -> Shares:
    """Return shares of 0, to be added to."""
    shares = Shares(*map(aligned, share_shapes(tiling, n_features)))
    for array in shares:
        array[...] = 0.0
    return shares

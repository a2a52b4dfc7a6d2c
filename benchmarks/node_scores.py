"""Scores of nodes made of the shares of stars: where an explanation says to look."""

from __future__ import annotations

from typing import Any

import numpy as np

import nask
from nask.arrays import Float64

# What a user is shown: shares, signed and regardless of the sign; where to look.
SHOWN = ("shares", "|shares|", "members", "|members|", "background")


def candidates(why: Any) -> dict[str, Float64]:
    """Return scores of the nodes of an explained graph by name; the first are those of SHOWN."""
    hops, nodes, members = why.hops, why.nodes, why.members
    mean = star_mean(why.graph)
    loud = np.abs(hops)
    off = np.abs(hops - np.median(hops, axis=1, keepdims=True))
    return {
        "shares": nodes,
        "|shares|": np.abs(nodes),
        "members": members,
        "|members|": np.abs(members),
        "background": why.background,
        "background, of members": around(members, mean, 2),
        "background, mean of |share|": mean @ mean @ np.abs(nodes),
        "background, one step": around(nodes, mean, 1),
        "background, three steps": around(nodes, mean, 3),
        "|members - median|": _off(members),
        "|shares - median|": _off(nodes),
        "last hop, |share - median|": off[-1],
        "sum over hops of |share|": loud.sum(axis=0),
        "sum over hops of |share - median|": off.sum(axis=0),
        "the same / its mean, per hop": (off / _positive(off.mean(axis=1))).sum(axis=0),
        "largest |share - median| / MAD": (off / _positive(np.median(off, axis=1))).max(axis=0),
        "stars within reach, |mean share|": np.abs(within_reach(hops, mean)),
        "stars within reach, mean of |share|": within_reach(loud, mean),
        "stars within reach, mean of |share - median|": within_reach(off, mean),
    }


def around(shares: Float64, mean: Float64, n_steps: int) -> Float64:
    """Root mean square of the shares of the stars that some steps lead to from a node.

    ::

        sqrt(M^k c^2),    M: the mean over the star of a node

    A star that stands out is close to all nodes that it is made of, whatever its sign, and squares
    let it be heard among many that say little.

    Examples
    --------
    >>> path = nask.AttributedGraph(3, [(0, 1), (1, 2)])
    >>> around(np.array([0.0, 0.0, -3.0]), star_mean(path), n_steps=1) ** 2
    array([0. , 3. , 4.5])
    """
    return np.asarray(np.sqrt(np.linalg.matrix_power(mean, n_steps) @ shares**2))


def within_reach(scores: Float64, mean: Float64) -> Float64:
    """Sum over hops h of M^h s_h: the mean score of the stars that h steps lead to.

    Parameters
    ----------
    scores : ndarray of shape (n_hops, n_nodes)
        Of the star around each node.
    mean : ndarray of shape (n_nodes, n_nodes)
        M, see :func:`star_mean`.
    """
    total = np.zeros(scores.shape[1])
    # By Horner's rule, from the last hop.
    for own in scores[::-1]:
        total = mean @ (own + total)
    return total


def star_mean(graph: nask.AttributedGraph) -> Float64:
    """Return the matrix M with 1 / |N[v]| for each member u of the star of v."""
    star = np.eye(graph.n_nodes)
    u, v = graph.edges.T
    star[u, v] = star[v, u] = 1.0
    return np.asarray(star / star.sum(axis=1, keepdims=True))


def _off(values: Float64) -> Float64:
    return np.asarray(np.abs(values - np.median(values)))


def _positive(values: Float64) -> Float64:
    return np.maximum(values, np.finfo(float).tiny)[:, None]

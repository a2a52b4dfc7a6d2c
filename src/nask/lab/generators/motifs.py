"""BA-2Motifs: random trees that carry a house or a ring of five nodes."""

from __future__ import annotations

import numpy as np

from nask.arrays import Index
from nask.graph.attributed_graph import AttributedGraph
from nask.lab.generators.checks import Seed, check_integer, generator
from nask.lab.generators.truth import ExplainedDataset

MOTIF_NODES = 5
RING = np.array([(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)])
# A square with a roof: the ring with one more edge, which cuts a triangle off.
HOUSE = np.concatenate([RING, [(1, 4)]])


def make_ba_2motifs(
    n_graphs: int = 1000,
    n_base: int = 20,
    *,
    n_links: int = 1,
    random_state: Seed = 0,
) -> ExplainedDataset:
    """Draw a dataset like BA-2Motifs [1]_: classes by a motif, and nothing else.

    A base graph grows by preferential attachment (Barabási and Albert). A motif of five nodes is
    joined to it by one edge between random nodes: a ring in class 0, a house in class 1. Nodes and
    edges have no attributes.

    Parameters
    ----------
    n_graphs : int, default=1000
        The classes take turns.
    n_base : int, default=20
        Nodes of the base graph, more than ``n_links``.
    n_links : int, default=1
        Edges that a new node of the base graph brings; with 1 it is a tree.
    random_state : int, numpy Generator or None, default=0
        The seed: the same one gives the same dataset.

    Returns
    -------
    ExplainedDataset
        The truth of a graph is its motif. Nodes are in random order.

    References
    ----------
    .. [1] D. Luo, W. Cheng, D. Xu, W. Yu, B. Zong, H. Chen, X. Zhang. "Parameterized Explainer for
       Graph Neural Network". NeurIPS 2020.

    Examples
    --------
    >>> from nask.lab import make_ba_2motifs
    >>> data = make_ba_2motifs(4)
    >>> data.graphs[0], data.graphs[1], data.y.tolist()
    (AttributedGraph(25 nodes, 25 edges), AttributedGraph(25 nodes, 26 edges), [0, 1, 0, 1])
    >>> [int(mask.sum()) for mask in data.truth]
    [5, 5, 5, 5]
    """
    owner = "make_ba_2motifs"
    rng = generator(random_state, owner)
    check_integer("n_graphs", owner, n_graphs, 1)
    check_integer("n_links", owner, n_links, 1)
    check_integer("n_base", owner, n_base, n_links + 1)
    y = np.arange(n_graphs) % 2
    n_nodes = n_base + MOTIF_NODES
    graphs, truth = [], []
    for motif in y.tolist():
        bridge = [[rng.integers(n_base), n_base + rng.integers(MOTIF_NODES)]]
        base, own = _preferential(rng, n_base, n_links), n_base + (HOUSE if motif else RING)
        # In random order, so that a position tells nothing.
        names = rng.permutation(n_nodes)
        graphs.append(AttributedGraph(n_nodes, names[np.concatenate([base, own, bridge])]))
        mask = np.zeros(n_nodes, dtype=bool)
        mask[names[n_base:]] = True
        truth.append(mask)
    return ExplainedDataset("ba_2motifs", tuple(graphs), y, truth=tuple(truth))


def _preferential(rng: np.random.Generator, n_nodes: int, n_links: int) -> Index:
    """Edges of a graph that starts as a star; new nodes choose others in proportion to degree."""
    edges = [(0, leaf) for leaf in range(1, n_links + 1)]
    degree = np.zeros(n_nodes)
    degree[: n_links + 1] = 1
    degree[0] = n_links
    for new in range(n_links + 1, n_nodes):
        chosen = rng.choice(n_nodes, n_links, replace=False, p=degree / degree.sum())
        edges += [(int(old), new) for old in chosen]
        degree[chosen] += 1
        degree[new] = n_links
    return np.array(edges, dtype=np.int64)

"""Where to look in a graph: near the stars whose shares stand out."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nask.arrays import Float64
from nask.graph.attributed_graph import AttributedGraph

# Chosen on sets whose causes are known (benchmarks/explanations.py): one step finds causes of one
# node, three are as good as two.
STEPS = 2


def above_background(graph: AttributedGraph, shares: Float64) -> Float64:
    r"""Root mean square of the shares of the stars that two steps lead to from each node.

    ::

        sqrt(M M c^2),    M: the mean over the star of a node

    A star is as wide as its hops, so that a loud one may be centred beside the cause. But it is
    close to all nodes that it is made of, whatever its sign, and squares let it be heard among many
    that say little.

    Parameters
    ----------
    graph : AttributedGraph
    shares : ndarray of shape (n_nodes,)
        c, those of the stars.

    Examples
    --------
    >>> path = AttributedGraph(4, [(0, 1), (1, 2), (2, 3)])
    >>> above_background(path, np.array([0.0, 0.0, 0.0, -6.0])).round(2)
    array([0.  , 2.  , 3.16, 3.87])
    """
    n = graph.n_nodes
    u, v = graph.edges.T
    rows, columns = np.concatenate([np.arange(n), u, v]), np.concatenate([np.arange(n), v, u])
    star = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    sizes = graph.degrees() + 1.0
    squares = shares**2
    for _ in range(STEPS):
        squares = (star @ squares) / sizes
    return np.asarray(np.sqrt(squares))

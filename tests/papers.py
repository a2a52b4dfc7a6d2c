"""Small networks of papers that share words with those that they cite, for tests."""

import numpy as np

import nask


def papers(n_nodes=90, n_classes=3, seed=0):
    """A graph of communities, and the class of each node."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_nodes) % n_classes
    pairs = rng.integers(n_nodes, size=(12 * n_nodes, 2))
    inside = (y[pairs[:, 0]] == y[pairs[:, 1]]) | (rng.random(len(pairs)) < 0.05)
    edges = pairs[inside & (pairs[:, 0] != pairs[:, 1])]
    edges = np.unique(np.sort(edges, axis=1), axis=0)[::3]
    words = rng.random((n_nodes, 30)) < 0.1 + 0.2 * (np.arange(30) % n_classes == y[:, None])
    return nask.AttributedGraph(n_nodes, edges, node_features=words), y

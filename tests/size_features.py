"""Features of graphs that take no time to compute."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin


class SizeFeatures(TransformerMixin, BaseEstimator):
    """Rows that depend on one graph each, with the contract of ``NASKFeatures``."""

    def __init__(self, n_components=4, n_hops=3, random_state=0, n_jobs=None, verbose=False):
        self.n_components = n_components
        self.n_hops = n_hops
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y=None):
        self.n_attributes_ = max(len(graph.node_attributes) for graph in X)
        return self

    def transform(self, X):
        powers = 1.0 + self.random_state + np.arange(self.n_components)
        sizes = np.array([[graph.n_nodes + 10 * graph.n_edges] for graph in X])
        return (sizes ** (1 / powers)).astype(np.float32)

"""What the workers of a test cluster import: work to do, and counts of what arrived."""

import os
import signal

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from nask.execution.cluster import task_memory
from nask.kernels.gram_work import GramWork

arrivals = []


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


class Payload:
    """Counts how often it arrives in a process, and squares numbers."""

    def __init__(self):
        self.numbers = np.zeros(100_000)

    def __setstate__(self, state):
        self.__dict__.update(state)
        arrivals.append("payload")

    def __call__(self, place):
        return place**2, os.getpid(), len(arrivals)


class Memory:
    def __call__(self, place):
        return task_memory()


class Failing:
    def __call__(self, place):
        raise ValueError(f"no {place}")


class Deadly:
    """Ends the worker that takes it up."""

    def __call__(self, place):
        os.kill(os.getpid(), signal.SIGKILL)


def count_comparisons():
    """Count from now on how often a comparison, with all its graphs, arrives in this process."""
    arrivals.clear()

    def arrive(self, state):
        self.__dict__.update(state)
        arrivals.append("comparison")

    GramWork.__setstate__ = arrive


def n_arrived():
    return len(arrivals)


def forget_arrivals():
    arrivals.clear()

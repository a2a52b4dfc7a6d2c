"""Regularized Wasserstein kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed, effective_n_jobs

from nask.baselines.encoding import NodeEncoder
from nask.baselines.kernels.base import Floats, GraphKernel, KernelClassifier
from nask.baselines.kernels.scg import Side, Weights, transport
from nask.engines.threads import in_threads
from nask.graph.attributed_graph import AttributedGraph

GRID: Mapping[str, Sequence[Any]] = {"n_hops": (1, 2), "gamma": (0.1, 1.0, 1e1, 1e2)}
# The longest walk of those that say where a node is in its graph.
LONGEST_WALK = 6


class Structure(NamedTuple):
    """A graph as the discrepancy sees it."""

    features: Floats
    degrees: Floats
    side: Side


class RWK(GraphKernel):
    def __init__(
        self,
        n_hops: int = 2,
        local: float = 0.1,
        connectivity: float = 1.0,
        ridge: float = 1e-4,
        epsilon: float = 0.1,
        gamma: float = 1.0,
        n_steps: int = 10,
        n_scalings: int = 50,
        tolerance: float = 1e-4,
        n_jobs: int | None = None,
    ) -> None:
        self.n_hops = n_hops
        self.local = local
        self.connectivity = connectivity
        self.ridge = ridge
        self.epsilon = epsilon
        self.gamma = gamma
        self.n_steps = n_steps
        self.n_scalings = n_scalings
        self.tolerance = tolerance
        self.n_jobs = n_jobs

    form = ("gamma",)

    def finish(self, compared: Floats) -> Floats:
        """Kernel from discrepancies."""
        gram: Floats = np.exp(-self.gamma * compared)
        return gram

    def _fit(self, graphs: Sequence[AttributedGraph]) -> None:
        self.encoder_ = NodeEncoder().fit(graphs)
        self.feature_scale_ = self.walk_scale_ = 1.0
        plain = self._structures(graphs)
        rows = np.concatenate([structure.features for structure in plain])
        # Root mean square distances, of any two nodes and of two nodes of a graph.
        self.feature_scale_ = float(np.sqrt(2 * rows.var(axis=0).sum())) or 1.0
        squares = [np.mean(structure.side.C**2) for structure in plain if len(structure.features)]
        self.walk_scale_ = float(np.sqrt(np.mean(squares))) or 1.0
        self.training_ = self._structures(graphs)
        self.own_ = self._own(self.training_)

    def _compare(self, graphs: Sequence[AttributedGraph] | None) -> Floats:
        training = self.training_
        others = training if graphs is None else self._structures(graphs)
        own = self.own_ if graphs is None else self._own(others)
        result = np.zeros((len(others), len(training)))
        lengths = [i if graphs is None else len(training) for i in range(len(others))]
        tasks = (
            delayed(self._row)(other, training[:length])
            for other, length in zip(others, lengths, strict=True)
        )
        rows = in_threads(tasks, effective_n_jobs(self.n_jobs))
        for i, (length, row) in enumerate(zip(lengths, rows, strict=True)):
            result[i, :length] = row - (own[i] + self.own_[:length]) / 2
        return result + result.T if graphs is None else result

    def _own(self, structures: Sequence[Structure]) -> Floats:
        tasks = (delayed(self._row)(structure, [structure]) for structure in structures)
        return np.concatenate([*in_threads(tasks, effective_n_jobs(self.n_jobs)), np.empty(0)])

    def _row(self, structure: Structure, others: Sequence[Structure]) -> Floats:
        return np.array([self._discrepancy(structure, other) for other in others], dtype=float)

    def _discrepancy(self, first: Structure, second: Structure) -> float:
        n, m = len(first.features), len(second.features)
        if not n or not m:
            return 0.0 if n == m else np.inf
        weights = Weights(self.local, self.connectivity, self.ridge, self.epsilon)
        cost = _distances(first.features, second.features)
        cost -= self.epsilon * _log_joint_degrees(first.degrees, second.degrees)
        value, _ = transport(
            cost, first.side, second.side, weights, self.n_steps, self.n_scalings, self.tolerance
        )
        constant = np.mean(first.side.C**2) + np.mean(second.side.C**2)
        return float(value + self.connectivity * constant)

    def _structures(self, graphs: Sequence[AttributedGraph]) -> list[Structure]:
        vectors = self.encoder_.transform(graphs)
        return [self._structure(g, x.astype(float)) for g, x in zip(graphs, vectors, strict=True)]

    def _structure(self, graph: AttributedGraph, vectors: Floats) -> Structure:
        n = graph.n_nodes
        adjacency = np.zeros((n, n))
        u, v = graph.edges.T
        adjacency[u, v] = adjacency[v, u] = 1.0
        degrees = adjacency.sum(axis=1)
        known = np.maximum(degrees, 1)
        laplacian = np.diag(1.0 * (degrees > 0)) - adjacency / np.sqrt(np.outer(known, known))
        features = vectors
        if self.n_hops:
            shifted = np.linalg.matrix_power(laplacian, self.n_hops) @ vectors / 2
            features = np.hstack([vectors, np.abs(vectors - shifted)])
        step = adjacency / known[:, None]
        walks = sum((np.linalg.matrix_power(step, k) for k in range(1, LONGEST_WALK + 1)))
        walks = walks / (LONGEST_WALK * self.walk_scale_)
        ends = np.argwhere(laplacian)
        side = Side(_distances(walks, walks), walks @ walks.T, ends, laplacian[tuple(ends.T)])
        return Structure(features / self.feature_scale_, (1 + degrees) / (1 + degrees).sum(), side)


class RWKClassifier(KernelClassifier):
    kernel_type = RWK
    default_grid = GRID


def _distances(rows: Floats, others: Floats) -> Floats:
    """Euclidean distances."""
    squares = (rows**2).sum(axis=1)[:, None] + (others**2).sum(axis=1) - 2 * rows @ others.T
    return np.sqrt(np.maximum(squares, 0.0))


def _log_joint_degrees(first: Floats, second: Floats) -> Floats:
    """Logarithm of the joint distribution of degrees."""
    likeness = np.minimum.outer(first, second) / np.maximum.outer(first, second)
    return np.log(likeness / likeness.sum())

"""The rate of arithmetic that the comparison of numerical attributes reaches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from generated import median_seconds, random_graphs
from threadpoolctl import threadpool_limits

import nask

# Per attribute and pair of nodes in the training range: two products, the smaller, a sum.
OPERATIONS = 4
FEW, MANY = 64, 128
SIDE = 2000


def arithmetic(n_graphs: int, n_nodes: int, repeats: int) -> dict[str, Any]:
    """Operations per second of one thread in float64: of a matrix product, and of stage P."""
    pairs = n_nodes**2 * n_graphs * (n_graphs + 1) // 2
    few, many = (_gram_seconds(n_graphs, n_nodes, n, repeats) for n in (FEW, MANY))
    of_one = (many - few) / (MANY - FEW) / pairs
    return {
        "peak_gflops": peak_gflops(repeats),
        "p_gflops": OPERATIONS / of_one / 1e9,
        "p_nanoseconds": of_one * 1e9,
        "pairs": pairs,
    }


def peak_gflops(repeats: int) -> float:
    """Rate of a product of two square matrices, the best use of the vector units."""
    a = np.random.default_rng(0).standard_normal((SIDE, SIDE))
    with threadpool_limits(1):
        seconds = best_seconds(lambda: a @ a, repeats)
    return 2 * SIDE**3 / seconds / 1e9


def best_seconds(compute: Callable[[], object], repeats: int) -> float:
    """Seconds of the shortest of several calls, least disturbed by other programs."""
    return min(median_seconds(compute, 1) for _ in range(repeats))


def _gram_seconds(n_graphs: int, n_nodes: int, n_attributes: int, repeats: int) -> float:
    """A pass over all pairs of graphs, without the checks and self-comparisons of fit."""
    graphs = random_graphs(n_graphs, n_nodes, n_attributes)
    kernel = nask.NASK(n_hops=1, n_jobs=1, engine="pairwise")
    kernel.fit_transform(graphs[:2])
    whole = best_seconds(lambda: kernel.fit_transform(graphs), repeats)
    return whole - best_seconds(lambda: kernel.fit(graphs), repeats)

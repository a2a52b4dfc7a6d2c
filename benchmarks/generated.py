"""Time against the size of the input, on random graphs, and against threads."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import nask

DEGREE = 4
# Number of last points that are fitted: with small inputs constant costs dominate.
FITTED = 3


def random_graphs(
    n_graphs: int, n_nodes: int, n_attributes: int, seed: int = 0
) -> list[nask.AttributedGraph]:
    """Random graphs with a mean degree of 4 and normal numbers at their nodes."""
    rng = np.random.default_rng(seed)
    pairs = np.stack(np.triu_indices(n_nodes, 1), axis=1)
    n_edges = min(n_nodes * DEGREE // 2, len(pairs))
    result = []
    for _ in range(n_graphs):
        edges = pairs[rng.choice(len(pairs), n_edges, replace=False)]
        values = rng.standard_normal((n_attributes, n_nodes))
        columns = {f"x{k}": own for k, own in enumerate(values)}
        result.append(nask.AttributedGraph(n_nodes, edges, columns))
    return result


def scaling(axis: str, values: Sequence[int], base: dict[str, int], repeats: int) -> dict[str, Any]:
    """Median seconds of a nested Gram matrix by the value of one quantity, others as in base."""
    points = []
    for value in values:
        size = base | {axis: value}
        graphs = random_graphs(size["graphs"], size["nodes"], size["attributes"])
        kernel = nask.NASK(n_hops=size["hops"], n_jobs=size["threads"])
        kernel.fit_transform(graphs[:4])
        points.append((value, median_seconds(partial(kernel.fit_transform, graphs), repeats)))
    return {"points": points}


def threads(dataset: str, n_hops: int, pairs: int) -> dict[str, Any]:
    """Seconds of a nested Gram matrix with one thread and with two, alternating.

    The speed of a shared computer drifts from minute to minute; the ratio of two calls one after
    the other does not.
    """
    graphs = nask.load_dataset(dataset).graphs
    kernels = [nask.NASK(n_hops=n_hops, n_jobs=n) for n in (1, 2)]
    seconds: list[list[float]] = []
    for kernel in kernels:
        kernel.fit_transform(graphs)
    for _ in range(pairs):
        seconds.append([median_seconds(partial(k.fit_transform, graphs), 1) for k in kernels])
    return {"seconds": seconds}


def median_seconds(compute: Callable[[], object], repeats: int) -> float:
    """Median wall-clock time of several calls."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        compute()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def power_law(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Exponent and factor of seconds = factor * x ** exponent, by the last points.

    Least squares of the logarithms.
    """
    x, y = np.log(np.asarray(points[-FITTED:], dtype=np.float64)).T
    exponent, intercept = np.polyfit(x, y, 1)
    return float(exponent), float(np.exp(intercept))

"""Linear-time features: time against size, accuracy against the exact kernel, a large network."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from generated import median_seconds
from measure import forget_peak, memory_mb
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

import nask
from nask.arrays import Array, Float32
from nask.learning.centring import Centring
from nask.learning.linear import fit_linear

FOLDS = 10
C = 10.0


def feature_scaling(
    axis: str, values: Sequence[int], base: dict[str, int], repeats: int
) -> dict[str, Any]:
    """Median seconds of the features of all nodes of a network, for each value of one quantity."""
    points = []
    for value in values:
        size = base | {axis: value}
        network = nask.lab.make_social_network(size["nodes"], size["degree"]).graph
        features = nask.NASKFeatures(
            n_components=size["components"], n_hops=size["hops"], level="node",
            n_jobs=size["threads"],
        )  # fmt: skip
        compute = partial(features.fit_transform, network)
        points.append((value, median_seconds(compute, repeats)))
    return {"points": points}


def feature_accuracy(
    dataset: str,
    parameters: dict[str, Any],
    components: Sequence[int],
    seeds: int,
    repeats: int,
) -> dict[str, Any]:
    """Accuracy in % of a support vector machine on the exact kernel and on features.

    The parameters and C are given, not chosen, so that only the kernel differs. Ten folds are
    drawn ``repeats`` times; features are computed with several seeds.
    """
    data = nask.load_dataset(dataset)
    y = np.asarray(data.y)
    start = time.perf_counter()
    exact = nask.NASK(n_jobs=2, **parameters).fit_transform(data.graphs)
    result: dict[str, Any] = {
        "exact": _accuracy(exact, y, repeats), "exact_seconds": time.perf_counter() - start,
    }  # fmt: skip
    others = ~np.eye(len(y), dtype=bool)
    for n in components:
        found: list[tuple[float, float, float]] = []
        for seed in range(seeds):
            start = time.perf_counter()
            model = nask.NASKFeatures(n_components=n, random_state=seed, n_jobs=2, **parameters)
            rows = model.fit_transform(data.graphs).astype(np.float64)
            seconds = time.perf_counter() - start
            gram = rows @ rows.T
            error = np.sqrt(np.mean((gram - exact)[others] ** 2) / np.mean(exact[others] ** 2))
            found.append((_accuracy(gram, y, repeats), float(100 * error), seconds))
        result[str(n)] = found
    return result


def _accuracy(gram: Array, y: Array, repeats: int) -> float:
    """Accuracy in %. A linear SVM on features is an SVM on the matrix of their products."""
    right = []
    for seed in range(repeats):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        for train, test in folds.split(y, y):
            square = gram[np.ix_(train, train)]
            centring = Centring.fit(square)
            svm = SVC(kernel="precomputed", C=C).fit(centring.apply(square), y[train])
            right.append(svm.score(centring.apply(gram[np.ix_(test, train)]), y[test]))
    return float(100 * np.mean(right))


def network(
    n_nodes: int, degree: float, n_components: int, n_hops: int, memory_limit: str | None = None
) -> dict[str, Any]:
    """Features of a large network and a linear classifier, from the graph to the predictions.

    Half of the nodes are for training, a quarter is predicted, and the other quarter is not used.
    The same linear SVM is also fitted on the raw attributes, scaled, with a column for each
    category and for missing values. No parameter is chosen. With a ``memory_limit`` that features
    of float32 would not fit, they are of float16.
    """
    start = time.perf_counter()
    data = nask.lab.make_social_network(n_nodes, degree)
    made = time.perf_counter() - start
    # Compiled code is loaded, or compiled, before the clock starts.
    small = nask.lab.make_social_network(1000)
    _classifier(n_components, n_hops, memory_limit).fit(small.graph, small.y, small.train).predict(
        small.graph
    )
    forget_peak()
    start, cpu_start = time.perf_counter(), time.process_time()
    model = _classifier(n_components, n_hops, memory_limit).fit(data.graph, data.y, data.train)
    predicted = model.predict(data.graph, data.test)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    peak = memory_mb("VmHWM") / 1000
    truth = data.y[data.test]
    raw = raw_attributes(data.graph)
    svm = fit_linear(raw, data.y[data.train], C, rows=data.train, n_jobs=2)
    by_raw = svm.predict(raw, rows=data.test)
    return {
        "n_nodes": data.graph.n_nodes,
        "n_edges": data.graph.n_edges,
        "dtype": model.features_.dtype,
        "n_train": len(data.train),
        "largest_degree": int(data.graph.degrees().max()),
        "made_seconds": made,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "peak_gb": peak,
        "accuracy": float(100 * np.mean(predicted == truth)),
        "raw_accuracy": float(100 * np.mean(by_raw == truth)),
        "majority": float(100 * np.bincount(truth).max() / len(truth)),
    }


def _classifier(
    n_components: int, n_hops: int, memory_limit: str | None
) -> nask.NASKNodeClassifier:
    return nask.NASKNodeClassifier(
        method="features",
        n_components=n_components,
        n_hops=n_hops,
        C=C,
        n_jobs=2,
        memory_limit=memory_limit,
    )


def raw_attributes(graph: nask.AttributedGraph) -> Float32:
    """Numbers scaled to deviation 1, a column per category, and one for missing values."""
    columns = []
    for attribute in graph.node_attributes.values():
        missing = attribute.missing
        if attribute.kind == "numerical":
            values = np.where(missing, np.nanmean(attribute.data), attribute.data)
            columns.append((values - values.mean()) / (values.std() or 1.0))
        else:
            columns += [attribute.data == code for code in range(len(attribute.categories))]
        columns.append(missing)
    return np.stack(columns, axis=1).astype(np.float32)

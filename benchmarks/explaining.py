"""One measurement of explanations: a model on a fold, and all explainers of it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from explained_sets import Fold, load_fold
from fidelity import fidelity, order, random_orders
from node_scores import SHOWN, candidates
from sklearn.metrics import roc_auc_score

import nask
from nask.arrays import Array, Float64
from nask.lab import ExplainedDataset

NASK, GIN, RANDOM = "nask", "GIN", "random"
GRID = {
    "gamma": (0.5, 2.0, 8.0),
    "gamma_star": (4.0, 16.0, 64.0, 256.0),
    "n_hops": (3,),
}
# Graphs without attributes have nothing but their degrees.
DEGREE = {"degree": ("categorical", "numerical")}
RANDOM_ORDERS = 5

Explained = tuple[dict[str, Float64], dict[str, Float64]]
"""Scores of nodes by name; of attributes of nodes, signed and absolute."""


def explanations(
    name: str,
    model: str,
    *,
    seed: int,
    fold: int,
    n_explained: int,
    n_graphs: int | None = None,
    epochs: dict[str, int] | None = None,
) -> dict[str, Any]:
    """Fit a model on a fold and judge every explainer of it.

    Parameters
    ----------
    name : str
        The set.
    model : {"nask", "GIN"}
    seed, fold, n_explained, n_graphs
        As in :func:`load_fold`.
    epochs : dict of int, optional
        Fewer epochs of the GIN ("GIN") and of explainers, to see that all works.
    """
    warnings.simplefilter("ignore")
    given = load_fold(name, seed, fold, n_explained, n_graphs)
    start = time.perf_counter()
    fitted, explainers = (_nask if model == NASK else _gin)(given, epochs or {})
    result: dict[str, Any] = {
        "accuracy": float(np.mean(fitted.predict(given.graphs(given.test)) == given.y[given.test])),
        "seconds_fit": time.perf_counter() - start,
        "n_explained": len(given.explained),
    }
    judge = _against_truth if isinstance(given.data, ExplainedDataset) else _by_the_model
    graphs = given.graphs(given.explained)
    result["explainers"] = {}
    for method, explain in explainers:
        start = time.perf_counter()
        found = [explain(graph) for graph in graphs]
        seconds = (time.perf_counter() - start) / max(1, len(graphs))
        result["explainers"][method] = {"seconds": seconds, **judge(given, found, fitted)}
    if judge is _by_the_model:
        result["explainers"][RANDOM] = {"scores": {RANDOM: _random(graphs, fitted)}}
    return result


def _nask(given: Fold, epochs: dict[str, int]) -> tuple[Any, Any]:
    graphs, y = given.graphs(given.train), given.y[given.train]
    bare = not any(graph.node_attributes for graph in graphs)
    grid = {**GRID, **(DEGREE if bare else {})}
    model = nask.TunedNASKClassifier(grid=grid).fit(graphs, y)

    def explain(graph: nask.AttributedGraph) -> Explained:
        [predicted] = model.predict([graph])
        why = model.explain(graph, target=predicted)
        names = sorted(why.attribute_names)
        columns = [why.attribute_names.index(name) for name in names]
        shares = why.attributes[:, columns]
        return candidates(why), {"signed": shares, "absolute": np.abs(shares)}

    return model, [(NASK, explain)]


def _gin(given: Fold, epochs: dict[str, int]) -> tuple[Any, Any]:
    import torch
    from network_explainers import EXPLAINERS, NetworkExplainers, fit_gin

    torch.set_num_threads(1)
    graphs, y = given.graphs(given.train), given.y[given.train]
    gin, prepare = fit_gin(graphs, y, epochs.get(GIN, 100))
    explainers = NetworkExplainers(gin, [prepare(graph) for graph in graphs], epochs)

    class Prepared:
        """The network, for graphs as they are."""

        @staticmethod
        def predict(graphs: Sequence[nask.AttributedGraph]) -> Array:
            return gin.predict([prepare(graph) for graph in graphs])

        @staticmethod
        def predict_proba(graphs: Sequence[nask.AttributedGraph]) -> Float64:
            return gin.predict_proba([prepare(graph) for graph in graphs])

    def by(method: str) -> Callable[[nask.AttributedGraph], Any]:
        return lambda graph: explainers.explain(method, prepare(graph))

    return Prepared, [(method, by(method)) for method in EXPLAINERS]


def _against_truth(given: Fold, found: Sequence[Explained], fitted: Any) -> dict[str, Any]:
    """Areas under the ROC curve of nodes, of attributes, and of attributes of nodes."""
    data: Any = given.data
    masks = [data.truth[k] for k in given.explained]
    result: dict[str, Any] = {
        "scores": {
            name: {
                "auc": _mean_auc(masks, [scores[name] for scores, _ in found]),
                "pooled": float(
                    roc_auc_score(
                        np.concatenate(masks), np.concatenate([own[name] for own, _ in found])
                    )
                ),
            }
            for name in found[0][0]
        }
    }
    if data.causes and found[0][1]:
        names = sorted(data.graphs[0].node_attributes)
        cause = np.array([name in data.causes for name in names])
        both = [np.outer(mask, cause).ravel() for mask in masks]
        for kind in found[0][1]:
            shares = [own[kind] for _, own in found]
            totals = _mean_auc([cause] * len(shares), [own.sum(axis=0) for own in shares])
            result.setdefault("attributes", {})[kind] = totals
            of_nodes = _mean_auc(both, [own.ravel() for own in shares])
            result.setdefault("attributes of nodes", {})[kind] = of_nodes
    return result


def _mean_auc(masks: Sequence[Array], scores: Sequence[Float64]) -> float:
    return float(np.mean([roc_auc_score(*each) for each in zip(masks, scores, strict=True)]))


def _by_the_model(given: Fold, found: Sequence[Explained], fitted: Any) -> dict[str, Any]:
    """Fidelity of every score of nodes, judged by the model that was explained."""
    graphs = given.graphs(given.explained)
    rng = np.random.default_rng(0)
    return {
        "scores": {
            name: fidelity(
                graphs, [order(own[name], rng) for own, _ in found], fitted.predict_proba
            )
            for name in _few(found[0][0])
        }
    }


def _few(scores: dict[str, Float64]) -> Iterator[str]:
    """All scores of a network, and those of nask that are shown: each takes a while."""
    yield from (name for name in scores if SHOWN[0] not in scores or name in SHOWN)


def _random(graphs: Sequence[nask.AttributedGraph], fitted: Any) -> dict[str, float]:
    runs = [
        fidelity(graphs, random_orders(graphs, k), fitted.predict_proba)
        for k in range(RANDOM_ORDERS)
    ]
    return {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}

"""How a model's own decision follows the order in which an explanation puts nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import nask
from nask.arrays import Array, Float64, Positions

# Shares of nodes that are removed, or kept.
SHARES = np.arange(0.1, 0.95, 0.1)
# Shares at which fidelity+ and fidelity- are taken, as explanations are meant to be small.
SMALL = (0.1, 0.2, 0.3, 0.4, 0.5)


def order(scores: Float64, rng: np.random.Generator) -> Positions:
    """Return nodes by falling score; equal ones at random, since their numbers may tell a lot."""
    return np.lexsort((rng.random(len(scores)), -scores))


def fidelity(
    graphs: Sequence[nask.AttributedGraph],
    orders: Sequence[Positions],
    predict_proba: Callable[[Any], Float64],
) -> dict[str, float]:
    """Remove the first nodes of each order, or keep nothing else, and ask the model again.

    Parameters
    ----------
    graphs : sequence of AttributedGraph
        With two nodes or more.
    orders : sequence of ndarray
        All nodes of each graph, the most important one first.
    predict_proba : callable
        Probabilities of classes, (m, n_classes), of a list of graphs.

    Returns
    -------
    dict of float
        ``deletion`` and ``insertion``: mean probability of the class that is predicted for the
        whole graph, over SHARES of nodes that are removed, or kept. ``fidelity+`` and
        ``fidelity-``: how often the prediction changes if the first nodes are removed, or if
        nothing else is kept, mean over SMALL; torch_geometric's definition for explanations of a
        model. ``characterization``: the harmonic mean of fidelity+ and 1 - fidelity-.
    """
    whole = predict_proba(list(graphs))
    predicted: Positions = whole.argmax(axis=1)
    kept = {"deletion": [], "insertion": []}  # type: dict[str, list[Float64]]
    changed = {"deletion": [], "insertion": []}  # type: dict[str, list[float]]
    for share in SHARES:
        sizes = [_size(share, graph.n_nodes) for graph in graphs]
        parts = {
            "deletion": [nodes[size:] for nodes, size in zip(orders, sizes, strict=True)],
            "insertion": [nodes[:size] for nodes, size in zip(orders, sizes, strict=True)],
        }
        for name, nodes_of in parts.items():
            pairs = zip(graphs, nodes_of, strict=True)
            smaller = [graph.induced(np.sort(nodes)) for graph, nodes in pairs]
            probability = predict_proba(smaller)
            kept[name].append(probability[np.arange(len(graphs)), predicted])
            if np.isclose(share, SMALL).any():
                changed[name].append(float((probability.argmax(axis=1) != predicted).mean()))
    plus, minus = (float(np.mean(changed[name])) for name in ("deletion", "insertion"))
    return {
        "deletion": float(np.mean(kept["deletion"])),
        "insertion": float(np.mean(kept["insertion"])),
        "fidelity+": plus,
        "fidelity-": minus,
        "characterization": characterization(plus, minus),
    }


def characterization(plus: float, minus: float) -> float:
    """Harmonic mean of fidelity+ and 1 - fidelity-, as torch_geometric has it.

    Examples
    --------
    >>> characterization(0.5, 0.5), characterization(0.0, 0.5)
    (0.5, 0.0)
    """
    if plus == 0 or minus == 1:
        return 0.0
    return 2 / (1 / plus + 1 / (1 - minus))


def _size(share: float, n_nodes: int) -> int:
    """Number of nodes: at least one, and never all."""
    return int(np.clip(round(share * n_nodes), 1, n_nodes - 1))


def random_orders(graphs: Sequence[nask.AttributedGraph], seed: int) -> list[Array]:
    """Return the nodes of each graph in random order."""
    rng = np.random.default_rng(seed)
    return [rng.permutation(graph.n_nodes) for graph in graphs]

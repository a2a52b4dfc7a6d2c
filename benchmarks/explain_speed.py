"""Measure how long explanations take beside predictions, and print a table.

::

    python benchmarks/explain_speed.py MUTAG BZR ENZYMES Cora Citeseer Cora+walks

``Cora+walks`` is a model of nodes with ``restart=0.1``, so that most nodes have shares.

For each set the median over some graphs, or nodes, of the best of three runs, and its ratio to that
of ``predict`` about the same graph. Both run in one process, one after the other.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import nask

N_ITEMS, N_RUNS = 15, 3
SETS = ["MUTAG", "BZR", "ENZYMES", "Cora", "Citeseer", "Cora+walks"]
NETWORKS = ("Cora", "Citeseer", "Pubmed")
WALKS = "+walks"


def graph_work(name: str) -> Iterator[list[Callable[[], Any]]]:
    """Yield predict, explain, and explain with attributes and edges, for some graphs."""
    data: Any = nask.load_dataset(name)
    model = nask.NASKClassifier().fit(data.graphs[::2], data.y[::2])
    for graph in data.graphs[1 : 2 * N_ITEMS : 2]:
        yield [
            partial(model.predict, [graph]),
            partial(_shares, model, "nodes", graph),
            partial(_shares, model, "members", graph),
        ]


def node_work(name: str) -> Iterator[list[Callable[[], Any]]]:
    """Yield the same for nodes of a network."""
    data: Any = nask.load_dataset(name.removesuffix(WALKS))
    restart = 0.1 if name.endswith(WALKS) else None
    model = nask.NASKNodeClassifier(n_hops=2, restart=restart)
    model.fit(data.graph, data.y, data.train)
    for node in data.test[:N_ITEMS].tolist():
        yield [
            partial(model.predict, data.graph, [node]),
            partial(_shares, model, "hops", data.graph, node),
            partial(_shares, model, "members", data.graph, node),
        ]


def _shares(model: Any, name: str, *where: Any) -> Any:
    return getattr(model.explain(*where), name)


def seconds(work: Callable[[], Any]) -> float:
    """Return the best of some runs."""
    found = []
    for _ in range(N_RUNS):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def main(names: list[str]) -> None:
    """Print one line per set."""
    print("| set | predict ms | shares of stars ms | ratio | all shares ms | ratio |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in names:
        work = node_work if name.removesuffix(WALKS) in NETWORKS else graph_work
        times = np.array([[seconds(own) for own in each] for each in work(name)])
        predict, stars, everything = 1000 * np.median(times, axis=0)
        ratios = np.median(times[:, 1:] / times[:, :1], axis=0)
        cells = (
            f"{predict:.1f} | {stars:.1f} | {ratios[0]:.1f} | {everything:.1f} | {ratios[1]:.1f}"
        )
        print(f"| {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or SETS)

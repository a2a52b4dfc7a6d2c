"""What a search finds and costs: recall, queries per second, time and memory to build an index.

    OMP_NUM_THREADS=1 python benchmarks/search.py --sizes 20000 100000
    OMP_NUM_THREADS=1 python benchmarks/search.py --sizes 100000 --only peer   # needs pynndescent
    NASK_DATA=<folder of zips> OMP_NUM_THREADS=1 python benchmarks/search.py --datasets NCI1 DD

Graphs are made like molecules: rings, chains and branches, of 25 atoms on average, with an element,
a charge and hydrogens per atom and a kind per bond. No two are related, so that hundreds of them
are nearly as similar to a query as the ten best. The queries of a dataset are every so many of its
graphs, which are left out of the index. Seconds are processor time, of one core.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from measure import memory_mb

import nask
from nask.arrays import Floats
from nask.optional import require
from nask.search.first_stage import FirstStage
from nask.search.methods import BLOCK_NUMBERS
from nask.search.ranking import best_first

ELEMENTS, SHARES = ("C", "N", "O", "S", "F", "Cl"), (0.72, 0.1, 0.12, 0.02, 0.02, 0.02)
CHARGES = np.array([0.0, -0.5, -0.6, -0.1, -0.3, -0.1])
K, SINGLE = 10, 20
CANDIDATES = (10, 50, 100, 200, 500, 1000)
COMPONENTS = (512, 1024, 2048)
Result = TypeVar("Result")
Graphs = Sequence[nask.AttributedGraph]


def molecules(n_graphs: int, seed: int) -> list[nask.AttributedGraph]:
    """Graphs like molecules, of fragments joined by single bonds."""
    draw = np.random.default_rng(seed)
    return [_molecule(draw) for _ in range(n_graphs)]


def _molecule(draw: np.random.Generator) -> nask.AttributedGraph:
    edges: list[tuple[int, int]] = []
    bonds: list[str] = []
    n, wanted = 0, max(5, int(draw.normal(25, 6)))
    while n < wanted:
        kind = int(draw.integers(4))
        size = (6, 5, int(draw.integers(1, 5)), int(draw.integers(3, 5)))[kind]
        if kind < 2:
            own = [(i, (i + 1) % size) for i in range(size)]
        else:
            own = [(i, i + 1) if kind == 2 else (0, i + 1) for i in range(size - 1)]
        double = 1.0 if kind == 0 else (0.0, 0.0, 0.15, 0.3)[kind]
        name = "aromatic" if kind == 0 else "double"
        bonds += [name if draw.random() < double else "single" for _ in own]
        edges += [(u + n, v + n) for u, v in own]
        if n:
            edges.append((int(draw.integers(n)), n + int(draw.integers(size))))
            bonds.append("single")
        n += size
    element = draw.choice(len(ELEMENTS), n, p=SHARES)
    degree = np.bincount(np.ravel(edges).astype(int), minlength=n)
    atoms = {
        "element": [ELEMENTS[own] for own in element],
        "charge": CHARGES[element] + 0.05 * degree + 0.1 * draw.normal(size=n),
        "hydrogens": np.maximum(0, 4 - degree - (element > 0)),
    }
    return nask.AttributedGraph(n, edges, atoms, {"bond": bonds})


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """The result, and seconds of processor time."""
    start = time.process_time()
    return work(), time.process_time() - start


def exact_rows(kernel: nask.NASK, queries: Graphs) -> Floats:
    """The exact similarities of queries, some at a time."""
    return np.vstack([kernel.transform(queries[i : i + 50]) for i in range(0, len(queries), 50)])


def recall(best: Iterable[Any], chosen: Iterable[Any]) -> float:
    """The share of the best graphs that were chosen, on average over queries."""
    shares = [
        len(np.intersect1d(own, found)) / len(own) for own, found in zip(best, chosen, strict=True)
    ]
    return float(np.mean(shares))


def searched(name: str, graphs: Graphs, queries: Graphs) -> None:
    """Print how an index of some graphs does in either way."""
    nask.Index(graphs[:20], method="features").query(queries[:2])  # compiled code is loaded
    nask.Index(graphs[:20]).query(queries[:2])
    nodes = sum(graph.n_nodes for graph in graphs) / len(graphs)
    best: list[Any] = []
    for method in ("exact", "features"):
        index = None  # that of the other method, before memory is looked at
        gc.collect()
        before = memory_mb("VmRSS")
        index, build = timed(partial(nask.Index, graphs, method=method))
        memory = memory_mb("VmRSS") - before
        one_by_one = (partial(index.query, query, K) for query in queries[:SINGLE])
        single = sum(timed(query)[1] for query in one_by_one) / SINGLE
        hits, together = timed(partial(index.query, queries, K))
        found = [own.positions for own in hits]
        best = best or found
        print(
            f"| {name} | {len(graphs)} | {nodes:.0f} | {method} | {build:.1f} | {memory:.0f} "
            f"| {1000 * single:.0f} | {1000 * together / len(queries):.0f} "
            f"| {recall(best, found):.3f} |",
            flush=True,
        )


def by_candidates(name: str, graphs: Graphs, queries: Graphs) -> None:
    """Print how many of the ten best graphs are among the largest products of features."""
    kernel = nask.NASK().fit(graphs)
    best = [best_first(own, K) for own in exact_rows(kernel, queries)]
    for n_components in COMPONENTS:
        first, build = timed(partial(FirstStage.of, graphs, kernel, n_components, 0))
        cells = [recall(best, first.candidates(queries, n, BLOCK_NUMBERS)) for n in CANDIDATES]
        megabytes = first.rows.nbytes / 1e6
        shares = " | ".join(f"{own:.3f}" for own in cells)
        print(f"| {name} | {n_components} | {megabytes:.0f} | {build:.0f} | {shares} |", flush=True)


def peer(name: str, graphs: Graphs, queries: Graphs) -> None:
    """Print what an approximate index of the features would cost and find in place of products."""
    kernel = nask.NASK().fit(graphs)
    best = [best_first(own, K) for own in exact_rows(kernel, queries)]
    first = FirstStage.of(graphs, kernel, 1024, 0)
    wanted = first.features.transform(queries)
    of_product = list(first.candidates(queries, 500, BLOCK_NUMBERS))
    for query in wanted[:2]:
        _ = first.rows @ query
    seconds = timed(lambda: [first.rows @ query for query in wanted[:SINGLE]])[1] / SINGLE
    row = f"| {name} | product | 0 | {1000 * seconds:.1f} | {recall(best, of_product):.3f} |"
    print(row, flush=True)
    descent: Any = require("pynndescent", "bench").NNDescent

    def build() -> Any:
        found = descent(first.rows, metric="dot", n_jobs=1, random_state=0)
        found.prepare()
        return found

    index, seconds = timed(build)
    index.query(wanted[:2], k=500)
    (chosen, _), each = timed(lambda: index.query(wanted, k=500))
    each /= len(queries)
    print(
        f"| {name} | pynndescent | {seconds:.0f} | {1000 * each:.1f} "
        f"| {recall(best, chosen):.3f} |",
        flush=True,
    )


def stored(name: str, graphs: Graphs, queries: Graphs) -> None:
    """Print what it takes to save an index with features and to load it."""
    index = nask.Index(graphs, method="features")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graphs.index"
        _, saving = timed(partial(index.save, path))
        megabytes = path.stat().st_size / 1e6
        again, loading = timed(partial(nask.Index.load, path))
    for own, same in zip(index.query(queries[:5]), again.query(queries[:5]), strict=True):
        np.testing.assert_array_equal(own.positions, same.positions)
    print(
        f"| {name} | {len(graphs)} | {saving:.1f} | {megabytes:.0f} | {loading:.1f} |", flush=True
    )


HEADINGS = {
    searched: "| graphs | number | nodes of each | method | build s | memory MB | one query ms "
    "| each of many ms | recall at 10 |",
    by_candidates: "| graphs | components | memory MB | features s "
    + "".join(f"| of {n} " for n in CANDIDATES)
    + "|",
    stored: "| graphs | number | save s | file MB | load s |",
    peer: "| graphs | first stage | build s | one query ms | recall among 500 |",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[])
    parser.add_argument("--datasets", nargs="*", default=[])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--only", nargs="*", choices=[own.__name__ for own in HEADINGS])
    arguments = parser.parse_args()
    for report, heading in HEADINGS.items():
        if report.__name__ not in (arguments.only or ["searched", "by_candidates"]):
            continue
        print(f"\n{heading}\n|{' --- |' * (heading.count('|') - 1)}")
        for size in arguments.sizes:
            queries = molecules(arguments.queries, arguments.seed + 1)
            report("made", molecules(size, arguments.seed), queries)
        for name in arguments.datasets:
            graphs = nask.load_dataset(name).graphs
            step = max(2, len(graphs) // arguments.queries)
            rest = [graph for place, graph in enumerate(graphs) if place % step]
            report(name, rest, graphs[::step])


if __name__ == "__main__":
    main()

"""What a collection costs: measured rates of one core and bytes of a tile, and from these the
cost of a million graphs.

Tiles are those of ``nask.write_gram``, off the diagonal, each computed by one thread:

    NASK_DATA=<folder of zips> python benchmarks/cluster.py NCI1 ENZYMES --graphs 600
    python benchmarks/cluster.py --cluster    # the same matrix by threads and by two workers
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
from generated import median_seconds, random_graphs

import nask
from nask.execution.execution import Execution
from nask.kernels.gram_work import GramWork
from nask.optional import require
from nask.storage.contents import Contents
from nask.storage.window import Window
from nask.storage.zarr_chunks import ZarrStore

MILLION = 10**6
NODES, ATTRIBUTES = 30, 10
REPEATS = 2


@dataclass(frozen=True)
class Rates:
    """Rates of one core, on one collection."""

    name: str
    engine: str
    nodes: float
    side: int
    graph_pairs: float
    node_pairs: float
    sent: float

    def core_hours(self, n_graphs: int) -> float:
        """Core-hours of all pairs, each once."""
        return n_graphs * (n_graphs + 1) / 2 / self.graph_pairs / 3600


def training_work(kernel: nask.NASK) -> GramWork:
    fitted = kernel.fitted_
    return fitted.gram_work(fitted.graphs, fitted.graphs)


def rates(name: str, graphs: Sequence[nask.AttributedGraph], **options: Any) -> Rates:
    """Time one tile; graphs are repeated where there are too few of them."""
    whole = nask.NASK(**options).fit(graphs)
    side = min(training_work(whole).side, len(graphs))
    some = [graphs[int(i)] for i in np.resize(np.arange(len(graphs)), 2 * side)]
    # The engine that the whole collection would have: repeated graphs have repeated stars.
    kernel = nask.NASK(**{**options, "engine": whole.engine_}).fit(some)
    work = training_work(kernel)
    tile, one = Window(slice(0, side), slice(side, 2 * side)), Execution(n_jobs=1)
    work.window(Window(slice(0, 8), slice(8, 16)), one)
    seconds = median_seconds(lambda: work.window(tile, one), REPEATS)
    sizes = np.diff(kernel.fitted_.graphs.batch.nodes.ptr)
    node_pairs = float(sizes[:side].sum()) * float(sizes[side:].sum())
    sent = len(pickle.dumps(work, protocol=5)) / len(some)
    return Rates(
        name, whole.engine_, sizes.mean(), side, side**2 / seconds, node_pairs / seconds, sent
    )


def store_rates(side: int) -> tuple[int, float, float]:
    """Bytes of a tile in float64, and seconds to write it with its checksum and to read it."""
    whole = Window.whole(side, side)
    values = np.random.default_rng(0).random((side, side))
    with tempfile.TemporaryDirectory() as folder:
        store = ZarrStore(f"{folder}/k.zarr", Contents("numbers", "", {}))
        chunks = store.chunks("gram", (side, side), (side, side), "float64")
        write = median_seconds(lambda: chunks.write(whole, [(whole, values)]), REPEATS)
        read = median_seconds(lambda: chunks.read(whole), REPEATS)
        return chunks.file(whole).stat().st_size, write, read


def feature_rate(graphs: Sequence[nask.AttributedGraph], features: Any) -> float:
    """Rows per second of one core."""
    features.fit(graphs)
    features.transform(graphs[:4])
    return len(graphs) / median_seconds(lambda: features.transform(graphs), REPEATS)


def by_cluster(graphs: Sequence[nask.AttributedGraph], n_workers: int, chunk: int) -> None:
    """Print the seconds of one matrix: by threads here, and by the same number of workers."""
    distributed: Any = require("distributed", "dask")

    def seconds(scheduler: Any, n_jobs: int) -> float:
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            kernel = nask.NASK(engine="pairwise", n_jobs=n_jobs)
            nask.write_gram(kernel, graphs, f"{folder}/k.zarr", scheduler, chunk=chunk)
            return time.perf_counter() - start

    seconds(None, n_workers)
    print(f"{n_workers} threads, no Dask: {seconds(None, n_workers):.2f} s")
    with ExitStack() as stack:
        cluster = distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        )
        client = stack.enter_context(distributed.Client(stack.enter_context(cluster)))
        print(f"{n_workers} workers, first call: {seconds(client, n_workers):.2f} s")
        print(f"{n_workers} workers: {seconds(client, n_workers):.2f} s")


def report(found: Sequence[Rates]) -> None:
    print("| graphs | engine | nodes | side | pairs of graphs/s | pairs of nodes/s | bytes sent |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for one in found:
        print(
            f"| {one.name} | {one.engine} | {one.nodes:.1f} | {one.side} | {one.graph_pairs:.3g} "
            f"| {one.node_pairs:.3g} | {one.sent:.0f} |"
        )
    print("\n| a million graphs like | core-hours | days on 1000 cores | GB to each worker |")
    print("| --- | ---: | ---: | ---: |")
    for one in found:
        hours, sent = one.core_hours(MILLION), one.sent * MILLION / 1e9
        print(f"| {one.name} | {hours:,.0f} | {hours / 24e3:.2g} | {sent:.1f} |")


def print_features(collections: dict[str, Sequence[nask.AttributedGraph]]) -> None:
    make: Callable[..., Any] | None = getattr(nask, "NASKFeatures", None)
    if make is None:
        return
    for name, graphs in collections.items():
        rate = feature_rate(graphs, make(n_jobs=1))
        hours = MILLION / rate / 3600
        print(f"{name}: {rate:.3g} feature rows/s and core; a million, {hours:.2g} core-hours")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="*", help="real sets beside the generated graphs")
    parser.add_argument("--cluster", action="store_true", help="compare threads with two workers")
    parser.add_argument("--graphs", type=int, default=2000, help="generated graphs")
    arguments = parser.parse_args()
    graphs = random_graphs(arguments.graphs, NODES, ATTRIBUTES)
    if arguments.cluster:
        by_cluster(graphs, n_workers=2, chunk=250)
        return
    generated = f"{NODES} nodes, {ATTRIBUTES} numbers"
    collections: dict[str, Sequence[nask.AttributedGraph]] = {generated: graphs}
    collections |= {name: nask.load_dataset(name).graphs for name in arguments.datasets}
    found = [rates(name, own) for name, own in collections.items()]
    found.append(rates(f"{generated}, 1 hop", graphs, n_hops=1))
    report(found)
    n_bytes, write, read = store_rates(1024)
    print(f"\nA tile of 1024 x 1024: {n_bytes} bytes, {write:.3f} s to write, {read:.3f} s to read")
    print_features(collections)


if __name__ == "__main__":
    main()

"""How many rows of random features a second: NASKFeatures beside xGPR's GraphRBF, one thread each.

    OMP_NUM_THREADS=1 python benchmarks/rates.py

Two kinds of drawn graphs: molecules of ``molecules.py``, 25 atoms with an element, a charge and a
mass, and bonds of three orders; and graphs of 30 nodes with 19 numbers each on a ring with chords.
GraphRBF (xGPR 0.4.8, installed by hand, since its licence is for academic use) compares nodes
alone: neither neighbours nor edges. Seconds of the processor, the least of some runs, which take
turns. Results are lines of JSON on standard output.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from molecules import molecules

import nask
from nask.graph.attribute import Attribute

NODES, NUMBERS, CHORDS = 30, 19, 6
HOPS = (1, 2, 3)
RUNS = 5


def numeric(n: int) -> tuple[list[nask.AttributedGraph], npt.NDArray[np.float32]]:
    """Graphs of numbers, and their nodes as one array for xGPR."""
    rng = np.random.default_rng(100)
    values = rng.standard_normal((n, NODES, NUMBERS))
    ring = np.stack([np.arange(NODES), (np.arange(NODES) + 1) % NODES], 1)
    graphs = []
    for own in values:
        starts = rng.choice(NODES - 3, CHORDS, replace=False)
        edges = np.sort(np.concatenate([ring, np.stack([starts, starts + 3], 1)]), axis=1)
        nodes = {f"x{k}": Attribute("numerical", own[:, k].copy()) for k in range(NUMBERS)}
        graphs.append(nask.AttributedGraph.from_valid(NODES, np.unique(edges, axis=0), nodes, {}))
    return graphs, values.astype(np.float32)


def seconds(compute: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    compute()
    return time.process_time() - start


def main() -> None:
    """Measure all in turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=4000)
    parser.add_argument("--components", type=int, default=1024)
    given = parser.parse_args()
    drawn = next(molecules(given.graphs, given.graphs, rows=True))
    graphs, values = numeric(given.graphs)
    sets: dict[str, Any] = {
        "molecules": (drawn.graphs, drawn.rows, drawn.sizes),
        "19 numbers": (graphs, values, np.full(given.graphs, NODES, dtype=np.int32)),
    }
    for name, (own, rows, sizes) in sets.items():
        maps: dict[str, Callable[[], object]] = {}
        for n_hops in HOPS:
            fitted = nask.NASKFeatures(n_components=given.components, n_hops=n_hops).fit(own[:500])
            fitted.transform(own[:50])
            maps[f"NASKFeatures, {n_hops} hops"] = partial(fitted.transform, own)
        with contextlib.redirect_stdout(io.StringIO()):
            from xGPR import KernelFGen

            peer = KernelFGen(
                given.components, np.array([1.0]), rows.shape[2], kernel_choice="GraphRBF",
                kernel_settings={"intercept": True, "averaging": "full"},
            )  # fmt: skip
        maps["xGPR, GraphRBF"] = partial(peer.predict, rows, sizes)
        taken = {what: [seconds(compute)] for what, compute in maps.items()}
        for _ in range(RUNS - 1):
            for what, compute in maps.items():
                taken[what].append(seconds(compute))
        for what, all_of_it in taken.items():
            print(
                json.dumps(
                    {
                        "graphs": name,
                        "method": what,
                        "rows_per_second": round(given.graphs / min(all_of_it)),
                        "slowest": round(given.graphs / max(all_of_it)),
                    }
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()

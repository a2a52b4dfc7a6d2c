"""What computations take with a memory_limit, on sets that need ten times more without one.

    python benchmarks/memory.py              # a table of all cases
    python benchmarks/memory.py CASE LIMIT   # one, in this process, as JSON

NASK_DATA names the folder of NCI1 and Cora. Peaks are of resident memory, above what the process
held with the data read and the code compiled. Pages of a mapped file count in the first of the two,
though the system may take them back whenever it likes.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
from measure import forget_peak, memory_mb

import nask
from nask.exceptions import MemoryLimitError

# Graphs that compile what is measured.
FEW = 60
LIMITS = ("30MB", "60MB", "120MB")


@cache
def molecules(n: int | None = None) -> nask.Dataset:
    data = nask.load_dataset("NCI1")
    step = 1 if n is None else len(data) // n  # so that both classes are there
    return nask.Dataset(data.name, data.graphs[::step], np.asarray(data.y)[::step])


@cache
def network(n: int | None = None) -> nask.NodeDataset:
    if n is not None:
        return nask.lab.make_social_network(n, random_state=1)
    return nask.load_dataset("Cora")


def fit_transform(limit: str | None, n: int | None) -> Any:
    return nask.NASK(n_hops=1, memory_limit=limit).fit_transform(molecules(n).graphs)


def transform(limit: str | None, n: int | None) -> Any:
    data = molecules(n)
    kernel = nask.NASK(n_hops=1, memory_limit=limit).fit(data.graphs[::2])
    return kernel.transform(data.graphs)


def features(limit: str | None, n: int | None) -> Any:
    model = nask.NASKFeatures(n_components=4096, memory_limit=limit)
    return model.fit_transform(molecules(n).graphs)


def features_in_a_store(limit: str | None, n: int | None) -> Any:
    model = nask.NASKFeatures(n_components=4096, memory_limit=limit)
    with tempfile.TemporaryDirectory() as folder:
        return nask.write_features(model, molecules(n).graphs, f"{folder}/f.zarr", chunk=256)[0]


def nodes(limit: str | None, n: int | None) -> Any:
    return nask.NodeNASK(n_hops=1, memory_limit=limit).fit_transform(network(n).graph)


def predict(limit: str | None, n: int | None) -> Any:
    data = molecules(n)
    model = fitted(n)
    return model.set_params(memory_limit=limit).predict(data.graphs)


def explain(limit: str | None, n: int | None) -> Any:
    model = fitted(n)
    return model.set_params(memory_limit=limit).explain(molecules(n).graphs[0])


@cache
def fitted(n: int | None) -> Any:
    """A model of the molecules, which is no part of what is measured."""
    data = molecules(n)
    return nask.NASKClassifier(n_hops=1).fit(data.graphs, data.y)


CASES: dict[str, Callable[[str | None, int | None], Any]] = {
    own.__name__: own
    for own in (
        fit_transform,
        transform,
        predict,
        explain,
        features,
        features_in_a_store,
        nodes,
    )
}


def measured(case: str, limit: str | None) -> dict[str, Any]:
    """Peak of one case, in this process; or that it was refused."""
    work = CASES[case]
    with suppress(MemoryLimitError):
        work(limit, FEW)
    molecules() if case != "nodes" else network()
    if case in ("predict", "explain"):
        fitted(None)
    gc.collect()
    forget_peak()
    before, own_before = memory_mb("VmRSS"), memory_mb("RssAnon")
    found: dict[str, Any] = {"case": case, "limit": limit}
    with Highest() as highest:
        try:
            result = work(limit, None)
            if isinstance(result, np.ndarray):
                found["result_mb"] = result.nbytes / 1e6
        except MemoryLimitError as error:
            found["refused"] = str(error)
    found["peak_mb"] = memory_mb("VmHWM") - before
    found["own_mb"] = highest.megabytes - own_before
    return found


class Highest:
    """The most memory, without mapped files, that a thread saw which looks every millisecond."""

    def __enter__(self) -> Highest:
        self.megabytes, self._done = memory_mb("RssAnon"), False
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def _look(self) -> None:
        while not self._done:
            self.megabytes = max(self.megabytes, memory_mb("RssAnon"))
            time.sleep(0.001)

    def __exit__(self, *_: object) -> None:
        self._done = True
        self._thread.join()


def main() -> None:
    if len(sys.argv) > 1:
        print(json.dumps(measured(sys.argv[1], None if sys.argv[2] == "none" else sys.argv[2])))
        return
    print("| case | limit | peak, MB | without mapped files |\n|---|---|---|---|")
    for case in CASES:
        for limit in ("none", *LIMITS):
            command = [sys.executable, __file__, case, limit]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            own = json.loads(done.stdout)
            told = ", refused" if "refused" in own else ""
            figures = f"{own['peak_mb']:.0f}{told} | {own['own_mb']:.0f}"
            print(f"| {case} | {limit} | {figures} |", flush=True)


if __name__ == "__main__":
    main()

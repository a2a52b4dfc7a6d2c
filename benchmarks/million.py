"""A million graphs on one computer: features, learning in one pass and predictions; beside xGPR.

    python benchmarks/million.py                      # a million graphs, some minutes
    python benchmarks/million.py --graphs 20000

Each method runs in a process of its own and draws the same graphs (``molecules.py``), a tenth of
them to predict. Drawing them, and writing them to disk in the form that xGPR reads, is not in the
times; seconds of the processor are those of all threads. xGPR (0.4.8) has random features of a
Gaussian between the nodes of two graphs (GraphRBF); it knows neither neighbours nor edges. It has
as many features, learns by its exact solver, and tunes its two parameters on 5,000 graphs with
its own search, which is timed apart. Results are lines of JSON on standard output.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from measure import forget_peak, memory_mb
from molecules import Molecules, molecules
from sklearn.metrics import r2_score

METHODS = ("nask", "xgpr")
CHUNK = 5000
TUNED_ON = 5_000
TUNING_STEPS = 20
# Of the chunks, every tenth is predicted.
TEST = 10


class Clock:
    """Seconds of wall-clock time and of the processor, by what was done."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}

    @contextlib.contextmanager
    def running(self, what: str) -> Iterator[None]:
        """Count what is done inside."""
        start = time.perf_counter(), time.process_time()
        yield
        spent = self.seconds.setdefault(what, [0.0, 0.0])
        spent[0] += time.perf_counter() - start[0]
        spent[1] += time.process_time() - start[1]

    def record(self) -> dict[str, Any]:
        """Seconds of each part and of all, rounded."""
        total = [sum(own[k] for own in self.seconds.values()) for k in (0, 1)]
        every = {**self.seconds, "all": total}
        return {
            what: {"seconds": round(wall, 1), "cpu_seconds": round(cpu, 1)}
            for what, (wall, cpu) in every.items()
        }


def chunks(n: int, test: bool, rows: bool = False) -> Iterator[Molecules]:
    """The chunks to learn from, or those to predict."""
    for k, chunk in enumerate(molecules(n, min(CHUNK, n // TEST), rows=rows)):
        if (k % TEST == TEST - 1) == test:
            yield chunk


def nask(n: int, n_components: int, n_hops: int, n_jobs: int, save: str | None) -> dict[str, Any]:
    """Learn by partial_fit, predict, and tell how it went."""
    import nask

    features = nask.NASKFeatures(n_components=n_components, n_hops=n_hops, n_jobs=n_jobs)
    model = nask.NASKStreamRegressor(features=features, n_jobs=n_jobs)
    # Compiled code is loaded, or compiled, before the clock starts.
    small = next(molecules(300, 300))
    nask.NASKStreamRegressor(features=features).fit(small.graphs, small.y).predict(small.graphs)
    clock = Clock()
    forget_peak()
    for own in chunks(n, test=False):
        with clock.running("learning"):
            model.partial_fit(own.graphs, own.y)
    with clock.running("solving"):
        alpha = model.alpha_
    truth, predicted = [], []
    for own in chunks(n, test=True):
        with clock.running("predicting"):
            predicted.append(model.predict(own.graphs))
        truth.append(own.y)
    peak = memory_mb("VmHWM") / 1000
    if save:
        model.save(save)
    return {
        "alpha": alpha,
        "r2": r2_score(np.concatenate(truth), np.concatenate(predicted)),
        "peak_gb": round(peak, 2),
        **clock.record(),
    }


def xgpr(n: int, n_components: int, averaging: str) -> dict[str, Any]:
    """The same with xGPR's GraphRBF, from files of node attributes."""
    if find_spec("xGPR") is None:
        sys.exit("xGPR, whose licence is for academic use, is installed by hand: pip install xGPR")
    with contextlib.redirect_stdout(io.StringIO()):
        from xGPR import build_regression_dataset, xGPRegression
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        files: tuple[list[str], list[str], list[str]] = ([], [], [])
        for k, own in enumerate(chunks(n, test=False, rows=True)):
            arrays: tuple[npt.NDArray[Any], ...] = (own.rows, own.y, own.sizes)
            for name, array, paths in zip("xys", arrays, files, strict=True):
                path = str(Path(folder) / f"{name}{k}.npy")
                np.save(path, array)
                paths.append(path)
        forget_peak()
        model = xGPRegression(
            num_rffs=n_components, variance_rffs=12, kernel_choice="GraphRBF", verbose=False,
            kernel_settings={"intercept": True, "averaging": averaging},
        )  # fmt: skip
        n_files = max(1, TUNED_ON // len(np.load(files[1][0])))
        with clock.running("tuning"), contextlib.redirect_stdout(io.StringIO()):
            some = build_regression_dataset(*(own[:n_files] for own in files), chunk_size=CHUNK)
            model.tune_hyperparams_crude(some, max_bayes_iter=TUNING_STEPS)
        with clock.running("learning"), contextlib.redirect_stdout(io.StringIO()):
            data = build_regression_dataset(*files, chunk_size=CHUNK)
            model.fit(data, mode="exact", suppress_var=True)
        truth, predicted = [], []
        for own in chunks(n, test=True, rows=True):
            with clock.running("predicting"):
                predicted.append(model.predict(own.rows, own.sizes))
            truth.append(own.y)
    return {
        "hyperparameters": model.get_hyperparams().tolist(),
        "r2": r2_score(np.concatenate(truth), np.concatenate(predicted)),
        "peak_gb": round(memory_mb("VmHWM") / 1000, 2),
        **clock.record(),
    }


def main() -> None:
    """Run the methods, each in a process of its own, or one of them in this."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=1_000_000)
    parser.add_argument("--components", type=int, default=1024)
    parser.add_argument("--hops", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--averaging", default="full", help="of xGPR: none, sqrt or full")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--save", help="File for the model of nask.")
    parser.add_argument("--here", choices=METHODS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here is None:
        for method in given.methods:
            threads = {"OMP_NUM_THREADS": str(given.jobs), "OPENBLAS_NUM_THREADS": str(given.jobs)}
            command = [sys.executable, __file__, "--here", method, *sys.argv[1:]]
            subprocess.run(command, check=True, env=os.environ | threads)
        return
    start = time.perf_counter()
    if given.here == "nask":
        found = nask(given.graphs, given.components, given.hops, given.jobs, given.save)
    else:
        found = xgpr(given.graphs, given.components, given.averaging)
    whole = round(time.perf_counter() - start, 1)
    head = {"method": given.here, "graphs": given.graphs, "components": given.components}
    if given.here == "nask":
        head |= {"hops": given.hops, "jobs": given.jobs}
    print(json.dumps(head | found | {"with_drawing_seconds": whole}), flush=True)


if __name__ == "__main__":
    main()

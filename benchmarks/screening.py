"""What does a large set lose because its settings are screened on a sample? On development folds.

    NASK_DATA=<folder of zips> python benchmarks/screening.py BZR ENZYMES --sample 300
    NASK_DATA=<folder of zips> python benchmarks/screening.py Cora --around 824

Sets that are small enough to judge every setting on all graphs are evaluated twice on the same
folds: as they are, and as if they were large, with a sample of the given size; networks as if they
were compared around their sample alone. A difference has the corrected standard error of Nadeau and
Bengio. Seconds are of wall-clock time, with all passes over the graphs unless ``--grams`` has kept
them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
from choice import difference

import nask
from nask.evaluation.records import Evaluation
from nask.tuning import screening


def run(
    name: str, seeds: list[int], grams: str | None, limits: Mapping[str, int]
) -> list[Evaluation]:
    """One evaluation per seed, with other limits of screening."""
    with ExitStack() as patched:
        for limit, value in limits.items():
            patched.enter_context(patch.object(screening, limit, value))
        return [
            nask.evaluate(
                "nask", name, repeats=1, random_state=seed, grams=grams, n_jobs=-1, progress=True
            )
            for seed in seeds
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+", default=[101, 102])
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--around", type=int, help="nodes of a network to screen on")
    parser.add_argument("--grams", help="folder that keeps Gram matrices; then passes cost nothing")
    arguments = parser.parse_args()
    limits = {"LARGEST_UNSCREENED": 0, "SAMPLE": arguments.sample}
    if arguments.around is not None:
        limits = {"LARGEST_NETWORK": 0, "AROUND": arguments.around}
    for name in arguments.datasets:
        with TemporaryDirectory() as scratch:
            # Apart, so that no run finds passes of the other; unless that is asked for.
            folders = [arguments.grams or str(Path(scratch) / own) for own in ("all", "some")]
            both, seconds = [], []
            for folder, own in zip(folders, ({}, limits), strict=True):
                start = time.perf_counter()
                both.append(run(name, arguments.seeds, folder, own))
                seconds.append(time.perf_counter() - start)
        accuracies = [
            100 * np.array([record.accuracy for own in results for record in own.records])
            for results in both
        ]
        print(f"{name}: {both[0][0].n_items} graphs or nodes, {limits}")
        for label, found, taken in zip(("all", "screened"), accuracies, seconds, strict=True):
            gap = difference(found, accuracies[0], both[0][0].folds)
            print(f"  {label:9s} {found.mean():5.1f} %  {gap}  {taken:5.0f} s", flush=True)


if __name__ == "__main__":
    main()

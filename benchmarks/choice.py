"""Does shrinking scores choose better settings? The best inner score against the shrunk one.

Both choose from the same race on the same folds, so the difference is paired:

    NASK_DATA=<folder of zips> python benchmarks/choice.py MUTAG PTC_MR --seeds 1 2 3 4
"""

from __future__ import annotations

import argparse

import numpy as np
from joblib import Parallel, delayed

import nask
from nask.arrays import Array, Positions
from nask.evaluation.splits import Split, outer_splits
from nask.learning.path import predictions
from nask.learning.targets import class_codes


def fold(
    model: nask.TunedNASKClassifier,
    stacks: list[Array],
    classes: Array,
    codes: Positions,
    split: Split,
) -> list[tuple[float, float]]:
    """Inner and outer accuracy of the best inner score and of the winner."""
    race = model.race(codes[split.train], classes)
    sweeps = model.sweeps()
    for sweep, stack in zip(sweeps, stacks, strict=True):
        race.enter(sweep, stack, split.train)
    found = []
    for chosen in (race.leader, race.winner()):
        gram = chosen.sweep.gram(stacks[sweeps.index(chosen.sweep)], chosen.candidate)
        [predicted] = predictions(gram, codes, split.train, split.test, [chosen.C], None)
        found.append((chosen.score, float(np.mean(predicted == codes[split.test]))))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    arguments = parser.parse_args()
    for name in arguments.datasets:
        dataset = nask.load_dataset(name)
        classes, codes = class_codes(np.asarray(dataset.y))
        model = nask.TunedNASKClassifier()
        stacks = [sweep.compute(dataset.graphs, n_jobs=-1) for sweep in model.sweeps()]
        for seed in arguments.seeds:
            splits = outer_splits(codes, 10, 1, seed)
            tasks = (delayed(fold)(model, stacks, classes, codes, split) for split in splits)
            found = 100 * np.mean(Parallel(n_jobs=-1)(tasks), axis=0)
            for rule, (inner, outer) in zip(("best score", "shrunk"), found, strict=True):
                print(
                    f"{name} seed {seed} {rule:10s} inner {inner:.1f} outer {outer:.1f}", flush=True
                )


if __name__ == "__main__":
    main()

"""Which learner, and which rule to choose with? Paired differences on development folds.

    NASK_DATA=<folder of zips> python benchmarks/choice.py MUTAG PTC_MR --seeds 101 102
    NASK_DATA=<folder of zips> python benchmarks/choice.py BZR --seeds 101 --try attributes=all

For every set: ridge regressions with the best setting by leave-one-out, and with the mean of all
settings within 0.5, 1 and 2 standard errors of it; with ``--svm`` SVMs too, the best on inner folds
of all kernels, and of the few that have the best ridge regressions. All see the same Gram matrices
and the same outer folds. A difference is to the rule in use, with the corrected standard error of
Nadeau and Bengio; seconds are of one process, without Gram matrices.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import nask
from nask.arrays import Float64, Positions
from nask.cli.grid_options import grid_from_options
from nask.evaluation.folds import fold_of_shared
from nask.evaluation.splits import Split, outer_splits
from nask.learning.targets import class_codes
from nask.tuning import near_best
from nask.tuning.leave_one_out import LeaveOneOut
from nask.tuning.screening import finalists
from nask.tuning.sweeps import cut_to

RULES = {"best": 0.0, "0.5 se": 0.5, "1 se": 1.0, "2 se": 2.0}


def accuracies(judge: LeaveOneOut, splits: list[Split], codes: Positions) -> dict[str, Float64]:
    """Accuracy on every test fold, by rule."""
    found: dict[str, list[float]] = {rule: [] for rule in RULES}
    for rule, behind in RULES.items():
        near_best.BEHIND = behind
        for fold, split in enumerate(splits):
            choice = judge.choose(fold)
            if rule == "best":
                choice = choice._replace(trials=[choice.best])
            predicted = judge.scores(fold, choice).argmax(axis=1)
            found[rule].append(float(np.mean(predicted == codes[split.test])))
    near_best.BEHIND = RULES["1 se"]
    return {rule: 100 * np.array(values) for rule, values in found.items()}


def difference(first: Float64, second: Float64, folds: int) -> str:
    """Mean difference with its corrected standard error."""
    gap = first - second
    error = gap.std(ddof=1) * np.sqrt(1 / len(gap) + 1 / (folds - 1))
    return f"{gap.mean():+5.1f} ± {error:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+", default=[101])
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument(
        "--try", dest="values", action="append", default=[], metavar="NAME=VALUE,...",
        help="values of one parameter, instead of the grid's, as in nask evaluate",
    )  # fmt: skip
    parser.add_argument("--svm", action="store_true", help="SVMs, too: takes many times as long")
    arguments = parser.parse_args()
    for name in arguments.datasets:
        dataset = nask.load_dataset(name)
        classes, codes = class_codes(np.asarray(dataset.y))
        splits = [
            split
            for seed in arguments.seeds
            for split in outer_splits(codes, arguments.folds, 1, seed)
        ]
        grid = grid_from_options("default", arguments.values)
        model = nask.TunedNASKClassifier(grid=grid, n_jobs=-1)
        sweeps = model.sweeps_of(dataset.graphs)
        stacks = [sweep.compute(dataset.graphs, n_jobs=-1) for sweep in sweeps]
        judge = model.judge(model.goal(codes, classes), [split.test for split in splits])
        for sweep, stack in zip(sweeps, stacks, strict=True):
            judge.enter(sweep, stack)
        found = accuracies(judge, splits, codes)
        if arguments.svm:
            svm = nask.TunedNASKClassifier(grid=grid, learner="svm")
            everything = [own for sweep in sweeps for own in sweep.candidates]
            few = [finalists(judge, fold) for fold in range(len(splits))]
            for rule, kernels in (("svm, all", [everything] * len(splits)), ("svm, few", few)):
                start = time.perf_counter()
                records = []
                for split, own in zip(splits, kernels, strict=True):
                    cut = [cut_to(sweep, own) for sweep in sweeps]
                    records.append(fold_of_shared(svm, cut, stacks, classes, codes, split))
                found[rule] = 100 * np.array([record.accuracy for record in records])
                print(f"{name:14s} {rule}: {time.perf_counter() - start:.0f} s", flush=True)
        for rule, values in found.items():
            gap = difference(values, found["1 se"], arguments.folds)
            print(f"{name:14s} {rule:8s} {values.mean():5.1f}   {gap}", flush=True)


if __name__ == "__main__":
    main()

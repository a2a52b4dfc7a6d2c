"""Gaussian processes: accuracy and log loss of classes, errors and coverage of numbers, times.

    NASK_DATA=<folder of zips> python benchmarks/gaussian_processes.py classes MUTAG PTC_MR
    python benchmarks/gaussian_processes.py numbers --train 50 100 200 500

Classes are judged on development folds, beside ridge regressions with the same default kernel,
whose probabilities come from leave-one-out. Numbers are the logP of small molecules (Crippen's, by
RDKit) put together from a list of parts: some are learned from, up to 500 others are predicted. Of
intervals that are to hold 90 and 50 % of the numbers, the share that they hold is told, and how
errors and standard deviations go together (rank correlation).
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import norm, spearmanr
from sklearn.metrics import brier_score_loss, log_loss

import nask
from nask.arrays import Array, Float64
from nask.evaluation.splits import outer_splits
from nask.learning.targets import class_codes

SCAFFOLDS = (
    "c1({a})ccc({b})cc1", "c1({a})cccc({b})c1", "c1({a})ccc({b})nc1", "C1({a})CCC({b})CC1",
    "C1({a})CCN({b})CC1", "C({a})CC({b})", "C({a})(C)CC=C({b})", "c1({a})ccc({b})s1",
    "c1({a})ccc2cc({b})ccc2c1", "C({a})C(=O)NC({b})",
)  # fmt: skip
PARTS = (
    "C", "CC", "C(C)C", "CCCC", "O", "OC", "N", "N(C)C", "F", "Cl", "Br", "C#N", "C(=O)O",
    "C(=O)OC", "C(F)(F)F", "[N+](=O)[O-]", "NC(C)=O", "S(N)(=O)=O", "c9ccccc9",
)  # fmt: skip
# Test molecules at most.
TESTED = 500
Make = Callable[[], Any]


def molecules() -> tuple[list[str], Float64]:
    """SMILES of some thousand small molecules, each once, and their logP."""
    from rdkit.Chem import MolFromSmiles, MolToSmiles
    from rdkit.Chem.rdMolDescriptors import CalcCrippenDescriptors

    found = {}
    for scaffold, a, b in itertools.product(SCAFFOLDS, PARTS, PARTS):
        molecule = MolFromSmiles(scaffold.format(a=a, b=b))
        found[MolToSmiles(molecule)] = float(CalcCrippenDescriptors(molecule)[0])
    return list(found), np.array(list(found.values()))


def classes(name: str, seed: int, folds: int) -> None:
    """Accuracy, log loss, Brier score and calibration error on development folds."""
    dataset = nask.load_dataset(name)
    labels, codes = class_codes(np.asarray(dataset.y))
    splits = list(outer_splits(codes, folds, 1, seed))
    methods: dict[str, Make] = {
        "Gaussian process": nask.NASKGaussianProcessClassifier,
        "kernel not learned": lambda: nask.NASKGaussianProcessClassifier(
            optimize=["signal_variance"]
        ),
        "linear": lambda: nask.NASKGaussianProcessClassifier(gram="linear"),
        "ridge": lambda: nask.NASKClassifier(learner="ridge"),
        "ridge, rbf": lambda: nask.NASKClassifier(learner="ridge", gram="rbf"),
        "rate of each class": lambda: None,
    }
    for method, make in methods.items():
        probabilities = np.zeros((len(codes), len(labels)))
        start = time.process_time()
        for split in splits:
            train, test = (
                [dataset.graphs[k] for k in own] for own in (split.train, split.test)
            )  # fmt: skip
            model = make()
            if model is None:
                rates = np.bincount(codes[split.train], minlength=len(labels))
                probabilities[split.test] = rates / rates.sum()
            else:
                model.fit(train, codes[split.train])
                probabilities[split.test] = model.predict_proba(test)
        seconds = (time.process_time() - start) / folds
        accuracy = 100 * np.mean(probabilities.argmax(axis=1) == codes)
        scores = f"{accuracy:6.1f} {log_loss(codes, probabilities):8.3f}"
        if len(labels) == 2:
            brier = brier_score_loss(codes, probabilities[:, 1])
            scores += f" {brier:8.3f} {calibration_error(probabilities[:, 1], codes):8.3f}"
        print(f"{name:10s} {method:24s} {scores} {seconds:8.2f} s", flush=True)


def calibration_error(probability: Float64, codes: Array, n_bins: int = 5) -> float:
    """Mean distance of a probability from the share it promises, in bins of equal size."""
    order = np.array_split(np.argsort(probability, kind="stable"), n_bins)
    gaps = [len(own) * abs(probability[own].mean() - codes[own].mean()) for own in order]
    return float(sum(gaps) / len(codes))


def numbers(sizes: list[int], seed: int) -> None:
    """Errors and coverage, by the number of molecules learned from."""
    smiles, logp = molecules()
    methods: dict[str, Make] = {
        "Gaussian process": nask.NASKGaussianProcessRegressor,
        "kernel not learned": lambda: nask.NASKGaussianProcessRegressor(
            optimize=["signal_variance", "noise"]
        ),
        "linear": lambda: nask.NASKGaussianProcessRegressor(gram="linear"),
        "ridge": lambda: nask.NASKRegressor(learner="ridge"),
        "ridge, rbf": lambda: nask.NASKRegressor(learner="ridge", gram="rbf"),
    }
    graphs = nask.io.from_smiles(smiles)
    order = np.random.default_rng(seed).permutation(len(graphs))
    print(f"{len(graphs)} molecules, logP {logp.mean():.2f} ± {logp.std():.2f}")
    for size, (method, make) in itertools.product(sizes, methods.items()):
        train, test = order[:size], order[size : size + TESTED]
        start = time.process_time()
        model = make().fit([graphs[k] for k in train], logp[train])
        seconds = time.process_time() - start
        new, told = [graphs[k] for k in test], ""
        if isinstance(model, nask.NASKGaussianProcessRegressor):
            mean, std = model.predict(new, return_std=True)
            scores = np.abs(mean - logp[test]) / std
            held = [100 * np.mean(scores < norm.ppf(0.5 + level / 2)) for level in (0.9, 0.5)]
            # Whether larger errors are where larger ones are expected.
            together = spearmanr(std, np.abs(mean - logp[test])).statistic
            told = f"{held[0]:6.1f} {held[1]:6.1f} {together:6.2f}"
        else:
            mean = model.predict(new)
        error = float(np.sqrt(np.mean((mean - logp[test]) ** 2)))
        print(f"{size:5d} {method:24s} {error:8.3f} {told:20s} {seconds:8.2f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    tasks = parser.add_subparsers(dest="task", required=True)
    of_classes = tasks.add_parser("classes", help="accuracy and log loss on development folds")
    of_classes.add_argument("datasets", nargs="+")
    of_classes.add_argument("--folds", type=int, default=10)
    of_numbers = tasks.add_parser("numbers", help="errors and coverage on logP of molecules")
    of_numbers.add_argument("--train", type=int, nargs="+", default=[50, 100, 200, 500])
    for own in (of_classes, of_numbers):
        own.add_argument("--seed", type=int, default=101)
    arguments = parser.parse_args()
    if arguments.task == "numbers":
        numbers(arguments.train, arguments.seed)
        return
    for name in arguments.datasets:
        classes(name, arguments.seed, arguments.folds)


if __name__ == "__main__":
    main()

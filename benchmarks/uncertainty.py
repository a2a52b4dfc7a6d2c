"""Do sets and intervals hold the truth as often as they say, and are planted outliers found?

    python benchmarks/uncertainty.py sets BZR PTC_MR ENZYMES NCI1
    python benchmarks/uncertainty.py intervals
    python benchmarks/uncertainty.py outliers BZR:COX2 COX2:BZR PTC_MR ENZYMES NCI1

The variable NASK_DATA names the folder of the sets' zip files. Each prints the rows of a table of
docs/uncertainty.md: means over splits of a set into training and test graphs, drawn with seeds of
their own. Sets of more than 1000 graphs are cut to 1000, drawn with the seed of the split.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from planted_outliers import KINDS, planted
from sklearn.metrics import roc_auc_score

import nask

TRAIN, MOST, N_MOLECULES = 0.7, 1000, 600
# Of numbers, since the default one takes minutes for each split.
GRID: dict[str, list[Any]] = {
    "gamma": [0.3, 1.0],
    "n_hops": [1, 2, 3],
    "gram": ["linear", "rbf"],
    "normalize": [True, False],
}
Numbers = npt.NDArray[np.float64]


def splits(n: int, seeds: Sequence[int]) -> Iterator[tuple[int, Any, Any]]:
    """Each seed with positions to learn from and positions to test on."""
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(n)[:MOST]
        n_train = round(TRAIN * len(order))
        yield seed, order[:n_train], order[n_train:]


def classifiers(tuned: bool) -> dict[str, Any]:
    """Models of classes by name."""
    if tuned:
        return {"tuned": nask.TunedNASKClassifier()}
    return {"SVM": nask.NASKClassifier(), "ridge": nask.NASKClassifier(learner="ridge")}


def sets(names: Sequence[str], seeds: Sequence[int], coverage: float, tuned: bool) -> None:
    """Coverage and size of sets of classes."""
    row("set", "model", "accuracy", "covered", "least of a class", "size", "one class", "by class")
    for name in names:
        data = nask.load_dataset(name)
        y = np.asarray(data.y)
        graphs, (classes, codes) = data.graphs, np.unique(y, return_inverse=True)
        for label, model in classifiers(tuned).items():
            found = []
            for _, train, test in splits(len(graphs), seeds):
                model.fit([graphs[k] for k in train], y[train])
                new = [graphs[k] for k in test]
                rights = model.predict(new) == y[test]
                values = [float(rights.mean())]
                for by_class in (False, True):
                    given = model.predict_set(new, coverage=coverage, by_class=by_class)
                    held = given[np.arange(len(test)), codes[test]]
                    each = [held[codes[test] == k].mean() for k in range(len(classes))]
                    sizes = given.sum(axis=1)
                    values += [held.mean(), *each, sizes.mean(), (sizes == 1).mean()]
                found.append(values)
            n, mean = len(classes), np.mean(found, axis=0)
            accuracy, plain, by = mean[0], mean[1 : n + 4], mean[n + 4 :]
            spread = np.std([own[1] for own in found], ddof=1) / len(seeds) ** 0.5
            row(
                name,
                label,
                percent(accuracy),
                f"{percent(plain[0])} ± {100 * spread:.1f}",
                percent(plain[1 : n + 1].min()),
                f"{plain[-2]:.2f}",
                percent(plain[-1]),
                f"{percent(by[0])}, {percent(by[1 : n + 1].min())}, {by[-2]:.2f}",
            )


def regressors(tuned: bool) -> dict[str, Any]:
    """Models of numbers by name."""
    if tuned:
        return {"tuned": nask.TunedNASKRegressor(grid=GRID)}
    return {
        "SVM": nask.NASKRegressor(normalize=False),
        "ridge": nask.NASKRegressor(learner="ridge", normalize=False),
    }


def intervals(names: Sequence[str], seeds: Sequence[int], coverage: float, tuned: bool) -> None:
    """Coverage and width of intervals, on molecules drawn from fragments."""
    from drawn_molecules import molecules

    row("target", "model", "R2", "covered", "width", "width / spread of the target")
    smiles, targets = molecules(N_MOLECULES, seed=0)
    for name in names or targets:
        y = targets[name]
        for label, model in regressors(tuned).items():
            found = []
            for _, train, test in splits(len(smiles), seeds):
                model.fit([smiles[k] for k in train], y[train])
                new = [smiles[k] for k in test]
                lower, upper = model.predict_interval(new, coverage=coverage).T
                held = (lower <= y[test]) & (y[test] <= upper)
                found.append([model.score(new, y[test]), held.mean(), (upper - lower).mean()])
            r2, covered, width = np.mean(found, axis=0)
            error = np.std([own[1] for own in found], ddof=1) / len(seeds) ** 0.5
            row(
                name,
                label,
                f"{r2:.3f}",
                f"{percent(covered)} ± {100 * error:.1f}",
                f"{width:.3g}",
                f"{width / y.std():.2f}",
            )


def outliers(names: Sequence[str], seeds: Sequence[int]) -> None:
    """How well planted outliers are told from test graphs."""
    row("set", "by", "alarms", "other set", *KINDS)
    for name in names:
        own, _, other = name.partition(":")
        data = nask.load_dataset(own)
        y = np.asarray(data.y)
        foreign = nask.load_dataset(other).graphs if other else ()
        found: dict[str, list[list[float]]] = {}
        for seed, train, test in splits(len(data), seeds):
            learned, new = ([data.graphs[k] for k in part] for part in (train, test))
            kinds = {"other": _some(foreign, seed)} if other else {}
            kinds |= {kind: planted(kind, new, seed) for kind in KINDS}
            model = nask.NASKClassifier().fit(learned, y[train])
            detectors = {
                "applicability": (model.applicability, 0.1),
                "nearest": (nask.NASKOutlierDetector().fit(learned).decision_function, 0.0),
                "svm": (
                    nask.NASKOutlierDetector(learner="svm").fit(learned).decision_function,
                    0.0,
                ),
            }
            for label, (score, limit) in detectors.items():
                normal = score(new)
                alarms = normal <= limit if label == "applicability" else normal < limit
                areas = [area(normal, score(graphs)) for graphs in kinds.values()]
                found.setdefault(label, []).append([float(alarms.mean()), *areas])
        for label, values in found.items():
            alarms, *areas = np.mean(values, axis=0)
            shown = [f"{value:.2f}" for value in areas]
            row(name, label, percent(alarms), *([] if other else ["-"]), *shown)


def area(normal: Numbers, planted_ones: Numbers) -> float:
    """Area under the ROC curve: how often an outlier has a lower score than a normal graph."""
    truth = np.repeat([0, 1], [len(normal), len(planted_ones)])
    return float(roc_auc_score(truth, -np.concatenate([normal, planted_ones])))


def _some(graphs: Sequence[Any], seed: int) -> list[Any]:
    order = np.random.default_rng(seed).permutation(len(graphs))[:200]
    return [graphs[k] for k in order]


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def row(*cells: str) -> None:
    print("|", " | ".join(cells), "|", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["sets", "intervals", "outliers"])
    parser.add_argument("names", nargs="*", help="sets, or targets; all targets by default")
    parser.add_argument("--splits", type=int, default=20, help="seeds 0, 1, ...")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--coverage", type=float, default=0.9)
    parser.add_argument("--tuned", action="store_true", help="models that choose their parameters")
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.splits)
    if given.what == "sets":
        sets(given.names, seeds, given.coverage, given.tuned)
    elif given.what == "intervals":
        intervals(given.names, seeds, given.coverage, given.tuned)
    else:
        outliers(given.names, seeds)


if __name__ == "__main__":
    main()

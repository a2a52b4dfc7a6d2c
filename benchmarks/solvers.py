"""What our own solvers buy: of SVMs beside those of scikit-learn, of folds beside one by one.

Both solve the same problems in one process, in turn, so that a busy machine slows both; the ratio
that counts is the median of those of the turns. CPU seconds are recorded too. BLAS has one thread
for both, since threads of BLAS that wait for each other would decide the ratio on a busy machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

import nask
from nask.evaluation.splits import outer_splits
from nask.learning.centring import Centring
from nask.learning.decisions import most_confident
from nask.learning.held_out import Problem, hold_out, one_against_rest
from nask.learning.linear import LinearFunctions, fit_linear
from nask.learning.path import confidences
from nask.learning.targets import class_codes

# LinearSVC penalises the constant; one that is learned as 1/30 of a column is penalised by 1/900.
INTERCEPT_SCALING = 30.0
FOLDS = 5


def linear_solvers(
    rows: str, n_rows: int, n_columns: int, C: float, turns: int, peer: bool
) -> dict[str, Any]:
    """Seconds of a linear SVM on features of nodes, by our solver and by LinearSVC, in turn.

    Centring, scaling and the copy to float64 that LinearSVC takes are in its time: ours does them,
    too. Objectives are those of the same function, summed over classes, the constant not penalised.

    Parameters
    ----------
    rows : str
        "Cora", seven classes, or "network": two classes, of a network of twice as many nodes.
    n_rows, n_columns : int
    C : float
    turns : int
    peer : bool
        Whether to measure LinearSVC at all.
    """
    X, codes, train = feature_rows(rows, n_rows, n_columns)
    solve = {"ours": partial(_ours, X, codes, C, train)}
    if peer:
        solve["LinearSVC"] = partial(_linear_svc, X, codes, C, train)
    with threadpool_limits(1):
        result = in_turn(solve, turns)
        read = X[train].astype(np.float64)
        objectives = {name: _objective(read, codes, C, own()) for name, own in solve.items()}
    return result | {"objective": objectives, "n_classes": int(codes.max()) + 1}


def path_solvers(dataset: str, n_penalties: int, turns: int) -> dict[str, Any]:
    """Seconds of a search's fits on one Gram matrix: five folds, each with several penalties.

    Ours solves them along a path, SVC each by itself. Both centre the matrix once per fold and
    predict the graphs held out. Also how many of these predictions are the same.
    """
    data = nask.load_dataset(dataset)
    _, codes = class_codes(np.asarray(data.y))
    gram = nask.NASK(n_hops=2, n_jobs=1).fit_transform(data.graphs)
    penalties = np.logspace(-1, 3, n_penalties).tolist()
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(codes, codes))
    solve: dict[str, Callable[[], list[Any]]] = {
        "ours": lambda: [_classes(gram, codes, a, b, penalties) for a, b in folds],
        "SVC": lambda: [_svc(gram, codes, a, b, penalties) for a, b in folds],
    }
    with threadpool_limits(1):
        solve["ours"]()  # Compiled code is loaded, or made, before the clock runs.
        result = in_turn(solve, turns)
        ours, theirs = (np.concatenate(own(), axis=None) for own in solve.values())
    return result | {"same": float(np.mean(ours == theirs)), "n_graphs": len(codes)}


def ridge_solvers(dataset: str, n_repeats: int, turns: int) -> dict[str, Any]:
    """Seconds of ten folds, several times drawn, with all leave-one-out decisions within each.

    Ours takes one inverse for all of them. Beside it, one inverse per fold, as for a plain nested
    cross-validation by leave-one-out. Also how far the decisions differ.
    """
    data = nask.load_dataset(dataset)
    classes, codes = class_codes(np.asarray(data.y))
    gram = nask.NASK(n_hops=2, n_jobs=1).fit_transform(data.graphs).astype(np.float64)
    penalties = np.full(len(codes), 0.1 * Centring.fit(gram).scale)
    problems = one_against_rest(codes, len(classes))
    tests = [split.test for split in outer_splits(codes, 10, n_repeats, random_state=100)]
    solve: dict[str, Callable[[], Any]] = {
        "ours": lambda: hold_out(gram, problems, penalties, tests, functions=False).decisions,
        "per fold": lambda: _per_fold(gram, problems[0], penalties, tests),
    }
    with threadpool_limits(1):
        solve["ours"]()
        result = in_turn(solve, turns)
        ours, theirs = (own() for own in solve.values())
    gap = float(np.abs(ours - theirs).max())
    return result | {"gap": gap, "n_graphs": len(codes), "n_folds": len(tests)}


def _per_fold(gram: Any, problem: Problem, penalties: Any, tests: Sequence[Any]) -> Any:
    decisions = np.empty((len(tests), len(gram), problem.targets.shape[1]))
    for fold, test in zip(decisions, tests, strict=True):
        train = np.setdiff1d(problem.items, test)
        bordered = np.ones((len(train) + 1, len(train) + 1))
        bordered[:-1, :-1] = gram[np.ix_(train, train)] + np.diag(penalties[train])
        bordered[-1, -1] = 0
        inverse = np.linalg.inv(bordered)
        solution = inverse[:, :-1] @ problem.targets[train]
        left_out = solution[:-1] / np.diag(inverse)[:-1, None]
        fold[train] = problem.targets[train] - left_out
        fold[test] = gram[np.ix_(test, train)] @ solution[:-1] + solution[-1]
    return decisions


def in_turn(solve: Mapping[str, Callable[[], Any]], turns: int) -> dict[str, Any]:
    """Wall and CPU seconds of each, one after the other, ``turns`` times."""
    wall: dict[str, list[float]] = {name: [] for name in solve}
    cpu: dict[str, list[float]] = {name: [] for name in solve}
    for _ in range(turns):
        for name, compute in solve.items():
            start, cpu_start = time.perf_counter(), time.process_time()
            compute()
            wall[name].append(time.perf_counter() - start)
            cpu[name].append(time.process_time() - cpu_start)
    return {"seconds": wall, "cpu_seconds": cpu}


def feature_rows(
    rows: str, n_rows: int, n_columns: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Features of nodes, the classes of some, and their positions, ascending."""
    features = nask.NASKFeatures(n_components=n_columns, n_hops=3, level="node", n_jobs=2)
    data: Any = (
        nask.load_dataset("Cora") if rows == "Cora" else nask.lab.make_social_network(2 * n_rows)
    )
    X = features.fit_transform(data.graph)
    train = np.sort(np.random.default_rng(0).choice(len(X), n_rows, replace=False))
    _, codes = class_codes(np.asarray(data.y)[train])
    return X, codes, train


def _ours(X: Any, codes: Any, C: float, train: Any) -> LinearFunctions:
    return fit_linear(X, codes, C, rows=train, n_jobs=1)


def _linear_svc(X: Any, codes: Any, C: float, train: Any) -> LinearFunctions:
    rows = X[train].astype(np.float64)
    mean = rows.mean(axis=0)
    rows -= mean
    scale = np.sqrt(np.vdot(rows, rows) / len(rows))
    rows /= scale
    model = LinearSVC(C=C, dual=False, intercept_scaling=INTERCEPT_SCALING).fit(rows, codes)
    coefficients = model.coef_ / scale
    return LinearFunctions(coefficients, model.intercept_ - coefficients @ mean)


def _objective(
    rows: npt.NDArray[np.float64], codes: Any, C: float, machine: LinearFunctions
) -> float:
    """Sum over the functions of 1/2 |w|^2 + C sum_i max(0, 1 - y_i f(x_i))^2."""
    centred = rows - rows.mean(axis=0)
    scale = np.sqrt(np.vdot(centred, centred) / len(centred))
    positive = np.arange(1, 2) if len(machine.constants) == 1 else np.arange(codes.max() + 1)
    signs = np.where(codes[:, None] == positive, 1.0, -1.0)
    slack = np.maximum(0, 1 - signs * machine.decide(rows))
    return float(((machine.coefficients * scale) ** 2).sum() / 2 + C * (slack**2).sum())


def _classes(
    gram: npt.NDArray[Any], codes: Any, train: Any, test: Any, penalties: Sequence[float]
) -> list[Any]:
    found = confidences(gram, codes, train, test, penalties, None)
    return [most_confident(confidence) for confidence in found]


def _svc(
    gram: npt.NDArray[Any], codes: Any, train: Any, test: Any, penalties: Sequence[float]
) -> list[Any]:
    square = gram[np.ix_(train, train)]
    centring = Centring.fit(square)
    own, new = centring.apply(square), centring.apply(gram[np.ix_(test, train)])
    # As ours: where classes have as many votes, the one with the larger decisions is chosen.
    models = (SVC(kernel="precomputed", C=C, break_ties=True) for C in penalties)
    return [model.fit(own, codes[train]).predict(new) for model in models]

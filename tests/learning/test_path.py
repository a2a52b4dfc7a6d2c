"""The compiled path of support vector machines against scikit-learn's, and against optimality."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.svm import SVC

from nask.learning import path as path_module
from nask.learning.path import penalty_path

PENALTIES = (0.01, 1.0, 10.0, 1000.0)


def problem(n_classes, seed, n=60, rbf=False):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    features = rng.normal(size=(n, n + 5 if seed % 2 else 4))
    features[:, 0] += codes * rng.uniform(0, 2)
    gram = features @ features.T / features.shape[1]
    if rbf:
        own = gram.diagonal()
        gram = np.exp(-(own[:, None] + own - 2 * gram))
    return gram, codes


def weights_of(kind, n_classes):
    return {k: 0.5 + k for k in range(n_classes)} if kind == "dict" else kind


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("weight", [None, "balanced", "dict"])
@pytest.mark.parametrize("seed", range(4))
def test_decisions_are_those_of_scikit_learn(n_classes, weight, seed):
    gram, codes = problem(n_classes, seed, rbf=seed > 1)
    weight = weights_of(weight, n_classes)
    for C, machine in zip(PENALTIES, penalty_path(gram, codes, PENALTIES, weight), strict=True):
        model = SVC(
            kernel="precomputed", C=C, class_weight=weight, tol=1e-3, decision_function_shape="ovo"
        ).fit(gram, codes)
        expected = model.decision_function(gram).reshape(len(codes), -1)
        # Both stop within 1e-3 of optimality; where few attributes leave the solution loose, the
        # decisions differ by more than that.
        np.testing.assert_allclose(machine.decide(gram), expected, atol=0.1)
        assert np.mean(np.abs(machine.decide(gram) - expected)) < 0.01


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weight", [None, "dict"])
@pytest.mark.parametrize("seed", range(6))
def test_optimality(n_classes, weight, seed):
    """The conditions of Karush, Kuhn and Tucker, which only the optimum meets, pair by pair."""
    gram, codes = problem(n_classes, seed, rbf=seed > 2)
    weight = weights_of(weight, n_classes)
    pairs = list(combinations(range(n_classes), 2))
    for C, machine in zip(PENALTIES, penalty_path(gram, codes, PENALTIES, weight), strict=True):
        functions = zip(pairs, machine.coefficients, machine.constants, strict=True)
        for (i, j), coefficient, constant in functions:
            members = (codes == i) | (codes == j)
            assert (coefficient[~members] == 0).all()
            positive = j if n_classes == 2 else i
            sign = np.where(codes[members] == positive, 1.0, -1.0)
            bound = np.array([C * (weight[c] if weight else 1.0) for c in codes[members]])
            alpha = coefficient[members] * sign
            assert (alpha >= 0).all()
            assert (alpha <= bound).all()
            assert abs(coefficient.sum()) < 1e-9 * max(1, alpha.sum())
            margin = sign * (gram[members] @ coefficient + constant)
            slack = 2 * path_module.TOLERANCE
            assert (margin[alpha == 0] >= 1 - slack).all()
            assert (margin[alpha == bound] <= 1 + slack).all()
            np.testing.assert_allclose(margin[(alpha > 0) & (alpha < bound)], 1, atol=slack)


def test_beyond_the_last_penalty_that_binds_nothing_is_solved(monkeypatch):
    gram, codes = problem(2, 1)  # more attributes than graphs: separable
    solved = []
    solve = path_module.solve
    monkeypatch.setattr(path_module, "solve", lambda *a: solved.append(1) or solve(*a))
    large = [1e4, 1e5, 1e6]
    machines = list(penalty_path(gram, codes, large))
    assert len(solved) == 1
    for machine in machines:
        np.testing.assert_array_equal(machine.coefficients, machines[0].coefficients)
    alone = list(penalty_path(gram, codes, large[2:]))
    np.testing.assert_array_equal(alone[0].coefficients, machines[0].coefficients)


def test_an_indefinite_matrix_comes_to_an_end():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(30, 30))
    gram = matrix + matrix.T
    for machine in penalty_path(gram, np.arange(30) % 2, [1.0, 100.0]):
        assert np.isfinite(machine.coefficients).all()
        assert np.abs(machine.coefficients).max() <= 100.0

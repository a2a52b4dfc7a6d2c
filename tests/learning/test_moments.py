"""Sums that make ridge regressions, against scikit-learn's on the same rows."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from nask.exceptions import ParameterError
from nask.learning.moments import ALPHAS, CAUTIOUS, Moments, hashed

N, COLUMNS = 400, 30


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(100)
    X = (3 + 0.1 * rng.normal(size=(N, COLUMNS))).astype(np.float32)
    Y = rng.normal(size=(N, 2)) + 9 * X[:, :2]
    weights = rng.integers(0, 4, N).astype(float)
    folds = (hashed(np.arange(N), 7) % np.uint64(5)).astype(np.int64)
    return X, Y, weights, folds


def filled(X, Y, folds, weights=None, cuts=()):
    moments = Moments(X.shape[1], Y.shape[1], 5)
    for part in np.split(np.arange(len(X)), cuts):
        own = None if weights is None else weights[part]
        moments.add(X[part], Y[part], folds[part], own)
    return moments


def ridge(X, Y, alpha, weights=None):
    """scikit-learn's, with our meaning of the penalty."""
    X = X.astype(float)
    mean = np.average(X, axis=0, weights=weights)
    square = np.average(((X - mean) ** 2).sum(axis=1), weights=weights)
    return Ridge(alpha=alpha * square, solver="cholesky").fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("weighted", [False, True])
def test_functions_are_those_of_scikit_learn(problem, weighted):
    X, Y, weights, folds = problem
    weights = weights if weighted else None
    chosen = filled(X, Y, folds, weights).choose(0.3)
    oracle = ridge(X, Y, 0.3, weights)
    np.testing.assert_allclose(chosen.functions.coefficients, oracle.coef_, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(chosen.functions.constants, oracle.intercept_, rtol=1e-7)


def test_the_penalty_has_the_least_error_on_folds_that_were_left_out(problem):
    X, Y, weights, folds = problem
    chosen = filled(X, Y, folds, weights).choose()
    errors = np.zeros(len(ALPHAS))
    for k, alpha in enumerate(ALPHAS):
        for fold in range(5):
            out = folds == fold
            model = ridge(X[~out], Y[~out], alpha, weights[~out])
            squares = ((model.predict(X[out].astype(float)) - Y[out]) ** 2).sum(axis=1)
            errors[k] += (weights[out] * squares).sum()
            if alpha == chosen.alpha:
                own = chosen.held_out[fold].coefficients
                np.testing.assert_allclose(own, model.coef_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(chosen.errors, errors / weights.sum(), rtol=1e-7)
    assert chosen.alpha == ALPHAS[int(np.argmin(errors))]
    assert ALPHAS[0] < chosen.alpha < ALPHAS[-1]


def test_any_cut_of_the_rows_gives_the_same(problem):
    X, Y, weights, folds = problem
    whole = filled(X, Y, folds, weights).choose()
    parts = filled(X, Y, folds, weights, cuts=[1, 17, 300]).choose()
    assert parts.alpha == whole.alpha
    ours, theirs = parts.functions, whole.functions
    np.testing.assert_allclose(ours.coefficients, theirs.coefficients, rtol=1e-8, atol=1e-9)


def test_too_few_rows_and_rows_all_alike():
    one = filled(np.ones((1, 3)), np.array([[5.0]]), np.zeros(1, dtype=int)).choose()
    assert (one.alpha, one.held_out) == (CAUTIOUS, {})
    assert np.isnan(one.errors).all()
    alike = filled(np.full((50, 3), 0.1), np.arange(50.0)[:, None], np.arange(50) % 5).choose()
    np.testing.assert_allclose(alike.functions.decide(np.full((1, 3), 0.1)), [[24.5]])


def test_rows_that_are_not_finite_are_refused():
    X = np.ones((9, 3))
    X[4, 1] = np.inf
    with np.errstate(invalid="ignore"), pytest.raises(ParameterError, match="not a finite number"):
        filled(X, np.ones((9, 1)), np.arange(9) % 5).choose()


def test_folds_do_not_go_with_positions():
    """Classes that take turns, by any number up to 12, are in all folds alike."""
    folds = hashed(np.arange(60_000), 3) % np.uint64(5)
    for period in range(2, 13):
        table = np.zeros((period, 5))
        np.add.at(table, (np.arange(60_000) % period, folds.astype(int)), 1)
        assert np.abs(table / table.mean() - 1).max() < 0.15
    other = hashed(np.arange(60_000), 4) % np.uint64(5)
    assert abs(np.mean(folds == other) - 0.2) < 0.01

"""What Newton's method is made of, against finite differences and scipy on small problems."""

import threading
import time

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize_scalar
from threadpoolctl import threadpool_info, threadpool_limits

from nask.execution.execution import Execution
from nask.learning import centred_rows, newton
from nask.learning.centred_rows import CentredRows
from nask.learning.linear import fit_linear
from nask.learning.newton import NewtonSolver, principal_axes

C = 3.0
ALL = np.arange(3)


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(centred_rows, "NUMBERS_PER_TILE", 60)
    monkeypatch.setattr(centred_rows, "TILES_PER_WINDOW", 2)


class Problem:
    """A solver on 50 rows of 4 columns, and the objectives of its three functions by definition."""

    def __init__(self, seed=0):
        rng = np.random.default_rng(seed)
        self.codes = rng.integers(3, size=50)
        self.weights = rng.uniform(0.5, 2, size=50)
        X = rng.normal(size=(50, 4)) * [1, 2, 3, 4] + 5
        self.data = CentredRows.fit(X)
        self.rows = np.column_stack([(X - self.data.mean) / self.data.scale, np.ones(50)])
        self.solver = NewtonSolver(self.data, self.codes, ALL, self.weights, C)

    def move(self, functions):
        """Let the solver stand somewhere else."""
        self.solver.functions[:] = functions
        self.solver._values[:] = functions @ self.rows.T

    def objective(self, function, k):
        signs = np.where(self.codes == k, 1, -1)
        slack = np.maximum(0, 1 - signs * (self.rows @ function))
        return function[:-1] @ function[:-1] / 2 + C * self.weights @ slack**2


@pytest.fixture
def problem():
    return Problem()


@pytest.fixture
def functions():
    return np.random.default_rng(1).normal(size=(3, 5))


def gradient_at(problem, function, k):
    functions = np.zeros((3, 5))
    functions[k] = function
    problem.move(functions)
    return problem.solver.gradient(ALL)[0][k]


@pytest.mark.parametrize("k", range(3))
def test_the_gradient_is_that_of_finite_differences(k, problem, functions):
    def gradient(function):
        return gradient_at(problem, function, k)

    error = check_grad(lambda f: problem.objective(f, k), gradient, functions[k])
    assert error < 1e-5 * np.abs(gradient(functions[k])).max()


def test_the_objective_and_the_weights_of_rows_with_a_loss(problem, functions):
    problem.move(functions)
    _, objective, active = problem.solver.gradient(ALL)
    for k in range(3):
        assert objective[k] == pytest.approx(problem.objective(functions[k], k))
        signs = np.where(problem.codes == k, 1, -1)
        held = signs * (problem.rows @ functions[k]) < 1
        assert active[k] == pytest.approx(problem.weights[held].sum())


@pytest.mark.parametrize("k", range(3))
def test_second_derivatives_are_differences_of_the_gradient(k, problem, functions):
    direction = np.random.default_rng(2).normal(size=(3, 5))
    problem.move(functions)
    bent = problem.solver.bend(ALL, direction)[k]
    # Small enough that no row begins or ceases to have a loss: then the gradient is linear.
    step = 1e-7 * direction[k]
    ahead, behind = (gradient_at(problem, functions[k] + s * step, k) for s in (1, -1))
    np.testing.assert_allclose(bent, (ahead - behind) / 2e-7, rtol=1e-5, atol=1e-5)


def test_functions_are_taken_by_their_numbers(problem, functions):
    problem.move(functions)
    whole = problem.solver.gradient(ALL)
    some = problem.solver.gradient(np.array([2, 0]))
    for of_all, of_some in zip(whole, some, strict=True):
        np.testing.assert_allclose(of_some, of_all[[2, 0]])


def test_the_length_of_a_step_is_that_of_the_minimum(problem, functions):
    problem.move(functions)
    downhill = -problem.solver.gradient(ALL)[0] * [[1e-4], [1e-3], [1.0]]
    problem.solver._changes[:] = downhill @ problem.rows.T
    lengths = problem.solver.length(ALL, downhill)
    for k, length in enumerate(lengths):

        def along(x, k=k):
            return problem.objective(functions[k] + x * downhill[k], k)

        best = minimize_scalar(along, bounds=(0, 2 * length), method="bounded").fun
        # The slope is a hundredth of what it was.
        assert along(length) - best <= 1e-3 * (along(0) - best)


@pytest.mark.parametrize("shape", [(30, 6), (6, 30), (12, 12)])
def test_axes_are_the_right_singular_vectors(shape):
    rows = np.random.default_rng(3).normal(size=shape)
    squares, axes = principal_axes(rows)
    _, singular, vectors = np.linalg.svd(rows, full_matrices=False)
    np.testing.assert_allclose(np.sort(squares)[::-1], singular**2 / shape[0], rtol=1e-8)
    np.testing.assert_allclose(axes.T @ axes, np.eye(min(shape)), atol=1e-8)
    np.testing.assert_allclose(np.abs(np.diag(axes.T[::-1] @ vectors.T)), 1, atol=1e-6)


def test_directions_in_which_rows_do_not_vary_have_no_axis():
    rows = np.zeros((5, 8))
    rows[:, 2] = [1, -1, 2, -2, 0]
    squares, axes = principal_axes(rows)
    np.testing.assert_allclose(squares, [2])
    np.testing.assert_allclose(np.abs(axes[:, 0]), np.eye(8)[2], atol=1e-12)
    assert principal_axes(np.zeros((5, 8)))[1].shape == (8, 0)


def test_sums_are_taken_in_the_order_of_rows_whoever_comes_first(monkeypatch):
    """Numbers of which any other order, and any other cut into windows, gives another sum."""
    monkeypatch.setattr("nask.execution.execution.PAIRS_PER_THREAD", 1)
    X = np.random.default_rng(4).normal(size=(2000, 2)) * np.logspace(0, 20, 2000)[:, None]
    threads = set()

    def terms(place, tile):
        threads.add(threading.get_ident())
        # Later windows are done earlier.
        time.sleep(0.02 if place.start == 0 else 0.0)
        return (tile.sum(axis=0),)

    def total(n_jobs):
        return CentredRows(X, None, np.zeros(2), 1.0, Execution(n_jobs=n_jobs)).sums(terms)

    [one], [many] = total(1), total(4)
    assert len(threads) > 2
    np.testing.assert_array_equal(one, many)
    backwards = CentredRows(X[::-1], None, np.zeros(2), 1.0, Execution(n_jobs=1)).sums(terms)
    assert (backwards[0] != one).any()


def blas_threads():
    return [own["num_threads"] for own in threadpool_info() if own["user_api"] == "blas"]


def test_blas_has_one_thread_in_every_product(monkeypatch):
    """Two would add up in another order."""
    seen = []
    for owner, name in ((CentredRows, "sums"), (CentredRows, "sample"), (newton, "principal_axes")):
        inner = getattr(owner, name)

        def spied(*arguments, name=name, inner=inner):
            seen.append((name, *blas_threads()))
            return inner(*arguments)

        monkeypatch.setattr(owner, name, spied)
    rng = np.random.default_rng(5)
    with threadpool_limits(2, user_api="blas"):
        if set(blas_threads()) != {2}:
            pytest.skip("BLAS has one thread anyway")
        fit_linear(rng.normal(size=(60, 5)), np.arange(60) % 2, 1.0)
        assert set(blas_threads()) == {2}
    assert {name for name, *_ in seen} == {"sums", "sample", "principal_axes"}
    assert {n for _, *threads in seen for n in threads} == {1}

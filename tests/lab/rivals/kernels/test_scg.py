"""Sinkhorn conditional gradient against POT: its scaling, and its general solver."""

import numpy as np
import pytest

from nask.lab.rivals.kernels.scg import Side, Weights, transport

ot = pytest.importorskip("ot")

EPSILON = 0.2
LONG = (1000, 5000, 1e-10)
SIZES = ((1, 1), (1, 5), (6, 4), (9, 9))
WEIGHTS = (
    Weights(0.0, 0.0, 0.0, EPSILON),
    Weights(0.5, 0.0, 0.1, EPSILON),
    Weights(0.0, 0.5, 0.0, EPSILON),
    Weights(2.0, 0.3, 1.0, EPSILON),
)


class Problem:
    """A random problem, its terms written out with whole matrices."""

    def __init__(self, n, m, weights, seed=0):
        rng = np.random.default_rng(seed)
        self.M, self.weights = rng.random((n, m)), weights
        self.parts = [self.matrices(rng, n), self.matrices(rng, m)]
        self.sides = []
        for C, K, L in self.parts:
            ends = np.argwhere(L)
            self.sides.append(Side(C, K, ends, L[tuple(ends.T)]))
        self.a, self.b = np.full(n, 1 / n), np.full(m, 1 / m)

    @staticmethod
    def matrices(rng, n):
        places, more = rng.normal(size=(n, 2)), rng.normal(size=(n, 3))
        edges = np.triu(rng.random((n, n)) < 0.4, 1) * 1.0
        edges += edges.T
        C = np.linalg.norm(places[:, None] - places[None], axis=2)
        return C, more @ more.T, np.diag(edges.sum(axis=1)) - edges

    def image(self, P):
        (C1, K1, L1), (C2, K2, L2) = self.parts
        n, m = P.shape
        local, connectivity, ridge, _ = self.weights
        return (
            local * (m * K1 @ P @ L2 + n * L1 @ P @ K2) - 2 * connectivity * C1 @ P @ C2 + ridge * P
        )

    def quadratic(self, P):
        return np.sum(P * self.image(P))

    def value(self, P):
        return np.sum(self.M * P) + self.quadratic(P) + EPSILON * np.sum(P * np.log(P))

    def solve(self, n_steps, n_scalings, tolerance):
        return transport(self.M, *self.sides, self.weights, n_steps, n_scalings, tolerance)


@pytest.fixture(params=[(size, weights) for size in SIZES for weights in WEIGHTS], ids=str)
def problem(request):
    size, weights = request.param
    return Problem(*size, weights)


def test_the_plan_is_stationary_by_the_scaling_of_pot(problem):
    value, plan = problem.solve(*LONG)
    assert plan.sum(axis=1) == pytest.approx(problem.a)
    assert plan.sum(axis=0) == pytest.approx(problem.b, rel=1e-6)
    assert value == pytest.approx(problem.value(plan), abs=1e-8)
    tangent = problem.M + 2 * problem.image(plan)
    best = ot.sinkhorn(
        problem.a, problem.b, tangent, EPSILON, stopThr=1e-13, numItermax=10**5, warn=False
    )
    gap = np.sum(tangent * (plan - best)) + EPSILON * (
        np.sum(plan * np.log(plan)) - np.sum(best * np.log(best))
    )
    assert abs(gap) < 1e-6


def test_it_ends_no_higher_than_the_general_solver_of_pot(problem):
    plan = ot.optim.gcg(
        problem.a,
        problem.b,
        problem.M,
        EPSILON,
        1.0,
        problem.quadratic,
        lambda P: 2 * problem.image(P),
        stopThr=1e-12,
        stopThr2=1e-12,
        numInnerItermax=5000,
    )
    value, _ = problem.solve(*LONG)
    assert value < problem.value(plan) + 1e-6


def test_the_value_never_rises(problem):
    values = [problem.solve(n_steps, 5000, 1e-10)[0] for n_steps in range(8)]
    assert np.all(np.diff(values) < 1e-9)


def test_without_quadratic_part_one_step_is_the_scaling_of_pot():
    problem = Problem(7, 5, WEIGHTS[0])
    _, plan = problem.solve(1, 5000, 1e-12)
    expected = ot.sinkhorn(problem.a, problem.b, problem.M, EPSILON, stopThr=1e-14)
    assert plan == pytest.approx(expected, abs=1e-10)


def test_costs_far_apart_leave_a_plan():
    problem = Problem(3, 3, Weights(0.0, 0.0, 0.0, 1e-3))
    problem.M = np.array([[0.0, 1e3, 1e6], [1e3, 0.0, 1e6], [1e6, 1e6, 1.0]])
    value, plan = problem.solve(*LONG)
    assert plan == pytest.approx(np.eye(3) / 3, abs=1e-12)
    assert value == pytest.approx(1 / 3 - 1e-3 * np.log(3))

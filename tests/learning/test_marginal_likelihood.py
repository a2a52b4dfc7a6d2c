"""The way up to the maximum of a marginal likelihood."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import nask
from mixed_graphs import random_graphs
from nask.kernels.gram_function import GramFunction
from nask.learning import marginal_likelihood
from nask.learning.gaussian_process import regression
from nask.learning.marginal_likelihood import MarginalLikelihood, climb

BOUNDS = np.array([[-6.0, 6.0]])


@pytest.mark.parametrize("options", [{"normalize": False}, {"gram": "rbf"}], ids=str)
def test_the_gradient_is_that_of_differences(options):
    """By parameters of the kernel, which change the unit, and by the variances."""
    graphs = random_graphs(8, 1)
    y = np.random.default_rng(0).normal(size=8)
    likelihood = MarginalLikelihood(
        GramFunction(nask.NASK(n_hops=2, **options), graphs, ["gamma", "gamma_star"]),
        lambda covariance, noise: regression(covariance, y, noise)[0],
        {"signal_variance": 2.0, "noise": 0.3},
        ["signal_variance", "noise"],
    )
    assert likelihood.names == ["gamma", "gamma_star", "signal_variance", "noise"]
    x = likelihood.start + 0.1
    found = likelihood(x)[1]
    steps = 1e-5 * np.eye(4)
    expected = [(likelihood(x + s)[0] - likelihood(x - s)[0]) / 2e-5 for s in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def two_hills(x):
    """A low hill at -2 and a high one at 3."""
    hills = np.array([1.0, 2.0]) * np.exp(-((x[0] - np.array([-2.0, 3.0])) ** 2))
    slope = -2 * (x[0] - np.array([-2.0, 3.0])) * hills
    return float(hills.sum()), np.array([slope.sum()])


def test_restarts_find_a_higher_hill():
    start = np.array([-2.5])
    near = climb(two_hills, start, BOUNDS, 0, 0)
    far = climb(two_hills, start, BOUNDS, 10, 0)
    assert near[0] == pytest.approx(-2.0, abs=1e-2)
    assert far[0] == pytest.approx(3.0, abs=1e-2)
    np.testing.assert_array_equal(far, climb(two_hills, start, BOUNDS, 10, 0))


def test_bounds_hold():
    assert climb(two_hills, np.array([1.0]), np.array([[0.5, 2.0]]), 0, 0) == pytest.approx(2.0)


def test_where_it_has_no_value_it_turns_back():
    def broken(x):
        return (-np.inf, np.zeros(1)) if x[0] > 2.5 else two_hills(x)

    assert 1.5 <= climb(broken, np.array([1.5]), BOUNDS, 0, 0)[0] <= 2.5


def test_a_way_that_does_not_end_is_told(monkeypatch):
    """A slope that gets no nearer to an end, on steps that are too few for it."""
    monkeypatch.setattr(marginal_likelihood, "RISE", 0.0)

    def valley(x):
        bent = np.array(
            [400 * x[0] * (x[1] - x[0] ** 2) + 2 * (1 - x[0]), -200 * (x[1] - x[0] ** 2)]
        )
        return -float(100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2), bent

    monkeypatch.setattr(marginal_likelihood, "MOST_STEPS", 3)
    with pytest.warns(ConvergenceWarning, match="still rose after 3 steps"):
        climb(valley, np.array([-1.0, 2.0]), np.array([[-5.0, 5.0]] * 2), 0, 0)

"""Gaussian processes against scikit-learn's, and derivatives by differences."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Kernel

from nask.learning.gaussian_process import (
    GaussianProcess,
    classification,
    mean_sigmoid,
    regression,
)


class Given(Kernel):
    """A kernel by its matrix, between things numbered in one column."""

    def __init__(self, matrix):
        self.matrix = matrix

    def __call__(self, X, Y=None, eval_gradient=False):
        rows = X[:, 0].astype(int)
        columns = rows if Y is None else Y[:, 0].astype(int)
        return self.matrix[np.ix_(rows, columns)]

    def diag(self, X):
        return self.matrix.diagonal()[X[:, 0].astype(int)]

    def is_stationary(self):
        return False


@pytest.fixture(scope="module")
def drawn():
    """A covariance of 40 things, of which 30 are for training, as columns of their numbers."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(40, 5))
    matrix = 3 * np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 8)
    numbers = np.arange(40.0)[:, None]
    return matrix, numbers[:30], numbers[30:], draw.normal(size=30)


def process(posteriors, noise=0.0):
    coefficients, n = np.array([own.coefficients for own in posteriors]), len(posteriors)
    return GaussianProcess(
        coefficients, np.zeros(n), np.arange(30),
        whitening=np.array([own.whitening for own in posteriors]), amplitude=1.0, scale=1.0,
        signal_variance=1.0, noise=noise, evidence=0.0,
    )  # fmt: skip


def test_regression_is_that_of_scikit_learn(drawn):
    K, train, new, y = drawn
    theirs = GaussianProcessRegressor(Given(K), alpha=0.2, optimizer=None).fit(train, y)
    evidence, posterior = regression(K[:30, :30], y, 0.2)
    assert evidence.value == pytest.approx(theirs.log_marginal_likelihood_value_)
    ours, gram = process([posterior]), K[30:, :30]
    mean, covariance = theirs.predict(new, return_cov=True)
    np.testing.assert_allclose(ours.decide(gram)[:, 0], mean, atol=1e-10)
    np.testing.assert_allclose(ours.covariance(gram, K[30:, 30:]), covariance, atol=1e-10)
    variance = ours.variance(gram, K.diagonal()[30:])[:, 0]
    np.testing.assert_allclose(variance, covariance.diagonal(), atol=1e-10)


def test_two_classes_are_those_of_scikit_learn(drawn):
    """Its probabilities come from an approximation of the integral, good to some 1e-3."""
    K, train, new, y = drawn
    theirs = GaussianProcessClassifier(Given(K), optimizer=None).fit(train, y > 0)
    evidence, posterior = classification(K[:30, :30], np.sign(y))
    assert evidence.value == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-8)
    ours, gram, own = process([posterior]), K[30:, :30], K.diagonal()[30:]
    found = ours.probabilities(gram, own)
    np.testing.assert_allclose(found, theirs.predict_proba(new), atol=3e-3)
    np.testing.assert_array_equal(found[:, 1] > 0.5, ours.confidence(gram) > 0)


def test_probabilities_of_several_classes_add_up(drawn):
    K, _, _, y = drawn
    codes = np.digitize(y, [-0.5, 0.5])
    found = [classification(K[:30, :30], np.where(codes == c, 1.0, -1.0))[1] for c in range(3)]
    probabilities = process(found).probabilities(K[:30, :30], K.diagonal()[:30])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (probabilities.argmax(axis=1) == codes).mean() > 0.6


@pytest.mark.parametrize("scale", [0.01, 1.0, 300.0])
@pytest.mark.parametrize("learn", ["numbers", "classes"])
def test_derivatives_by_the_covariance(drawn, learn, scale):
    K, _, _, y = drawn

    def evidence(K):
        if learn == "numbers":
            return regression(K, y, 0.2)[0]
        return classification(K, np.sign(y))[0]

    draw = np.random.default_rng(1)
    change, K = draw.normal(size=(30, 30)), scale * K[:30, :30]
    change = scale * (change + change.T) / 30
    slope = float((evidence(K).by_gram * change).sum())
    both = [evidence(K + step * change).value for step in (1e-5, -1e-5)]
    assert slope == pytest.approx((both[0] - both[1]) / 2e-5, rel=1e-4, abs=1e-5)


def test_derivative_by_the_noise(drawn):
    K, _, _, y = drawn
    K = K[:30, :30]
    both = [regression(K, y, 0.2 + step)[0].value for step in (1e-6, -1e-6)]
    assert regression(K, y, 0.2)[0].by_noise == pytest.approx((both[0] - both[1]) / 2e-6, rel=1e-6)


@pytest.mark.parametrize("deviation", [0.0, 0.3, 3.0, 50.0])
def test_the_mean_probability_is_the_integral(deviation):
    def integral(mean):
        if deviation == 0:
            return expit(mean)
        density = lambda t: expit(mean + deviation * t) * np.exp(-t * t / 2)  # noqa: E731
        around = [min(max(-mean / deviation, -11.0), 11.0)]
        return quad(density, -12, 12, points=around, limit=500)[0] / np.sqrt(2 * np.pi)

    means = np.array([-9.0, 0.0, 0.4, 30.0])
    found = mean_sigmoid(means, np.full(4, deviation**2))
    np.testing.assert_allclose(found, [integral(mean) for mean in means], atol=1e-7)

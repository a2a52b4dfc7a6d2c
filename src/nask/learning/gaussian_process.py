"""From a Gram matrix to a Gaussian process: mean, variance, and how likely the targets are.

A function f is drawn with mean 0 and covariance K. Numbers are y = f + noise, and everything about
f given y is exact. Classes are drawn with the probability sigma(f) = 1 / (1 + e^-f); f given
them is replaced by the normal distribution that touches it at its peak (Laplace's approximation).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import expit

from nask.arrays import Array, Float64
from nask.choices import Scheme
from nask.learning.decisions import KernelModel

# Newton's method ends where a step is smaller, of functions of the size of 1; the next one would be
# of the size of rounding errors.
SMALL_STEP = 1e-8
# Of the logarithm of a posterior, a part.
ROUNDING = 1e-10
MOST_STEPS = 100
# Points from -8 to 8 deviations. The error of the trapezoidal rule is some e^(-1000 / deviation):
# 1e-7 for a deviation of 60.
POINTS = np.linspace(-8.0, 8.0, 801)


class Evidence(NamedTuple):
    """The logarithm of the marginal likelihood of the targets, and its derivatives."""

    value: float
    by_gram: Float64  # by each entry of K
    by_noise: float = 0.0  # by the variance of the noise


class Posterior(NamedTuple):
    """One function given the targets: mean K(G, .) a, variance K(G, G) - |T K(., G)|^2."""

    coefficients: Float64  # a, (n,)
    whitening: Float64  # T, (n, n), lower triangular


def regression(
    gram: Float64, y: Float64, noise: float, gradient: bool = True
) -> tuple[Evidence, Posterior]:
    """Return how likely numbers are under a Gaussian process, and the process given them.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        K, the covariance of the function.
    y : ndarray of shape (n,)
    noise : float
        Variance of the noise.
    gradient : bool, default=True
        Whether derivatives are wanted; else they are 0.

    Examples
    --------
    >>> evidence, posterior = regression(np.eye(2), np.array([1.0, -1.0]), noise=1.0)
    >>> posterior.coefficients, round(evidence.value, 3)  # two draws of variance 2
    (array([ 0.5, -0.5]), -3.031)
    """
    n = len(y)
    factor = cholesky(gram + noise * np.eye(n), lower=True)
    a = cho_solve((factor, True), y)
    value = -y @ a / 2 - np.log(factor.diagonal()).sum() - n * np.log(2 * np.pi) / 2
    whitening = solve_triangular(factor, np.eye(n), lower=True)
    by_gram = np.zeros((n, n))
    if gradient:
        by_gram = (np.outer(a, a) - whitening.T @ whitening) / 2
    return Evidence(float(value), by_gram, float(np.trace(by_gram))), Posterior(a, whitening)


def classification(
    gram: Float64, signs: Float64, gradient: bool = True
) -> tuple[Evidence, Posterior]:
    """Return how likely classes are under a Gaussian process, and the process given them.

    By Laplace's approximation (Rasmussen and Williams 2006, algorithms 3.1 and 5.1).

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        K, the covariance of the function.
    signs : ndarray of shape (n,)
        1 for the class in question, -1 for others.
    gradient : bool, default=True
        Whether derivatives are wanted; else they are 0.

    Examples
    --------
    >>> evidence, posterior = classification(np.eye(2), np.array([1.0, -1.0]))
    >>> posterior.coefficients.round(3), round(evidence.value, 3)  # near 2 log(1/2)
    (array([ 0.401, -0.401]), -1.401)
    """
    n = len(signs)
    a, f, change = np.zeros(n), np.zeros(n), np.inf
    for _ in range(MOST_STEPS):
        p = expit(f)
        slope, bend = (signs + 1) / 2 - p, p * (1 - p)
        root = np.sqrt(bend)
        factor = cholesky(np.eye(n) + root[:, None] * gram * root, lower=True)
        if change < SMALL_STEP:
            break
        b = bend * f + slope
        step = b - root * cho_solve((factor, True), root * (gram @ b)) - a
        a, there = _uphill(gram, signs, a, f, step)
        change, f = float(np.abs(there - f).max() / (1 + np.abs(f).max())), there
    value = -a @ f / 2 - np.logaddexp(0, -signs * f).sum()
    whitening = solve_triangular(factor, np.diag(root), lower=True)
    evidence = value - np.log(factor.diagonal()).sum()
    by_gram = np.zeros((n, n))
    if gradient:
        R = whitening.T @ whitening
        C = whitening @ gram
        # How the determinant changes with f, and f with K.
        third = bend * (2 * p - 1)
        s = (gram.diagonal() - (C * C).sum(axis=0)) / 2 * third
        u = s - R @ (gram @ s)
        by_gram = (np.outer(slope, slope) - R + np.outer(u, slope) + np.outer(slope, u)) / 2
    return Evidence(float(evidence), by_gram), Posterior(slope, whitening)


def _uphill(
    gram: Float64, signs: Float64, a: Float64, f: Float64, step: Float64
) -> tuple[Float64, Float64]:
    """Go a step, or as much of it as the posterior rises along; return a and f = K a."""

    def height(a: Float64, f: Float64) -> float:
        return float(-a @ f / 2 - np.logaddexp(0, -signs * f).sum())

    # Less rounding: at the peak, no step rises.
    here, length = height(a, f), 1.0
    here -= ROUNDING * (1 + abs(here))
    while True:
        there = a + length * step
        reached = gram @ there
        if height(there, reached) >= here or length < SMALL_STEP:
            return there, reached
        length /= 2


@dataclass(frozen=True, kw_only=True)
class GaussianProcess(KernelModel):
    """Gaussian processes given their targets, one function for numbers or two classes.

    Parameters
    ----------
    coefficients, constants, support
        As in :class:`KernelModel`, of the mean; one function for numbers or two classes, otherwise
        one per class against the others. All training graphs are support graphs.
    whitening : ndarray of shape (n_functions, n, n)
        T: the variance is scale^2 (amplitude * K(G, G) - |T K(., G)|^2).
    amplitude : float
        Variance of the functions before there are targets, per unit of the kernel.
    scale : float
        Standard deviation of the numbers that were learned from; 1 for classes.
    signal_variance, noise : float
        The learned parameters; noise is in units of scale^2, and 0 for classes.
    evidence : float
        Logarithm of the marginal likelihood.
    """

    whitening: Float64
    amplitude: float
    scale: float
    signal_variance: float
    noise: float
    evidence: float

    @property
    def noise_variance(self) -> float:
        """Variance of numbers around the function, in their own units."""
        return self.scale**2 * self.noise

    @property
    def scheme(self) -> Scheme:
        """How the functions tell classes apart: each from the others."""
        return "ovr"

    def confidence(self, gram: Array) -> Float64:
        """Mean of the function of the second of two classes, (m,), or of each, (m, n_classes)."""
        means = self.decide(gram)
        return means[:, 0] if means.shape[1] == 1 else means

    def variance(self, gram: Array, own: Array) -> Float64:
        """Variance of the functions, (m, n_functions).

        Parameters
        ----------
        gram : ndarray of shape (m, n)
            The kernel between new graphs and the training graphs.
        own : ndarray of shape (m,)
            That of the new graphs with themselves.
        """
        known = [((gram @ T.T) ** 2).sum(axis=1) for T in self.whitening]
        left = self.amplitude * own[:, None] - np.transpose(known)
        return np.asarray(self.scale**2 * np.maximum(left, 0.0))

    def covariance(self, gram: Array, between: Array) -> Float64:
        """Covariance of the first function at new graphs, (m, m), from the kernel between them."""
        known = gram @ self.whitening[0].T
        return np.asarray(self.scale**2 * (self.amplitude * between - known @ known.T))

    def probabilities(self, gram: Array, own: Array) -> Float64:
        """Probability of each class, (m, n_classes); parameters as of :meth:`variance`."""
        of_class = mean_sigmoid(self.decide(gram), self.variance(gram, own))
        if of_class.shape[1] == 1:
            return np.hstack([1 - of_class, of_class])
        return np.asarray(of_class / of_class.sum(axis=1, keepdims=True))


def mean_sigmoid(mean: Float64, variance: Float64) -> Float64:
    """Return the mean of 1 / (1 + e^-f) for normal f.

    Examples
    --------
    >>> mean_sigmoid(np.array([0.0, 2.0, 2.0]), np.array([9.0, 0.0, 9.0])).round(3)
    array([0.5  , 0.881, 0.717])
    """
    total, deviation = np.zeros(mean.shape), np.sqrt(variance)
    weights = np.exp(-(POINTS**2) / 2)
    for point, weight in zip(POINTS, weights / weights.sum(), strict=True):
        total += weight * expit(mean + deviation * point)
    return total

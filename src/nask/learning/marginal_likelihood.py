"""The marginal likelihood of a Gaussian process by its parameters, and the way to its maximum."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from nask.arrays import Float64
from nask.kernels.gram_function import GramFunction
from nask.learning.gaussian_process import Evidence

# How likely the targets are: of a covariance and a variance of the noise.
Learn = Callable[[Float64, float], Evidence]
# The parameters of a Gaussian process beside those of its kernel.
VARIANCES = ("signal_variance", "noise")
# Where a step raises the value by a smaller part of it, the way ends: 1e-4 of -100 says nothing of
# parameters, and to climb on takes twice the time.
RISE = 1e-6
MOST_STEPS = 500
# What L-BFGS-B says if it has used up its steps.
OUT_OF_STEPS = 1


def unit_of(gram: Float64) -> float:
    """Mean of K(G, G) over training graphs, by which a Gram matrix is divided.

    Examples
    --------
    >>> unit_of(np.diag([1.0, 3.0])), unit_of(np.zeros((2, 2)))
    (2.0, 1.0)
    """
    return float(np.trace(gram)) / len(gram) or 1.0


class MarginalLikelihood:
    """The logarithm of the marginal likelihood as a function of the logarithms of parameters.

    The covariance is signal_variance * K / unit, where the unit is the mean of K(G, G).

    Parameters
    ----------
    function : GramFunction
        Of the parameters of the kernel, which come first.
    learn : callable
        The likelihood and its derivatives, from a covariance and a variance of the noise.
    variances : mapping of str to float
        Signal variance and noise where learning begins.
    learned : sequence of str
        Which of these are learned.
    """

    def __init__(
        self,
        function: GramFunction,
        learn: Learn,
        variances: Mapping[str, float],
        learned: Sequence[str],
    ) -> None:
        self._function, self._learn = function, learn
        self._variances = dict(variances)
        self._learned = [name for name in VARIANCES if name in learned]
        self.names = [own.name for own in function.coordinates] + self._learned
        own = np.log([variances[name] for name in self._learned])
        self.start = np.concatenate([function.start, own])

    def parameters(self, x: Float64) -> tuple[dict[str, Any], dict[str, float]]:
        """The learned parameters of the kernel, and all variances, at a point."""
        kernel, rest = np.split(x, [len(self._function.coordinates)])
        learned = dict(zip(self._learned, np.exp(rest).tolist(), strict=True))
        return self._function.parameters(kernel), self._variances | learned

    def __call__(self, x: Float64) -> tuple[float, Float64]:
        """The value and the gradient at a point; minus infinity where K cannot be factorised."""
        kernel, _ = np.split(x, [len(self._function.coordinates)])
        _, variances = self.parameters(x)
        gram = self._function.gram(kernel)
        unit, signal, noise = unit_of(gram), variances["signal_variance"], variances["noise"]
        try:
            found = self._learn(gram * (signal / unit), noise)
        except LinAlgError:
            return -np.inf, np.zeros(len(x))
        bar = found.by_gram * (signal / unit)
        of_signal = float((bar * gram).sum())
        by_variance = {"signal_variance": of_signal, "noise": noise * found.by_noise}
        gradient = [by_variance[name] for name in self._learned]
        if len(kernel):
            bar = bar - np.eye(len(gram)) * (of_signal / unit / len(gram))
            gradient = [*self._function.gradient(kernel, bar), *gradient]
        return found.value, np.array(gradient)


def climb(
    function: Callable[[Float64], tuple[float, Float64]],
    start: Float64,
    bounds: Float64,
    n_restarts: int,
    random_state: int,
) -> Float64:
    """Return the highest point that L-BFGS-B finds from a start, and from others drawn at random.

    Parameters
    ----------
    function : callable
        Value and gradient at a point.
    start : ndarray of shape (k,)
    bounds : ndarray of shape (k, 2)
    n_restarts : int
        How many starts are drawn, evenly between the bounds.
    random_state : int

    Examples
    --------
    >>> def hill(x):
    ...     return -float(x @ x), -2 * x
    >>> climb(hill, np.ones(2), np.array([[-1.0, 5.0], [0.5, 5.0]]), 0, 0).round(6)
    array([0. , 0.5])
    """
    draw = np.random.default_rng(random_state)
    starts = [start, *(draw.uniform(*bounds.T) for _ in range(n_restarts))]

    def depth(x: Float64) -> tuple[float, Float64]:
        value, gradient = function(x)
        return -value, -gradient

    best, top = start, -np.inf
    for own in starts:
        options = {"ftol": RISE, "maxiter": MOST_STEPS}
        found = minimize(
            depth, own, jac=True, method="L-BFGS-B", bounds=bounds, options=options
        )  # fmt: skip
        if found.status == OUT_OF_STEPS:
            warnings.warn(
                f"The marginal likelihood still rose after {found.nit} steps. Fewer parameters in "
                "'optimize', or narrower 'bounds', take fewer.",
                ConvergenceWarning,
                stacklevel=2,
            )
        if -found.fun > top:
            best, top = np.asarray(found.x), -found.fun
    return best

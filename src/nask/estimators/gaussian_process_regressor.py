"""Gaussian process regression on graphs: a number, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from nask.arrays import Float64
from nask.estimators.gaussian_process import GraphGaussianProcess
from nask.exceptions import ParameterError
from nask.kernels.gram_function import LEARNABLE
from nask.kernels.parameters import POSITIVE, is_positive
from nask.learning.gaussian_process import Evidence, Posterior, regression
from nask.learning.marginal_likelihood import VARIANCES
from nask.learning.targets import as_numbers, training_data


@dataclass(kw_only=True, eq=False, repr=False)
class NASKGaussianProcessRegressor(RegressorMixin, GraphGaussianProcess):
    """Gaussian process regression on graphs: a number, and how sure it is.

    The target is a function with the covariance signal_variance * K plus noise; what is known of it
    after training is exact. Parameters of the kernel are learned, too: those that make the training
    targets most likely, found by the exact gradient.

    Parameters
    ----------
    signal_variance : float, default=1.0
        Variance of the function at a training graph on average, in units of the variance of y.
    noise : float, default=0.1
        Variance of y around the function, in units of the variance of y.
    optimizer : {"fmin_l_bfgs_b", None}, default="fmin_l_bfgs_b"
        How parameters are learned; None keeps the given ones.
    optimize : sequence of str, default=None
        The parameters that are learned, from the given values on: of "gamma" (one number for all
        attributes; one for each, if ``gamma`` is a dict, such as ``{}``), "gamma_star",
        "attribute_weights", "hop_weights", "gram_scale", "signal_variance" and "noise". By default
        all that make a difference, without weights.
    bounds : dict of str to (low, high), default=None
        Between which values parameters are learned, by name. By default gamma and gram_scale lie
        between 0.01 and 100, gamma_star 0.1 and 300, weights 0.001 and 1000, signal_variance 0.001
        and 1e5, noise 1e-5 and 10.
    n_restarts_optimizer : int, default=0
        How many more starts, drawn at random between the bounds, are tried.
    random_state : int, default=0
        Seed of these.
    gram : {"rbf", "linear"}, default="rbf"
        Form of the Gram matrix. A Gaussian says that less is known the farther a graph is from
        those of training, and had the lower errors, or nearly, wherever the two were compared.
    **kernel parameters
        All others of :class:`nask.NASK`, with the same defaults.

    Attributes
    ----------
    kernel_ : NASK
        The fitted kernel, with the learned parameters.
    signal_variance_, noise_ : float
        The learned ones.
    log_marginal_likelihood_value_ : float
        Of the targets, in units of their deviation, under the learned parameters.
    functions_ : GaussianProcess

    Notes
    -----
    The Gram matrix is divided by its mean diagonal, and y is brought to mean 0 and variance 1, as
    with ``normalize_y`` in scikit-learn. Time grows with the cube of the number of graphs, and
    memory with its square: some thousands of graphs are the most.

    References
    ----------
    Rasmussen, C. E. and Williams, C. K. I. Gaussian processes for machine learning. MIT Press,
    2006.

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs
    >>> y = [graph.n_edges / graph.n_nodes for graph in graphs]
    >>> model = nask.NASKGaussianProcessRegressor(n_hops=2).fit(graphs[::4], y[::4])
    >>> mean, std = model.predict(graphs[1::4], return_std=True)
    >>> inside = abs(mean - y[1::4]) < 1.96 * std
    >>> bool(inside.mean() > 0.8)
    True
    """

    noise: float = 0.1

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        self._check(is_positive(self.noise), "noise", POSITIVE)

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the parameters and the function from graphs and their target values.

        Parameters
        ----------
        X : list of graphs
        y : array-like of shape (n_graphs,)
        """
        self.check_parameters()
        graphs, values = training_data(X, y, type(self).__name__)
        target = as_numbers(values, type(self).__name__)
        mean, scale = float(target.mean()), float(target.std()) or 1.0
        self._fit_process(graphs, ((target - mean) / scale)[None], mean, scale)
        return self

    def predict(
        self,
        X: Any,
        return_std: bool = False,
        return_cov: bool = False,
        include_noise: bool = True,
    ) -> Float64 | tuple[Float64, Float64]:
        """Predicted value of each graph, and how sure it is.

        Parameters
        ----------
        X : list of graphs
        return_std : bool, default=False
            Whether to return the standard deviation of each prediction, too.
        return_cov : bool, default=False
            Whether to return the covariance of all predictions instead.
        include_noise : bool, default=True
            Whether these are of a new observation, with its noise, or of the function alone.

        Returns
        -------
        mean : ndarray of shape (n_graphs,)
        std : ndarray of shape (n_graphs,), with ``return_std``
        covariance : ndarray of shape (n_graphs, n_graphs), with ``return_cov``
        """
        if return_std and return_cov:
            raise ParameterError(
                "predict returns the standard deviation or the covariance: set return_std or "
                "return_cov, not both."
            )
        gram, own = self._compare(X, between=return_cov)
        functions = self._process
        mean = functions.decide(gram)[:, 0]
        noise = functions.noise_variance if include_noise else 0.0
        if return_cov:
            return mean, functions.covariance(gram, own) + noise * np.eye(len(mean))
        if return_std:
            return mean, np.sqrt(functions.variance(gram, own)[:, 0] + noise)
        return mean

    @property
    def noise_(self) -> float:
        """The learned variance of the noise, in units of the variance of y."""
        return self._process.noise

    @staticmethod
    def _learnable() -> tuple[str, ...]:
        return (*LEARNABLE, *VARIANCES)

    def _variances(self) -> dict[str, float]:
        return {"signal_variance": self.signal_variance, "noise": self.noise}

    def _posteriors(
        self, covariance: Float64, noise: float, targets: Float64, gradient: bool
    ) -> tuple[Evidence, list[Posterior]]:
        evidence, posterior = regression(covariance, targets[0], noise, gradient)
        return evidence, [posterior]

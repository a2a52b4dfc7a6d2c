"""What Gaussian processes on graphs share: how their parameters and functions are learned."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from scipy.linalg import LinAlgError
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float64
from nask.choices import GramForm, Optimizer
from nask.estimators.base import GraphEstimator
from nask.exceptions import ParameterError, did_you_mean
from nask.execution.progress import counting
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import as_graphs
from nask.kernels.fitted import FittedKernel
from nask.kernels.gram_function import LEARNABLE, GramFunction, not_learnable
from nask.kernels.nask import NASK
from nask.kernels.parameters import POSITIVE, is_integer, is_positive
from nask.learning.gaussian_process import (
    Evidence,
    GaussianProcess,
    Posterior,
)
from nask.learning.likeness import Likeness, Side
from nask.learning.marginal_likelihood import MarginalLikelihood, climb, unit_of
from nask.messages import quoted

# Of parameters that are learned. Below a gamma of 0.01 all graphs are nearly alike; a gamma_star of
# 300 is hard relabelling; a signal variance makes up for graphs that are alike in most.
BOUNDS = {
    "gamma": (1e-2, 1e2),
    "gamma_star": (1e-1, 3e2),
    "attribute_weights": (1e-3, 1e3),
    "hop_weights": (1e-3, 1e3),
    "gram_scale": (1e-2, 1e2),
    "signal_variance": (1e-3, 1e5),
    "noise": (1e-5, 1e1),
}
# What is learned by default, where it makes a difference.
LEARNED = ("gamma", "gamma_star", "gram_scale", "signal_variance", "noise")


@dataclass(kw_only=True, eq=False, repr=False)
class GraphGaussianProcess(GraphEstimator):
    """A Gaussian process on the kernel between graphs; subclasses say of what."""

    gram: GramForm = "rbf"
    signal_variance: float = 1.0
    optimizer: Optimizer | None = "fmin_l_bfgs_b"
    optimize: Sequence[str] | None = None
    bounds: Mapping[str, tuple[float, float]] | None = None
    n_restarts_optimizer: int = 0
    random_state: int = 0

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        self._check(is_positive(self.signal_variance), "signal_variance", POSITIVE)
        self._check_option("optimizer", (None, "fmin_l_bfgs_b"))
        self._check_integer("n_restarts_optimizer", 0)
        valid = is_integer(self.random_state) and self.random_state >= 0
        self._check(valid, "random_state", "an int of 0 or more")
        self._check_names("optimize", self.optimize)
        self._check_names("bounds", self.bounds)
        valid = self.bounds is None or isinstance(self.bounds, Mapping)
        for pair in (self.bounds or {}).values() if valid else ():
            sized = isinstance(pair, (Sequence, np.ndarray)) and len(pair) == 2
            valid = valid and sized and all(map(is_positive, pair)) and pair[0] <= pair[1]
        self._check(
            valid, "bounds", "None, or a dict of (low, high), with 0 < low <= high, by name"
        )
        # It raises on what cannot be learned.
        self.learned_names()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that :func:`nask.load` reads.

        The file is a zip of JSON and ``.npy`` arrays, one of them with the square of the number of
        graphs per function. It holds the graphs' encoded attributes, and no code.
        """
        from nask.estimators.saving_process import save_process

        save_process(self, path)

    @property
    def log_marginal_likelihood_value_(self) -> float:
        """Logarithm of the marginal likelihood of the targets under the learned parameters."""
        return self._process.evidence

    @property
    def signal_variance_(self) -> float:
        """The learned variance of the function, of a training graph on average."""
        return self._process.signal_variance

    @property
    def _process(self) -> GaussianProcess:
        return cast(GaussianProcess, self.functions_)

    def learned_names(self) -> tuple[str, ...]:
        """The parameters that ``fit`` learns."""
        if self.optimizer is None:
            return ()
        reasons = not_learnable(self)
        own = self._learnable()
        if self.optimize is None:
            return tuple(name for name in LEARNED if name in own and name not in reasons)
        for name in self.optimize:
            if name in reasons:
                raise ParameterError(
                    f"The 'optimize' parameter of {type(self).__name__} names {name!r}, which "
                    f"{reasons[name]}. Leave it out, or change that."
                )
        return tuple(self.optimize)

    @staticmethod
    @abstractmethod
    def _learnable() -> tuple[str, ...]:
        """The parameters that may be learned."""

    @abstractmethod
    def _variances(self) -> dict[str, float]:
        """Signal variance and noise where learning begins."""

    @abstractmethod
    def _posteriors(
        self, covariance: Float64, noise: float, targets: Float64, gradient: bool
    ) -> tuple[Evidence, list[Posterior]]:
        """How likely targets are, (n_functions, n), and each function given them."""

    def _check_names(self, name: str, given: Any) -> None:
        valid = given is None or (
            isinstance(given, (Sequence, Mapping)) and not isinstance(given, str)
        )
        self._check(valid, name, "None, or names of parameters")
        known = self._learnable()
        for own in given or ():
            if own not in known:
                raise ParameterError(
                    f"The {name!r} parameter of {type(self).__name__} names {quoted(own)}, which "
                    f"is no parameter that can be learned. {did_you_mean(str(own), known)}"
                )

    def _fit_process(
        self, graphs: list[AttributedGraph], targets: Float64, mean: float, scale: float
    ) -> None:
        """Learn the parameters, and the functions given the targets of all training graphs.

        Parameters
        ----------
        graphs : list of AttributedGraph
        targets : ndarray of shape (n_functions, n_graphs)
        mean, scale : float
            What targets are in their own units: mean + scale * target.
        """
        parameters, variances = self._learn_parameters(graphs, targets)
        kernel, gram = FittedKernel.fit(parameters, graphs).training_gram(
            self.gram_folder, self.execution()
        )
        covariance = np.asarray(gram, dtype=np.float64)
        signal, noise = variances["signal_variance"], variances["noise"]
        unit = signal / unit_of(covariance)
        try:
            evidence, found = self._posteriors(unit * covariance, noise, targets, False)
        except LinAlgError:
            raise ParameterError(
                f"The Gram matrix with signal_variance={signal:g} and noise={noise:g} cannot be "
                "factorised: rounding errors are larger than the noise. Raise the noise."
            ) from None
        functions = GaussianProcess(
            unit * scale * np.array([own.coefficients for own in found]),
            np.full(len(found), float(mean)),
            np.arange(len(graphs)),
            whitening=unit * np.array([own.whitening for own in found]),
            amplitude=unit,
            scale=scale,
            signal_variance=signal,
            noise=noise,
            evidence=evidence.value,
        )
        side = Side.of(kernel.graphs, kernel.form)
        self.likeness_ = Likeness.fit(covariance, side, functions.support)
        self.set_fitted(kernel, functions, len(graphs), parameters.get_params())

    def _learn_parameters(
        self, graphs: list[AttributedGraph], targets: Float64
    ) -> tuple[NASK, dict[str, float]]:
        given, names, variances = self.kernel_parameters(), self.learned_names(), self._variances()
        if not names:
            return NASK(**given), variances

        def learn(covariance: Float64, noise: float) -> Evidence:
            step()
            return self._posteriors(covariance, noise, targets, True)[0]

        of_kernel, execution = [name for name in names if name in LEARNABLE], self.execution()
        if not callable(self.verbose):
            # One bar for all steps, not one in each.
            execution = replace(execution, progress=False)
        function = GramFunction(self, graphs, of_kernel, execution)
        likelihood = MarginalLikelihood(function, learn, variances, names)
        bounds, restarts = self._bounds(likelihood), (self.n_restarts_optimizer, self.random_state)
        with counting(self.verbose, "Learning parameters") as step:
            x = climb(likelihood, likelihood.start, bounds, *restarts)
        learned, variances = likelihood.parameters(x)
        return NASK(**(given | learned)), variances

    def _bounds(self, likelihood: MarginalLikelihood) -> Float64:
        """The logarithms of the bounds; those by default are moved to where learning begins."""
        given = self.bounds or {}
        pairs = []
        for name, start in zip(likelihood.names, np.exp(likelihood.start), strict=True):
            low, high = given.get(name, BOUNDS[name])
            if name not in given:
                low, high = min(low, start), max(high, start)
            elif not low <= start * (1 + 1e-12) or not start * (1 - 1e-12) <= high:
                raise ParameterError(
                    f"The 'bounds' parameter of {type(self).__name__} has {name!r} between {low:g} "
                    f"and {high:g}, and {name} is {start:g}, where learning begins. Give one that "
                    "lies between its bounds."
                )
            pairs.append((low, high))
        return np.log(np.array(pairs, dtype=np.float64).reshape(-1, 2))

    def _compare(self, X: Any, between: bool = False) -> tuple[Array, Array]:
        """The kernel of graphs with the training graphs, and with themselves or each other."""
        check_is_fitted(self)
        kernel, execution = self.kernel_.fitted_, self.execution()
        rows = kernel.prepare(as_graphs(X, molecules=kernel.molecules), execution)
        gram = kernel.gram(rows, kernel.graphs, self.gram_folder, execution)
        if between:
            return gram, kernel.gram(rows, rows, self.gram_folder, execution)
        own = kernel.own(rows)
        return gram, np.ones_like(own) if kernel.form.gram == "rbf" else own

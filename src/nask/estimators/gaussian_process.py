"""Gaussian processes on the kernel between graphs: predictions that say how sure they are."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
from scipy.linalg import LinAlgError
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float64
from nask.choices import GramForm, Optimizer, Scale
from nask.estimators.base import GraphEstimator
from nask.exceptions import ParameterError, did_you_mean
from nask.explain.explanation import GraphExplanation
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
    classification,
    regression,
)
from nask.learning.likeness import Likeness, Side
from nask.learning.marginal_likelihood import VARIANCES, MarginalLikelihood, climb, unit_of
from nask.learning.mixins import DecidesClasses
from nask.learning.targets import as_numbers, class_codes, training_data
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
    """What Gaussian processes on graphs share: how parameters are learned."""

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
            return self._posteriors(covariance, noise, targets, True)[0]

        of_kernel = [name for name in names if name in LEARNABLE]
        likelihood = MarginalLikelihood(
            GramFunction(self, graphs, of_kernel), learn, variances, names
        )
        bounds = self._bounds(likelihood)
        x = climb(
            likelihood, likelihood.start, bounds, self.n_restarts_optimizer, self.random_state
        )
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
        Between which values parameters are learned, by name.
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


@dataclass(kw_only=True, eq=False, repr=False)
class NASKGaussianProcessClassifier(DecidesClasses, GraphGaussianProcess):
    """Gaussian process classification of graphs: probabilities that know what is far from training.

    The logit of a class's probability is a function with the covariance signal_variance * K; given
    the classes it is approximated by a normal distribution (Laplace). Parameters are learned by the
    exact gradient of the approximate marginal likelihood. With several classes, each has a function
    that tells it from the others, all with the same parameters, and probabilities are scaled to sum
    to 1.

    Parameters
    ----------
    signal_variance : float, default=1.0
        Variance of the logit at a training graph on average.
    optimizer : {"fmin_l_bfgs_b", None}, default="fmin_l_bfgs_b"
        How parameters are learned; None keeps the given ones.
    optimize : sequence of str, default=None
        The parameters that are learned, from the given values on: of "gamma" (one number for all
        attributes; one for each, if ``gamma`` is a dict, such as ``{}``), "gamma_star",
        "attribute_weights", "hop_weights", "gram_scale" and "signal_variance". By default all that
        make a difference, without weights.
    bounds : dict of str to (low, high), default=None
        Between which values parameters are learned, by name.
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
    classes_ : ndarray
    kernel_ : NASK
        The fitted kernel, with the learned parameters.
    signal_variance_ : float
        The learned one.
    log_marginal_likelihood_value_ : float
        Of the classes under the learned parameters, approximately; summed over the functions of
        several classes.
    functions_ : GaussianProcess

    Notes
    -----
    ``decision_function`` is the mean of the logit, which ``explain`` shares out. A probability is a
    mean over all logits that are likely, so it is nearer to 1/2 where less is known: the two may
    put graphs in different orders, but on the same side.

    References
    ----------
    Rasmussen, C. E. and Williams, C. K. I. Gaussian processes for machine learning. MIT Press,
    2006.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = nask.NASKGaussianProcessClassifier(n_hops=2).fit(mutag.graphs[::2], mutag.y[::2])
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.75)
    True
    >>> model.predict_proba(mutag.graphs[:1]).shape
    (1, 2)
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the parameters and the functions from graphs and their classes.

        Parameters
        ----------
        X : list of graphs
        y : array-like of shape (n_graphs,)
        """
        self.check_parameters()
        graphs, target = training_data(X, y, type(self).__name__)
        self.classes_, codes = class_codes(target)
        classes = np.arange(len(self.classes_))
        chosen = classes[1:] if len(classes) == 2 else classes
        signs = np.where(codes == chosen[:, None], 1.0, -1.0)
        self._fit_process(graphs, signs, 0.0, 1.0)
        return self

    def explain(
        self, graph: Any, *, target: Any = None, against: Any = None, scale: Scale = "decision"
    ) -> GraphExplanation:
        """Tell why, as :meth:`nask.NASKClassifier.explain` does, of the mean of the logit."""
        if scale == "logit":
            raise ParameterError(
                "The decision of a NASKGaussianProcessClassifier is the mean of a logit: explain "
                "it with scale='decision'."
            )
        return super().explain(graph, target=target, against=against, scale=scale)

    def decision_function(self, X: Any) -> Float64:
        """Mean of the logit: (m,) for two classes, of the second; (m, n_classes) otherwise."""
        return self._process.confidence(self._gram(X))

    def predict(self, X: Any) -> Array:
        """Most probable class of each graph."""
        probabilities = self.predict_proba(X)
        return np.asarray(self.classes_[probabilities.argmax(axis=1)])

    def predict_proba(self, X: Any) -> Float64:
        """Probability of each class, (m, n_classes)."""
        gram, own = self._compare(X)
        return self._process.probabilities(gram, own)

    @staticmethod
    def _learnable() -> tuple[str, ...]:
        return (*LEARNABLE, "signal_variance")

    def _variances(self) -> dict[str, float]:
        return {"signal_variance": self.signal_variance, "noise": 0.0}

    def _posteriors(
        self, covariance: Float64, noise: float, targets: Float64, gradient: bool
    ) -> tuple[Evidence, list[Posterior]]:
        found = [classification(covariance, signs, gradient) for signs in targets]
        value = sum(evidence.value for evidence, _ in found)
        by_gram = sum((evidence.by_gram for evidence, _ in found), np.zeros_like(covariance))
        return Evidence(value, by_gram), [posterior for _, posterior in found]

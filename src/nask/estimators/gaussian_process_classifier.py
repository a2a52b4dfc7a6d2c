"""Gaussian process classification of graphs: probabilities that know what is far from training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from nask.arrays import Array, Float64
from nask.choices import Scale
from nask.estimators.gaussian_process import GraphGaussianProcess
from nask.exceptions import ParameterError
from nask.explain.explanation import GraphExplanation
from nask.kernels.gram_function import LEARNABLE
from nask.learning.gaussian_process import Evidence, Posterior, classification
from nask.learning.mixins import DecidesClasses
from nask.learning.targets import class_codes, training_data


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
        Between which values parameters are learned, by name. By default gamma and gram_scale lie
        between 0.01 and 100, gamma_star 0.1 and 300, weights 0.001 and 1000, signal_variance 0.001
        and 1e5.
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

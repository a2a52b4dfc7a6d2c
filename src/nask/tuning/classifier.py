"""A classifier that chooses its own kernel parameters and learner."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Self

from nask.arrays import Float64
from nask.choices import Scale
from nask.estimators.classifier import NASKClassifier
from nask.explain.explanation import GraphExplanation
from nask.io.converters.molecule_reading import MoleculeReading
from nask.kernels.nask import NASK
from nask.tuning.tuned_classifier import TunedGraphClassifier, TunedStarClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class TunedNASKClassifier(TunedGraphClassifier, TunedStarClassifier):
    """A classifier of graphs that chooses the parameters of the kernel and of the learner.

    Every setting of a grid is judged on training graphs that it has not learned from. One pass over
    the graphs serves all hop counts, hop weights, forms of the Gram matrix and penalties.

    Parameters
    ----------
    learner : {"ridge", "svm", "best"}, default="ridge"
        "ridge": ridge regressions, judged by exact leave-one-out. What decides is the mean of all
        settings that are within a standard error of the best. "svm": support vector machines on
        the 8 kernels with the best ridge regressions, judged on inner folds; the best decides.
        "best": both, and the one with the higher ``best_score_`` decides.
    estimator : NASKClassifier, default=None
        Gives the parameters that the grid does not vary, such as ``expansion`` or ``dtype``.
    grid : {"default", "full"}, dict of lists by parameter, or list of such, default="default"
        What to try: values of any parameter of :class:`NASKClassifier` that the kernel or the
        learner has. "default" is a small grid that was chosen by measurement, "full" is 20 times
        as large.
    inner : int, default=5
        Number of folds, for SVMs.
    scoring : str, default=None
        What chooses: accuracy by default, or the name of another score of scikit-learn's, such as
        "balanced_accuracy", "f1_macro", "roc_auc" or "neg_log_loss". Of two classes, the second is
        the positive one.
    random_state : int, default=0
        Of the folds.
    n_jobs : int, default=None
        Threads, in joblib's convention.
    verbose : bool or callable, default=False
        ``True`` shows a progress bar; a function is called with (done, total).

    Attributes
    ----------
    best_estimator_ : AveragedClassifier or NASKClassifier
        Fitted on all training graphs; what is saved by :meth:`save`.
    best_params_ : dict
        The values of the best setting, and how many are averaged.
    best_score_ : float
        Its score by leave-one-out, or on the folds. Too good by the choice itself: see
        :func:`nask.evaluate`.
    classes_ : ndarray
    seconds_kernel_, seconds_learning_ : float
        Time spent on comparing graphs, and on learning.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> grid = {"gamma": [0.1, 1.0], "n_hops": [1, 2]}
    >>> model = nask.TunedNASKClassifier(grid=grid).fit(mutag.graphs[::2], mutag.y[::2])
    >>> sorted(model.best_params_)
    ['alpha', 'averaged', 'gamma', 'learner', 'n_hops']
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.75)
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose, then train on all graphs and their classes.

        Parameters
        ----------
        X : list of graphs
        y : array-like of shape (n_graphs,)
        sample_weight : array-like of shape (n_graphs,), default=None
            How much each graph counts, in learning and in the score that chooses, beside the
            weight of its class. One of weight 0 is left out; explanations count the others.
        """
        self.base().check_parameters()
        return super().fit(X, y, sample_weight)

    def kernel(self, **parameters: Any) -> NASK:
        """Return the kernel of a candidate, the rest of its parameters those of the estimator."""
        return NASK(**{**self.base().kernel_parameters(), **parameters})

    @staticmethod
    def untuned() -> NASKClassifier:
        """Return the classifier whose parameters are chosen, with its defaults."""
        return NASKClassifier()

    @property
    def molecules_(self) -> MoleculeReading | None:
        """How training molecules were read, as new ones are; None if they were other graphs."""
        found: MoleculeReading | None = self.fitted().molecules_
        return found

    def explain(
        self, graph: Any, *, target: Any = None, against: Any = None, scale: Scale = "decision"
    ) -> GraphExplanation:
        """Tell why, as :meth:`nask.NASKClassifier.explain` does."""
        found: GraphExplanation = self.fitted().explain(
            graph, target=target, against=against, scale=scale
        )
        return found

    def applicability(self, X: Any) -> Float64:
        """How much each graph is like those of training.

        See :meth:`nask.NASKClassifier.applicability`.
        """
        shares: Float64 = self.fitted().applicability(X)
        return shares

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the best estimator to a file that :func:`nask.load` reads."""
        self.fitted().save(path)

"""A regressor that chooses its own kernel parameters and penalty."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from nask.arrays import Array, Float64
from nask.estimators.averaged import AveragedRegressor
from nask.estimators.regressor import NASKRegressor
from nask.exceptions import ParameterError
from nask.explain.explanation import GraphExplanation
from nask.io.converters.molecule_reading import MoleculeReading
from nask.kernels.nask import NASK
from nask.learning.goals import NumberGoal
from nask.learning.sample_weights import weights_of_items
from nask.learning.scores import score_named
from nask.learning.targets import as_numbers, training_data
from nask.tuning.grid import Grid
from nask.tuning.tuned import TunedModel, TunedStarModel

# Training graphs: each is left out in turn.
FEWEST = 2
# Parameters of learners that only classifiers have.
OF_CLASSIFIERS = ("C", "multiclass")


def for_numbers(grid: Grid) -> Grid:
    """Return a grid of a classifier as one for numbers: with graphs of all sizes, without C.

    Examples
    --------
    >>> for_numbers({"gamma": [1.0], "C": [1, 10]})
    [{'normalize': (True, False), 'gamma': [1.0]}]
    """
    parts = [grid] if isinstance(grid, Mapping) else grid
    return [
        {"normalize": (True, False), **{k: v for k, v in part.items() if k not in OF_CLASSIFIERS}}
        for part in parts
    ]


@dataclass(kw_only=True, eq=False, repr=False)
class TunedGraphRegressor(RegressorMixin, TunedModel):
    """A search over a grid of ridge regressions of graphs."""

    def check_search(self) -> None:
        """Raise on the first parameter of the search outside its range."""
        score_named(self.scoring, "regress")

    def goal(
        self, target: Array, classes: Array | None = None, sample_weight: Float64 | None = None
    ) -> NumberGoal:
        """Return what is to be learned: numbers."""
        score = score_named(self.scoring, "regress")
        return NumberGoal(np.asarray(target, dtype=np.float64), score, sample_weight)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose, then train on all graphs and their target values.

        Parameters
        ----------
        X : list of graphs
        y : array-like of shape (n_graphs,)
        sample_weight : array-like of shape (n_graphs,), default=None
            How much each graph counts, in learning and in the score that chooses. One of weight 0
            is left out; explanations count the others.
        """
        owner = type(self).__name__
        self.check_search()
        graphs, values = training_data(X, y, owner)
        target = as_numbers(values, owner)
        there, weights = weights_of_items(sample_weight, len(graphs), owner)
        graphs, target = [graphs[k] for k in there], target[there]
        if len(graphs) < FEWEST:
            raise ParameterError(
                f"{owner} leaves graphs out one by one to choose: expected {FEWEST} training "
                "graphs at least. Got one."
            )
        goal = self.goal(target, None, weights)
        sweeps = self.sweeps_for(graphs, np.arange(len(graphs)), goal)
        self.seconds_kernel_ = self.seconds_learning_ = 0.0
        kernels: dict[int, Any] = {}
        judge = self.judge_of_graphs(goal, graphs)
        choice = self.choose_ridge(graphs, judge, sweeps, kernels)
        found = self.mean_of(choice, kernels, goal, None)
        assert isinstance(found, AveragedRegressor)
        self.best_estimator_ = found
        return self

    def predict(self, X: Any) -> Float64:
        """Predicted value of each graph."""
        predicted: Float64 = self.fitted().predict(X)
        return predicted

    def predict_interval(self, X: Any, *, coverage: float = 0.9) -> Float64:
        """Lower and upper end of intervals: see :meth:`nask.NASKRegressor.predict_interval`."""
        intervals: Float64 = self.fitted().predict_interval(X, coverage=coverage)
        return intervals


@dataclass(kw_only=True, eq=False, repr=False)
class TunedNASKRegressor(TunedGraphRegressor, TunedStarModel):
    """A regressor of graphs that chooses the parameters of the kernel and of the learner.

    Every setting of a grid is a kernel ridge regression, judged by exact leave-one-out. What
    predicts is the mean of all settings whose errors are within a standard error of the best one's.
    One pass over the graphs serves all hop counts, hop weights, forms of the Gram matrix and
    penalties.

    Parameters
    ----------
    estimator : NASKRegressor, default=None
        Gives the parameters that the grid does not vary, such as ``expansion`` or ``dtype``.
    grid : {"default", "full"}, dict of lists by parameter, or list of such, default="default"
        What to try: values of any parameter of :class:`nask.NASK`, and of ``alpha``. Named grids
        are those of :class:`nask.TunedNASKClassifier`, with and without ``normalize``: values that
        grow with a graph need its size.
    scoring : str, default=None
        What chooses: R2 by default, which is the squared error, or the name of another score of
        scikit-learn's, such as "neg_mean_absolute_error".
    random_state : int, default=0
        Of the sample on which large sets are searched first.
    n_jobs : int, default=None
        Threads, in joblib's convention.
    verbose : bool or callable, default=False
        ``True`` shows a progress bar; a function is called with (done, total).

    Attributes
    ----------
    best_estimator_ : AveragedRegressor
        Fitted on all training graphs; what is saved by :meth:`save`.
    best_params_ : dict
        The values of the best setting, and how many are averaged.
    best_score_ : float
        Its score by leave-one-out. Too good by the choice itself: see :func:`nask.evaluate`.
    seconds_kernel_, seconds_learning_ : float
        Time spent on comparing graphs, and on learning.

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs
    >>> sizes = [float(graph.n_nodes) for graph in graphs]
    >>> grid = {"gamma": [0.1, 1.0], "normalize": [True, False]}
    >>> model = nask.TunedNASKRegressor(grid=grid).fit(graphs[::2], sizes[::2])
    >>> model.best_params_["normalize"], bool(model.score(graphs[1::2], sizes[1::2]) > 0.9)
    (False, True)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose, then train on all graphs and their target values.

        Parameters
        ----------
        X : list of graphs
        y : array-like of shape (n_graphs,)
        sample_weight : array-like of shape (n_graphs,), default=None
            How much each graph counts, in learning and in the score that chooses. One of weight 0
            is left out; explanations count the others.
        """
        self.base().check_parameters()
        return super().fit(X, y, sample_weight)

    def own_grid(self) -> Grid:
        """Return the grid; that of a name with graphs as they are, too."""
        found = super().own_grid()
        if isinstance(self.grid, str):
            return for_numbers(found)
        for part in [found] if isinstance(found, Mapping) else found:
            for name in OF_CLASSIFIERS:
                if isinstance(part, Mapping) and name in part:
                    raise ParameterError(
                        f"The grid varies {name!r}, which ridge regressions on numbers have not. "
                        "Their penalty is 'alpha'."
                    )
        return found

    def given(self) -> dict[str, tuple[Any, ...]]:
        """Return what to try of the learner where the grid does not say."""
        alpha = self.base().alpha
        return {} if alpha is None else {"alpha": (alpha,)}

    def kernel(self, **parameters: Any) -> NASK:
        """Return the kernel of a candidate, the rest of its parameters those of the estimator."""
        return NASK(**{**self.base().kernel_parameters(), **parameters})

    @staticmethod
    def untuned() -> NASKRegressor:
        """Return the regressor whose parameters are chosen, with its defaults."""
        return NASKRegressor(learner="ridge")

    @property
    def molecules_(self) -> MoleculeReading | None:
        """How training molecules were read, as new ones are; None if they were other graphs."""
        found: MoleculeReading | None = self.fitted().molecules_
        return found

    def explain(self, graph: Any) -> GraphExplanation:
        """Tell why, as :meth:`nask.NASKRegressor.explain` does: the mean of sums is a sum."""
        found: GraphExplanation = self.fitted().explain(graph)
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

"""Sets and intervals around any model of graphs, by cross-validation."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier, is_regressor
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Array, Float64, Mask, Positions
from nask.exceptions import ParameterError
from nask.execution.progress import Progress, track
from nask.graph.attributed_graph import AttributedGraph
from nask.io.coerce import TakesGraphs
from nask.kernels.parameters import is_integer
from nask.learning.calibration import Calibration
from nask.learning.conformal import Conformity
from nask.learning.coverage import check_by_class, check_coverage
from nask.learning.targets import as_numbers, class_codes, training_data

FOLDS = 10
FEWEST = 2


class Conformal(MetaEstimatorMixin, TakesGraphs, BaseEstimator):
    """Sets of classes, or intervals of numbers, around any model of graphs.

    Models of nask have ``predict_set`` and ``predict_interval`` themselves. This is for any other
    one: a pipeline on :class:`nask.NASKFeatures`, a network, a rival of ``nask.lab``. The model is
    fitted on all graphs; copies of it, fitted on the other folds, tell how wrong it is about what
    it has not seen.

    Parameters
    ----------
    estimator : classifier or regressor of graphs
        A classifier needs ``decision_function`` or ``predict_proba``. Intervals of a regressor
        whose ``predict`` has ``return_std`` are in proportion to the standard deviation of each
        graph; those of others are equally wide.
    coverage : float, default=0.9
        Share of graphs like those of training whose class is in the set, or whose value is within
        the interval, where a call does not say.
    cv : int, default=None
        Number of folds. By default the held-out errors that the fitted estimator itself knows, as
        models of nask do, and without any 10 folds.
    random_state : int, default=0
        Of the folds.
    verbose : bool or callable, default=False
        Whether to show a bar of the folds, or a function that is told ``(done, total)``.

    Attributes
    ----------
    estimator_ : estimator
        Fitted on all graphs.
    conformity_ : Conformity
        Its held-out errors.
    knows_ : bool
        Whether the estimator knew them itself.
    classes_ : ndarray
        Of a classifier.

    Examples
    --------
    >>> import nask
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> mutag = nask.load_dataset("MUTAG")
    >>> pipeline = make_pipeline(nask.NASKFeatures(), LogisticRegression(C=10))
    >>> model = nask.Conformal(pipeline, coverage=0.9).fit(mutag.graphs[::2], mutag.y[::2])
    >>> sets = model.predict_set(mutag.graphs[1::2])
    >>> sets.shape, bool(sets.any(axis=1).all())
    ((94, 2), True)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        coverage: float = 0.9,
        cv: int | None = None,
        random_state: int = 0,
        verbose: Progress = False,
    ) -> None:
        self.estimator = estimator
        self.coverage = coverage
        self.cv = cv
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags, own = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type = own.estimator_type
        tags.classifier_tags, tags.regressor_tags = own.classifier_tags, own.regressor_tags
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the estimator on all graphs, and measure its errors on those left out.

        Parameters
        ----------
        X : list of graphs
        y : array-like of shape (n_graphs,)
            Classes, or numbers.
        """
        owner = type(self).__name__
        self._check_parameters()
        graphs, target = training_data(X, y, owner)
        codes: Positions | None = None
        if is_classifier(self.estimator):
            self.classes_, codes = class_codes(target)
        else:
            target = as_numbers(target, owner)
        self.estimator_ = clone(self.estimator).fit(graphs, target)
        self.calibration_: Calibration | None = None
        known: Conformity | None = None
        if self.cv is None:
            known = getattr(self.estimator_, "conformity_", None)
        self.knows_ = known is not None
        self.conformity_ = self._measured(graphs, target, codes) if known is None else known
        return self

    def predict(self, X: Any) -> Array:
        """What the estimator predicts."""
        check_is_fitted(self)
        predicted: Array = self.estimator_.predict(X)
        return predicted

    def score(self, X: Any, y: Any) -> float:
        """Return the score of the estimator."""
        check_is_fitted(self)
        return float(self.estimator_.score(X, y))

    def predict_set(self, X: Any, *, coverage: float | None = None, by_class: bool = False) -> Mask:
        """Tell which classes each graph may have: see :meth:`nask.NASKClassifier.predict_set`.

        Parameters
        ----------
        X : list of graphs
        coverage : float, default=None
            By default that of this object.
        by_class : bool, default=False
            Whether the graphs of each class are to be covered so often.
        """
        check_is_fitted(self)
        if self.conformity_.codes is None:
            raise self._other("numbers", "predict_interval")
        coverage = check_coverage(self.coverage if coverage is None else coverage, "predict_set")
        check_by_class(by_class)
        if self.knows_:
            sets: Mask = self.estimator_.predict_set(X, coverage=coverage, by_class=by_class)
            return sets
        # The estimator is asked twice.
        graphs = list(X) if isinstance(X, Iterator) else X
        probabilities = self._probabilities(self._ask(self.estimator_, graphs))
        predicted = np.searchsorted(self.classes_, self.estimator_.predict(graphs))
        return self.conformity_.sets(probabilities, predicted, coverage, by_class)

    def predict_interval(self, X: Any, *, coverage: float | None = None) -> Float64:
        """Lower and upper end of an interval around each predicted number, (n_graphs, 2).

        Parameters
        ----------
        X : list of graphs
        coverage : float, default=None
            By default that of this object.
        """
        check_is_fitted(self)
        if self.conformity_.codes is not None:
            raise self._other("classes", "predict_set")
        owner = "predict_interval"
        coverage = check_coverage(self.coverage if coverage is None else coverage, owner)
        half = self.conformity_.half_width(coverage)
        predicted, spread = self._ask(self.estimator_, X).T
        return np.stack([predicted - half * spread, predicted + half * spread], axis=1)

    def _other(self, what: str, method: str) -> ParameterError:
        return ParameterError(
            f"{type(self.estimator).__name__} predicts {what}, which {method} is for: call that."
        )

    def _check_parameters(self) -> None:
        owner, estimator = type(self).__name__, self.estimator
        check_coverage(self.coverage, owner)
        if self.cv is not None and not (is_integer(self.cv) and self.cv >= FEWEST):
            expected = f"None, or an int in the range [{FEWEST}, inf)"
            raise ParameterError.expected("cv", owner, expected, self.cv)
        if not (callable(self.verbose) or isinstance(self.verbose, (bool, int))):
            expected = "a bool, an int or a function of (done, total)"
            raise ParameterError.expected("verbose", owner, expected, self.verbose)
        answers = hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")
        there = hasattr(estimator, "__sklearn_tags__")
        if not (there and (is_regressor(estimator) or (is_classifier(estimator) and answers))):
            expected = "a regressor, or a classifier with predict_proba or decision_function"
            raise ParameterError.expected("estimator", owner, expected, estimator)

    def _measured(
        self, graphs: list[AttributedGraph], target: Array, codes: Positions | None
    ) -> Conformity:
        """How wrong copies of the estimator are about folds that they have not learned from."""
        most = len(graphs) if codes is None else int(np.bincount(codes).min())
        if most < FEWEST:
            what = "graph" if codes is None else "graph of a class"
            raise ParameterError(
                f"{type(self).__name__} leaves graphs out to see what is said of them: expected "
                f"{FEWEST} at least. Got a single {what}."
            )
        kind = KFold if codes is None else StratifiedKFold
        n_folds = min(FOLDS if self.cv is None else self.cv, most)
        folds = kind(n_folds, shuffle=True, random_state=self.random_state)
        answers: list[Float64] = []
        order: list[Positions] = []
        parts = folds.split(np.zeros(len(graphs)), codes)
        for train, test in track(parts, n_folds, self.verbose, "Learning without each fold"):
            copy = clone(self.estimator).fit([graphs[k] for k in train], target[train])
            answers.append(self._ask(copy, [graphs[k] for k in test]))
            order.append(test)
        held_out = np.empty((len(graphs), *answers[0].shape[1:]))
        held_out[np.concatenate(order)] = np.concatenate(answers)
        if codes is None:
            predicted, spread = held_out.T
            return Conformity(np.abs(target - predicted) / spread)
        if self._decides:
            self.calibration_ = Calibration.scaled(held_out, codes)
        return Conformity.of_classes(self._probabilities(held_out), codes)

    @property
    def _decides(self) -> bool:
        return hasattr(self.estimator, "decision_function")

    def _ask(self, fitted: Any, X: Any) -> Float64:
        """Probabilities or decisions of a classifier; numbers and their spread of a regressor."""
        if is_classifier(fitted):
            ask = fitted.decision_function if self._decides else fitted.predict_proba
            return np.asarray(ask(X), dtype=np.float64)
        if "return_std" in inspect.signature(fitted.predict).parameters:
            predicted, spread = fitted.predict(X, return_std=True)
            least = np.finfo(np.float64).tiny
            return np.stack([predicted, np.maximum(spread, least)], axis=1).astype(np.float64)
        predicted = np.asarray(fitted.predict(X), dtype=np.float64)
        return np.stack([predicted, np.ones_like(predicted)], axis=1)

    def _probabilities(self, answers: Float64) -> Float64:
        return answers if self.calibration_ is None else self.calibration_.probabilities(answers)

"""Classification of graphs that come in a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from nask.arrays import Array, Float64, Positions
from nask.estimators.stream_base import Sample, StreamEstimator, targets_of
from nask.exceptions import ParameterError
from nask.io.target import as_target
from nask.learning.calibration import Calibration
from nask.learning.mixins import DecidesClasses
from nask.learning.moments import ChosenRidge
from nask.learning.targets import class_codes, refuse_missing
from nask.messages import listed, quoted


@dataclass(kw_only=True, eq=False, repr=False)
class NASKStreamClassifier(DecidesClasses, StreamEstimator):
    """A classifier of any number of graphs, read once and in constant memory.

    Ridge regression on rows of features, targets 1 and -1, exact: the sums X'X and X'y of all rows
    are kept, fold by fold, so the penalty is chosen by five-fold cross-validation without a second
    pass, and no order of graphs or cut into batches changes the result, up to rounding.

    Parameters
    ----------
    features : NASKFeatures or NASKNystroem, default=None
        The map from graphs to rows, with the parameters of the kernel; ``NASKFeatures()`` by
        default. One that is fitted is used as it is: its schema is given then. Another one is
        fitted: to all graphs of a list, or to the first batch of an iterator or of ``partial_fit``.
        Ranges and categories that come later are new ones to it, as in any prediction.
    alpha : float, default=None
        Penalty of complexity; by default the one of thirteen values with the least squared error on
        held-out folds. Rows are centred and scaled to unit mean squared length.
    batch_size : int, default=4096
        Graphs that are in memory at a time.
    random_state : int, default=0
        Decides which graphs are in which fold.
    n_jobs : int, default=None
        Threads, in joblib's convention; of the map too where that does not say.
    verbose : bool or callable, default=False
        ``True`` shows a progress bar; a function is called with (done, total) batches.

    Attributes
    ----------
    classes_ : ndarray
    features_ : NASKFeatures or NASKNystroem
        The fitted map.
    functions_ : LinearFunctions
        Coefficients of the columns, and constants.
    alpha_ : float
        The penalty in use.
    errors_ : dict of float to float
        Mean squared error on held-out folds by penalty.
    n_graphs_ : int
        Number of graphs learned from.

    Notes
    -----
    With d columns, the sums take 5 d^2 numbers of float64, 42 MB with 1024, however many graphs
    there are. The functions are found from them when they are first asked for, so ``partial_fit``
    is cheap.

    ``predict_proba`` has one factor for decisions on held-out folds (temperature scaling), learned
    from 2048 graphs drawn at random, which are kept as rows. It agrees with ``predict``.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> train, y = mutag.graphs[::2], mutag.y[::2]
    >>> model = nask.NASKStreamClassifier().fit(iter(train), y)
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.75)
    True
    >>> parts = nask.NASKStreamClassifier(features=nask.NASKFeatures().fit(train))
    >>> for start in range(0, len(train), 32):
    ...     some = slice(start, start + 32)
    ...     parts = parts.partial_fit(train[some], y[some], classes=[-1, 1])
    >>> parts.predict_proba(mutag.graphs[:1]).shape
    (1, 2)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from graphs and their classes, in one pass.

        Parameters
        ----------
        X : iterable of graphs
            A list, or an iterator that is read once, ``batch_size`` graphs at a time.
        y : array-like of shape (n_graphs,)
        sample_weight : array-like of shape (n_graphs,), default=None
            How much each graph counts. A graph of weight 2 is as good as two.
        """
        self.check_parameters()
        target = targets_of(y, type(self).__name__)
        classes, _ = class_codes(target)
        self._fit(X, target, _Targets(classes), n_functions(classes), sample_weight)
        self.classes_ = classes
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more graphs.

        Parameters
        ----------
        X : list of graphs
        y : array-like of shape (n_graphs,)
        classes : array-like, default=None
            All classes that will come, for the first call; those of ``y`` by default.
        sample_weight : array-like of shape (n_graphs,), default=None
        """
        self.check_parameters()
        target = targets_of(y, type(self).__name__)
        refuse_missing(target)
        known = self._known(target, classes)
        encode = _Targets(known)
        encode(target)
        self._partial_fit(X, target, encode, n_functions(known), sample_weight)
        self.classes_ = known
        return self

    def decision_function(self, X: Any) -> Float64:
        """Confidence: (m,) for two classes, positive for the second; (m, n_classes) otherwise."""
        decisions = self._decide(X)
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions

    def predict_proba(self, X: Any) -> Float64:
        """Calibrated probability of each class, (m, n_classes)."""
        decision = self.decision_function(X)
        if self.calibration_ is None:
            raise ParameterError(
                f"This {type(self).__name__} has no probabilities: of a class it has seen fewer "
                "than two graphs. Learn from more."
            )
        return self.calibration_.probabilities(decision)

    @property
    def calibration_(self) -> Calibration | None:
        """What makes probabilities of decisions; None where a class has a single graph."""
        self._solve()
        return self._calibration

    def set_calibration(self, calibration: Calibration | None) -> None:
        """Take the calibration of a file."""
        self._calibration = calibration

    def _known(self, target: Array, classes: Any) -> Array:
        """All classes in order, of this call or of the first."""
        given = None
        if classes is not None:
            labels = as_target(classes)
            if labels.ndim != 1:
                expected = "None, or a list of all classes"
                raise ParameterError.expected("classes", "partial_fit", expected, classes)
            given = class_codes(labels)[0]
        if not hasattr(self, "classes_"):
            if given is None and len(target) and np.all(target == target[0]):
                raise ParameterError(
                    f"The first graphs have one class: {quoted(target[0])}. Give all classes that "
                    "will come to the first call of partial_fit as classes, or call fit with all "
                    "graphs."
                )
            return class_codes(target)[0] if given is None else given
        if given is not None and given.tolist() != self.classes_.tolist():
            raise ParameterError(
                f"The 'classes' of partial_fit are {listed(given.tolist())}, but those of the "
                f"first call were {listed(self.classes_.tolist())}. Give the same, or none, or "
                "call fit."
            )
        return self.classes_

    def _calibrate(self, chosen: ChosenRidge, sample: Sample) -> None:
        self._calibration = None
        n_classes = len(self.classes_)
        if not chosen.held_out or np.bincount(sample.codes, minlength=n_classes).min() < 2:
            return
        # Where all graphs of a fold have no weight, it was not held out.
        rows = sample.rows.astype(np.float64)
        decisions = chosen.functions.decide(rows)
        for fold, functions in chosen.held_out.items():
            own = np.flatnonzero(sample.folds == fold)
            decisions[own] = functions.decide(rows, own)
        if decisions.shape[1] == 1:
            decisions = decisions[:, 0]
        self._calibration = Calibration.scaled(decisions, sample.codes, sample.weights)


def n_functions(classes: Array) -> int:
    """How many functions tell classes apart: one of two, else one per class.

    Examples
    --------
    >>> n_functions(np.array(["a", "b"])), n_functions(np.arange(4))
    (1, 4)
    """
    return 1 if len(classes) == 2 else len(classes)


class _Targets:
    """From classes to targets of 1 and -1, one column per function, and codes."""

    def __init__(self, classes: Array) -> None:
        self.classes = classes

    def __call__(self, target: Array) -> tuple[Float64, Positions]:
        code = {label: k for k, label in enumerate(self.classes.tolist())}
        labels = target.tolist()
        unknown = next((label for label in labels if label not in code), None)
        if unknown is not None:
            raise ParameterError(
                f"y has the class {quoted(unknown)}, which is none of {listed(code)}: all classes "
                "must be known from the beginning. Give them to the first call of partial_fit as "
                "classes, or call fit with all graphs."
            )
        codes = np.array([code[label] for label in labels], dtype=np.intp)
        columns = np.arange(1 if len(code) == 2 else 0, len(code))
        return np.where(codes[:, None] == columns, np.float64(1.0), np.float64(-1.0)), codes

"""Which graphs are unlike those of training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, Self, get_args

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from nask.arrays import Float64, Floats, Index
from nask.choices import OutlierLearner
from nask.estimators.base import GraphEstimator
from nask.exceptions import ParameterError
from nask.io.coerce import as_graphs
from nask.kernels.parameters import is_number
from nask.learning.likeness import Likeness, Side, known_likeness
from nask.learning.one_class import left_out_scores, lowest_normal, one_class
from nask.learning.svm import KernelSVM

FEWEST = 2


@dataclass(kw_only=True, eq=False, repr=False)
class NASKOutlierDetector(OutlierMixin, GraphEstimator):
    """Tells graphs that are unlike those of training, without classes.

    Parameters
    ----------
    learner : {"nearest", "svm"}, default="nearest"
        "nearest": the distance from the nearest training graph decides, all of which are kept.
        "svm": a one-class SVM on a Gaussian of that distance, which keeps its support graphs alone.
    nu : float, default=0.1
        Share of graphs like those of training that are called outliers. Of an SVM, also the share
        of training graphs that may lie outside.
    gram_scale : float, default=3.0
        Of an SVM: how fast its Gaussian falls with distance. With ``gram="rbf"``, of that form too.
    **kernel parameters
        All those of :class:`nask.NASK`, with the same defaults otherwise.

    Attributes
    ----------
    kernel_ : NASK
        The fitted kernel, reduced to the graphs that new ones are compared with.
    offset_ : float
        The score below which a graph is an outlier. It comes from scores of training graphs that
        were left out, so that ``nu`` is the share of alarms among *new* graphs. An SVM's own, a
        score of 0, would call far more of them outliers.
    likeness_ : Likeness
    support_ : ndarray of int
        Positions in the training list of the graphs that are kept.

    Notes
    -----
    Distances are those of :meth:`applicability`: in the feature space of the kernel and of sizes,
    since a normalised kernel does not tell a graph from two copies of it side by side.

    ``predict`` is for new graphs: a training graph is its own nearest one. What of the training
    graphs is unlike the others is told by ``fit_predict``, which leaves each out in turn.

    Examples
    --------
    >>> import nask
    >>> graphs = nask.load_dataset("MUTAG").graphs
    >>> detector = nask.NASKOutlierDetector().fit(graphs[::2])
    >>> detector.predict(graphs[1:10:2])
    array([1, 1, 1, 1, 1])
    >>> cut = graphs[0].induced([0, 1])
    >>> detector.predict([cut]), bool(detector.decision_function([cut])[0] < 0)
    (array([-1]), True)
    """

    learner: OutlierLearner = "nearest"
    nu: float = 0.1
    gram_scale: float = 3.0

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        self._check_option("learner", get_args(OutlierLearner))
        valid = is_number(self.nu) and 0 < self.nu < 1
        self._check(valid, "nu", "a float in the range (0, 1)")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what graphs are like.

        Parameters
        ----------
        X : list of graphs
        y : object
            Of no use: for scikit-learn's sake.
        """
        self._fit(X)
        return self

    def fit_predict(self, X: Any, y: Any = None, **_: Any) -> Index:
        """Learn what graphs are like, and tell which of them are outliers among the others.

        Each is judged by what was learned without it.
        """
        return np.where(self._fit(X) < self.offset_, -1, 1)

    def _fit(self, X: Any) -> Float64:
        """Learn; return the score of each training graph when it was left out."""
        self.check_parameters()
        owner, graphs = type(self).__name__, as_graphs(X)
        if len(graphs) < FEWEST:
            raise ParameterError(
                f"{owner} compares graphs with each other, and there is one sample: expected "
                f"{FEWEST} training graphs at least."
            )
        kernel, gram = self._fit_kernel(graphs)
        everything, side = np.arange(len(graphs)), Side.of(kernel.graphs, kernel.form)
        known = Likeness.fit(gram, side, everything)
        assert known is not None
        if self.learner == "nearest":
            functions = KernelSVM(np.empty((0, len(graphs))), np.empty(0), everything)
            scores = -known.distances_of(gram, side, side, everything)
        else:
            alike = _alike(known, gram, side, side, self.gram_scale)
            functions, scores = one_class(alike, self.nu), left_out_scores(alike, self.nu)
        offset = lowest_normal(scores, self.nu, owner)
        self._keep(kernel, functions, everything, len(graphs), gram)
        self.offset_ = offset
        return scores

    def score_samples(self, X: Any) -> Float64:
        """How normal each graph is: less its distance from the nearest, or the sum of an SVM."""
        check_is_fitted(self)
        known = known_likeness(self.likeness_, type(self).__name__)
        kernel, form = self.kernel_.fitted_, self.kernel_.fitted_.form
        rows = kernel.prepare(as_graphs(X, molecules=kernel.molecules), self.execution())
        gram = kernel.gram(rows, kernel.graphs, self.gram_folder, self.execution())
        sides = Side.of(rows, form), Side.of(kernel.graphs, form)
        if not len(self.functions_.constants):
            return -known.distances_of(gram, *sides)
        # That of the fit: the parameter may have been changed since.
        alike = _alike(known, gram, *sides, self.kernel_.gram_scale)
        return np.asarray(self.functions_.decide(alike)[:, 0])

    def decision_function(self, X: Any) -> Float64:
        """Score above ``offset_``: negative of outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> Index:
        """-1 of outliers, 1 of the others."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def explain(self, graph: Any, **_: Any) -> NoReturn:
        """Raise: the score is no sum over nodes."""
        raise ParameterError(
            "The score of an outlier detector is a distance, which is no sum over the nodes of the "
            "graph. To see what is unlike, compare two graphs with nask.align."
        )


def _alike(known: Likeness, gram: Floats, rows: Side, columns: Side, scale: float) -> Float64:
    """The Gaussian of distances that an SVM learns from."""
    return np.asarray(np.exp(-scale * known.squared(gram, rows, columns)))

"""Classification of graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from nask.arrays import Float64, Mask
from nask.estimators.base import GraphEstimator, LearnsClasses
from nask.exceptions import ParameterError
from nask.learning.coverage import class_sets
from nask.learning.mixins import DecidesClasses
from nask.learning.sample_weights import weights_of_items
from nask.learning.targets import class_codes, training_data


@dataclass(kw_only=True, eq=False, repr=False)
class NASKClassifier(DecidesClasses, LearnsClasses, GraphEstimator):
    """A classifier of graphs on the Neighborhood-Aware Star Kernel: an SVM or ridge regression.

    The Gram matrix is centred and scaled to unit mean diagonal, so the same values of C and alpha
    make sense for every dataset and kernel parameter.

    Parameters
    ----------
    learner : {"svm", "ridge"}, default="svm"
        A support vector machine, or ridge regression on targets of 1 and -1, whose leave-one-out
        decisions are known exactly.
    C : float, default=10.0
        Penalty of training errors of an SVM.
    alpha : float, default=None
        Penalty of complexity of a ridge regression; by default the most accurate of six values by
        leave-one-out.
    multiclass : {"ovr", "ovo"}, default=None
        Whether a ridge regression tells each class from the others, or each pair of classes apart;
        by default the more accurate by leave-one-out. An SVM always tells pairs apart.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn's SVC.
    probability : bool, default=True
        Whether to calibrate probabilities, at the cost of five more (cheap) fits of an SVM on
        the same Gram matrix. A ridge regression has them from leave-one-out.
    **kernel parameters
        All those of :class:`nask.NASK`, with the same defaults.

    Attributes
    ----------
    classes_ : ndarray
    kernel_ : NASK
        The fitted kernel, reduced to the support graphs.
    functions_ : KernelSVM or KernelRidge
        Coefficients of the support graphs, and constants.
    support_ : ndarray of int
        Positions of the support graphs in the training list.

    Notes
    -----
    ``predict_proba`` of an SVM is a logistic regression (Platt scaling; multinomial for three
    classes or more) on decision values of held-out folds of the training graphs. It may disagree
    with ``predict`` where the decision is close. That of a ridge regression has one factor for all
    leave-one-out decisions (temperature scaling), and agrees with ``predict``.

    Examples
    --------
    >>> import nask
    >>> mutag = nask.load_dataset("MUTAG")
    >>> model = nask.NASKClassifier(n_hops=2, C=10.0).fit(mutag.graphs[::2], mutag.y[::2])
    >>> bool(model.score(mutag.graphs[1::2], mutag.y[1::2]) > 0.75)
    True
    >>> model.predict_proba(mutag.graphs[:1]).shape
    (1, 2)
    """

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        self.check_learner()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on graphs and their classes.

        Parameters
        ----------
        X : list of graphs
        y : array-like of shape (n_graphs,)
        sample_weight : array-like of shape (n_graphs,), default=None
            How much each graph counts, beside the weight of its class. A graph of weight 2 is as
            good as two, one of weight 0 as none.
        """
        self.check_parameters()
        graphs, target = training_data(X, y, type(self).__name__)
        n_graphs = len(graphs)
        there, weights = weights_of_items(sample_weight, n_graphs, type(self).__name__)
        graphs, target = [graphs[k] for k in there], target[there]
        self.classes_, codes = class_codes(target)
        # First, since they may be refused.
        self.weights_by_code(self.classes_)
        kernel, gram = self._fit_kernel(graphs)
        functions = self.learn(gram, codes, self.classes_, weights)
        self._keep(kernel, functions, there, n_graphs, gram)
        return self

    def decision_function(self, X: Any) -> Float64:
        """Confidence: (m,) for two classes, positive for the second; (m, n_classes) otherwise."""
        gram = self._gram(X)
        return self.functions_.confidence(gram)

    def predict_proba(self, X: Any) -> Float64:
        """Calibrated probability of each class, (m, n_classes)."""
        decision = self.decision_function(X)
        if self.functions_.calibration is None:
            raise ParameterError(
                "This NASKClassifier has no probabilities: it was fitted with probability=False, "
                "or a class had a single training graph. Fit with probability=True, as nask fit "
                "does, and two graphs or more of each class."
            )
        return self.functions_.calibration.probabilities(decision)

    def predict_set(self, X: Any, *, coverage: float = 0.9, by_class: bool = False) -> Mask:
        """Tell which classes each graph may have; the true one is among them so often.

        A set has as few classes as the model's errors on held-out training graphs allow, and one
        at least. Of graphs like those of training, the share whose true class is in the set is
        ``coverage``, or more where the model itself is right more often.

        Parameters
        ----------
        X : list of graphs
        coverage : float, default=0.9
        by_class : bool, default=False
            Whether the graphs of each class are to be covered so often, instead of all together:
            then rare classes are not left out to the benefit of frequent ones, and sets are larger.

        Returns
        -------
        ndarray of bool of shape (n_graphs, n_classes)
            With the columns of ``classes_``.

        Examples
        --------
        >>> import nask
        >>> mutag = nask.load_dataset("MUTAG")
        >>> model = nask.NASKClassifier(n_hops=2).fit(mutag.graphs[::2], mutag.y[::2])
        >>> sets = model.predict_set(mutag.graphs[1::2], coverage=0.9)
        >>> [model.classes_[row].tolist() for row in sets[:3]]
        [[-1, 1], [1], [1]]
        """
        check_is_fitted(self)
        known = self.functions_.conformity, self.functions_.calibration
        owner = type(self).__name__
        return class_sets(*known, lambda: self.decision_function(X), coverage, by_class, owner)

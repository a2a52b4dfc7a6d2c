"""Classification of graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from nask.arrays import Array, Float64
from nask.estimators.base import GraphSVM
from nask.exceptions import ParameterError
from nask.learning.class_weights import ClassWeight, CodeWeight, weights_by_code
from nask.learning.mixins import DecidesClasses
from nask.learning.svm import KernelSVM
from nask.learning.targets import class_codes, training_data


@dataclass(kw_only=True, eq=False, repr=False)
class NASKClassifier(DecidesClasses, GraphSVM):
    """A support vector classifier on the Neighborhood-Aware Star Kernel.

    The Gram matrix is centred and scaled to unit mean diagonal, so the same values of C make sense
    for every dataset and kernel parameter.

    Parameters
    ----------
    C : float, default=10.0
        Penalty of training errors.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn's SVC.
    probability : bool, default=True
        Whether to calibrate probabilities, at the cost of five more (cheap) fits of the SVM on
        the same Gram matrix.
    **kernel parameters
        All those of :class:`nask.NASK`, with the same defaults.

    Attributes
    ----------
    classes_ : ndarray
    kernel_ : NASK
        The fitted kernel, reduced to the support graphs.
    svm_ : KernelSVM
        Coefficients of the support graphs, and constants.
    support_ : ndarray of int
        Positions of the support graphs in the training list.

    Notes
    -----
    ``predict_proba`` is a logistic regression (Platt scaling; multinomial for three classes or
    more) on decision values of held-out folds of the training graphs. It may disagree with
    ``predict`` where the decision is close.

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

    class_weight: ClassWeight = None
    probability: bool = True

    def check_parameters(self) -> None:
        """Raise on the first parameter outside its range."""
        super().check_parameters()
        self._check(isinstance(self.probability, (bool, np.bool_)), "probability", "a bool")

    def weights_by_code(self, classes: Array) -> CodeWeight:
        """The weights of the classes by their number; raise where they are not weights."""
        return weights_by_code(self.class_weight, classes, type(self).__name__)

    def fit(self, X: Any, y: Any) -> Self:
        """Train on graphs and their classes."""
        self.check_parameters()
        graphs, target = training_data(X, y, type(self).__name__)
        self.classes_, codes = class_codes(target)
        weights = self.weights_by_code(self.classes_)
        kernel, gram = self._fit_kernel(graphs)
        svm = KernelSVM.classify(gram, codes, self.C, weights, self.probability)
        self.set_fitted(kernel.take(svm.support), svm, len(graphs))
        return self

    def predict_proba(self, X: Any) -> Float64:
        """Calibrated probability of each class, (m, n_classes)."""
        decision = self.decision_function(X)
        if self.svm_.calibration is None:
            raise ParameterError(
                "This NASKClassifier has no probabilities: it was fitted with probability=False, "
                "or a class had a single training graph. Fit with probability=True, as nask fit "
                "does, and two graphs or more of each class."
            )
        return self.svm_.calibration.probabilities(decision)

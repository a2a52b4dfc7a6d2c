"""What processes with a time limit import: models that hang when a test wants them to."""

import os
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

import nask
from gate_work import GATE, pass_gate, sleep_for_ever


class Constant(ClassifierMixin, BaseEstimator):
    """The class of the first graph, for all."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.first_ = y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.first_)


class GatedConstant(Constant):
    """The same, behind a gate."""

    def fit(self, X, y):
        pass_gate()
        return super().fit(X, y)


class Gated(nask.TunedNASKClassifier):
    """Hangs where a fold begins to choose, after all Gram matrices."""

    def svm_judge(self, *arguments, **options):
        pass_gate()
        return super().svm_judge(*arguments, **options)


class GatedNodes(nask.TunedNASKNodeClassifier):
    """The same for nodes."""

    def svm_judge(self, *arguments, **options):
        pass_gate()
        return super().svm_judge(*arguments, **options)


class Wrong(Constant):
    """Raises an error of nask."""

    def fit(self, X, y):
        raise nask.exceptions.ParameterError(f"{len(X)} graphs are too many.")


class Warns(ClassifierMixin, BaseEstimator):
    """A model that warns wherever it is fitted."""

    def fit(self, graphs, y):
        warnings.warn("Mind the gap.", RuntimeWarning, stacklevel=2)
        self.class_ = y[0]
        return self

    def predict(self, graphs):
        return np.full(len(graphs), self.class_)


class Sleeping(Constant):
    """Sleeps in the middle of a fold."""

    def fit(self, X, y):
        sleep_for_ever(os.environ[GATE])

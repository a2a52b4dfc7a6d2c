"""What processes with a time limit import: models that hang when a test wants them to."""

import ctypes
import os
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

import nask

GATE = "NASK_TEST_GATE"


def pass_gate():
    """Hang, unless a test left a file to take away in the folder that the variable names."""
    folder = os.environ.get(GATE)
    if folder is None:
        return
    for ticket in sorted(Path(folder).glob("ticket-*")):
        try:
            ticket.unlink()
        except FileNotFoundError:
            continue
        return
    wait_for_ever(folder)


def wait_for_ever(folder):
    """In C, with the lock of the interpreter held; leaves the numbers of its processes behind."""
    for pid in (os.getpid(), os.getppid()):
        (Path(folder) / f"pid-{pid}").touch()
    time.sleep(1.0)  # for a fold of another process to be recorded
    (Path(folder) / f"hangs-{os.getpid()}").touch()
    ctypes.PyDLL(None).sleep(1000)


def sleep_for_ever(folder):
    (Path(folder) / f"pid-{os.getpid()}").touch()
    (Path(folder) / f"hangs-{os.getpid()}").touch()
    time.sleep(1000)


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


class TwoPartsError(Exception):
    """Cannot be read back from a pickle."""

    def __init__(self, first, second):
        super().__init__(f"{first} {second}")


def fail(error, *arguments):
    raise error(*arguments)


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

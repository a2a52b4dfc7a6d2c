"""A support vector machine on a Gram matrix: centre, fit, and keep what carries weight."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.svm import SVC, SVR

from nask.arrays import Array, Float64, Positions
from nask.choices import Scheme
from nask.learning.calibration import Calibration, decisions_of_folds
from nask.learning.centring import Centring
from nask.learning.class_weights import CodeWeight, weight_of_classes
from nask.learning.conformal import Conformity
from nask.learning.decisions import KernelModel
from nask.learning.votes import class_confidence

# Of numbers: with 5 folds, which learn from 80 % of the items, intervals are wider than they need
# to be (92.5 % of molecules were within those of 90 %).
FOLDS = 10


@dataclass(frozen=True)
class KernelSVM(KernelModel):
    """A fitted support vector machine: decision functions of its support graphs.

    The Gram matrix is centred and scaled to unit mean diagonal to learn from, and the centring is
    then taken into coefficients and constants, so that new graphs meet the kernel as it is.

    Parameters
    ----------
    coefficients, constants, support, calibration
        As in :class:`KernelModel`: one function for two classes, otherwise one per pair of them.

    Examples
    --------
    >>> K = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 2.0]])
    >>> svm = KernelSVM.classify(K, np.array([0, 0, 1]), C=10.0)
    >>> (svm.decide(K[:, svm.support])[:, 0] > 0).tolist()
    [False, False, True]
    """

    @classmethod
    def classify(
        cls,
        gram: Array,
        codes: Positions,
        C: float,
        class_weight: CodeWeight = None,
        probability: bool = False,
        sample_weight: Float64 | None = None,
    ) -> KernelSVM:
        """Learn classes.

        Parameters
        ----------
        gram : ndarray of shape (n, n)
        codes : ndarray of shape (n,)
            The number of each class.
        C : float
        class_weight : dict by number, "balanced" or None
        probability : bool
            Whether to calibrate probabilities, where no class has a single member.
        sample_weight : ndarray of shape (n,), optional
            C is multiplied by these: an item of weight 2 is as good as two.
        """
        if sample_weight is not None:
            # Balanced by the weights of the items, which SVC would not do in all versions.
            n_classes = int(codes.max()) + 1
            own = weight_of_classes(class_weight, codes, n_classes, sample_weight)
            class_weight = dict(enumerate(own.tolist()))
        svc = SVC(kernel="precomputed", C=C, class_weight=class_weight)
        centring = Centring.fit(gram, sample_weight)
        centred = centring.apply(gram)
        # Of tens of thousands of nodes the matrix takes gigabytes.
        del gram
        svc.fit(centred, codes, sample_weight)
        calibration = conformity = None
        held_out = decisions_of_folds(svc, centred, codes, sample_weight) if probability else None
        if held_out is not None:
            calibration = Calibration.fit(held_out, codes, sample_weight)
            conformity = Conformity.of_decisions(calibration, held_out, codes)
        functions = _unfolded(svc, centring)
        support = np.asarray(svc.support_)
        return cls(*functions, support, calibration, conformity=conformity)

    @classmethod
    def regress(
        cls,
        gram: Array,
        target: Float64,
        C: float,
        epsilon: float,
        sample_weight: Float64 | None = None,
        intervals: bool = False,
    ) -> KernelSVM:
        """Learn numbers, on the scale of their standard deviation.

        Parameters
        ----------
        gram : ndarray of shape (n, n)
        target : ndarray of shape (n,)
        C : float
        epsilon : float
            Errors below this many standard deviations are not penalised.
        sample_weight : ndarray of shape (n,), optional
            As in :meth:`classify`; mean and deviation of the target are weighted, too.
        intervals : bool
            Whether to measure errors on held-out folds.
        """
        mean = np.average(target, weights=sample_weight)
        unit = np.sqrt(np.average((target - mean) ** 2, weights=sample_weight)) or 1.0
        centring = Centring.fit(gram, sample_weight)
        svr = SVR(kernel="precomputed", C=C, epsilon=epsilon)
        centred, standard = centring.apply(gram), (target - mean) / unit
        svr.fit(centred, standard, sample_weight)
        conformity = None
        if intervals and len(target) > 1:
            folds = KFold(min(FOLDS, len(target)), shuffle=True, random_state=0)
            given = None if sample_weight is None else {"sample_weight": sample_weight}
            held_out = cross_val_predict(svr, centred, standard, cv=folds, params=given)
            conformity = Conformity.of_numbers(target, held_out * unit + mean)
        coefficients, constants = _unfolded(svr, centring)
        functions = coefficients * unit, constants * unit + mean
        return cls(*functions, np.asarray(svr.support_), conformity=conformity)

    @property
    def scheme(self) -> Scheme:
        """How the functions tell classes apart: of several classes, pairs vote."""
        return "ovr" if len(self.constants) == 1 else "votes"

    def confidence(self, gram: Array) -> Float64:
        """Confidence in the second of two classes, (m,), or votes for each, (m, n_classes)."""
        return class_confidence(self.decide(gram))


def _unfolded(libsvm: Any, centring: Centring) -> tuple[Float64, Float64]:
    """The solution of a fitted SVC or SVR, with the centring taken into it."""
    n_classes = len(getattr(libsvm, "classes_", ()))
    dual, constants = libsvm.dual_coef_, libsvm.intercept_
    if n_classes > 2:
        dual = _by_pair(dual, libsvm.n_support_)
    coefficients = dual / centring.scale
    shift = coefficients @ centring.column_means[libsvm.support_]
    return coefficients, constants - shift


def _by_pair(dual: Float64, n_support: Array) -> Float64:
    """Unfold libsvm's coefficients: for classes i < j, row j - 1 holds those of class i's
    support vectors, row i those of class j's."""
    stops = np.cumsum(n_support)
    own = [slice(stop - n, stop) for stop, n in zip(stops, n_support, strict=True)]
    pairs = list(combinations(range(len(n_support)), 2))
    unfolded = np.zeros((len(pairs), dual.shape[1]))
    for row, (i, j) in zip(unfolded, pairs, strict=True):
        row[own[i]], row[own[j]] = dual[j - 1, own[i]], dual[i, own[j]]
    return unfolded

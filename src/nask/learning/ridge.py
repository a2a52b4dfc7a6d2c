"""Kernel ridge regression on classes, chosen by exact leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nask.arrays import Array, Float64, Positions
from nask.choices import Multiclass
from nask.learning.calibration import Calibration
from nask.learning.centring import Centring
from nask.learning.class_weights import CodeWeight, weight_of_classes
from nask.learning.decisions import KernelModel, best_class
from nask.learning.held_out import (
    class_scores,
    hold_out,
    one_against_one,
    one_against_rest,
)

# Tried where none is given, on a Gram matrix of unit mean diagonal after centring.
ALPHAS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
SCHEMES = {"ovr": one_against_rest, "ovo": one_against_one}


def schemes_for(multiclass: Multiclass | None, n_classes: int) -> tuple[Multiclass, ...]:
    """Ways to make one decision of several; they are the same for two classes.

    Examples
    --------
    >>> schemes_for(None, 3), schemes_for(None, 2), schemes_for("ovo", 3)
    (('ovr', 'ovo'), ('ovr',), ('ovo',))
    """
    if n_classes == 2:
        return ("ovr",)
    return ("ovr", "ovo") if multiclass is None else (multiclass,)


def n_functions_of(multiclass: Multiclass, n_classes: int) -> int:
    """How many functions tell classes apart.

    Examples
    --------
    >>> n_functions_of("ovr", 2), n_functions_of("ovr", 4), n_functions_of("ovo", 4)
    (1, 4, 6)
    """
    pairs = n_classes * (n_classes - 1) // 2
    return n_classes if multiclass == "ovr" and n_classes > 2 else pairs


@dataclass(frozen=True)
class KernelRidge(KernelModel):
    """Fitted ridge regressions on targets of 1 and -1, with a free constant.

    Minimises the sum of squared errors plus alpha times the squared length of the function in the
    kernel's feature space. The Gram matrix is scaled to unit mean diagonal, after centring, so the
    same alphas make sense for every kernel and dataset.

    Parameters
    ----------
    coefficients, constants, support, calibration
        As in :class:`KernelModel`: one function for two classes, otherwise one per class, or per
        pair of classes. All training graphs are support graphs.
    alpha : float
    multiclass : {"ovr", "ovo"}
    n_classes : int
    score : float
        Accuracy by leave-one-out.

    Examples
    --------
    >>> x = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
    >>> ridge = KernelRidge.classify(np.outer(x, x), np.array([0, 0, 0, 1, 1, 1]))
    >>> (ridge.confidence(np.outer(x, x)) > 0).tolist(), ridge.score
    ([False, False, False, True, True, True], 1.0)
    """

    alpha: float = 1.0
    multiclass: Multiclass = "ovr"
    n_classes: int = 2
    score: float = float("nan")

    @classmethod
    def classify(
        cls,
        gram: Array,
        codes: Positions,
        alpha: float | None = None,
        multiclass: Multiclass | None = None,
        class_weight: CodeWeight = None,
        probability: bool = False,
    ) -> KernelRidge:
        """Learn classes.

        Parameters
        ----------
        gram : ndarray of shape (n, n)
        codes : ndarray of shape (n,)
            The number of each class.
        alpha : float, optional
            The most accurate of :data:`ALPHAS` by leave-one-out where none is given.
        multiclass : {"ovr", "ovo"}, optional
            Each class against the others, or each pair of classes; the more accurate where none is
            given.
        class_weight : dict by number, "balanced" or None
            Errors in a class count that many times.
        probability : bool
            Whether to calibrate probabilities, where no class has a single member.
        """
        n_classes = int(codes.max()) + 1
        scale = Centring.fit(gram).scale
        unit = np.asarray(gram, dtype=np.float64) / scale
        weights = weight_of_classes(class_weight, codes, n_classes)[codes]
        best: KernelRidge | None = None
        for scheme in schemes_for(multiclass, n_classes):
            problems = SCHEMES[scheme](codes, n_classes)
            for penalty in ALPHAS if alpha is None else (alpha,):
                found = hold_out(unit, problems, penalty / weights)
                scores = class_scores(found.decisions[0], scheme, n_classes)
                score = float(np.mean(best_class(scores) == codes))
                if best is not None and score <= best.score:
                    continue
                calibration = None
                if probability:
                    calibration = Calibration.scaled(confidence_of(scores), codes)
                [functions] = found.functions
                coefficients = functions.coefficients / scale
                learned = coefficients, functions.constants, np.arange(len(codes)), calibration
                best = cls(*learned, penalty, scheme, n_classes, score)
        assert best is not None
        return best

    @property
    def scheme(self) -> Multiclass:
        """How the functions tell classes apart."""
        return self.multiclass

    def confidence(self, gram: Array) -> Float64:
        """Confidence in the second of two classes, (m,), or in each class, (m, n_classes)."""
        return confidence_of(class_scores(self.decide(gram), self.multiclass, self.n_classes))


def confidence_of(scores: Float64) -> Float64:
    """What ``decision_function`` returns, from the scores of all classes."""
    return scores[:, 1] if scores.shape[1] == 2 else scores

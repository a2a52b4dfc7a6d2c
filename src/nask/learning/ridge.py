"""Kernel ridge regression on classes or numbers, chosen by exact leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nask.arrays import Array, Float64, Positions
from nask.choices import Multiclass
from nask.learning.calibration import Calibration
from nask.learning.centring import Centring
from nask.learning.class_weights import CodeWeight, weight_of_items
from nask.learning.conformal import Conformity
from nask.learning.decisions import KernelModel, best_class
from nask.learning.goals import NumberGoal
from nask.learning.held_out import (
    class_scores,
    confidence_of,
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
    """How many functions tell classes apart; numbers, with 1 "class", have one.

    Examples
    --------
    >>> n_functions_of("ovr", 2), n_functions_of("ovr", 4), n_functions_of("ovo", 4)
    (1, 4, 6)
    """
    if n_classes == 1:
        return 1
    pairs = n_classes * (n_classes - 1) // 2
    return n_classes if multiclass == "ovr" and n_classes > 2 else pairs


@dataclass(frozen=True)
class KernelRidge(KernelModel):
    """Fitted ridge regressions on targets of 1 and -1, or on numbers, with a free constant.

    Minimises the sum of squared errors plus alpha times the squared length of the function in the
    kernel's feature space. The Gram matrix is scaled to unit mean diagonal, after centring, so the
    same alphas make sense for every kernel and dataset.

    Parameters
    ----------
    coefficients, constants, support, calibration
        As in :class:`KernelModel`: one function for two classes or for numbers, otherwise one per
        class, or per pair of classes. All training graphs are support graphs.
    alpha : float
    multiclass : {"ovr", "ovo"}
    n_classes : int
        1 for numbers.
    score : float
        Accuracy, or R2, by leave-one-out.

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
        sample_weight: Float64 | None = None,
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
        sample_weight : ndarray of shape (n,), optional
            Errors in an item count that many times: an item of weight 2 is as good as two.
        """
        n_classes = int(codes.max()) + 1
        scale = Centring.fit(gram, sample_weight).scale
        unit = np.asarray(gram, dtype=np.float64) / scale
        weights = weight_of_items(class_weight, codes, n_classes, sample_weight)
        best: KernelRidge | None = None
        for scheme in schemes_for(multiclass, n_classes):
            problems = SCHEMES[scheme](codes, n_classes)
            for penalty in ALPHAS if alpha is None else (alpha,):
                found = hold_out(unit, problems, penalty / weights)
                scores = class_scores(found.decisions[0], scheme, n_classes)
                score = float(np.average(best_class(scores) == codes, weights=sample_weight))
                if best is not None and score <= best.score:
                    continue
                calibration = conformity = None
                if probability:
                    held_out = confidence_of(scores)
                    calibration = Calibration.scaled(held_out, codes, sample_weight)
                    conformity = Conformity.of_decisions(calibration, held_out, codes)
                [functions] = found.functions
                coefficients = functions.coefficients / scale
                learned = coefficients, functions.constants, np.arange(len(codes)), calibration
                chosen = penalty, scheme, n_classes, score
                best = cls(*learned, *chosen, conformity=conformity)
        assert best is not None
        return best

    @classmethod
    def regress(
        cls,
        gram: Array,
        target: Float64,
        alpha: float | None = None,
        sample_weight: Float64 | None = None,
    ) -> KernelRidge:
        """Learn numbers.

        Parameters
        ----------
        gram : ndarray of shape (n, n)
        target : ndarray of shape (n,)
        alpha : float, optional
            The one of :data:`ALPHAS` with the least mean squared error by leave-one-out where none
            is given.
        sample_weight : ndarray of shape (n,), optional
            As in :meth:`classify`.

        Examples
        --------
        >>> x = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
        >>> ridge = KernelRidge.regress(np.outer(x, x), 2 * x + 5, alpha=1e-6)
        >>> ridge.decide(np.outer([10.0], x)).round(2), round(ridge.score, 3)
        (array([[25.]]), 1.0)
        """
        scale = Centring.fit(gram, sample_weight).scale
        unit = np.asarray(gram, dtype=np.float64) / scale
        goal = NumberGoal(target, sample_weight=sample_weight)
        everything = np.ones(len(target), dtype=bool)
        best: KernelRidge | None = None
        for penalty in ALPHAS if alpha is None else (alpha,):
            found = hold_out(unit, goal.problems("ovr"), penalty / goal.weights())
            [score] = goal.values(goal.kept(found.decisions), everything).tolist()
            if best is not None and score <= best.score:
                continue
            [functions] = found.functions
            learned = functions.coefficients / scale, functions.constants, np.arange(len(target))
            conformity = None
            if len(target) > 1:
                conformity = Conformity.of_numbers(target, found.decisions[0, :, 0])
            chosen = {"alpha": penalty, "n_classes": 1, "score": score}
            best = cls(*learned, **chosen, conformity=conformity)
        assert best is not None
        return best

    @property
    def scheme(self) -> Multiclass:
        """How the functions tell classes apart."""
        return self.multiclass

    def confidence(self, gram: Array) -> Float64:
        """Confidence in the second of two classes, (m,), or in each class, (m, n_classes)."""
        return confidence_of(class_scores(self.decide(gram), self.multiclass, self.n_classes))

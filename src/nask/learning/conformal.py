"""Sets and intervals that hold the truth as often as was asked for, from held-out answers.

How wrong a model is where it has learned is no measure of how wrong it will be. How wrong models
were about items that they had not seen is one: a new item is as likely as any of these to have an
error of a given rank, whatever the model and the distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nask.arrays import Float64, Mask, Positions
from nask.exceptions import ParameterError
from nask.learning.calibration import Calibration

# Of (n + 1) * coverage, which 0.9 * 10 need not hit, and of probabilities.
ROUNDING = 1e-9


def rank_of(coverage: float, n: int) -> int:
    """Which of n held-out errors, the smallest being 1, bounds that of a new item so often.

    The new item's error has each of n + 1 ranks with the same chance; n + 1 means that none of the
    n bounds it.

    Examples
    --------
    >>> rank_of(0.9, 9), rank_of(0.9, 99), rank_of(0.99, 50)
    (9, 90, 51)
    """
    return math.ceil((n + 1) * coverage - ROUNDING)


@dataclass(frozen=True, eq=False)
class Conformity:
    """How wrong models were about each training item, when they had not learned from it.

    Parameters
    ----------
    errors : ndarray of shape (n,)
        Of numbers, the absolute error, which may be in units of what the model itself expects. Of
        classes, 1 less the probability of the true one.
    codes : ndarray of shape (n,), or None
        The true class of each, by its number; None of numbers.

    Examples
    --------
    >>> held_out = Conformity.of_numbers(np.arange(9.0), np.arange(9.0) + 0.1 * np.arange(9))
    >>> round(held_out.half_width(0.5), 2), round(held_out.half_width(0.9), 2)
    (0.4, 0.8)
    >>> held_out.half_width(0.95)
    Traceback (most recent call last):
    nask.exceptions.ParameterError: 9 training graphs tell how wide an interval of coverage 0.9 is,
    and not one of 0.95. Ask for at most 0.9, or fit on 19 graphs or more.
    """

    errors: Float64
    codes: Positions | None = None

    @classmethod
    def of_numbers(cls, target: Float64, held_out: Float64) -> Conformity:
        """Compare held-out predictions with numbers."""
        return cls(np.abs(target - held_out))

    @classmethod
    def of_classes(cls, probabilities: Float64, codes: Positions) -> Conformity:
        """Compare held-out probabilities, (n, n_classes), with classes by their number."""
        return cls(1 - probabilities[np.arange(len(codes)), codes], codes)

    @classmethod
    def of_decisions(
        cls, calibration: Calibration | None, held_out: Float64, codes: Positions
    ) -> Conformity | None:
        """Compare held-out decisions with classes; None where nothing makes probabilities of them.

        Parameters
        ----------
        calibration : Calibration or None
        held_out : ndarray of shape (n,), or (n, n_classes)
            As ``decision_function`` returns them.
        codes : ndarray of shape (n,)
        """
        if calibration is None:
            return None
        return cls.of_classes(calibration.probabilities(held_out), codes)

    def half_width(self, coverage: float) -> float:
        """Half the width of intervals; raise where there are too few items to tell."""
        n = len(self.errors)
        rank = rank_of(coverage, n)
        if rank > n:
            most, needed = math.floor(1e4 * n / (n + 1)) / 1e4, math.ceil(coverage / (1 - coverage))
            raise ParameterError(
                f"{n} training graphs tell how wide an interval of coverage {most:g} is, and not "
                f"one of {coverage:g}. Ask for at most {most:g}, or fit on {needed} graphs or more."
            )
        return float(np.partition(self.errors, rank - 1)[rank - 1])

    def interval(self, predicted: Float64, coverage: float) -> Float64:
        """Lower and upper end around each predicted number, (m, 2)."""
        half = self.half_width(coverage)
        return np.stack([predicted - half, predicted + half], axis=1)

    def sets(
        self,
        probabilities: Float64,
        predicted: Positions,
        coverage: float,
        by_class: bool = False,
    ) -> Mask:
        """Tell which classes are in the set of each item, (m, n_classes); at least one is.

        Parameters
        ----------
        probabilities : ndarray of shape (m, n_classes)
        predicted : ndarray of shape (m,)
            The number of the class that is in the set where no class is likely enough.
        coverage : float
        by_class : bool
            Whether each class is found as often, instead of the true ones of all items. A class of
            too few training items to tell is in every set.

        Examples
        --------
        >>> codes = np.array([0, 0, 0, 0, 1, 1, 1, 1])
        >>> sure = np.array([0.9, 0.8, 0.9, 0.7, 0.6, 0.5, 0.6, 0.4])
        >>> held_out = Conformity(1 - sure, codes)
        >>> new, predicted = np.array([[0.55, 0.45], [0.7, 0.3]]), np.array([0, 0])
        >>> held_out.sets(new, predicted, 0.7)
        array([[ True, False],
               [ True, False]])
        >>> held_out.sets(new, predicted, 0.8, by_class=True)
        array([[False,  True],
               [ True, False]])
        """
        assert self.codes is not None
        n_classes = probabilities.shape[1]
        groups = [self.errors] * n_classes
        if by_class:
            groups = [self.errors[self.codes == k] for k in range(n_classes)]
        limits = np.full(n_classes, np.inf)
        for k, errors in enumerate(groups):
            rank = rank_of(coverage, len(errors))
            if rank <= len(errors):
                limits[k] = np.partition(errors, rank - 1)[rank - 1]
        sets = np.asarray(1 - probabilities <= limits + ROUNDING)
        empty = np.flatnonzero(~sets.any(axis=1))
        sets[empty, predicted[empty]] = True
        return sets

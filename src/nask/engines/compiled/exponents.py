"""Attributes of a batch as the factors that P is made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nask.attributes.similarity import AttributeSimilarity
from nask.engines.compiled.places import Places, in_lines
from nask.engines.compiled.similarity import Operand, Similarity
from nask.engines.compiled.vectors import LANES
from nask.graph.elements import Elements

Index = npt.NDArray[np.int64]

# exp(+-x) is a normal number for |x| up to this.
LARGEST_EXPONENT = 700.0


def by_vectors(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Attributes x elements as one vector after the other, all attributes of it together."""
    n_attributes, n_elements = values.shape
    vectors = values.reshape(n_attributes, n_elements // LANES, LANES)
    return in_lines(vectors.swapaxes(0, 1)).ravel()


@dataclass(frozen=True, eq=False)
class Exponents:
    """How the numerical attributes of two batches are compared: by factors, or one by one.

    The factors exp(+-gamma (x - 1/2)) overflow where gamma is huge or a value is far outside the
    training range. Such attributes are wide and compared one exponential at a time.

    Parameters
    ----------
    parameters : AttributeSimilarity
    narrow, wide : ndarray of int
        Which attributes are compared in either way.
    n_plain : int
        How many of the first narrow ones have no value outside the training range, and none
        missing, so that s' needs no look at where it ends.
    """

    parameters: AttributeSimilarity
    narrow: Index
    wide: Index
    n_plain: int

    @classmethod
    def of(cls, parameters: AttributeSimilarity, exact: bool, *sides: Elements) -> Exponents:
        """Decide for the values that occur.

        With ``exact``, P of entirely dissimilar elements is the floor to the last digit, so no
        attribute is plain.
        """
        distances = np.abs(np.hstack([x.numerical for x in sides]) - 0.5)
        largest = np.nanmax(distances, axis=1, initial=0.0)
        is_wide = largest > LARGEST_EXPONENT / parameters.numerical_gamma
        # A missing value, not a number, is no plain one.
        is_plain = (distances <= 0.5).all(axis=1) & ~is_wide & (not exact)
        plain, guarded = np.flatnonzero(is_plain), np.flatnonzero(~is_plain & ~is_wide)
        narrow = np.concatenate([plain, guarded])
        return cls(parameters, narrow, np.flatnonzero(is_wide), len(plain))

    def operand(self, elements: Elements, places: Places) -> Operand:
        """The factors p and q of numerical attributes, and the codes of categorical ones."""
        x = places.take(elements.numerical, np.nan)
        gamma = self.parameters.numerical_gamma[self.narrow, None]
        weight = np.sqrt(self.parameters.numerical_weight)[self.narrow, None]
        exponent = gamma * (x[self.narrow] - 0.5)
        return Operand(
            n=len(places.source),
            p=by_vectors(weight * np.nan_to_num(np.exp(exponent))),
            q=by_vectors(weight * np.nan_to_num(np.exp(-exponent))),
            wide=in_lines(x[self.wide]).ravel(),
            codes=places.take(elements.categorical, -1).ravel(),
        )

    def similarity(self) -> Similarity:
        """The parameters of P in the same order."""
        given, wide = self.parameters, self.wide
        gamma, weight = given.numerical_gamma, given.numerical_weight
        least = weight * np.exp(-gamma)
        return Similarity(
            least=least[self.narrow],
            n_plain=self.n_plain,
            wide_gamma=gamma[wide],
            wide_weight=weight[wide],
            wide_least=least[wide],
            gain=-given.categorical_weight * np.expm1(-given.categorical_gamma),
            rest=given.base - float(least[self.narrow].sum()),
        )

    def floor(self) -> float:
        """The floor of P as tiles add it up, so that pruning can give exactly 0."""
        if self.parameters.floor == 0.0:
            return 0.0
        similarity, floor = self.similarity(), 0.0
        for least in similarity.least:
            floor += float(least)
        return floor + similarity.rest

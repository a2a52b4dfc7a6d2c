"""The numerical attributes of a batch as factors whose products make up P.

exp(-gamma |x - y|) = min(p(x) q(y), q(x) p(y)),   p(x) = exp(gamma (x - 1/2)) = 1 / q(x)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nask.arrays import Float64, Index
from nask.attributes.compiled_similarity import Operand, Similarity
from nask.attributes.euclidean import coordinates
from nask.attributes.similarity import AttributeSimilarity
from nask.compiled.places import Places, in_lines
from nask.compiled.vectors import LANES
from nask.graph.elements import Elements

# exp(x) and exp(-x) are normal numbers for |x| up to this.
LARGEST_EXPONENT = 700.0


def by_vectors(values: Float64) -> Float64:
    """Return attributes x elements by eight elements: all attributes of these, then the next."""
    n_attributes, n_elements = values.shape
    vectors = values.reshape(n_attributes, n_elements // LANES, LANES)
    return in_lines(vectors.swapaxes(0, 1)).ravel()


@dataclass(frozen=True, eq=False)
class Factors:
    """Which numerical attributes of two batches are compared by factors.

    The factors overflow where gamma is huge or a value is far outside the training range. Such an
    attribute is called wide; it takes one exponential per pair.

    Parameters
    ----------
    narrow, wide : ndarray of int
        The attributes with factors, and those without.
    n_plain : int
        The first ``n_plain`` narrow attributes have no value that is missing or outside the
        training range. Their products are never below exp(-gamma) and need no check for it.

    A joint similarity has no factors: all of its numerical attributes count as wide.
    """

    parameters: AttributeSimilarity
    narrow: Index
    wide: Index
    n_plain: int

    @classmethod
    def of(cls, parameters: AttributeSimilarity, exact: bool, *sides: Elements) -> Factors:
        """Choose by the values that occur.

        With ``exact`` no attribute is plain, so that P of entirely dissimilar elements is the floor
        to the last digit.
        """
        if parameters.joint:
            n = len(parameters.numerical_gamma)
            return cls(parameters, np.empty(0, dtype=np.int64), np.arange(n), 0)
        distances = np.abs(np.hstack([x.numerical for x in sides]) - 0.5)
        largest = np.nanmax(distances, axis=1, initial=0.0)
        is_wide = largest > LARGEST_EXPONENT / parameters.numerical_gamma
        # Comparing with NaN, a missing value, gives False.
        is_plain = (distances <= 0.5).all(axis=1) & ~is_wide & (not exact)
        plain, guarded = np.flatnonzero(is_plain), np.flatnonzero(~is_plain & ~is_wide)
        narrow = np.concatenate([plain, guarded])
        return cls(parameters, narrow, np.flatnonzero(is_wide), len(plain))

    def operand(self, elements: Elements, places: Places) -> Operand:
        """Return the factors p and q of numerical attributes, and the codes of categorical ones."""
        codes = places.take(elements.categorical, -1).ravel()
        if self.parameters.joint:
            scale = self.parameters.numerical_weight * self.parameters.numerical_gamma
            # What only fills vectors is a point, too: NaN would spread through sums.
            points = places.take(coordinates(elements.numerical, scale), 0.0)
            none = np.empty(0)
            return Operand(len(places.source), none, none, in_lines(points).ravel(), codes)
        x = places.take(elements.numerical, np.nan)
        gamma = self.parameters.numerical_gamma[self.narrow, None]
        weight = np.sqrt(self.parameters.numerical_weight)[self.narrow, None]
        exponent = gamma * (x[self.narrow] - 0.5)
        return Operand(
            n=len(places.source),
            p=by_vectors(weight * np.nan_to_num(np.exp(exponent))),
            q=by_vectors(weight * np.nan_to_num(np.exp(-exponent))),
            wide=in_lines(x[self.wide]).ravel(),
            codes=codes,
        )

    def similarity(self) -> Similarity:
        """Return the parameters of P, with attributes in the same order."""
        given, wide = self.parameters, self.wide
        gamma, weight = given.numerical_gamma, given.numerical_weight
        least = weight * np.exp(-gamma)
        gain = -given.categorical_weight * np.expm1(-given.categorical_gamma)
        if given.joint:
            gain = given.categorical_weight * given.categorical_gamma
        return Similarity(
            least=least[self.narrow],
            n_plain=self.n_plain,
            wide_gamma=gamma[wide],
            wide_weight=weight[wide],
            wide_least=least[wide],
            gain=gain,
            rest=given.base - float(least[self.narrow].sum()),
            joint=given.joint,
        )

    def floor(self) -> float:
        """Return the floor of P, summed as compiled code does, so that pruning gives exactly 0."""
        if self.parameters.floor == 0.0:
            return 0.0
        similarity, floor = self.similarity(), 0.0
        for least in similarity.least:
            floor += float(least)
        return floor + similarity.rest

"""Invented people: attributes of mixed kinds that depend on each other as in life."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nask.arrays import Float64
from nask.graph.attribute import Attribute

Codes = npt.NDArray[np.int32]

GENDERS = ("female", "male")
REGIONS = {
    "Bratislava": 0.20, "Kosice": 0.16, "Presov": 0.14, "Zilina": 0.12,
    "Nitra": 0.11, "Banska Bystrica": 0.10, "Trencin": 0.09, "Trnava": 0.08,
}  # fmt: skip
INTERESTS = ("games", "music", "sport", "films", "books", "gardening")
# How interests shift with age: change in the log-odds of each per deviation of age.
OLDER = np.array([-0.8, -0.5, -0.3, 0.0, 0.5, 1.0])
# What is added to the leaning: for each interest, for men, and per deviation of age.
LEANING = np.array([1.5, 0.8, -0.3, 0.3, -0.8, -1.5])
MALE, AGE = 0.6, 0.4
# Degrees have a tail with this exponent plus one. Pokec, with 1.6 million people, has a largest
# degree near 15000 and a mean of 27; this exponent gives about the same.
TAIL = 2.5


@dataclass(frozen=True)
class People:
    """The true attributes of people, none missing, and two hidden quantities.

    Parameters
    ----------
    age, activity : ndarray of float
        Years, and hours per week spent in the network.
    gender, region, interest : ndarray of int
        Codes into GENDERS, REGIONS and INTERESTS.
    sociability : ndarray of float
        How many friends to expect, up to a factor. Heavy-tailed.
    leaning : ndarray of float
        What their own attributes contribute to their class. Mean 0, deviation 1.
    """

    age: Float64
    activity: Float64
    gender: Codes
    region: Codes
    interest: Codes
    sociability: Float64
    leaning: Float64

    @classmethod
    def draw(cls, rng: np.random.Generator, n: int) -> People:
        """Draw people independently of each other."""
        age = np.minimum(15 + np.floor(rng.gamma(2.0, 9.0, n)), 90)
        older = (age - 33) / 13
        gender = rng.integers(2, size=n, dtype=np.int32)
        shares = np.cumsum(list(REGIONS.values()))
        region = np.searchsorted(shares[:-1], rng.random(n), side="right").astype(np.int32)
        # The largest of log-odds plus Gumbel noise is a draw from the softmax.
        interest = np.zeros(n, dtype=np.int32)
        best = np.full(n, -np.inf)
        for code, slope in enumerate(OLDER):
            odds = slope * older + rng.gumbel(size=n)
            interest[odds > best] = code
            np.maximum(best, odds, out=best)
        # Capped: if one person had most friends in a small network, no new pairs would be left.
        sociability = 0.1 + np.minimum(rng.pareto(TAIL, n), np.sqrt(n))
        activity = np.round(4 * np.sqrt(sociability) * np.exp(0.5 * rng.standard_normal(n)), 1)
        leaning = standardised(LEANING[interest] + MALE * gender + AGE * older)
        return cls(age, activity, gender, region, interest, sociability, leaning)

    def attributes(self, rng: np.random.Generator, missing: float) -> dict[str, Attribute]:
        """Return what is known of them: each value is missing with the same probability."""
        columns: dict[str, Attribute] = {}
        for name, categories in (
            ("age", ()),
            ("gender", GENDERS),
            ("region", tuple(REGIONS)),
            ("interest", INTERESTS),
            ("activity", ()),
        ):
            data = getattr(self, name).copy()
            data[rng.random(len(data)) < missing] = -1 if categories else np.nan
            columns[name] = Attribute(
                "categorical" if categories else "numerical", data, categories
            )
        return columns


def standardised(values: Float64) -> Float64:
    """The values with mean 0 and deviation 1; all 0 if they are all equal.

    Examples
    --------
    >>> standardised(np.array([1.0, 3.0])).tolist(), standardised(np.array([2.0])).tolist()
    ([-1.0, 1.0], [0.0])
    """
    deviation = values.std()
    centred: Float64 = values - values.mean()
    return centred / deviation if deviation > 0 else centred

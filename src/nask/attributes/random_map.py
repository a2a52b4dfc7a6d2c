"""Random vectors z with few columns whose products are P on average: what is drawn for them.

    P(v, v') = base + sum over attributes of what two values add = E[z(v) z(v')]

What two values add is positive definite (see ``docs/design.md``), so each attribute has entries
whose products it is on average:

- a category has a column of its own;
- a number x has waves cos(w x) and sin(w x). Their frequencies w are drawn from the Fourier
  transform of (e^(-gamma |x - x'|) - e^-gamma)_+, one from each of equally likely intervals;
- a node feature that is 0 or 1 has a sign, any other one has waves. Most node features of a node
  are 0, so what a node without any would have is subtracted from every node.

Columns are assigned at random, each with a random sign. As long as there are enough columns, no
two of these entries share one, and the products of categories are exact.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from nask.arrays import Float64, Index
from nask.attributes.similarity import AttributeSimilarity

# The fewest and the most waves of a numerical attribute, each a cosine and a sine. In between,
# there are as many as the columns allow.
FEWEST_WAVES, MOST_WAVES = 4, 64
# Waves of a node feature: few, since there are many node features, whose errors cancel.
FEATURE_WAVES = 2
# Points at which the distribution of frequencies is tabulated.
N_POINTS = 200_000


class Columns(NamedTuple):
    """The map as arrays for compiled code. Values contain the signs and the roots of weights."""

    width: int
    constant_column: int
    constant: float
    frequency: Float64  # numerical attributes x waves
    wave_column: Index  # numerical attributes x waves x 2: cosine and sine
    wave_value: Float64
    category_ptr: Index  # where the categories of each attribute begin
    category_column: Index
    category_value: Float64
    binary: bool  # whether all node features are zeros and ones
    feature_frequency: Float64  # node features x waves; no waves if binary
    feature_column: Index  # node features x entries
    feature_value: Float64
    shift_column: int  # the column for how far a node is from one without node features
    shift: float  # its value
    without: Float64  # what a node without node features has, by column


@dataclass(frozen=True, eq=False)
class RandomMap:
    """A random map of P for the nodes, or for the edges, drawn once.

    Parameters
    ----------
    columns : Columns
        With the categories of training only.
    names : tuple of str
        Names of the categorical attributes.
    seed : bytes
        Decides, with the names, which columns new categories get.

    Examples
    --------
    >>> import nask
    >>> from nask.attributes.similarity import attribute_similarities
    >>> from nask.graph.schema import Schema
    >>> graph = nask.AttributedGraph(2, node_attributes={"atom": ["C", "N"], "charge": [0, 1]})
    >>> schema = Schema.fit([graph])
    >>> nodes, _ = attribute_similarities(schema, 1.0, None, "NASK")
    >>> drawn = RandomMap.draw(nodes, ("atom",), 64, np.random.SeedSequence(0), binary=False)
    >>> drawn.columns.frequency.shape, drawn.columns.category_column.shape
    ((1, 30), (2,))
    """

    columns: Columns
    names: tuple[str, ...]
    seed: bytes

    @classmethod
    def draw(
        cls,
        similarity: AttributeSimilarity,
        names: tuple[str, ...],
        width: int,
        seed: np.random.SeedSequence,
        binary: bool,
    ) -> RandomMap:
        """Draw a map.

        Parameters
        ----------
        names : tuple of str
            Names of the categorical attributes.
        width : int
            Number of columns, a power of two.
        binary : bool
            Whether all node features are zeros and ones.
        """
        s, rng = similarity, np.random.default_rng(seed)
        n_numerical, n_categories = len(s.numerical_gamma), int(s.n_categories.sum())
        n_entries = 1 if binary else 2 * FEATURE_WAVES
        taken = 1 + n_categories + (1 + n_entries * s.n_features if s.n_features else 0)
        room = (width - taken) // (2 * max(n_numerical, 1))
        n_waves = min(max(room, FEWEST_WAVES), MOST_WAVES)
        dealt, signs = _deal(rng, taken + 2 * n_waves * n_numerical, width)
        ends = np.cumsum([1, n_categories, 2 * n_waves * n_numerical])
        constant, category, wave, feature = np.split(dealt, ends)
        _, of_category, of_wave, of_feature = np.split(signs, ends)

        gain = -s.numerical_weight * np.expm1(-s.numerical_gamma)
        wave_shape = (n_numerical, n_waves, 2)
        frequency = np.array(
            [draw_frequencies(rng, float(gamma), 1, n_waves)[0] for gamma in s.numerical_gamma]
        ).reshape(n_numerical, n_waves)
        category_gain = -s.categorical_weight * np.expm1(-s.categorical_gamma)
        roots = np.repeat(np.sqrt(category_gain), s.n_categories)

        agree = -s.feature_weight * np.expm1(-s.feature_gamma)
        # The product of two signs adds -agree / 2 or agree / 2 to the mean.
        base = s.base + (s.n_features * agree / 2 if binary else 0.0)
        root = np.sqrt(agree / 2 if binary else agree / FEATURE_WAVES)
        feature_signs = (
            of_feature[1:].reshape(s.n_features, n_entries) if s.n_features else np.empty((0, 0))
        )
        places = feature[1:].reshape(feature_signs.shape)
        without = np.zeros(width)
        if s.n_features:
            # The entries of a zero: the sign -1, or cosines of 1 and sines of 0.
            at_zero = -1.0 if binary else np.tile([1.0, 0.0], FEATURE_WAVES)
            np.add.at(without, places, feature_signs * root * at_zero)
        columns = Columns(
            width=width,
            constant_column=int(constant[0]),
            constant=float(np.sqrt(base)),
            frequency=frequency,
            wave_column=wave.reshape(wave_shape),
            wave_value=of_wave.reshape(wave_shape) * np.sqrt(gain / n_waves)[:, None, None],
            category_ptr=np.concatenate([[0], np.cumsum(s.n_categories)]),
            category_column=category,
            category_value=of_category * roots,
            binary=binary,
            feature_frequency=draw_frequencies(
                rng, s.feature_gamma, s.n_features, 0 if binary else FEATURE_WAVES
            ),
            feature_column=places,
            feature_value=feature_signs * root,
            shift_column=int(feature[0]) if s.n_features else 0,
            shift=float(np.sqrt(s.n_features * (agree / 2 if binary else agree))),
            without=without,
        )
        return cls(columns, names, rng.bytes(16))

    def with_new(self, new: tuple[tuple[Hashable, ...], ...]) -> Columns:
        """Return the columns, with those of categories that training did not have.

        ``new`` has one tuple of categories per categorical attribute. The column of a new category
        depends on its value alone, not on what else is in the batch.
        """
        if not any(new):
            return self.columns
        c = self.columns
        column: list[Any] = []
        value: list[Any] = []
        ptr = [0]
        for d, (name, categories) in enumerate(zip(self.names, new, strict=True)):
            known = slice(int(c.category_ptr[d]), int(c.category_ptr[d + 1]))
            size = np.abs(c.category_value[known]).max(initial=0.0)
            keys = [self._hash(name, category) for category in categories]
            column += [c.category_column[known], [(key >> 1) % c.width for key in keys]]
            value += [c.category_value[known], [size * (1 - 2 * (key & 1)) for key in keys]]
            ptr.append(ptr[-1] + known.stop - known.start + len(categories))
        return c._replace(
            category_ptr=np.array(ptr),
            category_column=np.concatenate(column).astype(np.int64),
            category_value=np.concatenate(value),
        )

    def _hash(self, name: str, category: Hashable) -> int:
        content = repr((name, type(category).__name__, category)).encode()
        return int.from_bytes(hashlib.blake2b(content, digest_size=7, key=self.seed).digest())


def _deal(rng: np.random.Generator, n: int, width: int) -> tuple[Index, Float64]:
    """Return n columns and signs at random; no column comes again before all have come once."""
    rounds = [rng.permutation(width) for _ in range(-(-n // width))]
    return np.concatenate(rounds)[:n].astype(np.int64), rng.choice([-1.0, 1.0], n)


def draw_frequencies(rng: np.random.Generator, gamma: float, n: int, n_waves: int) -> Float64:
    """Return n sets of frequencies whose mean wave is (e^(-gamma |x|) - e^-gamma)_+, scaled to 1.

    Each set has one frequency from each of ``n_waves`` equally likely intervals.

    Examples
    --------
    >>> x, gamma = 0.3, 2.0
    >>> waves = np.cos(x * draw_frequencies(np.random.default_rng(0), gamma, 1000, 8))
    >>> exact = (np.exp(-gamma * x) - np.exp(-gamma)) / (1 - np.exp(-gamma))
    >>> bool(abs(waves.mean() - exact) < 0.005)
    True
    """
    if n_waves == 0 or n == 0:
        return np.empty((n, n_waves))
    share, frequency = _distribution(gamma)
    quantile = (np.arange(n_waves) + rng.random((n, n_waves))) / n_waves
    return np.interp(quantile, share, frequency)


@lru_cache(maxsize=64)
def _distribution(gamma: float) -> tuple[Float64, Float64]:
    """Return the probability that a frequency is below w, and w, at many points.

    The density falls as that of a Cauchy distribution, so the points are its quantiles.
    """
    quantile = np.arange(N_POINTS) / N_POINTS
    w = max(gamma, np.pi) * np.tan(np.pi / 2 * quantile)
    least = np.exp(-gamma)
    first = (gamma - least * (gamma * np.cos(w) - w * np.sin(w))) / (gamma**2 + w**2)
    density = np.maximum(first - least * np.sinc(w / np.pi), 0.0)
    share = np.concatenate([[0.0], np.cumsum(np.diff(w) * (density[1:] + density[:-1]) / 2)])
    return share / share[-1], w


def are_binary(features: Any) -> bool:
    """Tell whether all node features are zeros and ones."""
    return features is None or bool((features.data == 1.0).all())

"""P as a random feature map of few columns: what values of attributes are drawn to.

P(v, v') = base + sum over attributes of what two values add to it, and each addend is positive
definite (see ``docs/design.md``), so that it is the expectation of a product z(v) z(v'):

- a category is a column of its own;
- a number x is waves cos(w x) and sin(w x), their frequencies drawn from the Fourier transform of
  (e^(-gamma |x - x'|) - e^-gamma)_+, one from each of equally likely stretches;
- of the sparse features, a zero or one is a sign and another number is waves; what a row without
  any would have is taken out, since it is most of every row.

Columns are dealt out at random, each with a random sign: while there are enough, no two things
share one, and the map of categories is exact.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nask.attributes.similarity import AttributeSimilarity

Floats = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]

# Waves of a numerical attribute: pairs of columns, as many as there is room for within these.
FEWEST_WAVES, MOST_WAVES = 4, 64
# Waves of a column of features; there are many columns, over which errors cancel.
FEATURE_WAVES = 2
# Points at which the distribution of frequencies is tabulated.
N_POINTS = 200_000


class Columns(NamedTuple):
    """The map as arrays for compiled code; values carry signs and the roots of weights."""

    width: int
    constant_column: int
    constant: float
    frequency: Floats  # numerical attributes x waves
    wave_column: Index  # numerical attributes x waves x 2: of cosine and sine
    wave_value: Floats
    category_ptr: Index  # where the categories of each attribute begin
    category_column: Index
    category_value: Floats
    binary: bool  # whether features are zeros and ones
    feature_frequency: Floats  # columns of features x waves; no waves if binary
    feature_column: Index  # columns of features x components
    feature_value: Floats
    shift_column: int  # of how far a row is from one without features
    shift: float
    without: Floats  # the columns of a row without features, by which it shifts


@dataclass(frozen=True, eq=False)
class RandomMap:
    """A random map of P for one kind of elements, drawn once.

    Parameters
    ----------
    columns : Columns
        With the categories of training only.
    names : tuple of str
        Of the categorical attributes, for the columns of categories that are new.
    seed : bytes
        Of these.

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
        """Draw a map of so many columns, a power of two."""
        s, rng = similarity, np.random.default_rng(seed)
        n_numerical, n_categories = len(s.numerical_gamma), int(s.n_categories.sum())
        n_parts = 1 if binary else 2 * FEATURE_WAVES
        taken = 1 + n_categories + (1 + n_parts * s.n_features if s.n_features else 0)
        room = (width - taken) // (2 * max(n_numerical, 1))
        n_waves = min(max(room, FEWEST_WAVES), MOST_WAVES)
        dealt, signs = _deal(rng, taken + 2 * n_waves * n_numerical, width)
        ends = np.cumsum([1, n_categories, 2 * n_waves * n_numerical])
        constant, category, wave, feature = np.split(dealt, ends)
        _, of_category, of_wave, of_feature = np.split(signs, ends)

        gain = -s.numerical_weight * np.expm1(-s.numerical_gamma)
        shape = (n_numerical, n_waves, 2)
        frequency = np.array(
            [draw_frequencies(rng, float(gamma), 1, n_waves)[0] for gamma in s.numerical_gamma]
        ).reshape(n_numerical, n_waves)
        category_gain = -s.categorical_weight * np.expm1(-s.categorical_gamma)
        roots = np.repeat(np.sqrt(category_gain), s.n_categories)

        agree = -s.feature_weight * np.expm1(-s.feature_gamma)
        # A sign adds -agree / 2 or agree / 2 to their mean.
        base = s.base + (s.n_features * agree / 2 if binary else 0.0)
        root = np.sqrt(agree / 2 if binary else agree / FEATURE_WAVES)
        parts = of_feature[1:].reshape(s.n_features, n_parts) if s.n_features else np.empty((0, 0))
        places = feature[1:].reshape(parts.shape)
        without = np.zeros(width)
        if s.n_features:
            # Of a zero: the sign -1, or cosines of 1 and sines of 0.
            at_zero = -1.0 if binary else np.tile([1.0, 0.0], FEATURE_WAVES)
            np.add.at(without, places, parts * root * at_zero)
        columns = Columns(
            width=width,
            constant_column=int(constant[0]),
            constant=float(np.sqrt(base)),
            frequency=frequency,
            wave_column=wave.reshape(shape),
            wave_value=of_wave.reshape(shape) * np.sqrt(gain / n_waves)[:, None, None],
            category_ptr=np.concatenate([[0], np.cumsum(s.n_categories)]),
            category_column=category,
            category_value=of_category * roots,
            binary=binary,
            feature_frequency=draw_frequencies(
                rng, s.feature_gamma, s.n_features, 0 if binary else FEATURE_WAVES
            ),
            feature_column=places,
            feature_value=parts * root,
            shift_column=int(feature[0]) if s.n_features else 0,
            shift=float(np.sqrt(s.n_features * (agree / 2 if binary else agree))),
            without=without,
        )
        return cls(columns, names, rng.bytes(16))

    def with_new(self, new: tuple[tuple[Hashable, ...], ...]) -> Columns:
        """The columns with those of categories unseen in training, by attribute.

        A new category has a column by its value alone, whatever else is in the batch.
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


def _deal(rng: np.random.Generator, n: int, width: int) -> tuple[Index, Floats]:
    """Columns for n things: all of them once, in random order, before any comes again."""
    rounds = [rng.permutation(width) for _ in range(-(-n // width))]
    return np.concatenate(rounds)[:n].astype(np.int64), rng.choice([-1.0, 1.0], n)


def draw_frequencies(rng: np.random.Generator, gamma: float, n: int, n_waves: int) -> Floats:
    """n sets of frequencies whose waves are those of (e^(-gamma |x|) - e^-gamma)_+ on average.

    One of each set is from each of ``n_waves`` equally likely stretches.

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
    stretch = (np.arange(n_waves) + rng.random((n, n_waves))) / n_waves
    return np.interp(stretch, share, frequency)


@lru_cache(maxsize=64)
def _distribution(gamma: float) -> tuple[Floats, Floats]:
    """Frequencies, and the share of all that are below each.

    The density falls as that of Cauchy, so the points are quantiles of one.
    """
    quantile = np.arange(N_POINTS) / N_POINTS
    w = max(gamma, np.pi) * np.tan(np.pi / 2 * quantile)
    least = np.exp(-gamma)
    first = (gamma - least * (gamma * np.cos(w) - w * np.sin(w))) / (gamma**2 + w**2)
    density = np.maximum(first - least * np.sinc(w / np.pi), 0.0)
    share = np.concatenate([[0.0], np.cumsum(np.diff(w) * (density[1:] + density[:-1]) / 2)])
    return share / share[-1], w


def are_binary(features: Any) -> bool:
    """Tell whether sparse features are zeros and ones."""
    return features is None or bool((features.data == 1.0).all())

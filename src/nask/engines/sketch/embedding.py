"""Random vectors of elements whose products are P on average, compiled.

``attributes/random_map.py`` draws which column each value gets. Here the vectors of eight elements
at a time are filled and rotated; after the rotation no column stands for a single value.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from nask.arrays import Array, Float64
from nask.attributes.random_map import Columns
from nask.compiled.compiling import compiled, inner
from nask.compiled.vectors import (
    LANES,
    aligned,
    load,
    load_square,
    store,
    store_square,
    transposed,
)
from nask.engines.sketch.mixing import cosine_and_sine, rotate
from nask.graph.elements import Elements

# Numbers of up to so many training ranges are taken as they are. The angles of larger ones would
# need more digits than there are.
FARTHEST = 1000.0
# Larger numbers are taken modulo this. It is a prime, so that powers of two or of ten do not
# coincide; two different numbers look alike with a chance of 3 in 100,000.
WINDING = 65521.0


def wound(x: Float64) -> Float64:
    """Return numbers as they are, but those far outside the training range as nearer ones.

    These are still outside the training range. Two of them that are near each other stay near,
    except across a multiple of the modulus.

    Examples
    --------
    >>> wound(np.array([0.5, np.nan, 1000.25, 1e16, -1e300])).tolist()
    [0.5, nan, 1000.25, 64464.0, -34111.0]
    """
    beyond = np.abs(x) > FARTHEST
    if not beyond.any():
        return x
    wound = x.copy()
    rest = np.fmod(np.abs(x[beyond]) - FARTHEST, WINDING)
    wound[beyond] = np.copysign(FARTHEST + rest, x[beyond])
    return wound


class Values(NamedTuple):
    """The attributes of elements; eight more elements fill the last vector."""

    numerical: Array  # attributes x elements, NaN where missing
    categorical: Array
    feature_ptr: Array
    feature: Array  # columns of the node features that are not 0
    feature_size: Array  # their values

    @classmethod
    def of(cls, elements: Elements, features: Any) -> Values:
        """Return the attributes of a batch, with its node features if it has any."""
        n = len(elements)
        padded = ((0, 0), (0, LANES))
        none = np.zeros(0, dtype=np.int64)
        ptr, index, size = np.zeros(n + 1, dtype=np.int64), none, np.zeros(0)
        if features is not None:
            ptr, index, size = features.indptr, features.indices, wound(features.data)
        return cls(
            np.pad(wound(elements.numerical), padded, constant_values=np.nan),
            np.pad(elements.categorical, padded, constant_values=-1),
            ptr.astype(np.int64),
            index.astype(np.int64),
            size,
        )


@inner
def add_at(rows: Array, column: int, values: Any) -> None:
    """Add eight values to a column of eight rows."""
    store(rows, column * LANES, load(rows, column * LANES) + values)


@inner
def put_numbers(rows: Array, values: Values, first: int, c: Columns, space: Array) -> None:
    """Add the waves of the numerical attributes of eight elements; 0 where a value is missing.

    ``first`` is the first of the elements, ``space`` working memory of two vectors.
    """
    for d in range(c.frequency.shape[0]):
        for lane in range(LANES):
            x = values.numerical[d, first + lane]
            space[lane] = x if x == x else 0.0
            space[LANES + lane] = 1.0 if x == x else 0.0
        x, present = load(space, 0), load(space, LANES)
        for k in range(c.frequency.shape[1]):
            cosine, sine = cosine_and_sine(x * c.frequency[d, k])
            add_at(rows, c.wave_column[d, k, 0], cosine * present * c.wave_value[d, k, 0])
            add_at(rows, c.wave_column[d, k, 1], sine * present * c.wave_value[d, k, 1])


@inner
def put_categories(rows: Array, values: Values, element: int, lane: int, c: Columns) -> None:
    """Add the categories of one element, which is in one lane of eight rows."""
    for d in range(len(c.category_ptr) - 1):
        code = values.categorical[d, element]
        if code >= 0:
            i = c.category_ptr[d] + code
            rows[c.category_column[i] * LANES + lane] += c.category_value[i]


@inner
def put_features(rows: Array, values: Values, element: int, lane: int, c: Columns) -> None:
    """Add the node features of one element, less what an element without any would have.

    The component of the difference along the latter gets a column of its own.
    """
    n_features = c.feature_column.shape[0]
    along = 0.0
    for i in range(values.feature_ptr[element], values.feature_ptr[element + 1]):
        d, x = values.feature[i], values.feature_size[i]
        if c.binary:
            rows[c.feature_column[d, 0] * LANES + lane] += 2 * x * c.feature_value[d, 0]
            along -= 2 * x / n_features
        else:
            n_waves = c.feature_frequency.shape[1]
            for k in range(n_waves):
                angle = c.feature_frequency[d, k] * x
                less, sine = math.cos(angle) - 1.0, math.sin(angle)
                rows[c.feature_column[d, 2 * k] * LANES + lane] += less * c.feature_value[d, 2 * k]
                i_sine = 2 * k + 1
                rows[c.feature_column[d, i_sine] * LANES + lane] += (
                    sine * c.feature_value[d, i_sine]
                )
                along += less / (n_waves * n_features)
    for k in range(c.width):
        rows[k * LANES + lane] -= along * c.without[k]
    rows[c.shift_column * LANES + lane] += c.shift * (1.0 + along)


@compiled
def embed(
    values: Values, first: int, last: int, c: Columns, signs: Array, space: Array, out: Array
) -> None:
    """Write the vectors of some elements to the rows of ``out``.

    Parameters
    ----------
    first, last : int
        The elements are those from ``first`` to ``last - 1``.
    signs : ndarray of shape (width,)
        Signs of the rotation, with its scale.
    space : ndarray
        Working memory from :func:`embedding_space`.
    out : ndarray of float32
        At least ``last - first`` rows, rounded up to whole vectors, with ``width`` columns.
    """
    size = c.width * LANES
    rows, rotated, lanes = space[:size], space[size : 2 * size], space[2 * size :]
    for v in range(first, last, LANES):
        rows[:] = 0.0
        put_numbers(rows, values, v, c, lanes)
        for lane in range(min(LANES, last - v)):
            rows[c.constant_column * LANES + lane] += c.constant
            put_categories(rows, values, v + lane, lane, c)
            if c.feature_column.shape[0] > 0:
                put_features(rows, values, v + lane, lane, c)
        rotate(rotated, signs, rows)
        write_rows(out, v - first, rotated, c.width)


@inner
def write_rows(out: Array, first: int, rows: Array, n_columns: int) -> None:
    """Write eight rows side by side to the rows of ``out`` from ``first`` on.

    ``n_columns`` is a multiple of eight.
    """
    n = out.shape[1]
    for k in range(0, n_columns, LANES):
        square = transposed(load_square(rows, k * LANES, LANES))
        store_square(out, first * n + k, n, square)


def embedding_space(width: int) -> Array:
    """Return working memory for :func:`embed`."""
    return aligned(2 * width * LANES + 2 * LANES)

"""Elements as random vectors whose products are P on average, compiled.

``attributes/random_map.py`` says what goes where; here eight elements at a time are put into a
block and rotated, so that no column stands for anything by itself.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nask.attributes.random_map import Columns
from nask.compiling import compiled, inner
from nask.engines.compiled.vectors import (
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

Array = npt.NDArray[Any]

# Training ranges from 0 within which a number is taken as it is; beyond, its waves would need more
# digits of the angle than there are.
FARTHEST = 1000.0
# The length on which farther numbers are wound up. A prime, so that neither powers of two nor of
# ten meet on it; two that differ look alike with a chance of 3 in 100,000.
WINDING = 65521.0


def wound(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Numbers as they are, and those far outside the training range as others outside of it.

    Two of these that are near each other stay so, except where the winding ends.

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
    """The attributes of elements; eight more than there are, so that the last are whole vectors."""

    numerical: Array  # attributes x elements, NaN where missing
    categorical: Array
    feature_ptr: Array
    feature: Array  # columns of the features that are not 0
    feature_size: Array

    @classmethod
    def of(cls, elements: Elements, features: Any) -> Values:
        """Take the attributes of a batch, and its sparse features if it has any."""
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
def add_at(block: Array, column: int, values: Any) -> None:
    """Add eight values to a column."""
    store(block, column * LANES, load(block, column * LANES) + values)


@inner
def put_numbers(block: Array, values: Values, first: int, c: Columns, space: Array) -> None:
    """Waves of the numerical attributes of eight elements; none where a value is missing."""
    for d in range(c.frequency.shape[0]):
        for lane in range(LANES):
            x = values.numerical[d, first + lane]
            space[lane] = x if x == x else 0.0
            space[LANES + lane] = 1.0 if x == x else 0.0
        x, present = load(space, 0), load(space, LANES)
        for k in range(c.frequency.shape[1]):
            cosine, sine = cosine_and_sine(x * c.frequency[d, k])
            add_at(block, c.wave_column[d, k, 0], cosine * present * c.wave_value[d, k, 0])
            add_at(block, c.wave_column[d, k, 1], sine * present * c.wave_value[d, k, 1])


@inner
def put_categories(block: Array, values: Values, element: int, lane: int, c: Columns) -> None:
    """The categories of one element."""
    for d in range(len(c.category_ptr) - 1):
        code = values.categorical[d, element]
        if code >= 0:
            i = c.category_ptr[d] + code
            block[c.category_column[i] * LANES + lane] += c.category_value[i]


@inner
def put_features(block: Array, values: Values, element: int, lane: int, c: Columns) -> None:
    """The sparse features of one element, as what they differ from a row without any.

    The part of the difference along that row is a column of its own.
    """
    n_features = c.feature_column.shape[0]
    along = 0.0
    for i in range(values.feature_ptr[element], values.feature_ptr[element + 1]):
        d, x = values.feature[i], values.feature_size[i]
        if c.binary:
            block[c.feature_column[d, 0] * LANES + lane] += 2 * x * c.feature_value[d, 0]
            along -= 2 * x / n_features
        else:
            n_waves = c.feature_frequency.shape[1]
            for k in range(n_waves):
                angle = c.feature_frequency[d, k] * x
                less, sine = math.cos(angle) - 1.0, math.sin(angle)
                block[c.feature_column[d, 2 * k] * LANES + lane] += less * c.feature_value[d, 2 * k]
                i_sine = 2 * k + 1
                block[c.feature_column[d, i_sine] * LANES + lane] += (
                    sine * c.feature_value[d, i_sine]
                )
                along += less / (n_waves * n_features)
    for k in range(c.width):
        block[k * LANES + lane] -= along * c.without[k]
    block[c.shift_column * LANES + lane] += c.shift * (1.0 + along)


@compiled
def embed(
    values: Values, first: int, last: int, c: Columns, signs: Array, space: Array, out: Array
) -> None:
    """Write the vectors of elements first..last to the rows of ``out``, from 0 on.

    Parameters
    ----------
    signs : ndarray of shape (width,)
        Of the rotation, with its scale.
    space : ndarray
        Working memory of :func:`n_space` numbers.
    out : ndarray of shape (at least last - first, rounded up to whole vectors, width), float32
    """
    size = c.width * LANES
    block, turned, lanes = space[:size], space[size : 2 * size], space[2 * size :]
    for v in range(first, last, LANES):
        block[:] = 0.0
        put_numbers(block, values, v, c, lanes)
        for lane in range(min(LANES, last - v)):
            block[c.constant_column * LANES + lane] += c.constant
            put_categories(block, values, v + lane, lane, c)
            if c.feature_column.shape[0] > 0:
                put_features(block, values, v + lane, lane, c)
        rotate(turned, signs, block)
        write_rows(out, v - first, turned, c.width)


@inner
def write_rows(out: Array, row: int, block: Array, n_columns: int) -> None:
    """Write the eight vectors of a block to rows of ``out``, whole vectors of columns."""
    n = out.shape[1]
    for k in range(0, n_columns, LANES):
        square = transposed(load_square(block, k * LANES, LANES))
        store_square(out, row * n + k, n, square)


def embedding_space(width: int) -> Array:
    """Working memory of :func:`embed`."""
    return aligned(2 * width * LANES + 2 * LANES)

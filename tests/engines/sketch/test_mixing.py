"""Rotations of eight vectors side by side, against matrices."""

import numpy as np
import pytest
from numba import njit
from scipy.linalg import hadamard

from nask.compiled.vectors import LANES, load, store
from nask.engines.sketch import mixing

WIDTHS = [1, 2, 4, 8, 16, 64, 128]


@njit
def transform(rows, width):
    mixing.hadamard(rows, width)


@njit
def rotate(rows, signs, source):
    mixing.rotate(rows, signs, source)


@njit
def waves(x, cosine, sine):
    for i in range(0, len(x), LANES):
        c, s = mixing.cosine_and_sine(load(x, i))
        store(cosine, i, c)
        store(sine, i, s)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_transform_is_the_matrix_of_hadamard(width):
    """Of whole numbers, to the last digit."""
    columns = np.random.default_rng(width).integers(-9, 10, size=(width, LANES)).astype(float)
    rows = columns.ravel().copy()
    transform(rows, width)
    np.testing.assert_array_equal(rows.reshape(width, LANES), hadamard(width) @ columns)
    transform(rows, width)
    np.testing.assert_array_equal(rows.reshape(width, LANES), width * columns)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_rotation_keeps_products(width):
    rng = np.random.default_rng(width)
    columns = rng.normal(size=(width, LANES))
    signs = rng.choice([-1.0, 1.0], width) / np.sqrt(width)
    rows, source = np.full(width * LANES, np.nan), columns.ravel().copy()
    rotate(rows, signs, source)
    rotated = rows.reshape(width, LANES)
    np.testing.assert_allclose(rotated, (hadamard(width) * signs) @ columns, atol=1e-13)
    np.testing.assert_allclose(rotated.T @ rotated, columns.T @ columns, atol=1e-12)
    np.testing.assert_array_equal(source, columns.ravel())


def test_a_vector_does_not_depend_on_the_others():
    columns = np.random.default_rng(0).normal(size=(64, LANES))
    signs = np.full(64, 0.125)
    alone = np.full_like(columns, np.nan)
    alone[:, 3] = columns[:, 3]
    results = np.empty((2, 64 * LANES))
    for rows, source in zip(results, (columns, alone), strict=True):
        rotate(rows, signs, source.ravel().copy())
    all_lanes, one_lane = results.reshape(2, 64, LANES)
    np.testing.assert_array_equal(all_lanes[:, 3], one_lane[:, 3])


@pytest.mark.parametrize("far", [1.0, 100.0, 1e6])
def test_cosines_and_sines(far):
    x = np.linspace(-far, far, 1000 * LANES)
    cosine, sine = np.empty((2, len(x)))
    waves(x, cosine, sine)
    np.testing.assert_allclose(cosine, np.cos(x), atol=1e-9)
    np.testing.assert_allclose(sine, np.sin(x), atol=1e-9)

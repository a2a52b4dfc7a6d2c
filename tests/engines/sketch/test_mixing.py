"""Rotations of vectors side by side, against matrices."""

import numpy as np
import pytest
from numba import njit
from scipy.linalg import hadamard

from nask.compiled.singles import WIDE, load_singles, store_singles
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
def transform_singles(rows, width):
    mixing.hadamard_singles(rows, width)


@njit
def rotate_singles(rows, signs, source):
    mixing.rotate_singles(rows, signs, source)


@njit
def short_waves(x, cosine, sine):
    for i in range(0, len(x), WIDE):
        c, s = mixing.cosine_and_sine_singles(load_singles(x, i))
        store_singles(cosine, i, c)
        store_singles(sine, i, s)


# Eight rows of float64, sixteen of float32.
KINDS = [(transform, rotate, LANES, np.float64), (transform_singles, rotate_singles, WIDE, "f4")]


@njit
def waves(x, cosine, sine):
    for i in range(0, len(x), LANES):
        c, s = mixing.cosine_and_sine(load(x, i))
        store(cosine, i, c)
        store(sine, i, s)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("transform", "rotate", "lanes", "dtype"), KINDS)
def test_the_transform_is_the_matrix_of_hadamard(width, transform, rotate, lanes, dtype):
    """Of whole numbers, to the last digit."""
    columns = np.random.default_rng(width).integers(-9, 10, size=(width, lanes)).astype(dtype)
    rows = columns.ravel().copy()
    transform(rows, width)
    np.testing.assert_array_equal(rows.reshape(width, lanes), hadamard(width) @ columns)
    transform(rows, width)
    np.testing.assert_array_equal(rows.reshape(width, lanes), width * columns)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("transform", "rotate", "lanes", "dtype"), KINDS)
def test_a_rotation_keeps_products(width, transform, rotate, lanes, dtype):
    rng = np.random.default_rng(width)
    columns = rng.normal(size=(width, lanes)).astype(dtype)
    signs = (rng.choice([-1.0, 1.0], width) / np.sqrt(width)).astype(dtype)
    rows, source = np.full(width * lanes, np.nan, dtype=dtype), columns.ravel().copy()
    rotate(rows, signs, source)
    rotated, rounding = rows.reshape(width, lanes), 500 * np.finfo(dtype).eps
    np.testing.assert_allclose(rotated, (hadamard(width) * signs) @ columns, atol=rounding)
    products = columns.T @ columns
    np.testing.assert_allclose(rotated.T @ rotated, products, atol=10 * rounding)
    np.testing.assert_array_equal(source, columns.ravel())
    alone = mixing.rotated(signs, columns[:, 3].astype(float))
    np.testing.assert_allclose(rotated[:, 3], alone, atol=rounding)


@pytest.mark.parametrize(("transform", "rotate", "lanes", "dtype"), KINDS)
def test_a_vector_does_not_depend_on_the_others(transform, rotate, lanes, dtype):
    columns = np.random.default_rng(0).normal(size=(64, lanes)).astype(dtype)
    signs = np.full(64, 0.125, dtype=dtype)
    alone = np.full_like(columns, np.nan)
    alone[:, 3] = columns[:, 3]
    results = np.empty((2, 64 * lanes), dtype=dtype)
    for rows, source in zip(results, (columns, alone), strict=True):
        rotate(rows, signs, source.ravel().copy())
    all_lanes, one_lane = results.reshape(2, 64, lanes)
    np.testing.assert_array_equal(all_lanes[:, 3], one_lane[:, 3])


@pytest.mark.parametrize("far", [1.0, 100.0, 1e6])
def test_cosines_and_sines(far):
    x = np.linspace(-far, far, 1000 * LANES)
    cosine, sine = np.empty((2, len(x)))
    waves(x, cosine, sine)
    np.testing.assert_allclose(cosine, np.cos(x), atol=1e-9)
    np.testing.assert_allclose(sine, np.sin(x), atol=1e-9)


@pytest.mark.parametrize("far", [1.0, 100.0, 1e4])
def test_short_cosines_and_sines(far):
    x = np.linspace(-far, far, 1000 * WIDE, dtype=np.float32)
    cosine, sine = np.empty((2, len(x)), dtype=np.float32)
    short_waves(x, cosine, sine)
    np.testing.assert_allclose(cosine, np.cos(x.astype(float)), atol=1e-6)
    np.testing.assert_allclose(sine, np.sin(x.astype(float)), atol=1e-6)

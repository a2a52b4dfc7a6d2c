"""Vectors of sixteen float32 against numpy, from and to arrays of float32 and float16."""

import numpy as np
import pytest
from numba import njit

from nask.compiled.singles import (
    WIDE,
    load_singles,
    load_square_of_singles,
    spread_single,
    store_singles,
    store_square_of_singles,
    transposed_singles,
)


@njit
def calculate(x, y, out):
    for i in range(0, len(out), WIDE):
        a, b = load_singles(x, i), load_singles(y, i)
        store_singles(out, i, (a + b) * (a - 2.0) - x[0] * b + spread_single(0.5))


@njit
def transpose(x, out):
    store_square_of_singles(out, 0, WIDE, transposed_singles(load_square_of_singles(x, 0, WIDE)))


@njit
def copy(x, out):
    for i in range(0, len(out), WIDE):
        store_singles(out, i, load_singles(x, i))


def test_arithmetic():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 4 * WIDE)).astype(np.float32)
    out = np.empty_like(x)
    calculate(x, y, out)
    np.testing.assert_allclose(out, (x + y) * (x - 2) - x[0] * y + 0.5, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_square_is_transposed(dtype):
    x = np.random.default_rng(0).normal(size=(WIDE, WIDE)).astype(dtype)
    seen = x.view(np.uint16) if dtype is np.float16 else x
    out = np.full((WIDE, WIDE), np.nan, dtype=np.float32)
    transpose(seen.ravel(), out.ravel())
    np.testing.assert_array_equal(out, x.T)


def test_halves_are_those_of_numpy():
    """Rounded to the nearest; beyond the largest is infinite, and the smallest are exact."""
    x = np.random.default_rng(0).normal(size=62 * WIDE).astype(np.float32)
    x = np.concatenate([x, np.float32([0.0, -0.0, 6e-8, 65504.0, 70000.0, -1e-12, 1 / 3, 2049.0])])
    x = np.resize(x, 64 * WIDE).astype(np.float32)
    halves, back = np.empty(len(x), dtype=np.uint16), np.empty_like(x)
    copy(x, halves)
    with np.errstate(over="ignore"):
        expected = x.astype(np.float16)
    np.testing.assert_array_equal(halves.view(np.float16), expected)
    copy(halves, back)
    np.testing.assert_array_equal(back, expected.astype(np.float32))

"""Vectors of eight numbers, lane by lane against numpy."""

import numpy as np
import pytest
from numba import njit

from nask.compiled import vectors
from nask.compiled.exponential import exp
from nask.compiled.vectors import LANES

NAN = float("nan")


@njit
def apply(operation, x, y, out):
    for i in range(0, len(x), LANES):
        vectors.store(out, i, operation(vectors.load(x, i), vectors.load(y, i)))


@njit
def arithmetic(x, y):
    return (x + y) * (x - 2.0) + 0.5 * y


@njit
def smaller(x, y):
    return vectors.minimum(x, y)


@njit
def larger(x, y):
    return vectors.maximum(x, y)


@njit
def near(x, y):
    return vectors.where_below(x, 0.5, y)


@njit
def where_positive(x, y):
    return vectors.where_positive(x, y)


@njit
def quotient(x, y):
    return vectors.quotient(x, y)


@njit
def exponential(x, y):
    return exp(x)


def result(operation, x, y):
    out = np.empty_like(x)
    apply(operation, x, y, out)
    return out


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (arithmetic, lambda x, y: (x + y) * (x - 2) + 0.5 * y),
        (smaller, np.minimum),
        (larger, np.maximum),
        (near, lambda x, y: np.where(np.abs(x) < 0.5, y, 0)),
        (where_positive, lambda x, y: np.where(x > 0, y, 0)),
        (quotient, lambda x, y: np.where(y > 0, x / y, 0)),
    ],
)
def test_arithmetic_and_choices(operation, expected, dtype):
    x, y = np.random.default_rng(0).normal(size=(2, 4 * LANES)).astype(dtype)
    np.testing.assert_allclose(result(operation, x, y), expected(x, y), rtol=1e-6, atol=1e-7)


def test_nothing_is_divided_by_zero():
    x, y = np.arange(float(LANES)), np.zeros(LANES)
    np.testing.assert_array_equal(result(quotient, x, y), 0)
    np.testing.assert_array_equal(result(where_positive, y, x + 1), 0)


def test_what_is_not_a_number_loses():
    x, y = np.full(LANES, NAN), np.arange(float(LANES))
    for operation in (smaller, larger):
        np.testing.assert_array_equal(result(operation, x, y), y)
    np.testing.assert_array_equal(result(near, x, y), 0)


def test_exponential_within_two_units_of_the_last_digit():
    x = np.linspace(-707.99, 20, 2000 * LANES)
    exact = np.exp(x.astype(np.longdouble))
    worst = np.max(np.abs(result(exponential, x, x) / exact - 1))
    assert worst <= 2 * np.finfo("float64").eps


def test_exponential_exact_at_zero_and_zero_far_below():
    """A tiny number in place of 0 would make a star that is like nothing like itself."""
    x = np.array([0.0, -708.0, -1e4, -1e300, -np.inf, *np.zeros(3)])
    assert result(exponential, x, x).tolist() == [1, 0, 0, 0, 0, 1, 1, 1]


@njit
def turn(values, stride, out):
    vectors.store_square(out, 1, LANES, vectors.transposed(vectors.load_square(values, 2, stride)))


def test_squares_are_transposed():
    values, stride = np.arange(200.0), LANES + 3
    out = np.zeros(LANES * LANES + 2)
    turn(values, stride, out)
    rows = [values[2 + i * stride : 2 + i * stride + LANES] for i in range(LANES)]
    np.testing.assert_array_equal(out[1:-1].reshape(LANES, LANES), np.transpose(rows))
    assert out[0] == out[-1] == 0


@njit
def equal(codes, code, out):
    vectors.store(out, 0, vectors.where_equal(codes, 1, code, 0.25))


def test_equal_codes():
    codes, out = np.array([7, 1, 2, 1, -1, 0, 1, 3, 2], dtype=np.int32), np.empty(LANES)
    equal(codes, np.int32(1), out)
    np.testing.assert_array_equal(out, 0.25 * (codes[1:] == 1))


@njit
def picked(values, position):
    return vectors.at(values, position)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_one_element(dtype):
    assert picked(np.arange(5, dtype=dtype), 3) == 3

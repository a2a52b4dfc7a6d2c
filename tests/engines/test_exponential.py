"""The vectorisable exponential against the exact one."""

import numpy as np
import pytest
from numba import njit

from nask.engines.exponential import exp


@njit
def apply(values, out):
    for i in range(len(values)):
        out[i] = exp(values[i])


@pytest.mark.parametrize(("dtype", "lowest", "ulps"), [("float32", -87, 2), ("float64", -708, 2)])
def test_within_two_units_of_the_last_digit(dtype, lowest, ulps):
    values = np.linspace(lowest, 20, 20_001).astype(dtype)
    out = np.empty_like(values)
    apply(values, out)
    exact = np.exp(values.astype(np.longdouble))
    assert np.max(np.abs(out / exact - 1)) <= ulps * np.finfo(dtype).eps


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_exact_at_zero_and_tiny_far_below(dtype):
    values = np.array([0.0, -1e4, -np.inf], dtype=dtype)
    out = np.empty_like(values)
    apply(values, out)
    assert out[0] == 1
    assert (out[1:] > 0).all()
    assert (out[1:] < 1e-37).all()

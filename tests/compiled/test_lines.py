"""Sums over members and transposes of lines, against numpy."""

import numpy as np
import pytest
from numba import njit

from nask.compiled.lines import sum_lines, transpose_lines, whole_vectors
from nask.compiled.vectors import LANES


@njit
def sums(lines, transpose, P, n, ptr, member, c, last, first):
    sum_lines(lines, transpose, P, n, ptr, member, c, last, first)


@njit
def transposes(transpose, P, line, first, last):
    transpose_lines(transpose, P, line, first, last)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [8, 32, 56])
@pytest.mark.parametrize(("c", "last"), [(0, 11), (8, 11)])
def test_the_lines_of_members_are_added_up(dtype, n, c, last):
    """Columns without members, with one twice, and beyond the last one."""
    rng = np.random.default_rng(0)
    first, n_lines = 5, 9
    P = rng.normal(size=(n_lines, n)).astype(dtype)
    ptr = np.concatenate([[0], np.cumsum(rng.integers(0, 5, last + 1))])
    member = first + rng.integers(0, n_lines, ptr[-1])
    member[1] = member[0]
    lines, transpose = np.full((2, LANES * n), np.nan)
    sums(lines, transpose, P, n, ptr, member, c, last, first)
    columns = np.minimum(c + np.arange(LANES), last)
    expected = [P[member[ptr[k] : ptr[k + 1]] - first].astype(float).sum(axis=0) for k in columns]
    np.testing.assert_allclose(transpose.reshape(n, LANES), np.transpose(expected), rtol=1e-14)


@pytest.mark.parametrize(("first", "last"), [(0, 12), (8, 12), (12, 12)])
def test_lines_side_by_side(first, last):
    rng = np.random.default_rng(1)
    P, line = rng.normal(size=(7, 24)), rng.integers(0, 7, 13)
    transpose = np.full(24 * LANES, np.nan)
    transposes(transpose, P, line, first, last)
    rows = line[np.minimum(first + np.arange(LANES), last)]
    np.testing.assert_array_equal(transpose.reshape(24, LANES), P[rows].T)


def test_whole_vectors():
    assert [whole_vectors(n) for n in (0, 1, 8, 9)] == [0, 8, 8, 16]

"""Triangles by LAPACK: beside numpy, on parts of larger arrays, and without Python's lock."""

import sys
from threading import Event, Thread

import numpy as np
import pytest

from nask.compiled.lapack import factorise, invert, multiply, square


@pytest.fixture
def framed():
    """A positive definite matrix inside a larger array of ones, and a copy of it."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(7, 9))
    frame = np.ones((11, 13))
    matrix = frame[2:9, 3:10]
    matrix[:] = rows @ rows.T
    return frame, matrix, matrix.copy()


def outside(frame):
    hidden = frame.copy()
    hidden[2:9, 3:10] = 1.0
    return hidden


def test_the_inverse_of_a_part_comes_step_by_step_and_leaves_the_rest_alone(framed):
    frame, matrix, before = framed
    assert factorise(matrix)
    lower = np.tril(matrix)
    np.testing.assert_allclose(lower @ lower.T, before, rtol=1e-12)
    invert(matrix)
    np.testing.assert_allclose(np.tril(matrix), np.linalg.inv(lower), atol=1e-12)
    square(matrix)
    np.testing.assert_allclose(np.tril(matrix), np.tril(np.linalg.inv(before)), rtol=1e-9)
    np.testing.assert_array_equal(np.triu(matrix, 1), np.triu(before, 1))
    np.testing.assert_array_equal(outside(frame), np.ones_like(frame))


def test_columns_are_multiplied_in_their_place():
    # Adjacent in one array, as the rows of a fold are.
    frame = np.random.default_rng(1).normal(size=(7, 12))
    before = frame.copy()
    multiply(frame[:, 5:], frame[:, :5])
    np.testing.assert_allclose(frame[:, :5], np.tril(before[:, 5:]).T @ before[:, :5], rtol=1e-12)
    np.testing.assert_array_equal(frame[:, 5:], before[:, 5:])


def test_a_matrix_that_is_not_positive_definite_is_told():
    assert not factorise(np.array([[1.0, 2.0], [2.0, 1.0]]))


@pytest.fixture
def patient():
    """No thread is made to give the lock to another: it changes hands where it is let go."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("patient")
def test_other_threads_go_on_meanwhile():
    """SciPy's functions for these routines would hold the lock all the while."""
    counted, stop = [0], Event()

    def count():
        while not stop.wait(1e-4):
            counted[0] += 1

    matrix = np.full((2000, 2000), 0.5) + np.eye(2000)
    thread = Thread(target=count)
    thread.start()
    before = counted[0]
    factorise(matrix)
    after = counted[0]
    stop.set()
    thread.join()
    assert after > before


@pytest.mark.parametrize("matrix", [np.eye(3, dtype=np.float32), np.eye(6)[::2, ::2]])
def test_other_arrays_would_spoil_memory_and_are_refused(matrix):
    with pytest.raises(AssertionError):
        factorise(matrix)

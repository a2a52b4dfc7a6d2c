"""Stars that are alike have the similarity 1, all others less."""

import numpy as np
from numba import njit

from nask.compiled.vectors import LANES, load, store
from nask.stars import guard as module

LABELS = np.array([9, 4, 4, 4, 5, 5, 5, 4, 5], dtype=np.int32)
X = np.array([0.3, 1.0, 1 + 1e-12, 0.3, 1.0, 1 + 1e-12, 0.0, 0.0])
ALIKE = LABELS[1:] == 4


@njit
def guarded(x, alike, label, out):
    store(out, 0, module.guard(load(x, 0), alike, 1, label))


@njit
def watched(nearest, x, alike, label):
    module.watch(nearest, load(x, 0), alike, 1, label)


def test_one_where_alike_and_less_elsewhere():
    out = np.empty(LANES)
    guarded(X, LABELS, np.int32(4), out)
    below = np.nextafter(1, 0)
    expected = np.where(ALIKE, 1.0, np.minimum(X, below))
    expected[X == 0] = 0.0  # similar to nothing, itself included
    assert out.tolist() == expected.tolist()


def test_the_nearest_of_those_that_are_not_alike():
    nearest = np.full(LANES, 0.4)
    watched(nearest, X, LABELS, np.int32(4))
    assert nearest.tolist() == np.where(ALIKE, 0.4, np.maximum(X, 0.4)).tolist()

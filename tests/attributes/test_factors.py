"""P by factors, in compiled code, and by numpy, against the equations."""

import numpy as np
import pytest
from numba import njit

from nask.attributes import compiled_similarity as similarity
from nask.attributes.factors import Factors, by_vectors
from nask.attributes.similarity import AttributeSimilarity
from nask.attributes.similarity_matrix import similarity_matrix
from nask.compiled.places import Places
from nask.compiled.vectors import LANES
from nask.graph.elements import Elements

GAMMAS = np.array([1.0, 0.2, 2000.0, 5.0])
S = AttributeSimilarity(
    numerical_gamma=GAMMAS,
    numerical_weight=np.array([0.2, 0.1, 0.15, 0.05]),
    categorical_gamma=np.array([0.7, 3.0]),
    categorical_weight=np.array([0.2, 0.2]),
    constant=0.04,
    n_categories=np.array([3, 2]),
)


@njit
def fill(P, n, m, a, a0, b, b0, s):
    similarity.fill_similarity(P, n, m, a, a0, b, b0, s)


def elements(n, seed, far=False):
    """Missing values of each kind, and values outside the training range."""
    rng = np.random.default_rng(seed)
    numerical = rng.random((4, n))
    numerical[1:3, ::5] = np.nan
    numerical[2, 1::3] = numerical[2, 1]
    if far:
        numerical[3, ::4] = rng.choice([-0.5, 1.5, 40.0], len(numerical[3, ::4]))
    codes = np.stack([rng.integers(-1, 4, n), rng.integers(-1, 2, n)]).astype(np.int32)
    return Elements(np.array([0, n]), numerical, codes)


def equations(a, b):
    """P of every pair: constant + sum of weight * exp(-gamma (1 - s)), with s by Gower."""
    P = np.full((len(a), len(b)), S.constant)
    for v in range(len(a)):
        for w in range(len(b)):
            for d, (gamma, weight) in enumerate(
                zip(S.numerical_gamma, S.numerical_weight, strict=True)
            ):
                distance = abs(a.numerical[d, v] - b.numerical[d, w])
                s = max(1 - distance, 0.0) if distance == distance else 0.0
                P[v, w] += weight * np.exp(-gamma * (1 - s))
            for d, (gamma, weight) in enumerate(
                zip(S.categorical_gamma, S.categorical_weight, strict=True)
            ):
                code = a.categorical[d, v]
                s = 1.0 if code >= 0 and code == b.categorical[d, w] else 0.0
                P[v, w] += weight * np.exp(-gamma * (1 - s))
    return P


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_filled_tiles(exact, far, dtype):
    a, b = elements(21, 0, far), elements(14, 1)
    factors = Factors.of(S, exact, a, b)
    assert factors.wide.tolist() == [2]  # too sharp for factors
    sides = [Places.of(x.ptr, np.array([0, 1]), np.zeros(len(x))) for x in (a, b)]
    operands = [factors.operand(x, places) for x, places in zip((a, b), sides, strict=True)]
    n, m = 16, 12
    P = np.full(m * n, np.nan, dtype=dtype)
    fill(P, n, m, operands[0], 8, operands[1], 0, factors.similarity())
    rtol = 1e-13 if dtype == "float64" else 1e-6
    tile = P.reshape(m, n).T[:13]
    np.testing.assert_allclose(tile, equations(a, b)[8:21, :12], rtol=rtol)


def test_plain_attributes_are_within_the_range_and_never_missing():
    a, b = elements(21, 0), elements(14, 1)
    factors = Factors.of(S, False, a, b)
    assert (factors.narrow.tolist(), factors.wide.tolist()) == ([0, 3, 1], [2])
    assert factors.n_plain == 2
    outside = Factors.of(S, False, elements(21, 0, far=True), b)
    assert (outside.narrow.tolist(), outside.n_plain) == ([0, 1, 3], 1)
    assert Factors.of(S, True, a, b).n_plain == 0


def test_the_floor_is_the_base_of_entirely_dissimilar_elements():
    a = elements(21, 0)
    assert Factors.of(S, True, a, a).floor() == pytest.approx(S.base, rel=1e-14)


def test_vectors_one_after_the_other():
    values = np.arange(2.0 * 3 * LANES).reshape(2, 3 * LANES)
    expected = [values[d, LANES * v + k] for v in range(3) for d in range(2) for k in range(LANES)]
    assert by_vectors(values).tolist() == expected


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_matrix_by_numpy(dtype):
    """More rows than are done at a time, and columns that fill vectors with zeros."""
    a, b = elements(140, 2, far=True), elements(13, 3, far=True)
    P = similarity_matrix(a, b, S, dtype)
    assert (P.shape, P.dtype) == ((140, 16), dtype)
    rtol = 1e-13 if dtype == "float64" else 1e-6
    np.testing.assert_allclose(P[:, :13], equations(a, b), rtol=rtol)
    assert not P[:, 13:].any()

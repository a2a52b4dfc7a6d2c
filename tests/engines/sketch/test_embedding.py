"""Vectors of elements against the columns of the map, one element and one attribute at a time."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import hadamard

from nask.attributes.random_map import RandomMap
from nask.attributes.similarity import AttributeSimilarity
from nask.engines.sketch.embedding import Values, embed, embedding_space
from nask.graph.elements import Elements

N, WIDTH, N_FEATURES = 21, 64, 12


def similarity(n_features):
    return AttributeSimilarity(
        numerical_gamma=np.array([1.0, 3.0]),
        numerical_weight=np.array([0.3, 0.2]),
        categorical_gamma=np.array([0.5, 2.0]),
        categorical_weight=np.array([0.1, 0.1]),
        constant=0.0,
        n_categories=np.array([3, 2]),
        n_features=n_features,
        feature_gamma=0.7,
        feature_weight=0.3 / max(n_features, 1),
    )


def elements(rng):
    numerical = rng.random((2, N))
    numerical[0, 4] = numerical[1, [4, 7]] = np.nan
    codes = np.stack([rng.integers(-1, 3, N), rng.integers(-1, 2, N)]).astype(np.int32)
    return Elements(np.array([0, N]), numerical, codes)


def expected(nodes, features, c, signs):
    """The definition of the columns, in loops."""
    rows = np.zeros((N, WIDTH))
    for v, row in enumerate(rows):
        row[c.constant_column] += c.constant
        for d, x in enumerate(nodes.numerical[:, v]):
            if not np.isnan(x):
                for k, w in enumerate(c.frequency[d]):
                    row[c.wave_column[d, k, 0]] += np.cos(w * x) * c.wave_value[d, k, 0]
                    row[c.wave_column[d, k, 1]] += np.sin(w * x) * c.wave_value[d, k, 1]
        for d, code in enumerate(nodes.categorical[:, v]):
            if code >= 0:
                place = c.category_ptr[d] + code
                row[c.category_column[place]] += c.category_value[place]
        if features is not None:
            rows[v] += shifted(features[[v]].toarray()[0], c)
    return rows @ (hadamard(WIDTH) * signs).T


def shifted(x, c):
    """What the features of a row add: their map, less its component along that of no features.

    That component is a column of its own.
    """
    mapped = np.zeros(WIDTH)
    for d, value in enumerate(x):
        if c.binary:
            parts = [2 * value - 1]
        else:
            angles = c.feature_frequency[d] * value
            parts = np.stack([np.cos(angles), np.sin(angles)], axis=1).ravel()
        np.add.at(mapped, c.feature_column[d], parts * c.feature_value[d])
    # By the number of columns that nothing shares: their squares add up to the same.
    length = (c.feature_value**2)[:, :: 1 if c.binary else 2].sum()
    along = 0.0
    for d, value in enumerate(x):
        if c.binary:
            along += (1 - 2 * value) * c.feature_value[d, 0] ** 2
        else:
            along += (np.cos(c.feature_frequency[d] * value) * c.feature_value[d, ::2] ** 2).sum()
    share = along / length
    mapped -= share * c.without
    mapped[c.shift_column] += c.shift * share
    return mapped


@pytest.mark.parametrize("kind", [None, "binary", "numbers"])
def test_rows_are_the_columns_of_the_map_rotated(kind):
    rng = np.random.default_rng(0)
    nodes, features = elements(rng), None
    if kind is not None:
        dense = (rng.random((N, N_FEATURES)) < 0.3) * 1.0
        dense *= rng.uniform(0.1, 0.9, dense.shape) if kind == "numbers" else 1.0
        features = sparse.csr_array(dense)
    drawn = RandomMap.draw(
        similarity(N_FEATURES if kind else 0), ("a", "b"), WIDTH, np.random.SeedSequence(3),
        binary=kind == "binary",
    )  # fmt: skip
    signs = rng.choice([-1.0, 1.0], WIDTH) / np.sqrt(WIDTH)
    out = np.full((24, WIDTH), np.nan, dtype=np.float32)
    values = Values.of(nodes, features)
    whole = expected(nodes, features, drawn.columns, signs)
    # Some elements, and all of them; memory is used again.
    space = embedding_space(WIDTH)
    for first, last in ((5, 9), (0, N)):
        embed(values, first, last, drawn.columns, signs, space, out)
        np.testing.assert_allclose(out[: last - first], whole[first:last], atol=1e-6)


def test_categories_have_exact_products():
    """While every category has a column of its own."""
    nodes = elements(np.random.default_rng(1))
    nodes = Elements(nodes.ptr, nodes.numerical[:0], nodes.categorical)
    s = AttributeSimilarity(
        numerical_gamma=np.empty(0), numerical_weight=np.empty(0),
        categorical_gamma=np.array([0.5, 2.0]), categorical_weight=np.array([0.4, 0.6]),
        constant=0.0, n_categories=np.array([3, 2]),
    )  # fmt: skip
    columns = RandomMap.draw(s, ("a", "b"), 16, np.random.SeedSequence(0), binary=False).columns
    out = np.zeros((24, 16), dtype=np.float32)
    embed(Values.of(nodes, None), 0, N, columns, np.full(16, 0.25), embedding_space(16), out)
    P = np.zeros((N, N))
    for gamma, weight, code in zip([0.5, 2.0], [0.4, 0.6], nodes.categorical, strict=True):
        same = (code[:, None] == code) & (code >= 0)
        P += weight * np.where(same, 1.0, np.exp(-gamma))
    np.testing.assert_allclose(out[:N] @ out[:N].T, P, atol=1e-6)

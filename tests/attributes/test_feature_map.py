"""Features of values: their products are P, for any two batches under one schema."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nask.attributes import feature_map
from nask.attributes.feature_map import FeatureMap, Slot, few_values
from nask.attributes.similarity import attribute_similarities
from nask.engines.reference.similarity import element_similarity, values_of
from nask.exceptions import AbsentAttributeWarning, UnseenAttributeWarning
from nask.graph.batch import GraphBatch
from nask.graph.elements import Elements
from nask.graph.schema import Schema
from strategies import collections


def encoded(data):
    """Training graphs and new graphs as batches, and P of nodes under the training schema."""
    train, new = data.draw(collections())
    schema = Schema.fit(train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenAttributeWarning)
        warnings.simplefilter("ignore", AbsentAttributeWarning)
        # Together, since unseen categories have codes in the batch they come in.
        both = GraphBatch.encode([*train, *new], schema)
    order = np.arange(both.n_graphs)
    gamma = data.draw(st.sampled_from([1e-6, 0.05, 1.0, 300.0, 2000.0]))
    nodes, _ = attribute_similarities(schema, gamma, None, "NASK")
    return both.take(order[: len(train)]).nodes, both.take(order[len(train) :]).nodes, nodes


def equations(a, b, similarity):
    return np.array(
        [
            [
                element_similarity(values_of(a, x), values_of(b, y), similarity)
                for y in range(len(b))
            ]
            for x in range(len(a))
        ]
    ).reshape(len(a), len(b))


@given(data=st.data())
def test_products_of_features_are_the_similarity(data):
    a, b, similarity = encoded(data)
    for x, y in ((a, a), (a, b), (b, a)):
        phi, psi = FeatureMap.of(x, similarity), FeatureMap.of(y, similarity)
        P = (phi.matrix() @ phi.similarities(psi) @ psi.matrix().T).toarray()
        np.testing.assert_allclose(P, equations(x, y, similarity), rtol=1e-10)


@given(data=st.data())
def test_pruned_features_start_at_the_floor(data):
    a, b, similarity = encoded(data)
    phi, psi = (FeatureMap.of(x, similarity).pruned(similarity) for x in (a, b))
    factor = (phi.matrix() @ phi.similarities(psi) @ psi.matrix().T).toarray()
    P = equations(a, b, similarity)
    # The equations subtract two numbers near 1 where gamma is small.
    expected = (P - similarity.floor) / similarity.spread
    np.testing.assert_allclose(factor, expected, rtol=1e-9, atol=1e-15 / similarity.spread)
    assert (factor[similarity.floor == P] == 0).all()


def test_numbers_a_range_apart_have_exactly_nothing_in_common():
    slot = Slot.numerical(np.array([0.0, 1.0, -1e300, 1e300, np.nan, 0.0]), 0.3, 1.0)
    np.testing.assert_array_equal(slot.similarities(slot).toarray(), np.eye(4))
    assert slot.codes.tolist() == [1, 2, 0, 3, -1, 1]


def test_sums_compare_with_themselves_through_their_values():
    slot = Slot.numerical(np.array([0.0, 0.25]), gamma=2.0, scale=3.0)
    both = slot.matrix()[[0]] + slot.matrix()[[1]]
    near = (np.exp(-0.5) - np.exp(-2)) / (1 - np.exp(-2))
    np.testing.assert_allclose(slot.squared_norms(both), 9 * (2 + 2 * near), rtol=1e-12)


@pytest.mark.parametrize("n_missing", [0, 50])
def test_few_values_counts_distinct_numbers(monkeypatch, n_missing):
    monkeypatch.setattr(feature_map, "MOST_VALUES", 10)

    def elements(*columns):
        rows = [np.concatenate([np.full(n_missing, np.nan), column]) for column in columns]
        ptr = np.array([0, len(rows[0])])
        return Elements(ptr, np.array(rows), np.empty((0, len(rows[0])), dtype=np.int32))

    few = np.tile(np.arange(10.0), 10)
    assert few_values(elements(few, few))
    assert not few_values(elements(few, np.arange(100.0)))
    # The one value too many comes last.
    assert not few_values(elements(np.append(few, 10.0)))

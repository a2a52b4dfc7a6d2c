"""Nodes as rows of numbers."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

import nask
from nask.lab.rivals.encoding import NodeEncoder


def people(ages, regions):
    return nask.AttributedGraph(len(ages), (), {"age": ages, "region": regions})


def test_numbers_are_standardised_by_training_graphs_only():
    training = [people([20.0, 35.0], ["a", "b"]), people([70.0], ["a"])]
    new = people([50.0, 1e5], ["a", "a"])
    scaler = StandardScaler().fit([[20.0], [35.0], [70.0]])
    (rows,) = NodeEncoder(categorical=False).fit(training).transform([new])
    np.testing.assert_allclose(rows, scaler.transform([[50.0], [1e5]]), rtol=1e-5)


def test_missing_and_unseen_values_are_zeros():
    encoder = NodeEncoder().fit([people([1.0, 3.0], ["a", "b"])])
    (rows,) = encoder.transform([people([None, 3.0, 1.0], ["b", None, "never seen"])])
    assert rows.tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, -1]]


def test_a_value_out_of_all_bounds_stays_finite():
    encoder = NodeEncoder().fit([people([1.0, 3.0], ["a", "b"])])
    (rows,) = encoder.transform([people([1e308], ["a"])])
    assert np.isfinite(rows).all()


def test_one_value_throughout_gives_zeros():
    graphs = [people([0.1] * 3, ["a"] * 3)]
    (rows,) = NodeEncoder(categorical=False).fit(graphs).transform(graphs)
    assert not rows.any()


def test_features_are_normalised_rows_beside_attributes():
    features = np.array([[1.0, 3.0], [0.0, 0.0], [2.0, 0.0]])
    graph = nask.AttributedGraph(3, (), {"region": ["a", "a", "b"]}, node_features=features)
    (rows,) = NodeEncoder().fit([graph]).transform([graph])
    assert rows.tolist() == [[1, 0, 0.25, 0.75], [1, 0, 0, 0], [0, 1, 1, 0]]
    assert graph.node_features.toarray().tolist() == features.tolist()


@pytest.mark.parametrize("attributes", [{}, {"atom": ["C", "N", "C", "C"]}])
def test_nodes_without_numbers_have_a_constant_and_their_degree(attributes):
    star = nask.AttributedGraph(4, [(0, 1), (0, 2), (0, 3)], attributes)
    (rows,) = NodeEncoder(categorical=False).fit([star]).transform([star])
    np.testing.assert_allclose(rows, [[1, np.log(4)]] + [[1, np.log(2)]] * 3, rtol=1e-6)


def test_rows_are_divided_among_graphs():
    graphs = [people([1.0, 2.0], ["a", "b"]), people([], []), people([5.0], ["b"])]
    encoder = clone(NodeEncoder()).fit(graphs)
    rows = encoder.transform(graphs)
    assert [part.shape for part in rows] == [(2, 3), (0, 3), (1, 3)]
    assert encoder.n_columns_ == 3
    np.testing.assert_array_equal(np.vstack(rows), encoder.encode(graphs).toarray())
    assert all(part.dtype == np.float32 for part in rows)

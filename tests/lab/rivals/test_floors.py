"""The floors: the majority, and attributes without edges."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import nask
from nask.exceptions import ParameterError
from nask.lab.rivals.kernels.attributes_only import AttributesOnlyClassifier, AttributeSums
from nask.lab.rivals.majority import MajorityClassifier, MajorityNodeClassifier


def graphs_of(values, edges=()):
    return [nask.AttributedGraph(len(own), edges, {"x": own}) for own in values]


def test_the_majority_is_that_of_the_training_graphs():
    graphs = graphs_of([[1.0]] * 5)
    model = MajorityClassifier().fit(graphs, ["b", "a", "b", "c", "c"])
    assert model.predict(graphs[:2]).tolist() == ["b", "b"]
    assert model.score(graphs, ["b", "b", "c", "a", "a"]) == 0.4


def test_the_majority_of_nodes_looks_at_training_nodes_alone():
    graph = nask.AttributedGraph(5)
    model = MajorityNodeClassifier().fit(graph, [0, 0, 0, 1, 1], train=[0, 3, 4])
    assert model.predict(graph).tolist() == [1] * 5
    assert model.score(graph, [0, 0, 0, 1, -1]) == 0.25


def test_attribute_sums_are_a_gaussian_of_standardised_sums():
    values = [[1.0, 2.0], [4.0], [0.0, 0.0, 5.0], [7.0, -1.0]]
    pooled = np.concatenate(values)
    scores = [((np.array(own) - pooled.mean()) / pooled.std()).sum() for own in values]
    sums = np.column_stack([scores, [2, 1, 3, 2]])
    squares = squareform(pdist((sums - sums.mean(axis=0)) / sums.std(axis=0), "sqeuclidean"))
    expected = np.exp(-2.0 * squares / (squares.sum() / 12))
    found = AttributeSums(scale=2.0).fit_transform(graphs_of(values))
    assert found == pytest.approx(expected, rel=1e-5)


def test_attribute_sums_do_not_see_who_is_whose_neighbour():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(6, 4)).tolist()
    bare, linked = graphs_of(values), graphs_of(values, [(0, 1), (1, 2)])
    assert np.array_equal(
        AttributeSums().fit_transform(bare), AttributeSums().fit_transform(linked)
    )


def test_categories_are_counted():
    graphs = [nask.AttributedGraph(3, (), {"atom": list(atoms)}) for atoms in ("CCC", "CCN", "NNN")]
    gram = AttributeSums().fit_transform(graphs)
    assert gram[0, 1] > gram[0, 2]


@pytest.mark.slow
def test_the_floor_on_mutag_is_where_it_was_published():
    result = nask.evaluate(AttributesOnlyClassifier(), "MUTAG", repeats=1)
    assert 0.80 < result.accuracy_mean < 0.90


def test_sums_that_differ_by_rounding_alone_are_no_column():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(8, 5))
    graphs = graphs_of((values - values.mean(axis=1, keepdims=True)).tolist())
    assert AttributeSums().fit_transform(graphs) == pytest.approx(np.ones((8, 8)), abs=1e-6)


def test_without_attributes_sizes_are_all_there_is():
    path = nask.AttributedGraph(4, [(0, 1), (1, 2), (2, 3)])
    star = nask.AttributedGraph(4, [(0, 1), (0, 2), (0, 3)])
    other = nask.AttributedGraph(3, [(0, 1)])
    gram = AttributeSums().fit_transform([path, star, other])
    assert gram[0, 1] == 1.0
    assert gram[0, 2] < 0.9


def test_nodes_to_classify_are_checked():
    graph = nask.AttributedGraph(4)
    model = MajorityNodeClassifier().fit(graph, [0, 0, 1, -1])
    with pytest.raises(ParameterError, match="77"):
        model.predict(graph, nodes=[77])

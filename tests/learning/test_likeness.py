"""Distances are those of the feature space and of sizes; their ranks are uniform for more alike."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold
from sklearn.svm import OneClassSVM

import nask
from nask.exceptions import ParameterError
from nask.learning.likeness import Likeness, Side, shares_as_far
from nask.learning.one_class import FOLDS, left_out_scores, lowest_normal, one_class


def gaussian(a, b):
    return np.exp(-((a[:, None] - b) ** 2).sum(axis=2))


@pytest.mark.parametrize("n_support", [2, 7, 12])
def test_distances_are_those_of_every_pair(n_support):
    rng = np.random.default_rng(1)
    x, new = rng.normal(size=(12, 3)), rng.normal(size=(5, 3))
    sizes, new_sizes = rng.integers(0, 30, 12), rng.integers(0, 30, 5)
    side = Side((x**2).sum(axis=1), sizes)
    support = rng.permutation(12)[:n_support]
    known = Likeness.fit(x @ x.T, side, support)

    pairs = [(i, j) for i in range(12) for j in range(12) if i != j]
    unit = np.mean([((x[i] - x[j]) ** 2).sum() for i, j in pairs])
    size_unit = 2 * np.var(np.log1p(sizes))
    assert (known.unit, known.size_unit) == (pytest.approx(unit), pytest.approx(size_unit))

    def distance(a, b, n, m):
        return np.sqrt(((a - b) ** 2).sum() / unit + np.log((1 + n) / (1 + m)) ** 2 / size_unit)

    nearest = [
        min(distance(x[i], x[j], sizes[i], sizes[j]) for j in support if j != i) for i in range(12)
    ]
    np.testing.assert_allclose(known.distances, np.sort(nearest))
    found = known.distances_of(
        new @ x[support].T, Side((new**2).sum(axis=1), new_sizes), side.take(support)
    )
    expected = [
        min(distance(new[i], x[j], new_sizes[i], sizes[j]) for j in support) for i in range(5)
    ]
    np.testing.assert_allclose(found, expected)


def test_large_matrices_are_measured_in_parts(monkeypatch):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(40, 2))
    gram, side = gaussian(x, x), Side(np.ones(40), rng.integers(1, 9, 40))
    whole = Likeness.fit(gram, side, np.arange(0, 40, 2))
    monkeypatch.setattr("nask.learning.likeness.WINDOW_NUMBERS", 100)
    parts = Likeness.fit(gram, side, np.arange(0, 40, 2))
    np.testing.assert_array_equal(parts.distances, whole.distances)
    assert parts.unit == pytest.approx(whole.unit, rel=1e-12)


@given(st.lists(st.integers(1, 10**4), min_size=2, max_size=40, unique=True))
def test_of_all_items_so_many_have_a_share_as_small(distances):
    """Each is left out in turn: their shares are 1/n, 2/n, ..., 1, whatever the distances."""
    distances = np.sort(np.array(distances, dtype=float))
    shares = [
        float(shares_as_far(np.delete(distances, k), distances[[k]])[0])
        for k in range(len(distances))
    ]
    n = len(distances)
    np.testing.assert_allclose(sorted(shares), np.arange(1, n + 1) / n)


def test_shares_of_graphs_that_are_alike_are_uniform():
    """Of 600 drawn from the same distribution; and of support items that are a part of these."""
    rng = np.random.default_rng(3)
    x, new = rng.normal(size=(400, 2)), rng.normal(size=(600, 2))
    sizes, new_sizes = rng.poisson(12, 400), rng.poisson(12, 600)
    for support in (np.arange(400), rng.permutation(400)[:150]):
        side = Side(np.ones(400), sizes)
        known = Likeness.fit(gaussian(x, x), side, support)
        shares = known.p_values(
            gaussian(new, x[support]), Side(np.ones(600), new_sizes), side.take(support)
        )
        for share in (0.05, 0.1, 0.5, 0.9):
            spread = np.sqrt(share * (1 - share) * (1 / 400 + 1 / 600))
            assert abs(np.mean(shares <= share) - share) < 3.5 * spread


def test_a_normalised_kernel_does_not_hide_the_size():
    graphs = nask.load_dataset("MUTAG").graphs
    known = graphs[:60]
    twice = [
        nask.AttributedGraph(
            2 * graph.n_nodes,
            np.vstack([graph.edges, graph.edges + graph.n_nodes]),
            {"node_label": values(graph.node_attributes["node_label"]) * 2},
            {"edge_label": values(graph.edge_attributes["edge_label"]) * 2},
            categorical=["node_label", "edge_label"],
        )
        for graph in known[:10]
    ]
    kernel = nask.NASK(n_hops=2).fit(known)
    np.testing.assert_allclose(kernel.transform(twice)[range(10), range(10)], 1.0)
    detector = nask.NASKOutlierDetector(n_hops=2).fit(known)
    assert np.median(detector.applicability(twice)) < 0.1
    assert (detector.applicability(known[:10]) == 1).all()


def values(attribute):
    return [attribute.categories[k] for k in attribute.data.tolist()]


def test_items_that_are_all_alike():
    known = Likeness.fit(np.ones((5, 5)), Side(np.ones(5), np.full(5, 3)), np.arange(5))
    np.testing.assert_array_equal(known.distances, 0.0)
    same, other = Side(np.ones(1), np.array([3])), Side(np.ones(1), np.array([6]))
    assert known.p_values(np.ones((1, 5)), same, Side(np.ones(5), np.full(5, 3))) == 1
    assert known.p_values(np.ones((1, 5)), other, Side(np.ones(5), np.full(5, 3))) == 1 / 6
    assert Likeness.fit(np.ones((5, 5)), Side(np.ones(5), np.full(5, 3)), np.array([2])) is None


def test_a_one_class_svm_is_that_of_scikit_learn():
    x = np.random.default_rng(7).normal(size=(50, 2))
    gram, new = gaussian(x, x), gaussian(x[:9] + 0.3, x)
    theirs = OneClassSVM(kernel="precomputed", nu=0.2).fit(gram)
    ours = one_class(gram, 0.2)
    np.testing.assert_allclose(
        ours.decide(new[:, ours.support])[:, 0], theirs.decision_function(new), atol=1e-12
    )
    assert len(ours.support) < 50
    scores = left_out_scores(gram, 0.2)
    for train, test in KFold(FOLDS, shuffle=True, random_state=0).split(x):
        own = OneClassSVM(kernel="precomputed", nu=0.2).fit(gram[np.ix_(train, train)])
        expected = own.decision_function(gram[np.ix_(test, train)])
        np.testing.assert_allclose(scores[test], expected, atol=1e-12)
    # Nobody has learned from itself: an item far from all others has the score of a stranger.
    lonely = np.vstack([x, [[50.0, 50.0]]])
    score = left_out_scores(gaussian(lonely, lonely), 0.2)[-1]
    assert score == pytest.approx(min(left_out_scores(gaussian(lonely, lonely), 0.2)))
    assert score < 0


@given(st.lists(st.integers(0, 10**6), min_size=3, max_size=40, unique=True), st.floats(0.05, 0.5))
def test_of_all_items_so_many_are_called_outliers(scores, nu):
    scores = np.array(scores, dtype=float)
    n = len(scores) - 1
    if int((n + 1) * nu + 1e-9) < 1:
        with pytest.raises(ParameterError, match="Give a larger nu"):
            lowest_normal(scores[1:], nu, "it")
        return
    called = sum(
        scores[k] < lowest_normal(np.delete(scores, k), nu, "it") for k in range(len(scores))
    )
    assert called == int((n + 1) * nu + 1e-9)

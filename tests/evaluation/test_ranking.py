"""Ranks, the test of Friedman and the difference of Nemenyi against scipy and Demšar's tables."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from nask.evaluation.ranking import Ranking, dataset_ranks, friedman, nemenyi
from nask.exceptions import ParameterError

# Few values, so that ties are drawn.
accuracies = st.tuples(st.integers(2, 12), st.integers(3, 8)).flatmap(
    lambda shape: arrays(float, shape, elements=st.integers(0, 6).map(lambda n: n / 6))
)
DEMSAR = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
DEMSAR_TENTH = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]


@given(accuracies)
def test_ranks_are_those_of_scipy_with_the_best_first(values):
    expected = [stats.rankdata([-v for v in row]) for row in values.tolist()]
    np.testing.assert_array_equal(dataset_ranks(values), expected)
    k = values.shape[1]
    np.testing.assert_allclose(dataset_ranks(values).sum(axis=1), k * (k + 1) / 2)


def test_means_that_differ_by_rounding_alone_are_equal():
    a = [0.1, 0.2, 0.3]
    assert sum(a) != sum(a[::-1])
    assert dataset_ranks([[sum(a), sum(a[::-1]), 0.1]]).tolist() == [[1.5, 1.5, 3.0]]


def test_runs_that_were_ended_share_the_last_ranks():
    assert dataset_ranks([[-np.inf, 0.2, -np.inf, 0.1]]).tolist() == [[3.5, 1.0, 3.5, 2.0]]


@given(accuracies)
def test_friedman_is_that_of_scipy(values):
    p = friedman(dataset_ranks(values))
    if all(len(set(row)) == 1 for row in values.tolist()):
        assert p == 1.0
    else:
        assert p == pytest.approx(stats.friedmanchisquare(*values.T).pvalue, rel=1e-9)


@pytest.mark.parametrize(("alpha", "table"), [(0.05, DEMSAR), (0.1, DEMSAR_TENTH)])
def test_nemenyi_against_demsars_table(alpha, table):
    for k, q in enumerate(table, start=2):
        for n in (2, 14):
            # His last digit is cut off for some k, rounded for others.
            found = nemenyi(k, n, alpha) / math.sqrt(k * (k + 1) / (6 * n))
            assert found == pytest.approx(q, abs=1e-3)


def test_nemenyi_of_two_methods_is_the_normal_quantile():
    q = nemenyi(2, 10, 0.05) / math.sqrt(6 / 60)
    assert q == pytest.approx(stats.norm.ppf(0.975), rel=1e-6)


@pytest.mark.parametrize(("methods", "datasets"), [(1, 5), (3, 1)])
def test_too_few_to_rank(methods, datasets):
    with pytest.raises(ParameterError, match="two methods and two datasets"):
        nemenyi(methods, datasets, 0.05)


@given(accuracies)
def test_methods_are_in_one_group_exactly_where_no_two_of_them_differ(values):
    names = [f"m{i}" for i in range(values.shape[1])]
    ranking = Ranking.of(names, [f"d{i}" for i in range(len(values))], values, 0.05)
    assert sorted(ranking.methods) == names
    assert list(ranking.ranks) == sorted(ranking.ranks)
    rank = dict(zip(ranking.methods, ranking.ranks, strict=True))
    groups = [set(group) for group in ranking.groups()]
    for one in names:
        for other in names:
            alike = abs(rank[one] - rank[other]) < ranking.critical_difference
            together = one == other or any({one, other} <= group for group in groups)
            assert alike == together
    assert not any(a < b for a in groups for b in groups), "a group within another says nothing"


def test_ranks_belong_to_their_methods():
    ranking = Ranking.of(["a", "b", "c"], ["x", "y"], [[0.1, 0.3, 0.2], [0.1, 0.2, 0.3]], 0.05)
    assert ranking.methods == ("b", "c", "a")
    assert ranking.ranks == (1.5, 1.5, 3.0)

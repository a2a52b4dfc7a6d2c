"""Which settings are as good as the best: properties of drawn tables of right answers."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from nask.tuning.near_best import near_best

TABLES = arrays(bool, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12))


def by_definition(right):
    """Mean of the paired differences against their standard error, in plain numbers."""
    best = right[right.mean(axis=1).argmax()].astype(float)
    chosen = []
    for row in right.astype(float):
        behind = best - row
        chosen.append(behind.mean() <= behind.std() / np.sqrt(len(behind)) + 1e-12)
    return chosen


@given(TABLES)
def test_the_rule_is_one_paired_standard_error(right):
    assert near_best(right).tolist() == by_definition(right)


@given(TABLES)
def test_all_that_are_as_accurate_as_the_best_are_in(right):
    accuracy = right.mean(axis=1)
    assert near_best(right)[accuracy == accuracy.max()].all()


@given(TABLES, st.data())
def test_the_same_errors_are_judged_the_same(right, data):
    row = data.draw(st.integers(0, len(right) - 1))
    chosen = near_best(np.vstack([right, right[row]]))
    np.testing.assert_array_equal(chosen[:-1], near_best(right))
    assert chosen[-1] == chosen[row]


@given(TABLES, st.randoms(use_true_random=False))
def test_order_makes_no_difference(right, draw):
    """Neither that of graphs, nor that of settings where one is the best."""
    graphs = draw.sample(range(right.shape[1]), right.shape[1])
    np.testing.assert_array_equal(near_best(right[:, graphs]), near_best(right))
    total = right.sum(axis=1)
    leaders = right[total == total.max()]
    assume((leaders == leaders[0]).all())
    settings = draw.sample(range(len(right)), len(right))
    np.testing.assert_array_equal(near_best(right[settings]), near_best(right)[settings])


@given(TABLES)
def test_graphs_that_all_get_right_or_wrong_say_nothing_against_a_setting(right):
    """They leave the differences as they are and make no setting worse."""
    for value in (True, False):
        more = np.hstack([right, np.full((len(right), 5), value)])
        assert (near_best(more) >= near_best(right)).all()


# With one graph behind, or with two of four, the difference is a little above its error.
BY_HAND = {(0, 0): True, (1, 0): False, (2, 0): False, (2, 1): True, (3, 1): False, (4, 2): True,
           (4, 1): False, (8, 4): False, (9, 6): True}  # fmt: skip


@pytest.mark.parametrize(("lost", "won"), BY_HAND)
def test_counts_by_hand(lost, won):
    """Of many graphs a setting may lose up to sqrt(lost + won) more than it wins."""
    right = np.ones((2, 100_000), dtype=bool)
    right[0, :won] = False
    right[1, won : won + lost] = False
    assert near_best(right).tolist() == [True, BY_HAND[lost, won]]

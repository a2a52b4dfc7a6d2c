"""Outer folds with groups: no group on both sides, every item tested once, classes spread."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from nask.evaluation.splits import outer_splits
from nask.exceptions import ParameterError
from nask.graph.isomorphism import isomorphic_groups


def drawn_sets(splits):
    return [split.test.tolist() for split in splits]


@st.composite
def grouped_classes(draw):
    """Classes in groups, of which most have one member."""
    y = np.array(draw(st.permutations([0] * 15 + [1] * 12 + [2] * 9)))
    twins = draw(st.lists(st.tuples(st.integers(0, 35), st.integers(0, 35)), max_size=10))
    groups = np.arange(36)
    for a, b in twins:
        groups[groups == groups[b]] = groups[a]
    assume(np.bincount(groups).max() <= 6)
    return y, groups


@given(grouped_classes(), st.integers(2, 4), st.integers(0, 3))
def test_no_group_is_in_training_and_test(drawn, folds, seed):
    y, groups = drawn
    splits = list(outer_splits(y, folds, 2, seed, groups=groups))
    assert [(s.repeat, s.fold) for s in splits] == [(r, f) for r in (0, 1) for f in range(folds)]
    for split in splits:
        assert not set(groups[split.train]) & set(groups[split.test])
        assert sorted([*split.train, *split.test]) == list(range(36))
    for repeat in (0, 1):
        tested = np.concatenate([s.test for s in splits if s.repeat == repeat])
        assert sorted(tested) == list(range(36))


def test_repeats_are_shuffled_anew_and_more_of_them_keep_the_first():
    y, groups = np.arange(60) % 2, np.arange(60) // 3
    drawn = drawn_sets(outer_splits(y, 3, 2, 5, groups=groups))
    assert drawn[:3] == drawn_sets(outer_splits(y, 3, 1, 5, groups=groups))
    assert drawn[3:] == drawn_sets(outer_splits(y, 3, 1, 6, groups=groups))
    assert sorted(drawn[:3]) != sorted(drawn[3:])


def test_folds_without_groups_are_those_of_scikit_learn():
    y = np.arange(12) % 2
    expected = StratifiedKFold(3, shuffle=True, random_state=4).split(y, y)
    assert drawn_sets(outer_splits(y, 3, 1, 4)) == [test.tolist() for _, test in expected]


def test_isomorphic_molecules_are_tested_together(benchmark_set):
    """Without groups twins are divided. With them, classes are still spread over the folds."""
    dataset = benchmark_set("NCI1")
    groups = isomorphic_groups(dataset.graphs)
    codes = np.unique(dataset.y, return_inverse=True)[1]

    def divided(splits):
        return sum(len(np.intersect1d(groups[s.train], groups[s.test])) for s in splits)

    grouped = list(outer_splits(codes, 10, 1, 0, groups=groups))
    assert divided(grouped) == 0
    assert divided(outer_splits(codes, 10, 1, 0)) > 50
    shares = [codes[split.test].mean() for split in grouped]
    assert np.abs(np.array(shares) - codes.mean()).max() < 0.02
    assert {len(split.test) for split in grouped} <= set(range(400, 423))


def test_fewer_groups_than_folds():
    y = np.arange(10) % 2
    with pytest.raises(ParameterError, match=r"3 folds need as many groups, .* there are 2"):
        list(outer_splits(y, 3, 1, 0, groups=np.arange(10) // 5))
    with pytest.raises(ParameterError, match=r"there is 1\. Use fewer folds, or no groups"):
        list(outer_splits(y, 2, 1, 0, groups=np.zeros(10, dtype=int)))


def test_an_empty_fold():
    """Four groups, but two of them are balanced best in one fold."""
    groups = np.array([1, 2, 0, 1, 1, 3, 1, 0, 2, 3, 3, 1] * 2)
    y = np.array([2, 0, 2, 0, 1, 1, 0, 2, 3, 0, 1, 3] * 2)
    message = "Fold 2 of 4 is empty: 4 groups, the largest of 10 members, .* random_state=0"
    with pytest.raises(ParameterError, match=message):
        next(outer_splits(y, 4, 1, 0, groups=groups))

"""Tests of significance against hand-computed values and scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nask.evaluation.significance import corrected_t_test, holm
from nask.exceptions import ParameterError

thousandths = st.integers(-1000, 1000).map(lambda n: n / 1000)
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_the_corrected_t_test_by_hand():
    """Mean 0.02, squares of deviations 0.0001, 0.0001, 0 and 0.0004."""
    p = corrected_t_test([0.01, 0.01, 0.02, 0.04], 1 / 3)
    t = 0.02 / math.sqrt(0.0006 / 3 * (1 / 4 + 1 / 3))
    assert t == pytest.approx(1.8516, abs=1e-4)
    # Student's distribution with 3 degrees of freedom, in closed form.
    x = t / math.sqrt(3)
    below = 0.5 + (x / (1 + x * x) + math.atan(x)) / math.pi
    assert p == pytest.approx(2 * (1 - below), rel=1e-9)


@given(st.lists(thousandths, min_size=2, max_size=30).filter(lambda d: len(set(d)) > 1))
def test_without_correction_it_is_the_paired_t_test(differences):
    a = np.array(differences)
    expected = stats.ttest_rel(a, np.zeros(len(a))).pvalue
    assert corrected_t_test(a, 0.0) == pytest.approx(expected, rel=1e-9)


@given(st.lists(thousandths, min_size=2, max_size=30), st.floats(0.01, 1))
def test_the_correction_only_makes_it_more_careful_and_sides_do_not_matter(differences, ratio):
    a = np.array(differences)
    p = corrected_t_test(a, ratio)
    assert 0 <= p <= 1
    assert p >= corrected_t_test(a, 0.0)
    assert corrected_t_test(-a, ratio) == p


def test_differences_without_spread():
    assert corrected_t_test(np.zeros(10), 1 / 9) == 1.0
    assert corrected_t_test(np.full(4, 0.25), 1 / 9) == 0.0
    assert corrected_t_test(np.full(4, -0.25), 1 / 9) == 0.0
    # 0 is the limit: a small spread is near it.
    assert corrected_t_test([0.25, 0.25, 0.25, 0.2500001], 1 / 9) < 1e-15


@pytest.mark.parametrize("differences", [[], [0.1]])
def test_one_fold_is_no_test(differences):
    with pytest.raises(ParameterError, match="two folds or more"):
        corrected_t_test(differences, 0.1)


def test_how_often_it_finds_what_is_not_there():
    """Cross-validation of two coins of equal worth: the ordinary test errs far too often."""
    rng = np.random.default_rng(0)
    runs, errors, plain = 300, 0, 0
    for _ in range(runs):
        # Ten repeats of ten folds over the same 100 items: only the folds are drawn anew.
        gain = rng.integers(-1, 2, size=100)
        folds = [rng.permutation(gain).reshape(10, 10).mean(axis=1) for _ in range(10)]
        differences = np.concatenate(folds)
        errors += corrected_t_test(differences, 1 / 9) <= 0.05
        plain += corrected_t_test(differences, 0.0) <= 0.05
    assert plain / runs > 0.3
    assert errors / runs < 0.1


@pytest.mark.parametrize(
    ("given_p", "expected"),
    [
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.5, 0.6], [1.0, 1.0]),
        ([0.04], [0.04]),
        ([], []),
        ([0.02, 0.02, 0.02], [0.06, 0.06, 0.06]),
    ],
)
def test_holm_by_hand(given_p, expected):
    assert holm(given_p) == pytest.approx(expected)


@given(p_values, st.sampled_from([0.01, 0.05, 0.1]))
def test_holm_rejects_step_by_step(p, alpha):
    """As Holm wrote it: from the smallest on, stop at the first that is above alpha / (m - i)."""
    rejected = set()
    for place, index in enumerate(np.argsort(p, kind="stable")):
        if p[index] > alpha / (len(p) - place):
            break
        rejected.add(int(index))
    corrected = holm(p)
    found = {i for i, value in enumerate(corrected) if value <= alpha}
    near = {i for i, value in enumerate(corrected) if value == pytest.approx(alpha, rel=1e-9)}
    assert found - near == rejected - near
    assert all(one >= other for one, other in zip(corrected, p, strict=True))

"""Held-out errors cover as they say: by counting, by MAPIE, and by fits without each item."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection import LeaveOneOut

from nask.exceptions import ParameterError
from nask.learning.centring import Centring
from nask.learning.conformal import Conformity, rank_of
from nask.learning.ridge import KernelRidge
from nask.learning.svm import KernelSVM

coverages = st.floats(0.05, 0.95)


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=40, unique=True), coverages)
def test_of_all_items_so_many_are_within_what_the_others_say(errors, coverage):
    """Each is left out in turn: the count is exact, which is what exchangeable means."""
    errors = np.array(errors, dtype=float)
    n = len(errors) - 1
    if rank_of(coverage, n) > n:
        with pytest.raises(ParameterError, match=f"^{n} training graphs tell"):
            Conformity(errors[1:]).half_width(coverage)
        return
    covered = sum(
        errors[k] <= Conformity(np.delete(errors, k)).half_width(coverage) for k in range(n + 1)
    )
    assert covered == rank_of(coverage, n)
    assert covered >= coverage * (n + 1) - 1e-6


@given(st.integers(3, 25), st.integers(0, 10**6), coverages, st.booleans())
def test_sets_hold_the_true_class_as_often(n_each, seed, coverage, by_class):
    """Each item is left out in turn; with ``by_class`` the count is exact in every class."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(3), [n_each, n_each + 2, 2 * n_each])
    probabilities = rng.dirichlet(np.ones(3), len(codes))
    # Sets that would be empty get a class in which nobody is, so that they cover nothing more.
    probabilities = np.column_stack([probabilities, np.full(len(codes), -9.0)])
    held = np.empty(len(codes), dtype=bool)
    for k in range(len(codes)):
        others = np.delete(np.arange(len(codes)), k)
        known = Conformity.of_classes(probabilities[others], codes[others])
        [given_set] = known.sets(probabilities[[k]], np.array([3]), coverage, by_class)
        held[k] = given_set[codes[k]]
    groups = [codes == k for k in range(3)] if by_class else [codes >= 0]
    for group in groups:
        size = int(group.sum())
        expected = min(rank_of(coverage, size - 1), size)
        # Probabilities that differ by rounding count as equal.
        assert expected <= held[group].sum() <= expected + 1


def test_no_set_is_empty_and_larger_coverage_means_larger_sets():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 4, 200)
    sure = rng.dirichlet(np.ones(4) / 3, 200)
    known = Conformity.of_classes(0.7 * sure + 0.3 * np.eye(4)[codes], codes)
    new = rng.dirichlet(np.ones(4), 50)
    predicted = new.argmax(axis=1)
    before = np.zeros((50, 4), dtype=bool)
    for coverage in (0.05, 0.5, 0.8, 0.95, 0.99):
        sets = known.sets(new, predicted, coverage)
        assert sets.any(axis=1).all()
        assert (sets | ~before).all()
        before = sets
    alone = known.sets(new, predicted, 0.05)
    assert alone.sum() == 50
    assert alone[np.arange(50), predicted].all()


class Given(ClassifierMixin, RegressorMixin, BaseEstimator):
    """Says what it is given: probabilities, or one number."""

    def __init__(self, n_classes=1):
        self.n_classes = n_classes

    def fit(self, X, y):
        self.classes_ = np.arange(self.n_classes)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return X[:, 0] if self.n_classes == 1 else X.argmax(axis=1)

    def predict_proba(self, X):
        return X


@pytest.mark.parametrize("coverage", [0.6, 0.9, 0.95])
def test_sets_are_those_of_mapie(coverage):
    mapie = pytest.importorskip("mapie.classification")
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 3, 80)
    held_out = 0.5 * rng.dirichlet(np.ones(3), 80) + 0.5 * np.eye(3)[codes]
    new = rng.dirichlet(np.ones(3), 60)
    model = Given(3).fit(held_out, codes)
    theirs = mapie.SplitConformalClassifier(model, confidence_level=coverage, prefit=True)
    theirs.conformalize(held_out, codes)
    _, expected = theirs.predict_set(new)
    expected = expected[:, :, 0]
    filled = expected.any(axis=1)
    assert filled.sum() > 0
    ours = Conformity.of_classes(held_out, codes).sets(new, new.argmax(axis=1), coverage)
    np.testing.assert_array_equal(ours[filled], expected[filled])


class OnGram(RegressorMixin, BaseEstimator):
    """Kernel ridge regression with a free constant, solved anew from positions in a Gram matrix."""

    def __init__(self, gram, penalty):
        self.gram, self.penalty = gram, penalty

    def fit(self, X, y):
        self.items_ = X[:, 0].astype(int)
        n = len(self.items_)
        system = np.ones((n + 1, n + 1))
        system[:n, :n] = self.gram[np.ix_(self.items_, self.items_)] + self.penalty * np.eye(n)
        system[n, n] = 0
        self.solution_ = np.linalg.solve(system, np.append(y, 0.0))
        self.n_features_in_ = 1
        return self

    def predict(self, X):
        some = self.gram[np.ix_(X[:, 0].astype(int), self.items_)]
        return some @ self.solution_[:-1] + self.solution_[-1]


@pytest.fixture(scope="module")
def drawn():
    """A Gram matrix of 60 items, numbers of all of them, and 40 to learn from."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(60, 3))
    gram = np.exp(-((x[:, None] - x) ** 2).sum(axis=2) / 4)
    return gram, x[:, 0] + np.sin(3 * x[:, 1]) + rng.normal(size=60) / 5, 40


def test_intervals_are_those_of_mapie_which_fits_anew_without_each_item(drawn):
    mapie = pytest.importorskip("mapie.regression")
    gram, y, n = drawn
    alpha = 0.1
    ridge = KernelRidge.regress(gram[:n, :n], y[:n], alpha)
    model = OnGram(gram, alpha * Centring.fit(gram[:n, :n]).scale)
    theirs = mapie.CrossConformalRegressor(
        model, confidence_level=0.9, method="base", cv=LeaveOneOut()
    )
    places = np.arange(60)[:, None]
    theirs.fit_conformalize(places[:n], y[:n])
    predicted, intervals = theirs.predict_interval(places[n:], aggregate_point_predictions=None)
    np.testing.assert_allclose(ridge.decide(gram[n:, :n])[:, 0], predicted, rtol=1e-9)
    ours = ridge.conformity.interval(ridge.decide(gram[n:, :n])[:, 0], 0.9)
    np.testing.assert_allclose(ours, intervals[:, :, 0], rtol=1e-9)
    np.testing.assert_allclose(ridge.conformity.errors, theirs.conformity_scores, atol=1e-10)


def test_errors_of_classes_are_those_of_regressions_without_each_item(drawn):
    gram, y, n = drawn
    codes = (y[:n] > 0).astype(np.intp)
    alpha = 0.3
    ridge = KernelRidge.classify(gram[:n, :n], codes, alpha, probability=True)
    penalty = alpha * Centring.fit(gram[:n, :n]).scale
    places, targets = np.arange(n)[:, None], 2.0 * codes - 1
    left_out = np.empty(n)
    for k in range(n):
        others = np.delete(np.arange(n), k)
        model = OnGram(gram, penalty).fit(places[others], targets[others])
        left_out[k] = model.predict(places[[k]])[0]
    probabilities = ridge.calibration.probabilities(left_out)
    errors = 1 - probabilities[np.arange(n), codes]
    np.testing.assert_allclose(ridge.conformity.errors, errors, atol=1e-8)


def test_errors_of_support_vector_regressions_are_of_items_they_have_not_learned_from(drawn):
    """With a target of noise and a huge C, errors on what was learned would be 0."""
    gram, _, n = drawn
    noise = np.random.default_rng(6).normal(size=n)
    sharp = np.eye(n) + 1e-3 * gram[:n, :n]
    svm = KernelSVM.regress(sharp, noise, 1e6, 1e-3, intervals=True)
    assert np.abs(svm.decide(sharp[:, svm.support])[:, 0] - noise).max() < 0.01
    assert svm.conformity.errors.mean() > 0.5
    assert KernelSVM.regress(sharp, noise, 1.0, 0.1).conformity is None


def test_errors_of_support_vector_regressions_are_on_the_scale_of_the_target(drawn):
    gram, y, n = drawn
    svm = KernelSVM.regress(gram[:n, :n], 100 + 7 * y[:n], 10.0, 0.1, intervals=True)
    held_out_r2 = 1 - np.mean(svm.conformity.errors**2) / np.var(7 * y[:n])
    assert 0.3 < held_out_r2 < 1

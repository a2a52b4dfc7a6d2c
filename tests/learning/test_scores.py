"""Scores are scikit-learn's, and what items add to them tells their standard error."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import __version__ as sklearn_version
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer, roc_auc_score

from nask.exceptions import ParameterError
from nask.learning.auc import auc_parts
from nask.learning.calibration import Calibration, scaling_factors
from nask.learning.confusion import confusion_matrices, score_of_confusion, score_parts
from nask.learning.goals import ClassGoal, NumberGoal
from nask.learning.number_scores import score_of_numbers
from nask.learning.scores import Score, score_named, score_names

SCIKIT_LEARN = tuple(map(int, sklearn_version.split(".")[:2]))


class Answers(BaseEstimator):
    """A model that says what it is told to, for scikit-learn's scorers."""

    def __init__(self, said=None):
        self.said = said

    def fit(self, X, y):
        return self

    def __sklearn_is_fitted__(self):
        return True


class Regression(RegressorMixin, Answers):
    def predict(self, X):
        return self.said


class Classes(ClassifierMixin, Answers):
    classes_ = np.arange(4)

    def predict(self, X):
        return self.said


class Decisions(ClassifierMixin, Answers):
    classes_ = np.arange(2)

    def decision_function(self, X):
        return self.said


class Probabilities(ClassifierMixin, Answers):
    @property
    def classes_(self):
        return np.arange(self.said.shape[1])

    def predict_proba(self, X):
        return self.said


def answers_about(score, truth, n_classes, rng):
    """What a model says, and what the score looks at."""
    if score.needs == "numbers":
        predicted = truth + rng.normal(size=len(truth))
        return Regression(predicted), predicted
    if score.needs == "classes":
        predicted = np.where(rng.random(len(truth)) < 0.6, truth, rng.permutation(truth))
        return Classes(predicted), predicted
    if score.needs == "decisions":
        decisions = truth + rng.normal(size=len(truth)).round(1)
        return Decisions(decisions), decisions
    raw = np.eye(n_classes)[truth] + rng.random((len(truth), n_classes))
    probabilities = raw / raw.sum(axis=1, keepdims=True)
    return Probabilities(probabilities), probabilities


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("name", score_names("classify"))
def test_scores_of_classes_are_those_of_scikit_learn(name, n_classes):
    if name not in score_names("classify", n_classes):
        with pytest.raises(ParameterError, match="is for two classes, and here are 4"):
            score_named(name, "classify", n_classes)
        return
    rng = np.random.default_rng(100)
    truth = rng.permutation(np.arange(60) % n_classes)
    score = Score(name)
    model, output = answers_about(score, truth, n_classes, rng)
    if name == "neg_brier_score" and n_classes > 2 and SCIKIT_LEARN < (1, 7):
        pytest.skip("this version of scikit-learn has the score of two classes alone")
    expected = get_scorer(name)(model, np.zeros((60, 1)), truth)
    assert score.of(truth, output, n_classes) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", score_names("regress"))
def test_scores_of_numbers_are_those_of_scikit_learn(name):
    rng = np.random.default_rng(100)
    truth = rng.normal(3.0, 2.0, size=41)
    model, output = answers_about(Score(name), truth, 0, rng)
    expected = get_scorer(name)(model, np.zeros((41, 1)), truth)
    assert Score(name).of(truth, output) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("truth", "predicted"), [([2.0, 2.0], [2.0, 2.0]), ([2.0, 2.0], [2, 3])])
def test_of_equal_numbers_r2_is_as_in_scikit_learn(truth, predicted):
    truth, predicted = np.array(truth), np.array(predicted, dtype=float)
    expected = get_scorer("r2")(Regression(predicted), np.zeros((2, 1)), truth)
    assert score_of_numbers("r2", truth, predicted) == expected


CLASSES = [name for name in score_names("classify") if Score(name).needs == "classes"]


@pytest.mark.parametrize("name", CLASSES)
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 4), weighted=st.booleans())
def test_parts_of_class_scores_are_derivatives_by_weight(name, seed, n_classes, weighted):
    """Their mean is the score; a little more weight of one item moves it as its part says."""
    if name not in score_names("classify", n_classes):
        return
    rng = np.random.default_rng(seed)
    n = 25
    truth = rng.permutation(np.arange(n) % n_classes)
    predicted = rng.integers(n_classes, size=(3, n))
    weights = rng.uniform(0.5, 3.0, size=n) if weighted else np.ones(n)
    parts = score_parts(name, truth, predicted, n_classes, weights)

    def score(own):
        return score_of_confusion(name, confusion_matrices(truth, predicted, n_classes, own))

    np.testing.assert_allclose(parts.mean(axis=1), score(weights), atol=1e-6)
    item = int(rng.integers(n))
    step = np.zeros(n)
    step[item] = 1e-5
    change = (score(weights + step) - score(weights - step)) / 2e-5
    expected = score(weights) + n * weights[item] * change
    np.testing.assert_allclose(parts[:, item], expected, atol=1e-4)


def test_parts_of_accuracy_are_ones_and_zeros():
    truth, predicted = np.array([0, 1, 1, 2]), np.array([[0, 1, 0, 2], [2, 1, 1, 1]])
    parts = score_parts("accuracy", truth, predicted, 3, np.ones(4))
    np.testing.assert_allclose(parts, predicted == truth, atol=1e-6)


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1), weighted=st.booleans())
def test_parts_of_the_area_under_the_curve(seed, weighted):
    rng = np.random.default_rng(seed)
    positive = rng.permutation(np.arange(20) % 2 == 0)
    # Rounded, so that some are equal.
    decisions = (positive + rng.normal(size=(3, 20))).round(1)
    weights = rng.integers(1, 4, size=20).astype(float) if weighted else np.ones(20)
    parts = auc_parts(positive, decisions, weights)

    def areas(own):
        return [roc_auc_score(positive, row, sample_weight=own) for row in decisions]

    np.testing.assert_allclose(parts.mean(axis=1), areas(weights), atol=1e-9)
    step = np.zeros(20)
    step[3] = 1e-5
    change = (np.array(areas(weights + step)) - areas(weights - step)) / 2e-5
    np.testing.assert_allclose(parts[:, 3], areas(weights) + 20 * weights[3] * change, atol=1e-5)


@pytest.mark.parametrize("score", ["roc_auc", "balanced_accuracy", "f1", "matthews_corrcoef"])
def test_the_spread_of_parts_is_that_of_the_score_over_samples(score):
    """Half as large and twice as large would be wrong: the standard error is what it says."""
    rng = np.random.default_rng(100)
    n, found, told = 200, [], []
    for _ in range(150):
        codes = (rng.random(n) < 0.3).astype(np.intp)
        scores = np.stack([np.zeros(n), codes - 0.5 + rng.normal(size=n)], axis=1)
        goal = ClassGoal(codes, 2, score=Score(score))
        [parts] = goal.parts(goal.kept(scores[None]), np.ones(n, dtype=bool))
        found.append(parts.mean())
        told.append(parts.std() / np.sqrt(n))
    assert np.mean(told) == pytest.approx(np.std(found), rel=0.15)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_factors_of_many_are_those_of_each(n_classes):
    rng = np.random.default_rng(100)
    codes = rng.permutation(np.arange(40) % n_classes)
    scores = np.eye(n_classes)[codes] + rng.normal(size=(5, 40, n_classes))
    weights = rng.uniform(0.5, 2.0, size=40)
    factors = scaling_factors(scores, codes, weights, n_numbers=150)
    for own, factor in zip(scores, factors, strict=True):
        fitted = Calibration.scaled(own, codes, weights)
        assert factor == pytest.approx(fitted.coefficients[0, 0], rel=1e-3)


@pytest.mark.parametrize("name", ["neg_log_loss", "neg_brier_score", "roc_auc_ovr"])
def test_probability_scores_of_settings_are_those_of_calibrated_scores(name):
    rng = np.random.default_rng(100)
    codes = rng.permutation(np.arange(45) % 3)
    answers = np.eye(3)[codes][None] + rng.normal(size=(4, 45, 3))
    goal = ClassGoal(codes, 3, score=Score(name))
    values = goal.values(goal.kept(answers), np.ones(45, dtype=bool))
    for own, value in zip(answers, values, strict=True):
        probabilities = Calibration.scaled(own, codes).probabilities(own)
        assert value == pytest.approx(Score(name).of(codes, probabilities, 3), abs=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", score_names("regress"))
def test_items_order_regressions_as_the_score_does(name, weighted):
    rng = np.random.default_rng(100)
    truth = rng.normal(5.0, 1.0, size=30)
    weights = rng.uniform(0.5, 2.0, size=30) if weighted else None
    noise = np.arange(1, 6)[:, None] * 0.3
    answers = (truth + noise * rng.normal(size=(5, 30)))[..., None]
    goal = NumberGoal(truth, Score(name), weights)
    everything = np.ones(30, dtype=bool)
    kept = goal.kept(answers)
    parts, values = goal.parts(kept, everything), goal.values(kept, everything)
    if parts is None:
        assert name in ("neg_median_absolute_error", "neg_max_error")
        return
    np.testing.assert_array_equal(np.argsort(parts.mean(axis=1)), np.argsort(values))


def test_a_wrong_score_is_told_with_those_that_there_are():
    with pytest.raises(ParameterError, match=r"Did you mean 'roc_auc'.*Scores: accuracy, "):
        score_named("roc_acu", "classify")
    with pytest.raises(ParameterError, match=r"for classes, and here are numbers.*r2, neg_mean"):
        score_named("accuracy", "regress")
    with pytest.raises(ParameterError, match="There is no score 5"):
        score_named(5)

"""SVMs are judged on inner folds as an exhaustive search would."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from nask.exceptions import ParameterError
from nask.learning.centring import Centring
from nask.learning.decisions import most_confident
from nask.learning.path import confidences
from nask.tuning.inner_folds import InnerFolds, refuse_single_members
from nask.tuning.sweeps import Candidate

PENALTIES = (0.01, 1.0, 100.0)


class Matrices:
    """A sweep over given matrices."""

    def __init__(self, grams):
        self.parameters = {}
        self.stack = np.array(grams)
        self.candidates = tuple(Candidate({"k": k}, {}, PENALTIES) for k in range(len(grams)))

    def gram(self, stack, candidate):
        return stack[candidate.parameters["k"]]


def random_grams(y, n_grams, seed, signal=1.0):
    """Kernels that know the class more or less well."""
    rng = np.random.default_rng(seed)
    grams = []
    for _ in range(n_grams):
        features = rng.normal(size=(len(y), 8))
        features[:, 0] += signal * rng.uniform() * y
        grams.append(features @ features.T)
    return grams


def exhaustive(grams, y, inner, seed=0):
    """Right answers of every Gram and C, each run to the end."""
    right = np.zeros((len(grams), len(PENALTIES), len(y)), dtype=bool)
    for train, test in StratifiedKFold(inner, shuffle=True, random_state=seed).split(y, y):
        for k, gram in enumerate(grams):
            classes = confidences(gram, y, train, test, PENALTIES, None)
            for c, predicted in enumerate(classes):
                right[k, c, test] = most_confident(predicted) == y[test]
    return right


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_best_is_that_of_an_exhaustive_search(n_jobs):
    y = np.repeat([0, 1], 40)
    for seed in range(4):
        grams = random_grams(y, 6, seed, signal=2.0)
        judge = InnerFolds(y, inner=4, n_jobs=n_jobs)
        for gram in grams:
            sweep = Matrices([gram])
            judge.enter(sweep, sweep.stack)
        right = exhaustive(grams, y, 4)
        best = np.unravel_index(right.mean(axis=2).argmax(), right.shape[:2])
        assert judge.best.score == right[best].mean()
        assert PENALTIES[best[1]] == judge.best.C
        np.testing.assert_array_equal(judge.best.sweep.stack[0], grams[best[0]])


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_predictions_are_those_of_scikit_learn(n_classes, class_weight):
    """With more attributes than graphs the solution is unique; centring does not change it."""
    y = np.arange(60) % n_classes
    rng = np.random.default_rng(0)
    features = rng.normal(size=(60, 100)) + 0.3 * y[:, None]
    gram = features @ features.T
    train, test = np.arange(40), np.arange(40, 60)
    penalties = (0.01, 1.0, 100.0)
    scale = Centring.fit(gram[:40, :40]).scale
    together = confidences(gram, y, train, test, penalties, class_weight)
    for C, predicted in zip(penalties, together, strict=True):
        model = SVC(kernel="precomputed", C=C, class_weight=class_weight, tol=1e-6, break_ties=True)
        model.fit(gram[:40, :40] / scale, y[train])
        np.testing.assert_array_equal(
            most_confident(predicted), model.predict(gram[40:, :40] / scale)
        )


def test_the_earlier_of_equals_is_the_best():
    y = np.repeat([0, 1], 20)
    truth = (y[:, None] == y[None, :]).astype(float)
    judge = InnerFolds(y, inner=3)
    sweep = Matrices([truth, 2 * truth])
    judge.enter(sweep, sweep.stack)
    first = judge.best
    judge.enter(sweep, sweep.stack)
    assert judge.best is first
    assert first.candidate is sweep.candidates[0]


def test_the_rows_of_a_larger_matrix():
    y = np.repeat([0, 1], 30)
    grams = random_grams(y, 3, 0)
    rows = np.random.default_rng(0).permutation(60)[:40]
    whole, part = InnerFolds(y[rows], inner=3), InnerFolds(y[rows], inner=3)
    sweep = Matrices(grams)
    whole.enter(sweep, sweep.stack, rows)
    cut = Matrices([gram[np.ix_(rows, rows)] for gram in grams])
    part.enter(cut, cut.stack)
    assert whole.best.parameters == part.best.parameters
    assert whole.best.score == part.best.score


def test_errors():
    with pytest.raises(ParameterError, match="two training graphs or nodes of each class"):
        refuse_single_members(np.array([0, 0, 0, 1]), np.array(["a", "b"]))
    with pytest.raises(ParameterError, match="no candidates"):
        _ = InnerFolds(np.array([0, 0, 1, 1])).best


def test_given_splits_are_all_that_judges():
    """The score is that on what is held out; the classes of the rest play no part."""
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 3
    grams = []
    for noise in (0.5, 2.0):
        features = np.eye(3)[codes] + noise * rng.normal(size=(60, 3))
        grams.append(features @ features.T)
    sweep = Matrices(grams)
    learn, held_out = np.arange(30), np.arange(50, 60)[::-1]
    judge = InnerFolds(codes, splits=[(learn, held_out)])
    judge.enter(sweep, sweep.stack)
    best = judge.best
    gram = sweep.gram(sweep.stack, best.candidate)
    [predicted] = confidences(gram, codes, learn, held_out, [best.C], None)
    assert best.score == np.mean(most_confident(predicted) == codes[held_out])
    spoiled = codes.copy()
    spoiled[30:50] = rng.permutation(spoiled[30:50])
    again = InnerFolds(spoiled, splits=[(learn, held_out)])
    again.enter(sweep, sweep.stack)
    assert again.best.parameters == best.parameters
    assert again.best.score == best.score

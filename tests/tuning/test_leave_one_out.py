"""Ridge regressions judged in all folds at once: as by refits with scikit-learn, one by one."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from nask.exceptions import ParameterError
from nask.learning.decisions import best_class
from nask.learning.goals import ClassGoal
from nask.learning.held_out import class_scores
from nask.tuning.leave_one_out import LeaveOneOut, OnValidation
from nask.tuning.near_best import near_best
from nask.tuning.sweeps import Candidate

ALPHAS = (0.03, 0.3)


class Matrices:
    """A sweep over given matrices."""

    def __init__(self, grams, multiclass=("ovr", "ovo")):
        self.parameters = {}
        self.stack = np.array(grams)
        self.candidates = tuple(
            Candidate({"k": k}, {}, (1.0,), ALPHAS, multiclass) for k in range(len(grams))
        )

    def only(self, candidates):
        some = Matrices(self.stack)
        some.candidates = tuple(candidates)
        return some

    def gram(self, stack, candidate):
        return stack[candidate.parameters["k"]]

    def unit(self, stack, candidate):
        return None


def some_data(n_classes, n_items=36, seed=0):
    """Classes, and kernels that know them more or less well."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n_items) % n_classes)
    grams = []
    for noise in (0.7, 0.7, 3.0):
        features = np.eye(n_classes)[codes] + noise * rng.normal(size=(n_items, n_classes))
        squared = ((features[:, None] - features[None]) ** 2).sum(axis=-1)
        grams.append(np.exp(-squared / 3) + 0.2)
    return codes, grams


def sample_weights(codes, class_weight):
    if class_weight is None:
        return np.ones(len(codes))
    if class_weight == "balanced":
        counts = np.bincount(codes)
        return (len(codes) / (np.count_nonzero(counts) * np.maximum(counts, 1)))[codes]
    return np.array([class_weight.get(code, 1.0) for code in codes.tolist()])


def decisions(gram, target, weights, penalty, train, items):
    """scikit-learn's ridge regression; centring by the weighted mean gives it a constant."""
    mean = weights[train] / weights[train].sum()
    centre = np.eye(len(train)) - np.outer(np.ones(len(train)), mean)
    own = gram[np.ix_(train, train)]
    centred = centre @ own @ centre.T
    across = gram[np.ix_(items, train)]
    rows = (across - (mean @ own)[None, :]) @ centre.T
    shift = mean @ target[train]
    model = KernelRidge(alpha=penalty, kernel="precomputed")
    model.fit(centred, target[train] - shift, sample_weight=weights[train])
    return rows @ model.dual_coef_ + shift


def refit_scores(gram, codes, n_classes, scheme, penalty, class_weight, train, items):
    """Scores of the classes of items by functions of the training items alone."""
    scores = np.full((len(items), n_classes), np.inf)
    weights = np.ones(len(codes))
    weights[train] = sample_weights(codes[train], class_weight)
    if scheme == "ovr":
        targets = np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0)
        return decisions(gram, targets, weights, penalty, train, items)
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            pair = train[np.isin(codes[train], (i, j))]
            target = np.where(codes == i, 1.0, -1.0)
            found = decisions(gram, target, weights, penalty, pair, items)
            # A class has to win against every other one.
            scores[:, i] = np.minimum(scores[:, i], found)
            scores[:, j] = np.minimum(scores[:, j], -found)
    return scores


def unit_diagonal(gram):
    """Mean diagonal after centring."""
    return np.mean(np.diag(gram)) - gram.mean()


def by_refits(grams, codes, n_classes, test, class_weight=None):
    """Settings with who was right when left out, and scores of the test items, one by one."""
    train = np.setdiff1d(np.arange(len(codes)), test)
    found = []
    for k, gram in enumerate(grams):
        for scheme in ("ovr", "ovo") if n_classes > 2 else ("ovr",):
            for alpha in ALPHAS:
                penalty = alpha * unit_diagonal(gram)
                left_out = []
                # Weights of the fold's training set, also while one of it is left out.
                weights = class_weight
                if class_weight == "balanced":
                    own = sample_weights(codes[train], "balanced")
                    weights = dict(zip(codes[train].tolist(), own.tolist(), strict=True))
                how = (codes, n_classes, scheme, penalty, weights)
                for item in train:
                    others = np.setdiff1d(train, [item])
                    [own] = refit_scores(gram, *how, others, [item])
                    left_out.append(own.argmax() == codes[item])
                scores = refit_scores(gram, *how, train, test)
                setting = {"k": k, "alpha": alpha}
                setting |= {"multiclass": scheme} if n_classes > 2 else {}
                found.append((setting, np.array(left_out), scores))
    return found


@pytest.mark.parametrize("class_weight", [None, {0: 3.0}, "balanced"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_choices_and_scores_are_those_of_refits(n_classes, class_weight):
    codes, grams = some_data(n_classes)
    tests = [np.arange(0, 36, 4), np.array([35, 2, 17])]
    judge = LeaveOneOut(ClassGoal(codes, n_classes, class_weight), tests=tests)
    sweep = Matrices(grams)
    judge.enter(sweep, sweep.stack)
    averaged = []
    for fold, test in enumerate(tests):
        expected = by_refits(grams, codes, n_classes, test, class_weight)
        right = np.array([own for _, own, _ in expected])
        near = near_best(right)
        averaged.append(near.sum())
        choice = judge.choose(fold)
        assert choice.score == right.mean(axis=1).max()
        chosen = [own for own, is_near in zip(expected, near, strict=True) if is_near]
        assert [trial.parameters for trial in choice.trials] == [own for own, _, _ in chosen]
        mean = np.mean([scores for _, _, scores in chosen], axis=0)
        np.testing.assert_allclose(judge.scores(fold, choice), mean, atol=1e-6)
    assert 1 < max(averaged) < len(near)  # or there would be nothing to see


@pytest.mark.parametrize("class_weight", [None, {0: 3.0}, "balanced"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_classes_of_test_items_change_nothing(n_classes, class_weight):
    codes, grams = some_data(n_classes)
    test = np.arange(0, 36, 3)
    sweep = Matrices(grams)
    outcomes = []
    for moved in (0, 1):
        told = codes.copy()
        # All to one class, so that the counts of classes change too.
        told[test] = moved
        judge = LeaveOneOut(ClassGoal(told, n_classes, class_weight), tests=[test])
        judge.enter(sweep, sweep.stack)
        choice = judge.choose()
        outcomes.append((choice, judge.scores(0, choice)))
    (one, first), (other, second) = outcomes
    assert one.parameters == other.parameters
    assert one.score == other.score
    assert [t.parameters for t in one.trials] == [t.parameters for t in other.trials]
    np.testing.assert_allclose(first, second, atol=1e-6)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_a_fold_chooses_among_what_it_kept(class_weight):
    """As if nothing else were there; what no fold kept is not tried at all.

    Nor does it matter that rounding has made matrices asymmetric, though folds order them in other
    ways.
    """
    codes, grams = some_data(3)
    noise = np.triu(np.random.default_rng(5).normal(size=(36, 36)), 1)
    grams = [gram + 1e-4 * noise for gram in grams]
    tests = [np.arange(0, 36, 4), np.array([35, 2, 17]), np.arange(1, 36, 4)]
    sweep = Matrices([*grams, grams[0]])
    one, two, three, _ = sweep.candidates
    kept = [[two, three], [two], [one, three]]
    judge = LeaveOneOut(ClassGoal(codes, 3, class_weight), tests=tests, kept=kept)
    judge.enter(sweep, sweep.stack)
    assert {id(trial.candidate) for trial in judge.trials} == {id(one), id(two), id(three)}
    for fold, (test, few) in enumerate(zip(tests, kept, strict=True)):
        alone = LeaveOneOut(ClassGoal(codes, 3, class_weight), tests=[test])
        alone.enter(sweep.only(few), sweep.stack)
        choice, expected = judge.choose(fold), alone.choose()
        assert (choice.parameters, choice.score) == (expected.parameters, expected.score)
        assert [t.parameters for t in choice.trials] == [t.parameters for t in expected.trials]
        np.testing.assert_allclose(judge.scores(fold, choice), alone.scores(0, expected), atol=1e-6)
        assert {id(own) for _, own in judge.ranked(fold)} == {id(own) for own in few}


def test_rows_of_a_larger_matrix_and_threads(monkeypatch):
    monkeypatch.setattr("nask.execution.execution.PAIRS_PER_THREAD", 1)
    codes, grams = some_data(3)
    rows = np.random.default_rng(0).permutation(36)[:30]
    tests = [np.arange(5)]
    whole, cut = Matrices(grams), Matrices([gram[np.ix_(rows, rows)] for gram in grams])
    outcomes = []
    for sweep, given, n_jobs in ((whole, rows, None), (cut, None, None), (whole, rows, 2)):
        judge = LeaveOneOut(ClassGoal(codes[rows], 3), n_jobs=n_jobs, tests=tests)
        judge.enter(sweep, sweep.stack, given)
        choice = judge.choose()
        outcomes.append((choice, judge.scores(0, choice)))
    for choice, scores in outcomes[1:]:
        assert choice.parameters == outcomes[0][0].parameters
        np.testing.assert_array_equal(scores, outcomes[0][1])


def test_without_tests_functions_are_kept():
    codes, grams = some_data(3)
    sweep = Matrices(grams)
    judge = LeaveOneOut(ClassGoal(codes, 3))
    judge.enter(sweep, sweep.stack)
    expected = by_refits(grams, codes, 3, np.empty(0, dtype=int))
    choice = judge.choose()
    near = near_best(np.array([own for _, own, _ in expected]))
    assert [t.parameters for t in choice.trials] == [
        own for (own, _, _), is_near in zip(expected, near, strict=True) if is_near
    ]
    for trial in choice.trials:
        gram = grams[trial.parameters["k"]]
        penalty = trial.alpha * unit_diagonal(gram)
        everything = np.arange(36)
        how = (codes, 3, trial.multiclass, penalty, None)
        applied = class_scores(trial.functions.decide(gram), trial.multiclass, 3)
        np.testing.assert_allclose(
            applied, refit_scores(gram, *how, everything, everything), atol=1e-8
        )
        [left] = refit_scores(gram, *how, everything[1:], [0])
        np.testing.assert_allclose(trial.left_out[0], left, atol=1e-5)


def test_a_validation_set_judges_and_is_not_learned_from():
    codes, grams = some_data(3)
    order = np.random.default_rng(1).permutation(36)
    train, validation, test = order[:20], order[20:30], order[30:]
    judge = OnValidation(ClassGoal(codes[order[:30]], 3), n_train=20)
    sweep = Matrices(grams)
    judge.enter(sweep, sweep.stack, order)
    right, scores = [], []
    for gram in grams:
        for scheme in ("ovr", "ovo"):
            for alpha in ALPHAS:
                penalty = alpha * unit_diagonal(gram[np.ix_(train, train)])
                how = (codes, 3, scheme, penalty, None, train)
                judged = refit_scores(gram, *how, validation).argmax(axis=1)
                right.append(judged == codes[validation])
                scores.append(refit_scores(gram, *how, test))
    near = near_best(np.array(right))
    choice = judge.choose()
    assert len(choice.trials) == near.sum() < len(near)
    assert choice.score == np.mean(right, axis=1).max()
    mean = np.mean([own for own, is_near in zip(scores, near, strict=True) if is_near], axis=0)
    np.testing.assert_allclose(judge.scores(0, choice), mean, atol=1e-6)


def test_nothing_to_choose_from():
    with pytest.raises(ParameterError, match="no candidates"):
        LeaveOneOut(ClassGoal(np.array([0, 0, 1, 1]), 2)).choose()


def test_functions_of_hopeless_settings_are_forgotten():
    """And those of all that may be chosen are kept, whichever order they come in."""
    rng = np.random.default_rng(4)
    codes = np.arange(60) % 3
    grams = []
    for noise in (8.0, 0.4, 1.0, 0.6, 20.0):
        features = np.eye(3)[codes] + noise * rng.normal(size=(60, 3))
        squared = ((features[:, None] - features[None]) ** 2).sum(axis=-1)
        grams.append(np.exp(-squared / 3))
    for order in ([0, 1, 2, 3, 4], [1, 3, 2, 0, 4]):
        judge = LeaveOneOut(ClassGoal(codes, 3))
        for k in order:
            sweep = Matrices([grams[k]])
            judge.enter(sweep, sweep.stack)
        assert all(trial.functions is not None for trial in judge.choose().trials)
        assert sum(trial.functions is None for trial in judge.trials) >= 8


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_kernel_that_knows_nothing_leaves_it_to_the_first_class(n_classes):
    """All graphs are alike and classes equally large: rounding errors must not decide."""
    codes = np.arange(30) % n_classes
    tests = [np.arange(n_classes), np.arange(30 - n_classes, 30)]
    judge = LeaveOneOut(ClassGoal(codes, n_classes), tests=tests)
    sweep = Matrices([np.ones((30, 30)), np.full((30, 30), 0.3)])
    judge.enter(sweep, sweep.stack)
    for fold in range(2):
        scores = judge.scores(fold, judge.choose(fold))
        np.testing.assert_array_equal(best_class(scores), 0)

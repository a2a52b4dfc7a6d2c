"""Exact held-out scores against direct solutions of every problem."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge as ScikitRidge

from nask.learning.held_out import hold_out, one_against_one, one_against_rest
from nask.learning.ridge import ALPHAS, KernelRidge


def some_gram(n, seed, indefinite=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    gram = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=-1) / 4)
    if indefinite:
        noise = rng.normal(size=(n, n))
        gram += 0.05 * (noise + noise.T)
    return gram


def solved(gram, penalties, train, targets):
    """Coefficients and constant of one problem, by the whole system of equations."""
    n = len(train)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = gram[np.ix_(train, train)] + np.diag(penalties[train])
    system[:n, n] = system[n, :n] = 1
    solution = np.linalg.solve(system, np.vstack([targets, np.zeros(targets.shape[1])]))
    return solution[:n], solution[n]


def direct_decisions(gram, problems, penalties, train, items):
    """Decisions about items by functions learned from the training items of each problem."""
    found = []
    for problem in problems:
        kept = np.isin(problem.items, train)
        own = problem.items[kept]
        coefficients, constant = solved(gram, penalties, own, problem.targets[kept])
        found.append(gram[np.ix_(items, own)] @ coefficients + constant)
    return np.hstack(found)


@pytest.mark.parametrize("scheme", [one_against_rest, one_against_one])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("indefinite", [False, True])
def test_every_item_is_scored_by_functions_that_have_not_seen_it(scheme, n_classes, indefinite):
    gram = some_gram(41, seed=n_classes, indefinite=indefinite)
    rng = np.random.default_rng(0)
    codes = np.arange(41) % n_classes
    penalties = rng.uniform(0.05, 0.5, size=41)
    # Folds of different sizes, one of them empty, one that is not in order.
    tests = [np.arange(0, 41, 5), np.empty(0, dtype=np.intp), np.array([40, 3, 17])]
    problems = scheme(codes, n_classes)
    found = hold_out(gram, problems, penalties, tests)
    for fold, test in enumerate(tests):
        train = np.setdiff1d(np.arange(41), test)
        expected = direct_decisions(gram, problems, penalties, train, test)
        np.testing.assert_allclose(found.decisions[fold, test], expected, atol=1e-9)
        for item in train:
            others = np.setdiff1d(train, [item])
            expected = direct_decisions(gram, problems, penalties, others, [item])[0]
            np.testing.assert_allclose(found.decisions[fold, item], expected, atol=1e-8)
        applied = found.functions[fold].decide(gram)
        expected = direct_decisions(gram, problems, penalties, train, np.arange(41))
        np.testing.assert_allclose(applied, expected, atol=1e-9)
        assert not found.functions[fold].coefficients[:, test].any()


def test_targets_of_test_items_have_no_part_in_a_fold():
    gram, codes = some_gram(30, seed=1), np.arange(30) % 3
    test = np.array([4, 9, 20])
    moved = codes.copy()
    moved[test] = (moved[test] + 1) % 3
    penalties = np.full(30, 0.1)
    first, second = (
        hold_out(gram, one_against_rest(own, 3), penalties, [test]).decisions[0]
        for own in (codes, moved)
    )
    np.testing.assert_allclose(first, second, atol=1e-11)


def test_a_pair_of_classes_that_is_tested_as_a_whole_decides_nothing():
    gram, codes = some_gram(30, seed=7), np.arange(30) % 3
    test = np.flatnonzero(codes < 2)
    found = hold_out(gram, one_against_one(codes, 3), np.full(30, 0.1), [test])
    assert not found.decisions[0, :, 0].any()
    assert not found.functions[0].coefficients[0].any()
    assert np.isfinite(found.decisions).all()


@pytest.mark.parametrize("indefinite", [False, True])
@pytest.mark.parametrize(
    "tests",
    [
        # More items than columns, and more test items than rows, that are solved for at once.
        [np.arange(100, 420), np.arange(40, 80)],
        # Some are in every test set, which a single one has in any case: they are not learned from.
        [np.arange(100, 300), np.arange(250, 530)],
        [np.arange(500, 150, -1)],
        # All are tested at some time.
        [np.arange(200), np.arange(200, 529), np.array([529])],
    ],
)
def test_large_folds(tests, indefinite):
    """Nothing changes where a block of rows or columns ends."""
    gram = some_gram(530, seed=2, indefinite=indefinite)
    codes = np.arange(530) % 2
    problems, penalties = one_against_rest(codes, 2), np.full(530, 0.1)
    found = hold_out(gram, problems, penalties, tests)
    # Without a penalty the eigenvalues of these matrices are as small as -1.5.
    close = {"rtol": 1e-6, "atol": 1e-6} if indefinite else {"atol": 1e-8}
    for fold, test in enumerate(tests):
        train = np.setdiff1d(np.arange(530), test)
        expected = direct_decisions(gram, problems, penalties, train, test)
        np.testing.assert_allclose(found.decisions[fold, test], expected, **close)
        applied = found.functions[fold].decide(gram[test])
        np.testing.assert_allclose(applied, expected, **close)
        assert not found.functions[fold].coefficients[:, test].any()
        for item in train[[0, len(train) // 3, -1]]:
            others = np.setdiff1d(train, [item])
            expected = direct_decisions(gram, problems, penalties, others, [item])[0]
            np.testing.assert_allclose(found.decisions[fold, item], expected, **close)


def test_a_ridge_of_two_classes_is_that_of_scikit_learn():
    """Without a constant scikit-learn's is another model; of centred data it is the same."""
    gram, codes = some_gram(25, seed=3), np.arange(25) % 2
    centre = np.eye(25) - 1 / 25
    gram = centre @ gram @ centre
    gram *= 25 / np.trace(gram)
    target = np.where(codes == 1, 1.0, -1.0)
    ridge = ScikitRidge(alpha=0.1, kernel="precomputed").fit(gram, target - target.mean())
    ours = KernelRidge.classify(gram, codes, alpha=0.1)
    expected = ridge.predict(gram) + target.mean()
    np.testing.assert_allclose(ours.confidence(gram), expected, atol=1e-9)


def test_scale_and_origin_of_a_kernel_make_no_difference():
    gram, codes = some_gram(25, seed=4), np.arange(25) % 3
    for alpha in (0.1, None):
        plain = KernelRidge.classify(gram, codes, alpha=alpha)
        moved = KernelRidge.classify(7 * gram + 3, codes, alpha=alpha)
        assert (plain.alpha, plain.multiclass) == (moved.alpha, moved.multiclass)
        np.testing.assert_allclose(
            plain.confidence(gram), moved.confidence(7 * gram + 3), atol=1e-8
        )


def test_the_most_accurate_penalty_is_chosen():
    gram, codes = some_gram(40, seed=5), np.arange(40) % 2
    chosen = KernelRidge.classify(gram, codes)
    scores = [KernelRidge.classify(gram, codes, alpha=alpha).score for alpha in ALPHAS]
    assert chosen.score == max(scores)
    assert chosen.alpha == ALPHAS[int(np.argmax(scores))]


def test_a_weight_counts_as_so_many_copies():
    """Squared errors of a class that count twice are those of items that are there twice."""
    gram, codes = some_gram(20, seed=6), np.repeat([0, 1], [14, 6])
    twice = np.concatenate([np.arange(20), np.arange(14, 20)])
    problems = one_against_rest(codes, 2)
    weighted = hold_out(gram, problems, 0.2 / np.where(codes == 1, 2.0, 1.0))
    copied = hold_out(
        gram[np.ix_(twice, twice)], one_against_rest(codes[twice], 2), np.full(26, 0.2)
    )
    first = weighted.functions[0].decide(gram)
    second = copied.functions[0].decide(gram[:, twice])
    np.testing.assert_allclose(first, second, atol=1e-9)

"""The league: ranks with their uncertainty, duels, and the learner that each fold chose."""

import math

import numpy as np
import pytest
from scipy import stats

from made_up_results import result
from nask.evaluation.league import drawn_ranks, league, sets_needed, with_best_learner
from nask.evaluation.league_page import league_page
from nask.evaluation.records import Evaluation
from nask.evaluation.significance import corrected_t_test
from nask.evaluation.twins import Twins
from nask.exceptions import ParameterError

SETS = ("one", "two", "three")


def some(**right):
    """Results of methods on three sets, from the right predictions per fold of 10."""
    return [
        result(dataset, method, np.full(10, own[k]) + np.arange(10) % 2 * (k + 1))
        for method, own in right.items()
        for k, dataset in enumerate(SETS)
    ]


@pytest.fixture
def found():
    return league(some(nask=[8, 7, 6], wl=[6, 7, 7], gh=[2, 3, 1]))


def test_ranks_are_averaged_over_sets(found):
    assert found.datasets == SETS
    assert [own.method for own in found.standings] == ["nask", "wl", "gh"]
    assert [own.rank for own in found.standings] == pytest.approx([1.5, 1.5, 3])
    assert found.standings[2].first == 0
    # The two share the first place of a draw where all of it is the second set.
    assert found.standings[0].first + found.standings[1].first > 1
    for own in found.standings:
        assert own.rank_interval[0] <= own.rank <= own.rank_interval[1]
    assert repr(found) == "League(nask has place 1 of 3 on 3 sets)"


def test_wins_and_losses_are_those_of_the_corrected_test(found):
    by_name = {own.method: own for own in found.standings}
    for method, own in by_name.items():
        if method == "nask":
            continue
        duels = [found.duels[dataset, method] for dataset in SETS]
        for dataset, duel in zip(SETS, duels, strict=True):
            pairs = zip(
                found.results[dataset, "nask"].records,
                found.results[dataset, method].records,
                strict=True,
            )
            gaps = [mine.accuracy - theirs.accuracy for mine, theirs in pairs]
            assert duel.p == corrected_t_test(gaps, 1 / 4)
            assert duel.difference == pytest.approx(np.mean(gaps))
        assert own.wins == sum(duel.p <= 0.05 and duel.difference > 0 for duel in duels)
        assert own.losses == sum(duel.p <= 0.05 and duel.difference < 0 for duel in duels)
        assert own.wins + own.ties + own.losses == 3
        gaps = [duel.difference for duel in duels]
        assert own.difference == pytest.approx(np.mean(gaps))
        assert own.error == pytest.approx(np.std(gaps, ddof=1) / math.sqrt(3))
    assert (by_name["gh"].wins, by_name["gh"].ahead) == (3, 3)
    assert (by_name["wl"].losses, by_name["wl"].ahead) == (1, 1)


def test_a_method_that_ended_too_late_is_last_and_one_that_is_missing_is_not_ranked():
    results = some(nask=[8, 7, 6], wl=[6, 7, 7], gh=[2, 3, 1])
    results[3] = result("one", "wl", [], timeout=60.0)
    del results[-1]
    found = league(results)
    assert [own.method for own in found.standings] == ["nask", "wl"]
    assert found.unranked == {"gh": ("three",)}
    wl = found.standings[1]
    assert wl.rank == pytest.approx((2 + 1.5 + 1) / 3)
    assert wl.wins + wl.ties + wl.losses == 2
    page = league_page(results, "nask")
    assert "| one | 50 | 2 x 5 | **85.0** | TIMEOUT | 25.0 |" in page
    assert "Not ranked, since results on these sets are missing: gh (three)." in page


def test_mistakes():
    with pytest.raises(ParameterError, match="no result of the reference 'nask'"):
        league(some(wl=[1, 2, 3], gh=[1, 2, 3]))
    results = some(nask=[8, 7, 6], wl=[6, 7, 7])
    with pytest.raises(ParameterError, match="nask has no result on 'two'"):
        league([own for own in results if (own.dataset, own.method) != ("two", "nask")])
    with pytest.raises(ParameterError, match="two methods with results on the same two sets"):
        league([own for own in results if own.dataset == "one"])


def test_draws_are_of_sets_with_repetition():
    ranks = np.random.default_rng(3).permuted(np.tile(np.arange(1.0, 5), (12, 1)), axis=1)
    drawn = drawn_ranks(ranks)
    np.testing.assert_allclose(drawn.mean(axis=0), ranks.mean(axis=0), atol=0.02)
    error = ranks.std(axis=0) / math.sqrt(12)
    np.testing.assert_allclose(drawn.std(axis=0), error, rtol=0.03)
    np.testing.assert_allclose(drawn.sum(axis=1), 10)


@pytest.mark.parametrize("effect", [0.2, 0.5, 1.0, 3.0])
def test_so_many_sets_have_the_promised_power(effect):
    """By simulation: the test rejects in 80 % of draws with that number, and in fewer with less."""
    values = np.array([-1.0, 1.0])
    values = effect + values / values.std(ddof=1)
    n = int(sets_needed(values))
    rng = np.random.default_rng(0)
    for size, expected in ((n, True), (n - 1, False)):
        if size < 2:
            continue
        draws = effect + rng.standard_normal((20_000, size))
        power = np.mean(stats.ttest_1samp(draws, 0, axis=1).pvalue < 0.05)
        assert (power > 0.8 - 0.01) if expected else (power < 0.8 + 0.01)


def with_inner(own, inner, learner):
    records = tuple(
        record.__class__(
            **{**vars(record), "inner_score": score, "parameters": {"learner": learner}}
        )
        for record, score in zip(own.records, inner, strict=True)
    )
    return Evaluation(**{**vars(own), "records": records})


def test_each_fold_takes_the_learner_that_did_better_inside():
    """The earlier one in case of a tie; the accuracies on test folds are not looked at."""
    ridge = with_inner(result("one", "wl", [9, 9, 9, 9, 9]), [0.5, 0.7, 0.6, 0.9, 0.1], "ridge")
    svm = with_inner(result("one", "wl-svm", [1, 1, 1, 1, 1]), [0.6, 0.7, 0.5, 0.8, 0.2], "svm")
    other = result("one", "majority", [5, 5, 5, 5, 5])
    same, best = with_best_learner([svm, other, ridge])
    assert same == other
    assert best.method == "wl"
    assert [record.parameters["learner"] for record in best.records] == [
        "svm", "ridge", "ridge", "ridge", "svm",
    ]  # fmt: skip
    assert best.accuracy_mean == pytest.approx((0.1 + 3 * 0.9 + 0.1) / 5)


@pytest.mark.parametrize("late", ["wl", "wl-svm"])
def test_a_learner_that_ended_too_late_leaves_the_other(late):
    results = {name: result("one", name, [n] * 5) for name, n in (("wl", 9), ("wl-svm", 5))}
    results[late] = result("one", late, [], timeout=9.0)
    [best] = with_best_learner(results.values())
    assert best.method == "wl"
    assert best.accuracy_mean == pytest.approx(0.5 if late == "wl" else 0.9)


def test_the_page_has_every_table():
    results = some(nask=[8, 7, 6], wl=[6, 7, 7])
    results += some(**{"nask-svm": [7, 7, 7], "wl-svm": [6, 6, 6]})
    grouped = [result("one@grouped", method, [5] * 10) for method in ("nask", "wl")]
    twins = {"one": Twins(50, 10, 4, 12), "two": Twins(50, 0, 0, 0)}
    page = league_page([*results, *grouped], "nask", twins)
    for heading in ("Standings", "Accuracy on every set", "Differences", "Learners"):
        assert f"## {heading}\n" in page
    assert "| one | 50 | 10 (20 %) | 4 (8 %) | 12 (24 %) |" in page
    assert "| two | 50 | 0 | 0 | 0 |" in page
    assert "| one | 50.0 (-35.0) | 50.0 (-15.0) |" in page


def test_twins_are_counted(mutag):
    graphs = [*mutag.graphs[:6], mutag.graphs[0], mutag.graphs[1]]
    y = np.array([0, 0, 0, 0, 0, 0, 0, 1])
    assert Twins.of(graphs, y) == Twins(8, 4, 2, 4)

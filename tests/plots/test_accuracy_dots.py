"""Accuracies as dots: what is drawn is what was measured."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from nask.exceptions import ParameterError
from nask.plots import accuracy


def result(dataset, method, mean, repeats, folds, **more):
    return SimpleNamespace(
        dataset=dataset,
        method=method,
        accuracy_mean=mean,
        accuracy_std_repeats=repeats,
        accuracy_std_folds=folds,
        **more,
    )


RESULTS = [
    result("MUTAG", "NASK", 0.87, 0.01, 0.06, majority=0.665),
    result("ENZYMES", "NASK", 0.65, math.nan, 0.05),
    result("MUTAG", "WL", 0.84, None, 0.07, majority=0.665),
    result("ENZYMES", "WL", 0.53, 0.02, 0.04, majority=1 / 6),
]


def bars(ax):
    """All horizontal bars as (left, right, height)."""
    segments = [segment for drawn in ax.collections for segment in drawn.get_segments()]
    return {
        rounded(left, right, low)
        for (left, low), (right, high) in (s for s in segments if len(s))
        if low == high
    }


def rounded(*numbers):
    return tuple(round(float(number), 6) for number in numbers)


def dots(ax):
    """Positions of the dots of each method."""
    lines = {line.get_label(): line for line in ax.lines}
    return {method: lines[method].get_xydata() for method in ("NASK", "WL")}


def test_dots_are_mean_accuracies_in_percent_in_the_row_of_their_dataset():
    ax = accuracy(RESULTS)
    drawn = dots(ax)
    np.testing.assert_allclose(drawn["NASK"][:, 0], [87, 65])
    np.testing.assert_allclose(drawn["WL"][:, 0], [84, 53])
    ticks = dict(zip(ax.get_yticks(), ax.get_yticklabels(), strict=True))
    for method in drawn:
        rows = [ticks[round(y)].get_text() for y in drawn[method][:, 1]]
        assert rows == ["MUTAG", "ENZYMES"]
    assert "%" in ax.get_xlabel()


def test_no_two_dots_share_a_row_and_the_first_dataset_is_on_top():
    ax = accuracy(RESULTS)
    heights = np.concatenate([xy[:, 1] for xy in dots(ax).values()])
    assert len(set(heights)) == len(RESULTS)
    bottom, top = ax.get_ylim()
    assert bottom > top


def test_bars_reach_one_standard_deviation_each_way():
    ax = accuracy(RESULTS)
    drawn = dots(ax)
    expected = set()
    for method in drawn:
        for (x, y), measured in zip(
            drawn[method], [r for r in RESULTS if r.method == method], strict=True
        ):
            for spread in (measured.accuracy_std_folds, measured.accuracy_std_repeats):
                if spread is not None and not math.isnan(spread):
                    expected.add(rounded(x - 100 * spread, x + 100 * spread, y))
    assert len(expected) == 6
    assert bars(ax) == expected


def test_the_largest_class_is_marked_once_a_dataset_where_it_is_known():
    ax = accuracy(RESULTS)
    marks = next(c for c in ax.collections if c.get_label() == "largest class").get_segments()
    by_height = {float(np.mean(mark[:, 1])): float(mark[0, 0]) for mark in marks}
    assert by_height == pytest.approx({0.0: 66.5, 1.0: 100 / 6})
    bare = accuracy([RESULTS[1]])
    assert "largest class" not in [text.get_text() for text in bare.get_legend().get_texts()]


@pytest.mark.parametrize("repeats", [None, math.nan, 0.0])
def test_the_legend_names_only_what_is_drawn(repeats):
    def legend(results):
        return [text.get_text() for text in accuracy(results).get_legend().get_texts()]

    assert legend([result("MUTAG", "NASK", 0.87, repeats, 0.06)]) == ["NASK", "± std over folds"]
    assert "± std over repeats" in legend(RESULTS)


def test_no_bar_passes_what_an_accuracy_can_be():
    high, low = result("EASY", "NASK", 0.97, 0.02, 0.06), result("HARD", "NASK", 0.03, 0.04, 0.01)
    ax = accuracy([high, low])
    assert bars(ax) == {(91, 100, 0), (95, 99, 0), (2, 4, 1), (0, 7, 1)}
    left, right = ax.get_xlim()
    assert -2 < left < right < 102
    assert all(0 <= tick <= 100 for tick in ax.get_xticks() if left <= tick <= right)


def test_nothing_to_draw_is_an_error():
    with pytest.raises(ParameterError, match="no results"):
        accuracy([])


def test_dots_of_sets_with_numerical_attributes_are_hollow():
    ax = accuracy(RESULTS, numerical=["ENZYMES"])
    hollow = [line.get_xydata() for line in ax.lines if line.get_label() == "_hollow"]
    for own, method in zip(hollow, ("NASK", "WL"), strict=True):
        np.testing.assert_array_equal(own, dots(ax)[method][1:])
    markers = {line.get_marker() for line in ax.lines if line.get_label() in ("NASK", "WL")}
    assert len(markers) == 2
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"numerical attributes", "categorical attributes"} <= set(texts)
    one = accuracy(RESULTS, numerical=["MUTAG", "ENZYMES"]).get_legend().get_texts()
    assert "categorical attributes" not in [text.get_text() for text in one]

"""The picture of a league: what it shows is what the league says."""

import numpy as np
import pytest

import nask
from made_up_results import result
from nask.plots import league_table

RIGHT = {"nask": [8, 7, 9], "wl": [6, 7, 8], "majority": [2, 3, 1]}


@pytest.fixture(scope="module")
def found():
    return nask.league(
        [
            result(dataset, method, np.full(10, n) + np.arange(10) % 2)
            for method, own in RIGHT.items()
            for dataset, n in zip("ABC", own, strict=True)
        ]
    )


def test_ranks_and_differences_are_where_they_belong(found):
    ranks, gaps = league_table(found).axes
    large = [
        line for line in ranks.lines if line.get_markersize() == 6 and len(line.get_xdata()) == 1
    ]
    assert [line.get_xdata()[0] for line in large] == [own.rank for own in found.standings]
    bars = [tuple(line.get_xdata()) for line in ranks.lines if len(line.get_xdata()) == 2]
    assert bars == [own.rank_interval for own in found.standings]
    means = [line.get_xdata()[0] for line in gaps.lines if len(line.get_xdata()) == 1]
    others = [own for own in found.standings if own.method != "nask"]
    assert means == pytest.approx([100 * own.difference for own in others])
    assert [label.get_text() for label in ranks.get_yticklabels()] == ["nask", "wl", "majority"]


def test_a_floor_far_behind_does_not_squeeze_the_others(found):
    _, gaps = league_table(found).axes
    wl = next(own for own in found.standings if own.method == "wl")
    left, right = gaps.get_xlim()
    assert left < 0 < 100 * wl.difference < right
